#include "model/roofline/roofline.h"

#include <gtest/gtest.h>

#include "tests/support/sample.h"

using namespace ridgepoint;

TEST(Roofline, RidgeIsWhereSlopeMeetsCeiling)
{
    const FlopPerSecond peak = teraflops_per_second(1000);
    const BytesPerSecond hbm = gigabytes_per_second(4000);
    const FlopPerByte ridge = ridge_point(peak, hbm);
    EXPECT_DOUBLE_EQ(ridge.value(), 250.0);
    EXPECT_DOUBLE_EQ(attainable(peak, hbm, ridge).value(), peak.value());
    EXPECT_DOUBLE_EQ(attainable(peak, hbm, ridge / 2.0).value(), peak.value() / 2);
    EXPECT_DOUBLE_EQ(attainable(peak, hbm, 10.0 * ridge).value(), peak.value());
}

TEST(Roofline, PlacesOperatorsUnderTheRoofAndCountsTheRest)
{
    Layout l;
    l.tp = 8;
    const Job j = sample::training(sample::llama_70b(), 2, l);
    const Expected<Estimate> e = estimate(j);
    ASSERT_TRUE(e);
    const RooflineModel r = roofline_of(*e, j);
    EXPECT_EQ(r.points.size() + static_cast<std::size_t>(r.not_plottable), e->operators.size());
    EXPECT_GE(r.points.size(), 8u);
    for (const RooflinePoint& p : r.points) {
        EXPECT_GT(p.of_roof, 0.0);
        EXPECT_LE(p.of_roof, 1.0 + 1e-9) << name_of(e->operators[p.operator_index].kind);
        EXPECT_NEAR(p.achieved.value(), (e->operators[p.operator_index].flops / e->operators[p.operator_index].time.total()).value(), 1.0);
    }
    ASSERT_FALSE(r.ridgeline.empty());
    EXPECT_TRUE(r.ridgeline.front().whole_step);
}

TEST(Roofline, CeilingsAreDenseOneWayAndPerGpu)
{
    const Job j = sample::training(sample::llama_8b(), 2, {});
    const RooflineModel r = roofline_of(*estimate(j), j);
    for (const ComputeCeiling& c : r.compute)
        if (c.arithmetic == Arithmetic::bf16) {
            EXPECT_DOUBLE_EQ(in_teraflops_per_second(c.peak), 1000.0);
            EXPECT_TRUE(c.used);
        }
    for (const BandwidthCeiling& b : r.bandwidth) {
        const double wanted = b.level == MemoryLevel::hbm ? 4000.0 : b.level == MemoryLevel::nvlink ? 400.0 : 50.0;
        EXPECT_DOUBLE_EQ(in_gigabytes_per_second(b.bandwidth), wanted);
    }
}
