#include "model/measured/graphs/graph_builder.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

namespace ridgepoint {
namespace {

constexpr std::array<std::string_view, 11> node_types{"INVALID_NODE", "METADATA_NODE", "MEM_LOAD_NODE", "MEM_STORE_NODE", "COMP_NODE", "COMM_SEND_NODE", "COMM_RECV_NODE",
    "COMM_COLL_NODE", "STORAGE_NODE", "BATCH_NODE", "CHECKPOINT_NODE"};
constexpr std::array<std::string_view, 10> collectives{"ALL_REDUCE", "REDUCE", "ALL_GATHER", "GATHER", "SCATTER", "BROADCAST", "ALL_TO_ALL", "REDUCE_SCATTER", "REDUCE_SCATTER_BLOCK", "BARRIER"};
constexpr std::size_t most_names = 1'000'000;

} // namespace

std::string chakra_node_type(std::int64_t n)
{
    return n >= 0 && n < static_cast<std::int64_t>(node_types.size()) ? std::string(node_types[static_cast<std::size_t>(n)]) : fmt::format("type {}", n);
}

std::string chakra_collective(std::int64_t n)
{
    return n >= 0 && n < static_cast<std::int64_t>(collectives.size()) ? std::string(collectives[static_cast<std::size_t>(n)]) : fmt::format("collective {}", n);
}

void GraphBuilder::add_node(const std::string& type, std::int64_t dependencies)
{
    ++graph.nodes;
    if (graph.types.size() < most_names || graph.types.contains(type))
        ++graph.types[type];
    graph.dependencies += dependencies;
}

void GraphBuilder::add_operator(const std::string& name, Seconds duration, Flops flops)
{
    auto at = m_operators.find(name);
    if (at == m_operators.end()) {
        if (graph.operators.size() >= most_names)
            return;
        at = m_operators.emplace(name, graph.operators.size()).first;
        graph.operators.push_back({name, 0, {}, {}});
    }
    ExecutionGraph::Operator& op = graph.operators[at->second];
    ++op.count;
    op.duration += duration;
    op.flops += flops;
    graph.compute += flops;
}

void GraphBuilder::add_communication(const std::string& name, Bytes size, int group_size, Seconds duration)
{
    graph.communicated += size;
    const Key key{name, size.value(), group_size};
    auto at = m_communications.find(key);
    if (at == m_communications.end()) {
        if (m_communications.size() >= most_names)
            return;
        at = m_communications.emplace(key, ExecutionGraph::Communication{m_rules.collective_type(name), name, size, group_size, 0, {}}).first;
    }
    ++at->second.count;
    at->second.duration += duration;
}

ExecutionGraph GraphBuilder::take()
{
    for (auto& [key, c] : m_communications)
        graph.communications.push_back(std::move(c));
    std::stable_sort(graph.communications.begin(), graph.communications.end(),
        [](const auto& a, const auto& b) { return a.size * static_cast<double>(a.count) > b.size * static_cast<double>(b.count); });
    std::stable_sort(graph.operators.begin(), graph.operators.end(),
        [](const auto& a, const auto& b) { return a.duration != b.duration ? a.duration > b.duration : a.count > b.count; });
    return std::move(graph);
}

} // namespace ridgepoint
