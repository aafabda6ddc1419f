#include <algorithm>
#include <array>
#include <stop_token>

#include <fmt/format.h>

#include "model/capacity/capacity.h"
#include "model/hardware/read.h"
#include "model/units/format.h"

namespace ridgepoint {
namespace {

// The axes that decide whether and how fast a plan runs; what is a matter of software stays as in the plan.
void narrow(SearchSpace& s, const Plan& plan)
{
    const Layout& l = plan.layout;
    s.cp = {l.cp};
    s.etp = {l.etp};
    s.sequence_parallel = {l.sequence_parallel};
    s.overlap_tp = {l.overlap_tp};
    s.overlap_moe = {l.overlap_moe};
    s.expert_kernels = {l.expert_dispatch_rdma};
    s.overlap_grad_reduce = {l.overlap_grad_reduce};
    s.overlap_param_gather = {l.overlap_param_gather};
    s.recompute = {Recompute::none, Recompute::selective, Recompute::full};
    s.schedule = {PipelineSchedule::one_f_one_b, PipelineSchedule::interleaved};
    s.sharding = {DataSharding::zero1};
    if (plan.assumptions.framework == Framework::fsdp || l.sharding == DataSharding::zero3)
        s.sharding.push_back(DataSharding::zero3);
    if (std::ranges::find(s.sharding, l.sharding) == s.sharding.end())
        s.sharding.push_back(l.sharding);
}

void explain(FoundLayout& out, const SearchResult& r)
{
    const RejectionCount& memory = r.rejected[static_cast<std::size_t>(Rejection::memory)];
    if (memory.points > 0) {
        out.binding = Binding::memory;
        out.why = fmt::format("no layout fits: the nearest lacks {}", format(memory.shortfall));
        return;
    }
    out.binding = Binding::layout;
    out.why = "no legal layout";
    std::uint64_t most = 0;
    for (std::size_t i = 0; i < layout_rule_count; ++i)
        if (r.broken_rules[i].points > most) {
            most = r.broken_rules[i].points;
            out.why = fmt::format("no legal layout; most often {}", name_of(static_cast<LayoutRule>(i)));
        }
}

} // namespace

std::string_view name_of(Binding b)
{
    constexpr std::array<std::string_view, 8> names = {"none", "deadline", "budget", "memory", "availability", "price", "layout", "limits"};
    return names[static_cast<std::size_t>(b)];
}

Expected<FoundLayout> find_layout(const Plan& given, const std::string& instance, int nodes, const SpecStore& specs, const CapacityOptions& options)
{
    FoundLayout out;
    Plan plan = given;
    plan.instance = instance;
    plan.nodes = nodes;
    plan.gpus = 0;
    Plan bare = plan;
    bare.layout = Layout{}; // only model, cluster and recipe are resolved for the space
    bare.layout.dp = 0;
    const Expected<Job> job = resolve(bare, specs);
    if (!job) {
        if (job.error().kind != ErrorKind::infeasible)
            return job.error();
        out.binding = Binding::layout;
        out.why = job.error().message;
        return out;
    }
    SearchSpace space = default_space(plan, *job);
    narrow(space, plan);
    const Expected<SearchProblem> problem = SearchProblem::make(plan, std::move(space), specs);
    if (!problem)
        return problem.error();
    SearchOptions search_options;
    search_options.keep = 1;
    search_options.threads = options.threads;
    std::stop_source limit;
    const std::stop_callback outer(options.progress.stop, [&] { limit.request_stop(); });
    Progress progress;
    progress.stop = limit.get_token();
    const SearchResult r = search(*problem, search_options, progress, [&](const SearchResult& now) {
        if (now.elapsed > options.search_limit)
            limit.request_stop();
    });
    out.points = r.points;
    out.stopped = r.stopped;
    if (r.best.empty())
        explain(out, r);
    else
        out.plan = problem->plan_of(r.best.front().point);
    return out;
}

Expected<std::vector<std::string>> instances_of(const SpecStore& specs, const CapacityOptions& options)
{
    for (const std::string& id : options.instances)
        if (const Expected<const nlohmann::json*> known = specs.document(SpecKind::instance, id); !known)
            return known.error();
    if (!options.instances.empty())
        return options.instances;
    std::vector<std::string> out;
    for (const std::string& id : specs.ids(SpecKind::instance)) {
        const Expected<Node> node = read_node(specs, id);
        if (!node)
            return node.error();
        if (node->vendor == "aws")
            out.push_back(id);
    }
    return out;
}

} // namespace ridgepoint
