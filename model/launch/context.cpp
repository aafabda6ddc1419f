#include "model/launch/context.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "model/parallelism/stages.h"

namespace ridgepoint {
namespace {

// A p6e-gb200.36xlarge, and every host of an NVL72 rack, has four GPUs; specs/instances counts the rack as one node.
constexpr int gpus_of_rack_host = 4;
constexpr int most_gpus_of_host = 16;

std::string scalar(const std::string& value, const FlagSpec* flag)
{
    const bool bare = flag && (flag->type == FlagType::whole || flag->type == FlagType::number || flag->type == FlagType::boolean);
    return bare ? value : quoted_text(value);
}

std::string list(const Argument& a, const FlagSpec* flag)
{
    if (!flag || !flag->many)
        return scalar(a.values.empty() ? "true" : a.values.front(), flag);
    std::string out = "[";
    for (const std::string& v : a.values)
        out += (out.size() > 1 ? ", " : "") + scalar(v, flag);
    return out + "]";
}

// Entries grouped by what stands before the last dot, in the order in which the groups appear.
std::vector<std::pair<std::string, std::vector<std::pair<std::string, const Argument*>>>> grouped(const std::vector<Argument>& entries)
{
    std::vector<std::pair<std::string, std::vector<std::pair<std::string, const Argument*>>>> out;
    for (const Argument& a : entries) {
        const std::size_t dot = a.name.rfind('.');
        const std::string group = dot == std::string::npos ? "" : a.name.substr(0, dot);
        auto it = std::ranges::find_if(out, [&](const auto& g) { return g.first == group; });
        if (it == out.end()) {
            out.push_back({group, {}});
            it = std::prev(out.end());
        }
        it->second.emplace_back(dot == std::string::npos ? a.name : a.name.substr(dot + 1), &a);
    }
    return out;
}

} // namespace

long long LaunchContext::steps() const
{
    const auto* t = std::get_if<Training>(&job.workload);
    if (!t || t->tokens <= Tokens{})
        return 0;
    return static_cast<long long>(std::ceil(t->tokens.value() / (static_cast<double>(t->global_batch) * t->sequence_length) - 1e-9));
}

Hosts hosts_of(const Job& job)
{
    const Node& node = job.cluster.node;
    Hosts h;
    const bool rack = node.accelerators > most_gpus_of_host;
    const int per_host = rack ? gpus_of_rack_host : std::max(node.accelerators, 1);
    h.gpus = std::min(per_host, std::max(job.cluster.gpus, 1));
    h.count = (job.cluster.gpus + per_host - 1) / per_host;
    h.nics = job.cluster.fabric.kind == FabricKind::efa ? static_cast<int>(static_cast<long long>(node.nics) * per_host / std::max(node.accelerators, 1)) : 0;
    if (node.vendor == "aws")
        h.instance = rack ? "p6e-gb200.36xlarge" : node.id;
    return h;
}

int shard_group_of(const Job& job)
{
    const Layout& l = job.layout;
    return std::min(l.dp * l.cp, l.shard_group > 0 ? l.shard_group : std::max(1, job.cluster.node.accelerators / l.tp));
}

DataSharding sharding_of(const Job& job)
{
    if (job.layout.sharding != DataSharding::hsdp)
        return job.layout.sharding;
    const int group = shard_group_of(job);
    return group == job.layout.dp * job.layout.cp ? DataSharding::zero3 : group == 1 ? DataSharding::none : DataSharding::hsdp;
}

std::string quoted_text(std::string_view text)
{
    std::string clean(text);
    std::ranges::replace(clean, '\x7f', ' '); // TOML refuses it, JSON does not escape it
    return nlohmann::json(clean).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string to_toml(const std::vector<Argument>& entries, const FlagTable& table)
{
    std::string out;
    for (const auto& [group, items] : grouped(entries)) {
        out += fmt::format("{}[{}]\n", out.empty() ? "" : "\n", group);
        for (const auto& [key, a] : items)
            out += fmt::format("{} = {}\n", key, list(*a, table.find(a->name)));
    }
    return out;
}

std::string to_yaml(const std::vector<Argument>& entries, const FlagTable& table)
{
    std::string out;
    for (const auto& [group, items] : grouped(entries)) {
        if (!group.empty())
            out += group + ":\n";
        for (const auto& [key, a] : items)
            out += fmt::format("{}{}: {}\n", group.empty() ? "" : "  ", key, list(*a, table.find(a->name)));
    }
    return out;
}

std::vector<int> layers_of_chunks(const Transformer& model, const Layout& layout)
{
    const std::vector<StageContent> stages = cut_into_stages(model, layout);
    std::vector<int> out;
    const int chunks = std::max(layout.vpp, 1);
    for (int round = 0; round < chunks; ++round)
        for (std::size_t s = 0; s < stages.size(); ++s) {
            const int n = stages[s].layer_count() - (s + 1 == stages.size() ? model.mtp_depth : 0);
            out.push_back(n / chunks + (round < n % chunks ? 1 : 0));
        }
    return out;
}

} // namespace ridgepoint
