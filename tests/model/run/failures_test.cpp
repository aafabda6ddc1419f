// Young, Daly, the exact expression, its variance, and the spares.

#include <cmath>

#include <gtest/gtest.h>

#include "model/load/random.h"
#include "model/run/failures.h"
#include "model/run/simulate.h"
#include "model/units/prices.h"

namespace ridgepoint {
namespace {

FailureModel model(double mtbf, double checkpoint, double restart) { return {Seconds{mtbf}, Seconds{checkpoint}, Seconds{restart}}; }

// Llama 3 405B: 419 unexpected interruptions in 54 days on 16,384 GPUs, so that a node of eight has an MTBF of
// 54 x 24 x 2,048 / 419 = 6,335 h. With R = 10 min and the interval of Young the first-order waste is sqrt(2C/M) + R/M:
// 64 nodes, C = 30 s: M = 356,300 s, sqrt(60/356,300) + 600/356,300 = 1.30 + 0.17 = 1.5 %.
TEST(Failures, FirstOrderWasteOfLlama3sRate)
{
    struct Row {
        int nodes;
        double with_30_s, with_120_s; // per cent, worked out as above to one decimal
    };
    for (const Row& r : {Row{64, 1.5, 2.8}, Row{256, 3.3, 5.9}, Row{1024, 7.9, 13.1}, Row{2048, 12.7, 20.1}}) {
        const double node = 54.0 * 24.0 * 3600.0 * 2048.0 / 419.0;
        for (const auto& [checkpoint, expected] : {std::pair{30.0, r.with_30_s}, std::pair{120.0, r.with_120_s}}) {
            const FailureModel f = model(node / r.nodes, checkpoint, 600.0);
            EXPECT_NEAR(100.0 * first_order_waste(f, young_interval(f)), expected, 0.06) << r.nodes << " nodes, C = " << checkpoint;
        }
    }
}

// The first order overstates what is long against M: it takes tau/2 for the loss although an interval that is often broken
// is lost in its first half more often, and counts R/M per wall time of M without R. Exact for 2,048 nodes and C = 30 s:
// M = 11,135 s, tau = 817 s: e^0.0539 (e^0.0761 - 1) 13.63 = 1.0554 x 0.07903 x 13.63 = 1.1368, which is 12.0 % of the wall.
TEST(Failures, TheExactWasteOf2048Nodes)
{
    const FailureModel f = model(54.0 * 24.0 * 3600.0 / 419.0, 30.0, 600.0);
    const double factor = wall_factor(f, young_interval(f));
    EXPECT_NEAR(factor, 1.1368, 0.0005);
    EXPECT_NEAR(1.0 - 1.0 / factor, 0.1203, 0.0005);
}

TEST(Failures, TheOptimumIsWhereTheWasteIsLeast)
{
    for (const double ratio : {1e-6, 1e-4, 1e-2, 0.1, 0.5, 2.0, 10.0}) {
        const FailureModel f = model(1e4, ratio * 1e4, 300.0);
        const Seconds best = optimum_interval(f);
        const double least = wall_factor(f, best);
        for (const double k : {0.5, 0.9, 0.99, 1.01, 1.1, 2.0})
            EXPECT_GT(wall_factor(f, best * k), least) << ratio << " at " << k;
        EXPECT_GT(best, Seconds{});
        EXPECT_LT(best, f.mtbf) << "an interval as long as the MTBF is never best";
        if (ratio <= 0.1) {
            EXPECT_NEAR(daly_interval(f) / best, 1.0, 0.01) << ratio;
        }
        if (ratio <= 1e-4) {
            EXPECT_NEAR(young_interval(f) / best, 1.0, 0.01) << ratio;
        }
    }
    EXPECT_EQ(daly_interval(model(100.0, 250.0, 0.0)), Seconds{100.0}) << "beyond C = 2M";
}

TEST(Failures, OverheadIsConvexInTheInterval)
{
    const FailureModel f = model(2e4, 45.0, 700.0);
    const std::vector<WastePoint> curve = waste_curve(f);
    ASSERT_EQ(curve.size(), 41U);
    std::size_t least = 0;
    for (std::size_t i = 0; i < curve.size(); ++i) {
        if (curve[i].overhead < curve[least].overhead)
            least = i;
        EXPECT_NEAR(curve[i].waste, curve[i].overhead / (1.0 + curve[i].overhead), 1e-12);
    }
    EXPECT_EQ(least, 20U) << "the middle of the curve is the optimum";
    // On equal steps of the interval.
    for (double tau = 100.0; tau < 2e4; tau += 100.0) {
        const double middle = wall_factor(f, Seconds{tau}), left = wall_factor(f, Seconds{tau - 50.0}), right = wall_factor(f, Seconds{tau + 50.0});
        EXPECT_LE(2.0 * middle, left + right + 1e-12) << tau;
    }
}

TEST(Failures, PartsAddUpAndMoreNodesWasteMore)
{
    double before = 1.0;
    for (const double nodes : {1.0, 8.0, 64.0, 512.0, 4096.0}) {
        const FailureModel f = model(2.28e7 / nodes, 20.0, 600.0);
        const Seconds tau = optimum_interval(f), work = days(30);
        const FailureBreakdown b = expected_times(f, tau, work);
        EXPECT_NEAR(b.wall() / (work * wall_factor(f, tau)), 1.0, 1e-12);
        EXPECT_GT(b.lost, Seconds{});
        EXPECT_NEAR(b.failures, b.wall() / f.mtbf, 1e-9 * b.failures);
        const double goodput = b.work / b.wall();
        EXPECT_LT(goodput, before) << nodes;
        before = goodput;
    }
}

TEST(Failures, NothingFailsIsTheLimitOfRareFailures)
{
    const FailureModel never = model(0.0, 20.0, 600.0), rare = model(1e15, 20.0, 600.0);
    const Seconds tau{1000.0};
    EXPECT_EQ(optimum_interval(never), Seconds{});
    EXPECT_EQ(young_interval(never), Seconds{});
    EXPECT_TRUE(waste_curve(never).empty());
    EXPECT_NEAR(wall_factor(never, tau), 1.02, 1e-12);
    EXPECT_NEAR(wall_factor(rare, tau), 1.02, 1e-9);
    EXPECT_NEAR(segment_time(rare, tau).mean.value(), 1020.0, 1e-6);
    EXPECT_EQ(segment_time(never, tau).variance, 0.0);
    EXPECT_EQ(expected_times(never, tau, days(1)).failures, 0.0);
}

// One segment by hand, with L = R = M: mean M e (e - 1) = 4.671 M. For the second moment: no failure, e^-1; the time to the
// failure within M: E t = 1 - 2/e = 0.2642, E t^2 = 2 - 5/e = 0.1606; then a gap of 2 M: mean e^2 - 1 = 6.389, variance
// e^4 - 1 - 4 e^2 = 24.04, second moment 64.86. Sum: 0.3679 + 0.1606 + 2 x 0.2642 x 6.389 + 0.6321 x 64.86 = 44.90; less 4.671^2: 23.09.
TEST(Failures, MeanAndVarianceOfASegment)
{
    const SegmentTime s = segment_time(model(100.0, 40.0, 100.0), Seconds{60.0});
    EXPECT_NEAR(s.mean.value(), 467.1, 0.1);
    EXPECT_NEAR(s.variance, 230900.0, 300.0);
    for (const double m : {1e2, 1e4, 1e7}) { // the series join the closed forms
        const FailureModel f = model(m, 10.0, 20.0);
        EXPECT_NEAR(segment_time(f, Seconds{90.0}).mean / (Seconds{90.0} * wall_factor(f, Seconds{90.0})), 1.0, 1e-9) << m;
    }
}

TEST(Failures, SparesAreFreeLessOftenTheMoreAreInRepair)
{
    EXPECT_EQ(no_spare_free(1e-3, Seconds{1000.0}, 0), 1.0);
    EXPECT_EQ(no_spare_free(0.0, Seconds{1000.0}, 2), 0.0);
    EXPECT_NEAR(no_spare_free(1e-3, Seconds{1000.0}, 1), 1.0 - std::exp(-1.0), 1e-12); // P(Poisson(1) >= 1)
    EXPECT_NEAR(no_spare_free(1e-3, Seconds{1000.0}, 2), 1.0 - 2.0 * std::exp(-1.0), 1e-12);
    EXPECT_NEAR(no_spare_free(1.0, Seconds{1e4}, 100), 1.0, 1e-12) << "ten thousand in repair: no overflow";
    EXPECT_GT(no_spare_free(1e-4, days(1), 4), no_spare_free(1e-4, days(1), 8));
}

RunSimulation simulation(double mtbf, double work_days)
{
    RunSimulation s;
    s.failures = model(mtbf, 30.0, 600.0);
    s.interval = optimum_interval(s.failures);
    s.work = days(work_days);
    s.mtbf_low = s.mtbf_high = s.failures.mtbf;
    s.samples = 4000;
    return s;
}

TEST(Simulation, AgreesWithDalysExpressionAndTheVariance)
{
    for (const double mtbf : {4e3, 2e4, 2e5}) {
        const RunSimulation s = simulation(mtbf, 20.0);
        const TimeDistribution d = simulate_run(s);
        const double expected = (s.work * wall_factor(s.failures, s.interval)).value();
        const double deviation = std::sqrt(segment_time(s.failures, s.interval).variance * (s.work / s.interval));
        // The mean of 4,000 runs: within four standard errors, and one checkpoint for the last segment.
        EXPECT_NEAR(d.mean.value(), expected, 4.0 * deviation / std::sqrt(4000.0) + 30.0) << mtbf;
        // 80 % of a nearly normal sum lie within 1.2816 standard deviations.
        EXPECT_NEAR((d.at(0.9) - d.at(0.1)).value() / (2.0 * 1.2816 * deviation), 1.0, 0.1) << mtbf;
    }
}

TEST(Simulation, TheNormalLawTakesOverWithoutAStep)
{
    // 14 days at an MTBF of 12,000 s are above a hundred failures, at 15,000 s below.
    const RunSimulation a = simulation(1.2e4, 14.0), b = simulation(1.5e4, 14.0);
    const TimeDistribution above = simulate_run(a), below = simulate_run(b);
    EXPECT_GT(a.work * wall_factor(a.failures, a.interval) / a.failures.mtbf, 100.0);
    EXPECT_LT(b.work * wall_factor(b.failures, b.interval) / b.failures.mtbf, 100.0);
    EXPECT_NEAR(above.at(0.9) / above.mean, below.at(0.9) / below.mean, 0.01);
    EXPECT_NEAR(above.mean / (a.work * wall_factor(a.failures, a.interval)), 1.0, 0.005);
}

TEST(Simulation, QuantilesAscendAndAreTheSameEveryTime)
{
    RunSimulation s = simulation(1e4, 10.0);
    s.relative_error = 0.2;
    s.mtbf_low = s.failures.mtbf * 0.3;
    s.mtbf_high = s.failures.mtbf * 2.0;
    const TimeDistribution d = simulate_run(s), again = simulate_run(s);
    for (std::size_t i = 0; i < d.quantiles.size(); ++i) {
        EXPECT_EQ(d.quantiles[i].time, again.quantiles[i].time);
        if (i > 0) {
            EXPECT_GE(d.quantiles[i].time, d.quantiles[i - 1].time);
        }
    }
    EXPECT_GT(d.at(0.9) - d.at(0.5), simulate_run(simulation(1e4, 10.0)).at(0.9) - simulate_run(simulation(1e4, 10.0)).at(0.5)) << "doubt widens";
    s.seed = 2;
    EXPECT_NE(simulate_run(s).mean, d.mean);
}

TEST(Simulation, WithoutFailuresAndDoubtThereIsOneTime)
{
    RunSimulation s;
    s.failures = model(0.0, 30.0, 600.0);
    s.work = s.interval = days(3);
    const TimeDistribution d = simulate_run(s);
    EXPECT_NEAR(d.at(0.05).value(), days(3).value() + 30.0, 1e-6);
    EXPECT_EQ(d.at(0.05), d.at(0.95));
}

TEST(Simulation, ShortRunsMostlySeeNoFailure)
{
    // 0.1 failures expected: the median has none, the 95th percentile one.
    const TimeDistribution d = simulate_run(simulation(8.64e5, 1.0));
    const RunSimulation s = simulation(8.64e5, 1.0);
    EXPECT_NEAR(d.at(0.5).value(), s.work.value() + std::ceil(s.work / s.interval) * 30.0, 1e-6);
    EXPECT_GT(d.at(0.95).value(), d.at(0.5).value() + 600.0 - 1e-6);
}

} // namespace
} // namespace ridgepoint
