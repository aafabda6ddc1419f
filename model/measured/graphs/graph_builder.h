#pragma once
// Counts nodes of an execution trace into an ExecutionGraph, whatever file they come from.

#include <string>
#include <tuple>
#include <unordered_map>

#include "model/measured/execution_graph.h"
#include "model/trace/kernel_rules.h"

namespace ridgepoint {

// Chakra's kinds of nodes by number, and of collectives [et_def.proto of mlcommons/chakra]; "type 42" for others.
std::string chakra_node_type(std::int64_t number);
std::string chakra_collective(std::int64_t number);

class GraphBuilder {
public:
    explicit GraphBuilder(const KernelRules& rules) : m_rules(rules) {}

    void add_node(const std::string& type, std::int64_t dependencies);
    void add_operator(const std::string& name, Seconds duration, Flops flops = {});
    void add_communication(const std::string& name, Bytes size, int group_size, Seconds duration);
    ExecutionGraph take();

    ExecutionGraph graph; // for what needs no counting

private:
    using Key = std::tuple<std::string, double, int>;
    const KernelRules& m_rules;
    std::unordered_map<std::string, std::size_t> m_operators;
    std::map<Key, ExecutionGraph::Communication> m_communications;
};

} // namespace ridgepoint
