#pragma once
// A measured trace beside the plan's prediction: where the step went, and measured kernels on the roofline.

#include <string>
#include <vector>

#include "model/estimate/estimate.h"
#include "model/measured/measured.h"
#include "model/trace/timeline.h"

namespace ridgepoint {

struct ComparisonRow {
    std::string label; // "Matrix products"
    Seconds measured; // per step
    Seconds predicted; // per step; the plan's estimate
    std::string cause; // likely; empty where they agree or the trace does not tell
    [[nodiscard]] Seconds lost() const { return measured - predicted; } // per step; negative: faster than predicted
    [[nodiscard]] bool has_ratio() const { return measured > Seconds{} && predicted > Seconds{}; }
    [[nodiscard]] double ratio() const { return predicted / measured; }
};

struct Comparison {
    int steps = 0; // measured; the figures are per step, the whole window divided by this
    std::string step_source; // "5 ProfilerStep annotations", "no step markers: the window is one step"
    std::vector<ComparisonRow> rows; // classes, exposed communication, idle, and the step as a whole last
    std::vector<std::string> caveats; // where the two do not mean the same
};
Comparison compare(const Timeline& timeline, const Estimate& estimate);
// The rows but the step, most lost time first.
std::vector<ComparisonRow> by_lost_time(const Comparison& comparison);

// A point of the measured layer of the roofline.
struct MeasuredPoint {
    std::string name; // kernel name, or "all attention kernels"
    KernelClass kernel_class = KernelClass::other;
    FlopPerByte intensity;
    FlopPerSecond achieved;
    Seconds total; // of all its executions
    std::int64_t count = 0;
    bool from_plan = false; // FLOPs and bytes are the plan's for this class, not the trace's shapes
};
struct PlacedKernels {
    std::vector<MeasuredPoint> points; // one per kernel name with known work; one per class placed by the plan
    std::int64_t placed_by_shape = 0; // events
    std::int64_t placed_by_plan = 0;
    std::int64_t not_placed = 0; // computing events without known work that no operator of the plan matches
    Seconds not_placed_time;
};
// Kernels with counters, one point a name, and watched GPUs, one point each, against the plan's GPU; nothing for other files.
PlacedKernels place_measured(const Measured& measured, const Job& job);
// `estimate` may be null: then only kernels with shapes are placed.
PlacedKernels place_kernels(const Timeline& timeline, const Estimate* estimate);

} // namespace ridgepoint
