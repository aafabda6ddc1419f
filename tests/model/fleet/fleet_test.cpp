#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/economics/power.h"
#include "model/fleet/fleet.h"
#include "tests/support/sample.h"

namespace ridgepoint {
namespace {

Job job(int gpus = 8, int tp = 1)
{
    Serving s;
    s.input_length = 1000;
    s.output_length = 250;
    Layout l;
    l.tp = tp;
    return sample::serving(sample::llama_8b(), gpus, l, s);
}

// One replica carries 2 requests per second within the limits, 4 at all; a quarter of its time is prefill.
LoadPrediction load(int gpus_per_replica = 1, int replicas = 8)
{
    LoadPrediction l;
    l.mean_input = 1000.0;
    l.mean_output = 250.0;
    l.replicas = replicas;
    l.gpus_per_replica = gpus_per_replica;
    l.largest_rate = 4.0 * replicas;
    LoadPoint p;
    p.rate = 2.0 * replicas;
    p.prefill_share = 0.25;
    l.at_limits = p;
    return l;
}

Estimate estimate_of(const Job& j)
{
    Expected<Estimate> e = estimate(j);
    EXPECT_TRUE(e);
    return *e;
}

const std::optional<Price> ten_dollars = custom_price("sample.48xlarge", 10.0); // per GPU: an instance is $80/h

Fleet flat(double rate)
{
    Fleet f;
    f.mean_rate = rate;
    f.peak_to_mean = 1.0;
    f.months = 1;
    f.headroom = 0.2;
    f.spare_instances = 1;
    return f;
}

TEST(DayShape, HasMeanOneAndTheStatedPeak)
{
    Fleet f;
    f.peak_to_mean = 1.8;
    const auto sine = *day_shape(f);
    EXPECT_NEAR(std::accumulate(sine.begin(), sine.end(), 0.0) / 24.0, 1.0, 1e-12);
    EXPECT_NEAR(*std::max_element(sine.begin(), sine.end()), 1.8, 1e-12);
    EXPECT_NEAR(*std::min_element(sine.begin(), sine.end()), 0.2, 1e-12);
    f.hours = "0,0,0,0,0,0,0,0,0,3.0, 1,0,0,0,0,0,0,0,0,0,0,0,0,0";
    EXPECT_NEAR((*day_shape(f))[9], 18.0, 1e-12);
    for (const char* text : {"1,2,3", "x", "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0", "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1", "-1"}) {
        f.hours = text;
        const auto wrong = day_shape(f);
        ASSERT_FALSE(wrong) << text;
        EXPECT_EQ(wrong.error().place.pointer, "/fleet/hours");
    }
}

TEST(FleetPlan, CountsInstancesByHand)
{
    // 100 req/s over 2 x 0.8 = 1.6 per replica: 62.5 -> 63 replicas -> 7.9 -> 8 instances of 8, and a spare.
    const Job j = job();
    const auto p = plan_fleet(j, estimate_of(j), load(), flat(100.0), ten_dollars);
    ASSERT_TRUE(p) << p.error().text();
    EXPECT_EQ(p->replicas_per_instance, 8);
    EXPECT_EQ(p->months.front().instances, 9);
    EXPECT_NEAR(p->months.front().cost->value(), 9 * 80.0 * 730.0, 1e-6);
    EXPECT_NEAR(p->day.front().utilization, 100.0 / (9 * 8 * 4.0), 1e-12);
    // A replica over two instances: 63 x 2 + 1.
    const Job wide = job(16, 8);
    const auto two = plan_fleet(wide, estimate_of(wide), load(16, 1), flat(100.0), ten_dollars);
    ASSERT_TRUE(two);
    EXPECT_EQ(two->months.front().instances, 127);
}

TEST(FleetPlan, TheBillIsSplitWithoutRest)
{
    const Job j = job();
    const auto p = plan_fleet(j, estimate_of(j), load(), flat(100.0), ten_dollars);
    ASSERT_TRUE(p);
    const double input = 100.0 * 730 * 3600 * 1000, output = 100.0 * 730 * 3600 * 250;
    EXPECT_NEAR(p->per_input_token->value() * input + p->per_output_token->value() * output, p->cost->value(), 1e-6 * p->cost->value());
    EXPECT_NEAR(p->per_input_token->value() * input / p->cost->value(), 0.25, 1e-12);
}

TEST(FleetPlan, EnergyIsPowerOverTokens)
{
    const Job j = job();
    const Estimate e = estimate_of(j);
    const auto p = plan_fleet(j, e, load(), flat(100.0), ten_dollars);
    const double u = 100.0 / (9 * 8 * 4.0);
    const double node = (node_power(j.cluster.node, j.cluster.accelerator, activity_of(e.time)) * u + node_power(j.cluster.node, j.cluster.accelerator, 0.0) * (1 - u)).value();
    EXPECT_NEAR(p->energy_per_token.value(), 9 * node * power_usage_effectiveness / (100.0 * 1250.0), 1e-9);
}

TEST(FleetPlan, GrowthCompoundsAndHoursSave)
{
    Fleet f = flat(100.0);
    f.peak_to_mean = 2.0;
    f.months = 13;
    f.growth = std::pow(2.0, 1.0 / 12.0) - 1.0;
    const Job j = job();
    const auto fixed = plan_fleet(j, estimate_of(j), load(), f, ten_dollars);
    ASSERT_TRUE(fixed);
    EXPECT_NEAR(fixed->months.back().mean_rate, 200.0, 1e-6);
    EXPECT_NEAR(fixed->months.back().peak_rate, 400.0, 1e-6);
    f.scale_by_hour = true;
    const auto by_hour = plan_fleet(j, estimate_of(j), load(), f, ten_dollars);
    EXPECT_LT(by_hour->cost->value(), 0.65 * fixed->cost->value());
    EXPECT_GT(by_hour->cost->value(), 0.5 * fixed->cost->value());
    EXPECT_EQ(by_hour->months.back().instances, fixed->months.back().instances);
}

TEST(FleetPlan, BreakEvenIsWhereBothBillsMeet)
{
    // A request costs 1,000 x $1/M + 250 x $4/M = $0.002 at the API. An instance carries 12.8 req/s for $80/h = $0.0222/s:
    // 11.11 req/s pay one. n instances and the spare serve 12.8 (n - 1) to 12.8 n req/s and need 11.11 (n + 1): they lose
    // at first as long as 12.8 (n - 1) < 11.11 (n + 1), n < 14.2. So the last loss ends at 11.11 x 15 = 166.7 req/s.
    Fleet f = flat(100.0);
    f.api_input_per_million = 1.0;
    f.api_output_per_million = 4.0;
    const Job j = job();
    const auto p = plan_fleet(j, estimate_of(j), load(), f, ten_dollars);
    ASSERT_TRUE(p && p->break_even_rate);
    EXPECT_NEAR(*p->break_even_rate, 15 * 80.0 / 3600.0 / 0.002, 1e-3);
    EXPECT_NEAR(p->api_cost->value(), 0.002 * 100 * 730 * 3600, 1e-3);
    f.api_input_per_million = 0.1;
    f.api_output_per_million = 0.4;
    EXPECT_FALSE(plan_fleet(j, estimate_of(j), load(), f, ten_dollars)->break_even_rate);
}

TEST(FleetPlan, WithoutAPriceThereAreInstancesAllTheSame)
{
    const Job j = job();
    const auto p = plan_fleet(j, estimate_of(j), load(), flat(100.0), std::nullopt);
    ASSERT_TRUE(p);
    EXPECT_EQ(p->months.front().instances, 9);
    EXPECT_FALSE(p->cost || p->per_input_token || p->months.front().cost);
    LoadPrediction none = load();
    none.at_limits.reset();
    none.limited_by = "TPOT";
    const auto no = plan_fleet(j, estimate_of(j), none, flat(1.0), ten_dollars);
    ASSERT_FALSE(no);
    EXPECT_EQ(no.error().kind, ErrorKind::infeasible);
}

TEST(Pareto, TheFrontFallsAndNothingBeatsIt)
{
    const std::vector<ParetoPoint> points = pareto_points(job(), ten_dollars, 1.0);
    int front = 0;
    for (const ParetoPoint& p : points) {
        front += p.front ? 1 : 0;
        bool beaten = false;
        for (const ParetoPoint& q : points)
            beaten = beaten || (q.per_user > p.per_user && q.per_gpu > p.per_gpu);
        EXPECT_EQ(p.front, !beaten) << p.tp << " x " << p.concurrency;
        EXPECT_GT(p.per_output_token->value(), 0.0);
    }
    EXPECT_GT(front, 5);
    EXPECT_TRUE(std::any_of(points.begin(), points.end(), [](const ParetoPoint& p) { return p.tp == 8; }));
}

} // namespace
} // namespace ridgepoint
