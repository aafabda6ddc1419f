#pragma once
// What a program does without when it does it: Chakra and PyTorch execution traces.

#include <cstdint>
#include <map>
#include <string>

#include "model/units/quantity.h"

namespace ridgepoint {

struct ExecutionGraph {
    std::string schema; // as stated
    std::int64_t nodes = 0;
    std::map<std::string, std::int64_t> types; // "COMM_COLL_NODE" -> nodes; operator names for PyTorch traces
    Flops compute; // stated operations; zero: none stated
    Bytes communicated; // stated sizes of collectives and messages
    Seconds duration; // of nodes that state one
};

} // namespace ridgepoint
