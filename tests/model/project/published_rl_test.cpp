// Predicted iterations of reinforcement learning against published ones. Nothing is fitted to them.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "tests/model/project/catalogue.h"
#include "tests/support/published_rl.h"

namespace ridgepoint {
namespace {

TEST(PublishedIterations, AreWithinTheStatedError)
{
    std::vector<double> errors;
    for (const PublishedIteration& row : nemo_rl) {
        const Expected<PostTrainingAnswer> a = evaluate_post_training(plan_of(row), catalogue());
        ASSERT_TRUE(a) << row.name << ": " << a.error().text();
        const PostTrainingPrediction& p = a->prediction;
        EXPECT_NEAR(p.mean_output / row.mean_answer, 1.0, 0.02) << row.name;
        const double ratio = p.best.time.value() / row.seconds;
        errors.push_back(std::fabs(ratio - 1.0));
        std::printf("  %-28s %6.1f s predicted, %6.1f s measured, %.2f; rollout %.1f s, learner %.1f s, bound by %s\n", row.name, p.best.time.value(), row.seconds, ratio,
            p.best.rollout.time.value(), p.best.training_side.value(), p.best.bound.c_str());
        RecordProperty(std::string(row.model) + (row.rollout_gpus > 0 ? "_off" : "_on"), std::to_string(ratio));
        EXPECT_LT(std::fabs(std::log(ratio)), std::log(3.0)) << row.name;
    }
    std::sort(errors.begin(), errors.end());
    std::printf("  median error %.0f %%, largest %.0f %%\n", 100.0 * errors[errors.size() / 2], 100.0 * errors.back());
    EXPECT_LT(errors[errors.size() / 2], 0.22); // 19 %: docs/operation.md
}

} // namespace
} // namespace ridgepoint
