#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "model/whatif/comparison.h"
#include "model/whatif/sensitivity.h"
#include "model/whatif/sweep.h"
#include "tests/model/project/catalogue.h"

using namespace ridgepoint;

namespace {

Plan training()
{
    Plan p;
    p.name = "8B";
    p.model = "llama-3.1-8b";
    p.instance = "p5.48xlarge";
    p.nodes = 4;
    Training t;
    t.sequence_length = 8192;
    t.global_batch = 128;
    t.tokens = Tokens{1e11};
    p.workload = t;
    p.layout.dp = 0;
    p.layout.tp = 4;
    return p;
}

Plan served()
{
    Plan p;
    p.model = "llama-3.1-8b";
    p.instance = "p5.48xlarge";
    p.workload = Serving{};
    p.assumptions.framework = Framework::vllm;
    p.layout = {};
    p.layout.dp = 0;
    return p;
}

WhatIf base(const Plan& p)
{
    Expected<WhatIf> w = WhatIf::make(p, catalogue());
    EXPECT_TRUE(w) << w.error().text();
    return std::move(*w);
}

Knob knob(const Plan& p, const char* id)
{
    const Expected<Knob> k = find_knob(p, id);
    EXPECT_TRUE(k) << k.error().text();
    return *k;
}

} // namespace

TEST(WhatIf, NothingTurnedIsThePlan)
{
    for (const Plan& p : {training(), served()}) {
        const Outcome o = base(p).at({});
        const Expected<Evaluation> v = evaluate_only(p, catalogue());
        ASSERT_TRUE(v);
        EXPECT_EQ(o.time.value(), v->estimate.time.total().value());
        EXPECT_EQ(o.headroom.value(), v->estimate.memory.headroom().value());
        ASSERT_TRUE(o.cost_per_token);
        EXPECT_DOUBLE_EQ(o.cost_per_token->value(), v->cost.per_token->value());
    }
}

TEST(WhatIf, AFieldTurnedIsThePlanWithThatField)
{
    Plan p = training();
    WhatIf w = base(p);
    const Outcome o = w.at({{"/workload/global_batch", 256}, {"/cluster/nodes", 8}});
    std::get<Training>(p.workload).global_batch = 256;
    p.nodes = 8;
    const Expected<Evaluation> v = evaluate_only(p, catalogue());
    ASSERT_TRUE(v);
    EXPECT_EQ(o.time.value(), v->estimate.time.total().value());
}

TEST(WhatIf, WhatCannotRunSaysWhy)
{
    WhatIf w = base(training());
    EXPECT_EQ(w.at({{"/workload/global_batch", 127}}).impossible, name_of(LayoutRule::batch_over_replicas));
    EXPECT_FALSE(w.at({{"/layout/tp", 0}}).possible()); // out of the field's range
    EXPECT_FALSE(find_knob(training(), "/model"));
    EXPECT_FALSE(find_knob(served(), "/load/rate")) << "no estimate changes with it";
}

// Price moves the cost in proportion and the time not at all; hardware moves the time the right way.
TEST(WhatIf, FactorsMoveWhatTheyShould)
{
    WhatIf w = base(training());
    const Outcome now = w.at({}), dear = w.at({{"price/rate", 2.0}}), fast = w.at({{"hardware/compute", 2.0}}), big = w.at({{"hardware/hbm_capacity", 2.0}});
    EXPECT_EQ(dear.time, now.time);
    EXPECT_NEAR(dear.cost_per_token->value() / now.cost_per_token->value(), 2.0, 1e-12);
    EXPECT_LT(fast.time, now.time);
    EXPECT_GT(fast.time, 0.5 * now.time);
    EXPECT_EQ(big.time, now.time);
    EXPECT_GT(big.headroom, now.headroom);
}

TEST(Sweep, ValuesCoverTheRangeOnce)
{
    const Plan p = training();
    const std::vector<double> batches = sweep_values(knob(p, "/workload/global_batch"), 1, 8, 100);
    EXPECT_EQ(batches, (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8}));
    const std::vector<double> factors = sweep_values(knob(p, "hardware/hbm"), 0.1, 10.0, 3);
    ASSERT_EQ(factors.size(), 3U);
    EXPECT_NEAR(factors[1], 1.0, 1e-12); // a logarithmic scale
    EXPECT_EQ(factors[2], 10.0);
}

TEST(Sweep, IsTheSameInAnyOrder)
{
    const Plan p = training();
    const Knob k = knob(p, "hardware/network");
    const WhatIf w = base(p);
    const std::vector<double> values = sweep_values(k, 0.25, 4.0, 300);
    const std::vector<SweepPoint> all = sweep(w, k, values);
    WhatIf one = w;
    for (std::size_t i = 0; i < values.size(); i += 37) {
        EXPECT_EQ(all[i].value, values[i]);
        EXPECT_EQ(all[i].outcome.time, one.at({{k.id, values[i]}}).time);
    }
    for (std::size_t i = 1; i < all.size(); ++i)
        EXPECT_LE(all[i].outcome.time.value(), all[i - 1].outcome.time.value() * (1 + 1e-9)) << "more bandwidth is never slower";
}

