#include "model/schedule/pipeline.h"

#include <gtest/gtest.h>

using namespace ridgepoint;

namespace {
AttributedTime compute(double s) { return {Resource::compute, Seconds{s}}; }
Layout pipeline(int pp, int vpp, PipelineSchedule schedule)
{
    Layout l;
    l.pp = pp;
    l.vpp = vpp;
    l.schedule = schedule;
    return l;
}
double total(const std::vector<AttributedTime>& stages, const Layout& l, int m) { return pipeline_time(stages, {}, l, m).total().total().value(); }
}

TEST(Pipeline, EqualStagesGiveTheTextbookFormula)
{
    const std::vector<AttributedTime> stages(4, compute(3.0));
    EXPECT_NEAR(total(stages, pipeline(4, 1, PipelineSchedule::one_f_one_b), 8), (8 + 3) * 3.0, 1e-12);
    EXPECT_NEAR(total(stages, pipeline(4, 2, PipelineSchedule::interleaved), 8), 8 * 3.0 + 3 * 3.0 / 2, 1e-12);
    EXPECT_NEAR(total(stages, pipeline(4, 1, PipelineSchedule::zero_bubble), 8), 8 * 3.0 + 3 * 3.0 / 3, 1e-12);
}

TEST(Pipeline, SlowestStageSetsThePace)
{
    const std::vector<AttributedTime> stages = {compute(1), compute(1), compute(4), compute(1)};
    EXPECT_NEAR(total(stages, pipeline(4, 1, PipelineSchedule::one_f_one_b), 10), 10 * 4 + 3, 1e-12);
}

TEST(Pipeline, RaggedRoundsCostChunkSlots)
{
    const std::vector<AttributedTime> stages(4, compute(2.0));
    const Layout l = pipeline(4, 2, PipelineSchedule::interleaved);
    EXPECT_GT(total(stages, l, 9) - total(stages, l, 8), 2.0);
}

TEST(Pipeline, OverlapHidesSteadySendsOnly)
{
    const std::vector<AttributedTime> stages(4, compute(1.0));
    const AttributedTime send{Resource::network, Seconds{0.1}};
    Layout l = pipeline(4, 2, PipelineSchedule::interleaved);
    const PipelineTime hidden = pipeline_time(stages, send, l, 8);
    EXPECT_NEAR(hidden.p2p.total().value(), 2 * 3 * 0.1, 1e-12);
    EXPECT_NEAR(hidden.p2p_hidden.value(), 2 * 2 * 8 * 0.1, 1e-12);
    l.overlap_p2p = false;
    EXPECT_NEAR(pipeline_time(stages, send, l, 8).p2p.total().value(), (32 + 6) * 0.1, 1e-12);
}
