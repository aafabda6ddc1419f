#pragma once
// What all collective benchmarks share: which collective a table is, how many ranks, and the facts of a file.

#include <string_view>

#include <nlohmann/json.hpp>

#include "model/measured/measured.h"

namespace ridgepoint {

// "all_reduce_perf", "AllReduce", "alltoall_perf_mpi" -> the collective; `other` if the name says nothing.
CollectiveType collective_type_of(std::string_view name);
double bytes_per_element(std::string_view dtype); // 0 if unknown

// Fills in what the file does not state: the collective and the ranks, from counts, roots and busbw/algbw. The bus factors
// are those of nccl-tests' PERFORMANCE.md: all-reduce 2(n-1)/n; all-gather, reduce-scatter, all-to-all (n-1)/n; others 1.
void complete(CollectiveSweep& sweep);

// Over both columns of all rows, as the benchmark averages; none without a timing.
std::optional<BytesPerSecond> average_bus_bandwidth(const CollectiveSweep& sweep);

// Facts, notes on contradictions (average, wrong results, inferred names), content. `rank_lines`: device lines in the file.
Measured collective_measured(CollectiveBenchmark benchmark, std::int64_t rank_lines, const std::string& file, std::string format, std::vector<Skipped> skipped, std::vector<std::string> notes = {});

} // namespace ridgepoint
