#pragma once
// From the times of the stages to the time of a pipelined step.

#include <vector>

#include "model/parallelism/layout.h"
#include "model/units/attributed_time.h"

namespace ridgepoint {

struct PipelineTime {
    AttributedTime steady; // microbatches x the slowest stage
    AttributedTime bubble; // fill and drain: the other stages once, cut by the number of chunks
    AttributedTime p2p; // exposed sends
    Seconds p2p_hidden;
    [[nodiscard]] AttributedTime total() const { return steady + bubble + p2p; }
};

// `stages`: forward + recompute + backward of one microbatch on each stage. `send`: one activation (or gradient) message.
// 1F1B: m max(t) + sum(t) - max(t), which is (m + p - 1) t for equal stages [Narayanan 2021, section 2.2.1]; interleaved:
// the fill is cut by v; zero bubble ZB-H1: a third of it [Qi et al. 2024, table 2, T_F = T_B = T_W]; DualPipe: see
// pipeline.cpp.
PipelineTime pipeline_time(const std::vector<AttributedTime>& stages, const AttributedTime& send, const Layout& layout, int microbatches);

} // namespace ridgepoint
