#include "model/schedule/pipeline.h"

#include <algorithm>

namespace ridgepoint {
namespace {

// Share of the 1F1B fill and drain that the schedule leaves idle.
double bubble_share(const Layout& l)
{
    const double p = l.pp;
    switch (l.schedule) {
    case PipelineSchedule::interleaved:
        return 1.0 / l.vpp;
    case PipelineSchedule::zero_bubble:
        return 1.0 / 3.0;
    case PipelineSchedule::dualpipe:
        // (p/2 - 1)(F&B + B - 3W) of DeepSeek-V3 table 2, with B = B_input + W, F = B_input = W = t/3 and F&B = F + B:
        // (p/2 - 1) 2t/3 against (p - 1) t.
        return p > 2.0 ? (p / 2.0 - 1.0) * (2.0 / 3.0) / (p - 1.0) : 0.0;
    case PipelineSchedule::one_f_one_b:
    case PipelineSchedule::gpipe:
        break;
    }
    return 1.0;
}

} // namespace

PipelineTime pipeline_time(const std::vector<AttributedTime>& stages, const AttributedTime& send, const Layout& l, int microbatches)
{
    PipelineTime out;
    const double m = microbatches;
    AttributedTime slowest, sum;
    for (const AttributedTime& t : stages) {
        sum += t;
        slowest = larger(slowest, t);
    }
    out.steady = m * slowest;
    if (l.pp <= 1)
        return out;
    out.bubble = bubble_share(l) * (sum - slowest);
    if (l.schedule == PipelineSchedule::interleaved && microbatches % l.pp != 0)
        // Chunks run in rounds of p microbatches; a ragged last round leaves (v - 1)(p - m mod p) chunk slots empty.
        out.bubble += ((l.vpp - 1.0) * (l.pp - microbatches % l.pp) / l.vpp) * slowest;

    // Each chunk boundary is crossed forward and backward by every microbatch. Fill and drain cannot hide it.
    const double crossings = 2.0 * l.vpp;
    const bool one_chunk = l.schedule == PipelineSchedule::interleaved && l.vpp <= 1; // is 1F1B
    const bool hides = l.overlap_p2p && !one_chunk && l.schedule != PipelineSchedule::one_f_one_b && l.schedule != PipelineSchedule::gpipe;
    const AttributedTime steady = (crossings * m) * send;
    const AttributedTime fill = (2.0 * (l.pp - 1.0)) * send;
    out.p2p = hides ? fill : steady + fill;
    if (hides)
        out.p2p_hidden = steady.total();
    return out;
}

} // namespace ridgepoint
