#include <gtest/gtest.h>

#include "model/kernels/routed_load.h"

namespace ridgepoint {
namespace {

TEST(RoutedLoad, BalancedRowsAreEqualAndTouchAsManyExpertsAsThereAreRows)
{
    EXPECT_DOUBLE_EQ(balanced_load(64, 256, 8, 8).rows, 64);
    EXPECT_DOUBLE_EQ(balanced_load(64, 256, 8, 8).touched, 1);
    EXPECT_DOUBLE_EQ(balanced_load(2, 256, 8, 1).touched, 16.0 / 256);
    EXPECT_DOUBLE_EQ(
        balanced_load(1, 16, 1, 8).touched, 0.5); // a GPU has 2 experts, and the busiest one gets the token
}

TEST(RoutedLoad, PowerLawMatchesTheMeanOfSamples)
{
    // Means of 300 samples (tokens, experts, top-k, GPUs -> rows and experts touched of the busiest GPU).
    struct Case {
        double tokens, experts, top_k, gpus, rows, touched;
    };
    for (const Case& c : {Case{8192, 16, 1, 8, 4610, 2}, Case{8192, 256, 8, 8, 14509, 32},
             Case{512, 256, 8, 8, 762, 29.8}, Case{16, 256, 8, 1, 128, 68.5}, Case{32, 256, 8, 1, 256, 98.8},
             Case{4096, 128, 1, 8, 1029, 12.7}, Case{1024, 512, 22, 8, 3904, 64}, Case{8192, 384, 8, 4, 21400, 94.9}}) {
        const RoutedLoad l = power_law_load(c.tokens, c.experts, c.top_k, c.gpus, 1.2);
        EXPECT_NEAR(l.rows / c.rows, 1.0, 0.13) << c.tokens << " tokens, " << c.experts << " experts";
        EXPECT_NEAR(l.touched * c.experts / c.gpus / c.touched, 1.0, 0.3)
            << c.tokens << " tokens, " << c.experts << " experts";
    }
}

TEST(RoutedLoad, FewRowsGoToDifferentExperts)
{
    // No expert expects a whole row, so each row has an expert of its own: 2 tokens x 8 of 384 touch 16.
    EXPECT_NEAR(power_law_load(2, 384, 8, 1, 1.2).touched * 384, 16, 1e-9);
    EXPECT_NEAR(power_law_load(1, 384, 8, 1, 1.2).touched * 384, 8, 1e-9); // those of one token differ
    // 32 rows to 128 experts: x^-1.2 between 0.01 and 2 has mean 0.2616, so loads are x 0.9557. One row at least from
    // x = 1.046 on: 128 (1.046^-0.2 - 2^-0.2) / (0.01^-0.2 - 2^-0.2) = 9.4; below, 128 x 0.9557 x 0.1542 = 18.9.
    EXPECT_NEAR(power_law_load(32, 128, 1, 1, 1.2).touched * 128, 28.3, 0.3);
}

TEST(RoutedLoad, SkewNeverLightensTheBusiestGpu)
{
    for (double tokens : {1.0, 3.0, 40.0, 1000.0, 20000.0})
        for (double gpus : {1.0, 4.0, 16.0}) {
            const RoutedLoad skewed = power_law_load(tokens, 128, 4, gpus, 1.2);
            const RoutedLoad even = balanced_load(tokens, 128, 4, gpus);
            EXPECT_GE(skewed.rows, even.rows);
            EXPECT_LE(skewed.rows, tokens * 4);
            EXPECT_LE(skewed.touched, 1.0);
        }
    EXPECT_EQ(power_law_load(0, 128, 4, 8, 1.2).rows, 0);
    EXPECT_EQ(power_law_load(100, 1, 1, 1, 1.2).rows, 100);
}

} // namespace
} // namespace ridgepoint