// What is interpolated is what would have been estimated: the same regime, and time within a per cent.
TEST(RegimeMap, RefinedIsNearlyExact)
{
    Plan p = training();
    const WhatIf w = base(p);
    const Knob x = knob(p, "hardware/nvlink"), y = knob(p, "hardware/compute");
    const std::vector<double> values = sweep_values(x, 0.05, 4.0, 41);
    const RegimeMap quick = regime_map(w, x, values, y, values), exact = regime_map(w, x, values, y, values, true);
    ASSERT_EQ(quick.cells.size(), exact.cells.size());
    EXPECT_LT(quick.estimated, exact.estimated);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < quick.cells.size(); ++i) {
        wrong += quick.cells[i].regime != exact.cells[i].regime;
        EXPECT_NEAR(quick.cells[i].time / exact.cells[i].time, 1.0, 0.02);
    }
    EXPECT_EQ(wrong, 0U);
    EXPECT_GT(std::ranges::count_if(exact.cells, [](const RegimeCell& c) { return c.regime == Regime::nvlink; }), 0);
    EXPECT_GT(std::ranges::count_if(exact.cells, [](const RegimeCell& c) { return c.regime == Regime::compute; }), 0);
}

TEST(RegimeMap, ShowsWhatDoesNotFitAndWhatCannotRun)
{
    Plan p = training();
    const WhatIf w = base(p);
    const Knob x = knob(p, "/layout/micro_batch"), y = knob(p, "/workload/sequence_length");
    const RegimeMap m = regime_map(w, x, {1, 3, 16}, y, {8192, 65536});
    EXPECT_EQ(m.at(1, 0).regime, Regime::impossible); // 128 sequences are no multiple of 8 x 3
    EXPECT_EQ(m.at(2, 1).regime, Regime::does_not_fit);
    EXPECT_NE(m.at(0, 0).regime, Regime::impossible);
}

TEST(Tornado, WidestFirstAndOnlyWhatMoves)
{
    const std::vector<Swing> swings = tornado(base(training()), 0.1);
    ASSERT_GT(swings.size(), 3U);
    for (std::size_t i = 1; i < swings.size(); ++i)
        EXPECT_LE(swings[i].width(), swings[i - 1].width());
    for (const Swing& s : swings)
        EXPECT_GT(s.width(), 0.0) << s.knob.id;
    const auto price = std::ranges::find_if(swings, [](const Swing& s) { return s.knob.id == "price/rate"; });
    ASSERT_NE(price, swings.end());
    EXPECT_NEAR(price->cost_up, 0.1, 1e-9);
}

// The swing of a factor is its elasticity: 10 % less of a resource with share s makes the step about s / 0.9 - s slower.
TEST(Tornado, AgreesWithTheElasticities)
{
    const Plan p = training();
    WhatIf w = base(p);
    const Outcome now = w.at({});
    for (const Swing& s : tornado(w, 0.001))
        if (s.knob.id == "hardware/compute") {
            EXPECT_NEAR(s.down / 0.001, now.made_of.share(Resource::compute), 0.01);
        }
}

TEST(Upgrades, BestFirst)
{
    const std::vector<Upgrade> u = upgrades(base(training()));
    ASSERT_GE(u.size(), 4U);
    EXPECT_EQ(u.front().knob.id, "hardware/compute");
    EXPECT_GE(u[0].faster, u[1].faster);
}

// At the bandwidth that is named the communication is hidden; at nine tenths of it, it shows.
TEST(RequiredBandwidth, IsTheEdge)
{
    Plan p = training();
    p.layout.tp = 8;
    const WhatIf w = base(p);
    for (const RequiredBandwidth& r : required_bandwidths(w.job())) {
        if (!r.factor)
            continue;
        EXPECT_GT(*r.factor, 1.0);
        Job j = w.job();
        (r.link == "NVLink" ? j.cluster.accelerator.nvlink_per_direction : j.cluster.node.nic_rate) *= *r.factor;
        const Expected<Estimate> e = estimate(j);
        ASSERT_TRUE(e);
        EXPECT_LE(e->time.total(), estimate(w.job())->time.total());
    }
}

TEST(Comparison, PartsAddUpToTheDifference)
{
    Plan b = training();
    b.name = "faster";
    b.layout.tp = 1;
    b.layout.recompute = Recompute::full;
    b.instance = "p5en.48xlarge";
    for (const auto& [x, y] : {std::pair{training(), b}, std::pair{served(), [] { Plan s = served(); s.layout.tp = 2; return s; }()}}) {
        const Expected<PlanComparison> c = compare_plans(x, y, catalogue());
        ASSERT_TRUE(c) << c.error().text();
        double sum = 0;
        for (const Difference& d : c->parts)
            sum += d.gain().value();
        EXPECT_NEAR(sum, c->gain.value(), 1e-9 * c->a.estimate.time.total().value());
        EXPECT_FALSE(c->sentence.empty());
        EXPECT_TRUE(std::ranges::any_of(c->fields, [](const FieldDifference& f) { return f.path == "/layout/tp"; }));
    }
    EXPECT_FALSE(compare_plans(training(), served(), catalogue())); // no common time
}

