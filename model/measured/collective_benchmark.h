#pragma once
// Sweeps of a collective over message sizes: nccl-tests, rccl-tests and their kin.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/trace/timeline.h"
#include "model/units/quantity.h"

namespace ridgepoint {

struct CollectiveTiming {
    Seconds time; // of one operation
    BytesPerSecond algorithm_bandwidth; // as printed; GB is 1e9
    BytesPerSecond bus_bandwidth;
    std::optional<std::int64_t> wrong; // elements; none: not checked (N/A)
};

struct CollectiveRow {
    Bytes size; // as printed: the benchmark's size, of the larger buffer
    std::int64_t elements = 0;
    std::string dtype, reduction;
    int root = -1;
    std::optional<CollectiveTiming> out_of_place, in_place;
};

struct CollectiveSweep {
    CollectiveType type = CollectiveType::other;
    std::string test; // as stated or inferred: "all_reduce_perf"
    bool inferred = false; // the file does not name it: from the ratio of bus to algorithm bandwidth
    int ranks = 0; // 0: unknown
    int hosts = 0; // 0: unknown
    std::vector<CollectiveRow> rows;
    std::optional<BytesPerSecond> printed_average; // mean over both columns and all rows: depends on the range of sizes
};

struct CollectiveBenchmark {
    std::string version; // of the library, from the content and not from the file's name
    std::vector<std::string> devices; // one per rank: "NVIDIA H100 80GB HBM3"
    std::vector<CollectiveSweep> sweeps;
};

} // namespace ridgepoint
