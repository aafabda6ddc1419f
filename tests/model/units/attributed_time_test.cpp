#include "model/units/attributed_time.h"

#include <gtest/gtest.h>

using namespace ridgepoint;

namespace {
AttributedTime t(Resource r, double s) { return {r, Seconds{s}}; }
}

TEST(AttributedTime, SharesOfASumAddUpToOne)
{
    const AttributedTime sum = t(Resource::compute, 3) + t(Resource::hbm, 1) + t(Resource::latency, 0.5);
    double shares = 0;
    for (std::size_t i = 0; i < resource_count; ++i)
        shares += sum.share(static_cast<Resource>(i));
    EXPECT_DOUBLE_EQ(shares, 1.0);
    EXPECT_EQ(sum.bound(), Resource::compute);
}

TEST(AttributedTime, SmoothMaximumLiesBetweenMaximumAndSum)
{
    for (double p : {1.0, 2.0, 4.0, 12.0})
        for (double b : {0.01, 0.5, 1.0, 3.0}) {
            const double v = smooth_maximum(t(Resource::compute, 1), t(Resource::hbm, b), p).total().value();
            EXPECT_GE(v, std::max(1.0, b) - 1e-12);
            EXPECT_LE(v, 1.0 + b + 1e-12);
            EXPECT_NEAR(v, std::pow(1.0 + std::pow(b, p), 1.0 / p), 1e-12);
        }
}

// The components are elasticities: d ln T / d ln (time of one resource), against central differences.
TEST(AttributedTime, SmoothMaximumCarriesElasticities)
{
    const double p = 4.0, a = 1.0, b = 0.8, h = 1e-6;
    const AttributedTime v = smooth_maximum(t(Resource::compute, a), t(Resource::hbm, b), p);
    const auto total = [&](double x, double y) { return smooth_maximum(t(Resource::compute, x), t(Resource::hbm, y), p).total().value(); };
    EXPECT_NEAR(v.part(Resource::compute).value(), (total(a * (1 + h), b) - total(a * (1 - h), b)) / (2 * h), 1e-8);
    EXPECT_NEAR(v.part(Resource::hbm).value(), (total(a, b * (1 + h)) - total(a, b * (1 - h))) / (2 * h), 1e-8);
}

TEST(AttributedTime, ExposedIsWhatTheWindowLeaves)
{
    const AttributedTime e = exposed(t(Resource::network, 5), t(Resource::compute, 3));
    EXPECT_DOUBLE_EQ(e.total().value(), 2.0);
    EXPECT_DOUBLE_EQ(e.part(Resource::compute).value(), -3.0); // a faster GPU hides less
    EXPECT_DOUBLE_EQ(exposed(t(Resource::network, 2), t(Resource::compute, 3)).total().value(), 0.0);
}
