#pragma once
// Measured kernels that have a place on the roofline, as the chart and the table of top kernels take them.

#include <cstdint>
#include <string>
#include <vector>

#include "model/trace/timeline.h"
#include "model/units/quantity.h"

namespace ridgepoint {

struct MeasuredKernel
{ // one execution
    FlopPerByte intensity;
    FlopPerSecond achieved;
    Seconds time;
    KernelClass kernel_class = KernelClass::other;
    std::uint32_t name = 0; // index into MeasuredKernels::names
};

struct MeasuredKernels
{
    std::vector<MeasuredKernel> kernels;
    std::vector<std::string> names;
    std::int64_t not_placed = 0; // executions whose FLOPs or bytes are unknown
    Seconds not_placed_time;
};

} // namespace ridgepoint
