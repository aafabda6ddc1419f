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
    std::string wrong_text; // as printed: "0", "N/A", "0e+00"
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
    bool stated = false; // the benchmark's own output names it, not only a command line around it
    bool inferred = false; // the file does not name it: from counts and the ratio of bus to algorithm bandwidth
    int ranks = 0; // 0: unknown
    bool ranks_inferred = false; // from counts or that ratio, no list of devices being there
    int hosts = 0; // 0: unknown
    std::vector<CollectiveRow> rows;
    std::optional<BytesPerSecond> printed_average; // mean over both columns and all rows: depends on the range of sizes
    std::optional<BytesPerSecond> printed_peak; // largest bus bandwidth of a summary that has no rows
};

struct CollectiveBenchmark {
    std::string tool; // "nccl-tests"
    std::string version; // of the library, from the content and not from the file's name
    std::vector<std::string> devices; // one per rank: "NVIDIA H100 80GB HBM3"
    std::vector<CollectiveSweep> sweeps;
};

} // namespace ridgepoint
