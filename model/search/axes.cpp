#include "model/search/axes.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "model/project/fields.h"

namespace ridgepoint {
namespace {

constexpr std::size_t most_values = 1000;
constexpr std::uint64_t most_points = std::uint64_t{1} << 50;

struct Axis {
    const char* name;
    const char* field; // of the plan
    std::function<void(SearchSpace&, const Plan&)> add; // the plan's value
    std::function<void(SearchSpace&)> clear;
    std::function<std::size_t(const SearchSpace&)> size;
    std::function<void(const SearchSpace&, std::size_t, Plan&)> put; // value i into a plan
};

template <typename T, typename Read, typename Write>
Axis axis(const char* name, const char* field, std::vector<T> SearchSpace::*member, Read read, Write write)
{
    return {name, field,
        [member, read](SearchSpace& s, const Plan& p) {
            const T value = read(p);
            auto& values = s.*member;
            if (std::find(values.begin(), values.end(), value) == values.end())
                values.push_back(value);
        },
        [member](SearchSpace& s) { (s.*member).clear(); }, [member](const SearchSpace& s) { return (s.*member).size(); },
        [member, write](const SearchSpace& s, std::size_t i, Plan& p) { write(p, (s.*member)[i]); }};
}

template <typename T> Axis of_layout(const char* name, const char* field, std::vector<T> SearchSpace::*member, T Layout::*value)
{
    return axis(name, field, member, [value](const Plan& p) { return p.layout.*value; }, [value](Plan& p, T v) { p.layout.*value = v; });
}

Axis of_pool(const char* name, const char* field, std::vector<int> SearchSpace::*member, int PromptPool::*value)
{
    return axis(name, field, member, [value](const Plan& p) { const auto* s = std::get_if<Serving>(&p.workload); return s ? s->pool.*value : 1; },
        [value](Plan& p, int v) { if (auto* s = std::get_if<Serving>(&p.workload)) s->pool.*value = v; });
}

const std::vector<Axis>& axes()
{
    static const std::vector<Axis> all = {
        of_layout("tp", "/layout/tp", &SearchSpace::tp, &Layout::tp),
        of_layout("pp", "/layout/pp", &SearchSpace::pp, &Layout::pp),
        of_layout("vpp", "/layout/vpp", &SearchSpace::vpp, &Layout::vpp),
        of_layout("cp", "/layout/cp", &SearchSpace::cp, &Layout::cp),
        of_layout("ep", "/layout/ep", &SearchSpace::ep, &Layout::ep),
        of_layout("etp", "/layout/etp", &SearchSpace::etp, &Layout::etp),
        of_layout("micro_batch", "/layout/micro_batch", &SearchSpace::micro_batch, &Layout::micro_batch),
        of_layout("recompute", "/layout/recompute", &SearchSpace::recompute, &Layout::recompute),
        of_layout("schedule", "/layout/schedule", &SearchSpace::schedule, &Layout::schedule),
        of_layout("sharding", "/layout/sharding", &SearchSpace::sharding, &Layout::sharding),
        of_layout("sequence_parallel", "/layout/sequence_parallel", &SearchSpace::sequence_parallel, &Layout::sequence_parallel),
        of_layout("overlap_tp", "/layout/overlap_tp", &SearchSpace::overlap_tp, &Layout::overlap_tp),
        of_layout("overlap_moe", "/layout/overlap_moe", &SearchSpace::overlap_moe, &Layout::overlap_moe),
        of_layout("expert_dispatch_rdma", "/layout/expert_dispatch_rdma", &SearchSpace::expert_kernels, &Layout::expert_dispatch_rdma),
        of_layout("cuda_graphs", "/layout/cuda_graphs", &SearchSpace::cuda_graphs, &Layout::cuda_graphs),
        of_layout("overlap_grad_reduce", "/layout/overlap_grad_reduce", &SearchSpace::overlap_grad_reduce, &Layout::overlap_grad_reduce),
        of_layout("overlap_param_gather", "/layout/overlap_param_gather", &SearchSpace::overlap_param_gather, &Layout::overlap_param_gather),
        of_layout("attention_dp", "/layout/attention_dp", &SearchSpace::attention_dp, &Layout::attention_dp),
        axis("concurrency", "/workload/concurrency", &SearchSpace::concurrency,
            [](const Plan& p) { const auto* s = std::get_if<Serving>(&p.workload); return s ? s->concurrency : 1; },
            [](Plan& p, int v) { if (auto* s = std::get_if<Serving>(&p.workload)) s->concurrency = v; }),
        of_pool("prompt_workers", "/workload/prompt_pool/workers", &SearchSpace::prompt_workers, &PromptPool::workers),
        of_pool("decode_workers", "/workload/prompt_pool/decode_workers", &SearchSpace::decode_workers, &PromptPool::decode_workers),
        of_pool("prompt_tp", "/workload/prompt_pool/tp", &SearchSpace::prompt_tp, &PromptPool::tp),
        of_pool("prompt_ep", "/workload/prompt_pool/ep", &SearchSpace::prompt_ep, &PromptPool::ep),
        axis("recipe", "/precision/recipe", &SearchSpace::recipes, [](const Plan& p) { return p.precision.recipe; },
            [](Plan& p, const std::string& v) { p.precision.recipe = v; }),
    };
    return all;
}

const Axis* find_axis(std::string_view name)
{
    const auto found = std::ranges::find_if(axes(), [&](const Axis& a) { return name == a.name; });
    return found == axes().end() ? nullptr : &*found;
}

// Clusters are the product of two lists: setting one keeps the other.
Status set_clusters(SearchSpace& space, const Plan& plan, bool instances, const std::vector<std::string>& values)
{
    std::vector<std::string> names;
    std::vector<int> nodes;
    for (const ClusterChoice& c : space.clusters) {
        if (std::ranges::find(names, c.instance) == names.end())
            names.push_back(c.instance);
        if (std::ranges::find(nodes, c.nodes) == nodes.end())
            nodes.push_back(c.nodes);
    }
    if (instances)
        names.clear();
    else
        nodes.clear();
    for (const std::string& v : values) {
        Plan p = plan;
        if (Status s = set_field(p, instances ? "/cluster/instance" : "/cluster/nodes", v); !s)
            return s;
        if (instances)
            names.push_back(p.instance);
        else
            nodes.push_back(p.nodes);
    }
    space.clusters.clear();
    for (const std::string& name : names)
        for (const int n : nodes)
            space.clusters.push_back({name, n});
    return Done{};
}

Error unknown_axis(std::string_view axis)
{
    std::string known;
    for (const std::string& name : axis_names())
        known += (known.empty() ? "" : ", ") + name;
    return bad_input("There is no such axis of a search", {}, "\"" + std::string(axis) + "\"", "one of: " + known);
}

} // namespace

std::vector<std::string> axis_names()
{
    std::vector<std::string> out = {"instance", "nodes"};
    for (const Axis& a : axes())
        out.emplace_back(a.name);
    return out;
}

std::string field_of_axis(std::string_view name)
{
    const Axis* a = find_axis(name);
    return a ? a->field : name == "instance" ? "/cluster/instance" : name == "nodes" ? "/cluster/nodes" : "";
}

bool axis_applies(const Plan& plan, std::string_view name)
{
    const Axis* a = find_axis(name);
    const PlanField* field = a ? find_field(a->field) : nullptr;
    if (field && std::string_view(a->field).starts_with("/workload/prompt_pool/") && !runs_prompts_apart(plan.workload))
        return false;
    return !field || (std::holds_alternative<Training>(plan.workload) ? field->training : field->serving);
}

std::vector<std::string> axis_values(const SearchSpace& space, const Plan& plan, std::string_view name)
{
    std::vector<std::string> out;
    if (name == "instance" || name == "nodes") {
        for (const ClusterChoice& c : space.clusters) {
            const std::string v = name == "instance" ? c.instance : std::to_string(c.nodes);
            if (std::ranges::find(out, v) == out.end())
                out.push_back(v);
        }
        return out;
    }
    const Axis* a = find_axis(name);
    for (std::size_t i = 0; a && i < a->size(space); ++i) {
        Plan p = plan;
        a->put(space, i, p);
        out.push_back(field_value(p, a->field));
    }
    return out;
}

Status set_axis(SearchSpace& space, const Plan& plan, std::string_view name, const std::vector<std::string>& values)
{
    if (values.empty() || values.size() > most_values)
        return bad_input("An axis of a search has too few or too many values", {}, std::to_string(values.size()), fmt::format("1 to {} values of {}", most_values, name));
    SearchSpace changed = space;
    if (name == "instance" || name == "nodes") {
        if (Status s = set_clusters(changed, plan, name == "instance", values); !s)
            return s;
    } else {
        const Axis* a = find_axis(name);
        if (!a)
            return unknown_axis(name);
        a->clear(changed);
        for (const std::string& v : values) {
            Plan p = plan;
            if (Status s = set_field(p, a->field, v); !s)
                return s;
            a->add(changed, p);
        }
    }
    if (changed.points() > most_points)
        return bad_input("The space has too many points", {}, std::to_string(changed.points()), fmt::format("at most {}", most_points));
    space = std::move(changed);
    return Done{};
}

} // namespace ridgepoint
