#include "model/measured/graphs/graphs.h"

namespace ridgepoint {

nlohmann::json graph_facts(const ExecutionGraph& g)
{
    nlohmann::json f = {{"schema", g.schema}, {"nodes", g.nodes}, {"dependencies", g.dependencies}, {"communicated_bytes", g.communicated.value()}, {"flops", g.compute.value()},
        {"duration_us", in_microseconds(g.duration)}, {"with_duration", g.with_duration}};
    nlohmann::json& types = f["types"] = nlohmann::json::object();
    for (const auto& [type, count] : g.types)
        types[type] = count;
    nlohmann::json& communications = f["communications"] = nlohmann::json::array();
    for (const auto& c : g.communications)
        communications.push_back({{"name", c.name}, {"bytes", c.size.value()}, {"group", c.group_size}, {"count", c.count}});
    return f;
}

std::vector<TextFormat> graph_formats() { return {flight_recorder_format(), pytorch_graph_format(), chakra_json_format(), chakra_protobuf_format()}; }

} // namespace ridgepoint
