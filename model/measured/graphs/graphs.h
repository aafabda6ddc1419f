#pragma once
// The formats of this family, and the facts that they have in common.

#include "model/measured/measured.h"

namespace ridgepoint {

TextFormat chakra_protobuf_format();
TextFormat chakra_json_format();
TextFormat pytorch_graph_format();
TextFormat flight_recorder_format();

nlohmann::json graph_facts(const ExecutionGraph& graph);

} // namespace ridgepoint
