#include <cmath>

#include <gtest/gtest.h>

#include "model/run/scaling_law.h"

namespace ridgepoint {
namespace {

// Chinchilla's own budget, 5.76e23 FLOP. a = 0.28/0.62 = 0.4516; G = (0.34 x 406.4 / (0.28 x 410.7))^(1/0.62) = 1.2016^1.613 = 1.3447;
// N = 1.3447 x (9.6e22)^0.4516 = 1.3447 x e^(0.4516 x 52.9186) = 1.3447 x e^23.898 = 3.22e10. Hoffmann's table A3 gives
// 40.0 B for Gopher's budget by approach 3; T = 9.6e22 / 3.22e10 = 2.98e12.
TEST(ScalingLaw, TheOptimumOfChinchillasBudget)
{
    const ComputeOptimum o = compute_optimum(chinchilla, Flops{5.76e23});
    EXPECT_NEAR(o.parameters / 3.22e10, 1.0, 0.01);
    EXPECT_NEAR(o.tokens / 2.98e12, 1.0, 0.01);
    EXPECT_NEAR(6.0 * o.parameters * o.tokens, 5.76e23, 1e10 * 5.76);
}

TEST(ScalingLaw, NoOtherSizeOfTheBudgetDoesBetter)
{
    for (const ScalingLaw* law : {&chinchilla, &chinchilla_refit})
        for (const double budget : {1e20, 1e23, 4e25}) {
            const ComputeOptimum o = compute_optimum(*law, Flops{budget});
            for (const double k : {0.5, 0.9, 1.1, 2.0})
                EXPECT_GT(law->loss(o.parameters * k, o.tokens / k), o.loss) << law->name << ' ' << budget;
        }
}

// About twenty tokens a parameter at 1e24 by the refit, as the paper's other approaches have it [arXiv:2404.10102].
TEST(ScalingLaw, TheRefitKeepsTwentyTokensAParameter)
{
    const ComputeOptimum o = compute_optimum(chinchilla_refit, Flops{5.76e23});
    EXPECT_GT(o.tokens / o.parameters, 12.0);
    EXPECT_LT(o.tokens / o.parameters, 30.0);
}

} // namespace
} // namespace ridgepoint
