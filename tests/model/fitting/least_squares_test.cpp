// The solver on problems whose answer is known.

#include <cmath>
#include <numeric>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/fitting/least_squares.h"

namespace ridgepoint {
namespace {

// t = latency + w / rate over twelve octaves of w.
double law(std::span<const double> p, double w) { return p[0] + w / p[1]; }

struct Line {
    std::vector<double> work, measured;
    FitProblem problem;

    explicit Line(double noise, double latency = 20e-6, double rate = 300e9)
    {
        std::mt19937 random(7);
        std::normal_distribution<double> error(0.0, noise);
        for (int i = 0; i < 120; ++i) {
            work.push_back(1e4 * std::pow(2.0, 0.15 * i));
            measured.push_back(law(std::vector{latency, rate}, work.back()) * std::exp(error(random)));
        }
        problem.parameters = {{"latency", 5e-6, 0, 1e-3, 1e-6}, {"rate", 1e11, 1e9, 1e12, 0}};
        problem.rows = work.size();
        problem.residuals = [this](std::span<const double> p, std::span<const std::size_t> rows, std::span<double> out) {
            for (std::size_t i = 0; i < rows.size(); ++i)
                out[i] = std::log(law(p, work[rows[i]]) / measured[rows[i]]);
        };
    }
    Line(const Line&) = delete;
    Line& operator=(const Line&) = delete;
};

TEST(LeastSquares, ExactRowsGiveTheConstantsBack)
{
    const Line line(0.0);
    const Fit fit = fit_least_squares(line.problem);
    EXPECT_NEAR(fit.values[0] / 20e-6, 1.0, 1e-5);
    EXPECT_NEAR(fit.values[1] / 300e9, 1.0, 1e-5);
    EXPECT_NEAR(fit.cost, 0.0, 1e-12);
}

TEST(LeastSquares, OutliersPullNoHarderThanBadRows)
{
    Line line(0.02);
    for (std::size_t i = 0; i < line.measured.size(); i += 6) // every sixth row took five times as long
        line.measured[i] *= 5.0;
    const Fit fit = fit_least_squares(line.problem);
    EXPECT_NEAR(fit.values[0] / 20e-6, 1.0, 0.04);
    EXPECT_NEAR(fit.values[1] / 300e9, 1.0, 0.04);
    // Squares throughout would split the difference.
    line.problem.robust_scale = 100.0;
    EXPECT_LT(fit_least_squares(line.problem).values[1], 0.85 * 300e9);
}

TEST(LeastSquares, BoundsHold)
{
    Line line(0.0);
    line.problem.parameters[1].high = 200e9;
    const Fit fit = fit_least_squares(line.problem);
    EXPECT_DOUBLE_EQ(fit.values[1], 200e9);
    EXPECT_GE(fit.values[0], 0.0);
    line.problem.parameters[1].high = 1e12;
    line.problem.parameters[0].high = 0.0; // a constant held fast
    EXPECT_EQ(fit_least_squares(line.problem).values[0], 0.0);
}

TEST(LeastSquares, AConstantMayBeZero)
{
    const Line line(0.0, 0.0);
    const Fit fit = fit_least_squares(line.problem);
    EXPECT_LT(fit.values[0], 1e-10);
    EXPECT_NEAR(fit.values[1] / 300e9, 1.0, 1e-4);
}

TEST(LeastSquares, ThePriorDecidesWhatRowsDoNotTell)
{
    Line line(0.0);
    line.problem.parameters.push_back({"unused", 3.0, 0.1, 100.0, 0});
    line.problem.prior = 0.01;
    EXPECT_NEAR(fit_least_squares(line.problem).values[2], 3.0, 1e-9);
    line.problem.prior = 1e4; // stronger than the rows
    EXPECT_NEAR(fit_least_squares(line.problem).values[1] / 1e11, 1.0, 1e-3);
}

TEST(LeastSquares, RowsOfWeightZeroTeachNothing)
{
    Line line(0.0);
    line.problem.weights.assign(line.problem.rows, 1.0);
    for (std::size_t i = 0; i < line.problem.rows; i += 2) {
        line.measured[i] *= 1.5;
        line.problem.weights[i] = 0.0;
    }
    EXPECT_NEAR(fit_least_squares(line.problem).values[1] / 300e9, 1.0, 1e-5);
}

TEST(LeastSquares, TheLowestOfSeveralStartsIsKept)
{
    // One row: a residual of at least 1 around x = 1, of none at x = 10, and a step between the two valleys.
    FitProblem p;
    p.parameters = {{"x", 1.2, 0.1, 100.0, 0}};
    p.rows = 1;
    p.robust_scale = 10.0;
    p.residuals = [](std::span<const double> v, std::span<const std::size_t>, std::span<double> out) {
        const double x = v[0];
        out[0] = x < 5.0 ? 1.0 + 0.5 * (x - 1.0) * (x - 1.0) : 0.3 * (x - 10.0);
    };
    EXPECT_NEAR(fit_least_squares(p).values[0], 1.0, 0.05);
    p.other_starts = {{8.0}};
    EXPECT_NEAR(fit_least_squares(p).values[0], 10.0, 1e-3);
}

TEST(LeastSquares, TheSameRowsGiveTheSameConstants)
{
    const Line line(0.1);
    EXPECT_EQ(fit_least_squares(line.problem).values, fit_least_squares(line.problem).values);
}

} // namespace
} // namespace ridgepoint
