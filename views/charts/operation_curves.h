#pragma once
// What the pages of load, fleet, memory and post-training draw, as panels of curves. Contents only; a CurveFigure draws them.

#include <vector>

#include "model/fleet/fleet.h"
#include "model/load/load.h"
#include "model/post_training/post_training.h"
#include "model/workload/load.h"
#include "views/charts/curve_figure.h"

namespace ridgepoint {

// Latencies at p50, p90 and p99 over the offered rate, goodput, the limits, the largest rate within them and saturation.
CurveContent load_curves(const LoadPrediction& prediction, const Load& load);

// Instances and power of a day; demand, instances, cost and energy of the months.
CurveContent fleet_curves(const FleetPrediction& fleet, int spare_instances);

struct MemoryPoint { // of the fullest stage
    double at = 0; // sequences, or tokens of a prompt
    StageMemory memory;
};
struct MemorySweep {
    QString name, x_title; // "Over the batch"
    std::vector<MemoryPoint> points;
    double plan = 0; // where the plan stands
    double largest = 0; // that fits; 0: not even the first point does
};
// Stacked by purpose, against what the GPU has.
CurveContent memory_curves(const std::vector<MemorySweep>& sweeps, Bytes capacity);

// Time of an iteration and of both sides over the GPUs that roll out.
CurveContent division_curves(const PostTrainingPrediction& prediction);

} // namespace ridgepoint
