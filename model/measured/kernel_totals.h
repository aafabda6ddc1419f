#pragma once
// Times summed by name, without a timeline: the reports of `nsys stats`, rocprof's *_stats.csv.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/trace/timeline.h"
#include "model/units/quantity.h"

namespace ridgepoint {

struct NamedTotal {
    std::string name; // cut by the tool where it ends in "..."
    KernelClass kernel_class = KernelClass::other; // of kernels and memory operations
    std::int64_t count = 0;
    Seconds total;
    std::optional<Seconds> mean, median, shortest, longest;
};

struct TotalsReport {
    enum class Kind : std::uint8_t { kernels, memory_operations, host_calls, ranges } kind = Kind::kernels;
    std::string name; // as the tool calls it: "cuda_gpu_kern_sum"
    std::vector<NamedTotal> rows;
    [[nodiscard]] Seconds total() const;
    [[nodiscard]] std::int64_t count() const;
};

struct KernelTotals {
    std::string tool; // "Nsight Systems"
    std::vector<TotalsReport> reports; // a file may hold several runs, and so a report more than once
    bool names_cut = false;
};
std::vector<ClassTotal> class_totals(const KernelTotals& totals); // of kernels and memory operations, longest first

} // namespace ridgepoint
