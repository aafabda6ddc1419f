#pragma once
// What the rows of a summary are: kernels, copies, calls of the host or ranges.

#include <optional>
#include <string>
#include <string_view>

#include "model/measured/kernel_totals.h"
#include "model/trace/table_events.h"

namespace ridgepoint {

// By the report's name in any of its versions (gpukernsum, cuda_gpu_kern_sum, "CUDA Kernel Statistics"), else by columns.
TotalsReport::Kind totals_kind(std::string report, const TableColumns& columns);

// Of one row, by its category or domain (cuda_gpu_sum of nsys, the summary of rocprofv3) or by what only such rows are called;
// none: the row is the sum of a whole domain ("KERNEL_DISPATCH" of rocprofv3's *_domain_stats.csv).
std::optional<TotalsReport::Kind> totals_row_kind(TotalsReport::Kind table, std::string_view category, std::string_view name, bool rocprof);

} // namespace ridgepoint
