#include <cmath>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/fitting/left_out.h"

namespace ridgepoint {
namespace {

using testing::IsEmpty;

// Rows of eight groups, each with its own error beside the rows': what a fit to all rows hides and leaving out shows.
struct Groups {
    std::vector<double> work, measured;
    FitProblem problem;
    Grouping grouping{"groups", {}, 2, 2};

    explicit Groups(unsigned seed)
    {
        std::mt19937 random(seed);
        std::normal_distribution<double> of_group(0.0, 0.15), of_row(0.0, 0.03);
        for (int g = 0; g < 8; ++g) {
            const double shift = of_group(random);
            for (int i = 0; i < 6; ++i) {
                work.push_back(1.0 + g + 0.1 * i);
                measured.push_back(2.0 * std::pow(work.back(), 0.7) * std::exp(shift + of_row(random)));
                grouping.keys.push_back({static_cast<double>(g)});
            }
        }
        problem.parameters = {{"scale", 1.0, 0.01, 100.0, 0}, {"power", 0.5, 0.01, 3.0, 0}};
        problem.rows = work.size();
        problem.residuals = [this](std::span<const double> p, std::span<const std::size_t> rows, std::span<double> out) {
            for (std::size_t i = 0; i < rows.size(); ++i)
                out[i] = std::log(p[0] * std::pow(work[rows[i]], p[1]) / measured[rows[i]]);
        };
    }
    Groups(const Groups&) = delete;
    Groups& operator=(const Groups&) = delete;
};

TEST(LeftOut, RowsLeftOutAreMissedByMoreInTheMean)
{
    double all = 0.0, left = 0.0;
    for (unsigned seed = 1; seed <= 20; ++seed) {
        const Groups g(seed);
        all += error_of(log_residuals(g.problem, fit_least_squares(g.problem).values)).median;
        left += error_of(left_out_residuals(g.problem, g.grouping)).median;
    }
    EXPECT_GT(left, all);
}

TEST(LeftOut, EachRowIsPredictedWithoutItsGroup)
{
    Groups g(3);
    g.grouping.folds = 0;
    const std::vector<double> before = left_out_residuals(g.problem, g.grouping);
    for (std::size_t i = 0; i < 6; ++i) // the first group's own times cannot have helped to predict it
        g.measured[i] *= 2.0;
    const std::vector<double> after = left_out_residuals(g.problem, g.grouping);
    for (std::size_t i = 0; i < 6; ++i)
        EXPECT_NEAR(after[i], before[i] - std::log(2.0), 1e-9);
}

TEST(LeftOut, TooFewGroupsTellNothing)
{
    Groups g(1);
    g.grouping.least = 9;
    EXPECT_THAT(left_out_residuals(g.problem, g.grouping), IsEmpty());
    for (auto& key : g.grouping.keys)
        key = {0.0};
    g.grouping.least = 2;
    EXPECT_THAT(left_out_residuals(g.problem, g.grouping), IsEmpty());
}

TEST(LeftOut, AFoldThatIsMostOfTheTableStaysIn)
{
    Groups g(1);
    g.grouping.folds = 0;
    for (std::size_t i = 0; i < g.grouping.keys.size(); ++i)
        g.grouping.keys[i] = {i < 36 ? 0.0 : 1.0 + static_cast<double>(i % 2)};
    const std::vector<double> r = left_out_residuals(g.problem, g.grouping);
    EXPECT_TRUE(std::isnan(r[0]));
    EXPECT_EQ(error_of(r).rows, 12);
}

TEST(LeftOut, ErrorsAreOfThePredictionRelativeToTheMeasurement)
{
    const FitError e = error_of({std::log(1.1), std::log(0.8), 0.0});
    EXPECT_NEAR(e.median, 0.1, 1e-12);
    EXPECT_NEAR(e.p90, 0.18, 1e-12); // linear between 10 % and 20 %
    const FitError w = worst_of({{"sizes", {0.1, 0.2, 10}}, {"counts", {0.05, 0.4, 8}}});
    EXPECT_EQ(w.median, 0.1);
    EXPECT_EQ(w.p90, 0.4);
    EXPECT_EQ(w.rows, 10);
    EXPECT_EQ(error_of({}).rows, 0);
}

} // namespace
} // namespace ridgepoint
