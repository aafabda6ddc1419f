#pragma once
// What a program does without when it does it: Chakra and PyTorch execution traces.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/trace/timeline.h"
#include "model/units/quantity.h"

namespace ridgepoint {

struct ExecutionGraph {
    std::string schema; // as stated
    std::int64_t nodes = 0;
    std::map<std::string, std::int64_t> types; // "COMM_COLL_NODE" -> nodes; operator names for PyTorch traces
    Flops compute; // stated operations, or of operators with tensor shapes; zero: neither
    Bytes communicated; // stated sizes of collectives and messages
    Seconds duration; // of nodes that state one
    std::int64_t with_duration = 0;
    std::int64_t dependencies = 0; // stated edges, data and control

    struct Communication { // equal ones counted together
        CollectiveType type = CollectiveType::other;
        std::string name; // as recorded: "ALL_REDUCE", "_allgather_base"
        Bytes size; // of one; 0: not stated
        int group_size = 0; // 0: not stated
        std::int64_t count = 0;
        Seconds duration; // of all
    };
    std::vector<Communication> communications; // most bytes first

    struct Operator { // of one name: computation and memory, communication left out
        std::string name;
        std::int64_t count = 0;
        Seconds duration;
        Flops flops;
    };
    std::vector<Operator> operators; // longest first, then most frequent
};

} // namespace ridgepoint
