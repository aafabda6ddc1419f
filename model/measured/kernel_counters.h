#pragma once
// Kernels with hardware counters: Nsight Compute, rocprof-compute.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/trace/timeline.h"
#include "model/units/quantity.h"

namespace ridgepoint {

struct CountedKernel { // one launch
    std::string name;
    KernelClass kernel_class = KernelClass::other;
    Seconds time; // with clocks as the profiler sets them: Nsight Compute locks them to base
    bool time_known = true; // false: no counter tells, `time` is meaningless
    std::optional<Flops> flops; // none: no counter in the file tells
    std::optional<Bytes> dram_bytes, l2_bytes, l1_bytes; // none: not counted
    std::optional<double> compute_share, memory_share; // of the peak that could be sustained, as the tool states it
};

struct KernelCounters {
    std::string tool; // "Nsight Compute"
    std::string device; // empty: not stated
    std::vector<CountedKernel> kernels;
    std::string missing; // why kernels cannot be placed on a roofline and which option would record it; empty: they can
};

} // namespace ridgepoint