// At the break-even price both cost the same.
TEST(Comparison, BreakEvenIsEven)
{
    Plan b = training();
    b.instance = "p5en.48xlarge";
    const Expected<PlanComparison> c = compare_plans(training(), b, catalogue());
    ASSERT_TRUE(c);
    const std::optional<BreakEven> even = break_even(*c, b, catalogue());
    ASSERT_TRUE(even);
    WhatIf w = base(b);
    EXPECT_NEAR(w.at({{"price/rate", even->price_factor}}).cost_per_token->value() / c->a.cost.per_token->value(), 1.0, 1e-9);
}

namespace {

// Tokens of 10 kB, as of pictures: a batch of 128 x 8,192 of them is 10.5 GB. A thousand million tokens are 10 TB, and the
// smallest file system that holds them, 38.4 TiB at 125 MB/s per TiB, gives 4.8 GB/s: 2.18 s a batch, where 128 H100 would
// take about half of that for the step.
Plan slow_data(double bytes_per_token = 1e4)
{
    Plan p = training();
    p.nodes = 16;
    std::get<Training>(p.workload).tokens = Tokens{1e9};
    p.run.data_tier = "fsx-lustre-persistent2-125";
    p.run.bytes_per_token = bytes_per_token;
    return p;
}

constexpr double batch_reading = 128.0 * 8192.0 * 1e4 / 4.8e9; // s

} // namespace

TEST(Storage, ASlowPathOfTheDataIsTheBound)
{
    const Outcome fast = base(slow_data(4)).at({}), slow = base(slow_data()).at({});
    EXPECT_NE(regime_of(fast), Regime::storage);
    EXPECT_EQ(regime_of(slow), Regime::storage);
    EXPECT_EQ(name_of(regime_of(slow)), "storage");
    EXPECT_NEAR(slow.time.value(), batch_reading, 1e-4);
    EXPECT_GT(slow.time, fast.time);
    EXPECT_NEAR(slow.made_of.share(Resource::storage), 1.0, 1e-12) << "twice the storage, half the step";
    EXPECT_NEAR(slow.tokens_per_second.value(), 128.0 * 8192.0 / slow.time.value(), 1e-6 * slow.tokens_per_second.value());
    EXPECT_NEAR(slow.cost_per_token->value() / fast.cost_per_token->value(), slow.time / fast.time, 1e-9);
    const Expected<Evaluation> v = evaluate_only(slow_data(), catalogue());
    ASSERT_TRUE(v);
    EXPECT_NE(v->verdict.find("bound by storage"), std::string::npos) << v->verdict;
    EXPECT_NE(v->verdict.find("reading training data"), std::string::npos) << v->verdict;
    EXPECT_EQ(v->estimate.time.total().value(), fast.time.value()) << "the step alone is what it was";
}

// Synchronous checkpoints every ten seconds: 14 bytes for each of 8.03e9 parameters are 112 GB, which 4.8 GB/s write in 23 s.
TEST(Storage, CheckpointsThatHoldUpTrainingAreTheBound)
{
    Plan p = training();
    p.run.asynchronous = false;
    p.run.checkpoint_tier = "fsx-lustre-persistent2-125";
    p.run.checkpoint_interval = Seconds{10.0};
    const Outcome o = base(p).at({});
    EXPECT_EQ(regime_of(o), Regime::storage);
    EXPECT_EQ(o.time.value(), base(training()).at({}).time.value()) << "the step itself does not wait";
    EXPECT_GT(o.stops.part(Resource::storage), o.time);
    const Expected<Evaluation> v = evaluate_only(p, catalogue());
    ASSERT_TRUE(v);
    EXPECT_NE(v->verdict.find("checkpoints"), std::string::npos) << v->verdict;
}

TEST(Storage, IsOneRegimeOfTheMap)
{
    const Plan p = slow_data();
    const Knob x = knob(p, "hardware/compute"), y = knob(p, "hardware/storage");
    EXPECT_FALSE(find_knob(served(), "hardware/storage")) << "no run, no storage";
    const std::vector<double> compute = {0.25, 0.5, 1, 2, 4}, storage = {0.1, 0.5, 1, 2, 4};
    const RegimeMap map = regime_map(base(p), x, compute, y, storage, true);
    for (std::size_t j = 0; j < storage.size(); ++j)
        for (std::size_t i = 0; i < compute.size(); ++i) {
            const RegimeCell& c = map.at(i, j);
            const double reading = batch_reading / storage[j];
            if (c.regime == Regime::storage) {
                EXPECT_NEAR(c.time, reading, 1e-3 * reading) << compute[i] << ", " << storage[j];
            } else {
                EXPECT_GE(c.time, reading * (1 - 1e-6)) << compute[i] << ", " << storage[j];
            }
        }
    EXPECT_EQ(map.at(2, 0).regime, Regime::storage);
    EXPECT_NE(map.at(2, 4).regime, Regime::storage);
}
