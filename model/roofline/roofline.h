#pragma once
// What the roofline and ridgeline charts draw: ceilings, ridge points, operators as points. Geometry only.

#include <string>
#include <vector>

#include "model/estimate/estimate.h"

namespace ridgepoint {

enum class MemoryLevel : unsigned char { hbm, nvlink, network };
std::string_view name_of(MemoryLevel l);

struct ComputeCeiling { // horizontal
    std::string label; // "BF16 dense 989 TFLOP/s"
    Arithmetic arithmetic = Arithmetic::bf16;
    FlopPerSecond peak;
    bool used = false; // by the plan
};
struct BandwidthCeiling { // slope
    std::string label; // "HBM 4.80 TB/s"
    MemoryLevel level = MemoryLevel::hbm;
    BytesPerSecond bandwidth;
};
struct RooflinePoint { // an operator, one memory level
    std::size_t operator_index = 0; // into Estimate::operators
    MemoryLevel level = MemoryLevel::hbm;
    FlopPerByte intensity;
    FlopPerSecond achieved; // flops / time
    Seconds total_time; // of all its executions in the step: the size of the mark
    double of_roof = 0; // achieved over min(peak, bandwidth x intensity)
    Resource bound = Resource::compute;
};
struct RidgelinePoint { // x = FLOP per HBM byte, y = HBM byte per network byte [Checconi et al. 2022, arXiv:2209.01368]
    std::string label;
    FlopPerByte arithmetic_intensity;
    double memory_intensity = 0; // HBM byte per byte on the slower of the two networks
    MemoryLevel network = MemoryLevel::network; // which one that is
    Seconds total_time;
    bool whole_step = false;
};

struct RooflineModel {
    std::vector<ComputeCeiling> compute;
    std::vector<BandwidthCeiling> bandwidth;
    std::vector<RooflinePoint> points; // operators with FLOPs; others are counted
    int not_plottable = 0; // operators with no FLOPs or no bytes
    std::vector<RidgelinePoint> ridgeline;
};

RooflineModel roofline_of(const Estimate& estimate, const Job& job);

// Ridge point: the intensity at which the ceiling meets the slope.
FlopPerByte ridge_point(FlopPerSecond peak, BytesPerSecond bandwidth);
FlopPerSecond attainable(FlopPerSecond peak, BytesPerSecond bandwidth, FlopPerByte intensity);

} // namespace ridgepoint
