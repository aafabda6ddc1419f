#include <cmath>

#include <gtest/gtest.h>

#include "model/economics/power.h"
#include "model/hardware/read.h"

namespace ridgepoint {
namespace {

// (0.714 - 0.1)/0.9 = 0.683, its cube root 0.880: an H100 limited to 500 of 700 W.
TEST(PowerCap, ClockByHand)
{
    EXPECT_NEAR(capped_clock(500.0 / 700.0), 0.880, 0.001);
    EXPECT_NEAR(capped_clock(1.0), 1.0, 1e-12);
    double before = 0.0;
    for (double cap = 0.2; cap <= 1.0; cap += 0.1) {
        EXPECT_GT(capped_clock(cap), before);
        EXPECT_LT(capped_clock(cap, 0.5), capped_clock(cap) + 1e-12) << "the bounds enclose the law";
        EXPECT_GE(capped_clock(cap, 0.25), capped_clock(cap));
        before = capped_clock(cap);
    }
    EXPECT_GT(capped_clock(0.0), 0.0);
}

TEST(PowerCap, OnlyComputeSlows)
{
    const AttributedTime step = AttributedTime(Resource::compute, Seconds{6.0}) + AttributedTime(Resource::network, Seconds{4.0});
    const AttributedTime slow = capped(step, 0.75);
    EXPECT_NEAR(slow.part(Resource::compute).value(), 8.0, 1e-12);
    EXPECT_NEAR(slow.part(Resource::network).value(), 4.0, 1e-12);
    EXPECT_NEAR(capped(step, 1.0).total().value(), 10.0, 1e-12);
}

TEST(PowerCap, TakesPowerFromGpusAndNotFromTheHost)
{
    const Expected<SpecStore> specs = SpecStore::load({{std::string(RIDGEPOINT_SOURCE_DIR) + "/specs", "built-in"}});
    ASSERT_TRUE(specs);
    const Expected<Cluster> c = build_cluster(*specs, "p5.48xlarge", 1);
    ASSERT_TRUE(c);
    const Watts whole = node_power(c->node, c->accelerator, 0.9);
    EXPECT_EQ(capped_node_power(c->node, c->accelerator, 0.9, 1.0), whole);
    EXPECT_LT(capped_node_power(c->node, c->accelerator, 0.9, 0.7), whole);
    EXPECT_GE(capped_node_power(c->node, c->accelerator, 0.9, 0.3), node_power(c->node, c->accelerator, 0.0));
}

} // namespace
} // namespace ridgepoint
