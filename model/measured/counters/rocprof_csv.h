#pragma once
// Counters of AMD GPUs: rocprof-compute's pmc_perf.csv and rocprof's results.csv (a dispatch a row), rocprofv3's
// counter_collection.csv (a counter a row).

#include <string_view>

#include "model/measured/measured.h"

namespace ridgepoint {

bool is_rocprof_csv(std::string_view text);
// Errors: a header without a single dispatch.
Expected<Measured> read_rocprof_csv(std::string_view text, const std::string& file);

// Kernels with times and work as their own program states them: columns kernel, mean_ms or median_ms, flops.
bool is_timing_csv(std::string_view text);
Expected<Measured> read_timing_csv(std::string_view text, const std::string& file);

} // namespace ridgepoint
