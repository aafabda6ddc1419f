#pragma once
// Nsight Compute's metrics of one launch, and what they say about operations, bytes and time.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "model/measured/kernel_counters.h"

namespace ridgepoint {

// A launch's metrics by name, in base units: seconds, bytes, operations, fractions of 1 for percentages.
struct NcuLaunch {
    std::string name, device_name, compute_capability;
    std::map<std::string, double, std::less<>> metrics;
    std::size_t invocations = 1; // that the metrics are averages of
};

// "Mbyte" -> 1e6, "us" -> 1e-6, "%" -> 0.01, "Kinst" -> 1e3, "Ghz" -> 1e9; 1 for units without a scale. Nsight Compute's
// prefixes are powers of 1000.
double ncu_unit_scale(std::string_view unit);

// What the file as a whole counts: decides what an absent counter means.
struct NcuCounted {
    bool flops = false, bytes = false, time = false;
    bool tensor = false; // operations of tensor cores
    bool partial_flops = false; // adds, multiplications or fused ones of a precision are missing: a lower bound
    bool integer_tensor = false; // integer operations of tensor cores, which are no FLOPs
    bool rate_based = false; // some figure is a rate times the duration
    bool unattributed = false; // a launch that used tensor cores whose operations are not counted
};

// FLOPs = add + mul + 2 fma of SASS instructions, plus tensor-core operations where they are counted; unknown where the
// launch used tensor cores and they are not.
CountedKernel counted_kernel(const NcuLaunch& launch, NcuCounted& counted);

} // namespace ridgepoint
