#include "model/roofline/level_points.h"

#include <gtest/gtest.h>

namespace ridgepoint {
namespace {

Operator gemm(Phase phase)
{
    Operator op;
    op.kind = OperatorKind::down_projection;
    op.phase = phase;
    op.count = 10;
    op.flops = Flops{6e12};
    op.hbm = Bytes{2e9};
    op.time = AttributedTime(Resource::compute, milliseconds(10));
    return op;
}

Operator reduce_scatter(Phase phase, double hidden)
{
    Operator op;
    op.kind = OperatorKind::tp_reduce_scatter;
    op.phase = phase;
    op.count = 20;
    op.nvlink = Bytes{1e9};
    op.time = AttributedTime(Resource::nvlink, milliseconds(4));
    op.hidden = hidden;
    return op;
}

TEST(LevelPoints, a_pass_is_its_flops_over_what_it_sends_and_over_its_exposed_time)
{
    const OperatorList ops{gemm(Phase::forward), reduce_scatter(Phase::forward, 0.25)};
    const auto points = level_points(ops, MemoryLevel::nvlink);
    ASSERT_EQ(points.size(), 1U);
    // 10 x 6e12 FLOP over 20 x 1e9 B; 10 x 10 ms + 20 x 4 ms x 0.75 = 160 ms.
    EXPECT_NEAR(points[0].intensity.value(), 3000, 1e-9);
    EXPECT_NEAR(points[0].total_time.value(), 0.160, 1e-12);
    EXPECT_NEAR(points[0].achieved.value(), 6e13 / 0.160, 1);
    EXPECT_EQ(points[0].bound, Resource::compute);
    EXPECT_EQ(points[0].operators, (std::vector<int>{0, 1}));
}

TEST(LevelPoints, passes_that_send_nothing_have_no_point)
{
    const OperatorList ops{gemm(Phase::forward), reduce_scatter(Phase::forward, 0), gemm(Phase::backward)};
    EXPECT_EQ(level_points(ops, MemoryLevel::nvlink).size(), 1U);
    EXPECT_TRUE(level_points(ops, MemoryLevel::network).empty());
    EXPECT_EQ(level_points(ops, MemoryLevel::hbm).size(), 2U);
}

TEST(LevelPoints, longest_first)
{
    OperatorList ops{gemm(Phase::forward), gemm(Phase::backward)};
    ops[1].count = 30;
    const auto points = level_points(ops, MemoryLevel::hbm);
    ASSERT_EQ(points.size(), 2U);
    EXPECT_EQ(points[0].phase, Phase::backward);
}

} // namespace
} // namespace ridgepoint
