#include <cmath>

#include <gtest/gtest.h>

#include "model/economics/cost.h"
#include "model/economics/power.h"
#include "model/hardware/read.h"
#include "tests/support/sample.h"

namespace ridgepoint {
namespace {

const SpecStore& builtin()
{
    static const Expected<SpecStore> store = SpecStore::load({{std::string(RIDGEPOINT_SOURCE_DIR) + "/specs", "built-in"}});
    static const SpecStore none;
    EXPECT_TRUE(store.has_value()) << (store ? "" : store.error().text());
    return store ? *store : none;
}

double per_gpu_hour(const Price& p) { return p.per_gpu.value() * 3600.0; }

TEST(Prices, AreThoseOfTheDatedLists)
{
    struct Row {
        const char* instance;
        const char* region;
        const char* term;
        double dollars_per_gpu_hour;
    };
    // On demand: EC2 list of 2026-07-20 / GPUs. Capacity Blocks: per GPU, from 2026-07-01.
    for (const Row& r : {Row{"p4d.24xlarge", "us-east-1", "on_demand", 21.957642 / 8}, Row{"p5.4xlarge", "us-west-2", "on_demand", 6.88},
             Row{"p5.48xlarge", "us-east-1", "on_demand", 6.88}, Row{"p5en.48xlarge", "us-east-2", "on_demand", 7.912},
             Row{"p6-b200.48xlarge", "us-east-1", "on_demand", 14.2416}, Row{"p6-b300.48xlarge", "us-east-1", "on_demand", 17.802},
             Row{"p5en.48xlarge", "us-east-1", "capacity_block", 6.865}, Row{"p5en.48xlarge", "eu-north-1", "capacity_block", 6.241},
             Row{"p5e.48xlarge", "us-east-1", "capacity_block", 5.97}, Row{"u-p6e-gb200x72", "us-east-1", "capacity_block", 10.582}}) {
        const auto p = find_price(builtin(), r.instance, r.region, r.term);
        ASSERT_TRUE(p.has_value()) << r.instance << ": " << p.error().text();
        EXPECT_NEAR(per_gpu_hour(*p), r.dollars_per_gpu_hour, 1e-9) << r.instance;
        EXPECT_FALSE(p->date.empty() || p->source.empty()) << r.instance;
        EXPECT_EQ(p->term, r.term);
    }
}

TEST(Prices, WhatIsNotSoldSaysWhatIs)
{
    const auto p5e = find_price(builtin(), "p5e.48xlarge", "us-east-1", "on_demand");
    ASSERT_FALSE(p5e.has_value());
    EXPECT_EQ(p5e.error().kind, ErrorKind::bad_input);
    EXPECT_NE(p5e.error().expected.find("capacity_block in us-east-1"), std::string::npos) << p5e.error().text();
    EXPECT_NE(p5e.error().hint.find("no on-demand price"), std::string::npos);
    const auto region = find_price(builtin(), "p5.48xlarge", "mars-north-1", "on_demand");
    ASSERT_FALSE(region.has_value());
    EXPECT_NE(region.error().expected.find("on_demand in us-east-1"), std::string::npos);
    const auto generic = find_price(builtin(), "dgx-h100", "us-east-1", "on_demand");
    ASSERT_FALSE(generic.has_value());
    EXPECT_NE(generic.error().hint.find("custom"), std::string::npos);
}

TEST(Prices, EveryBookReads)
{
    for (const std::string& id : builtin().ids(SpecKind::price)) {
        EXPECT_TRUE(builtin().contains(SpecKind::instance, id)) << id;
        for (const char* term : {"on_demand", "capacity_block"})
            if (const auto p = find_price(builtin(), id, "us-east-1", term); p) {
                EXPECT_GT(per_gpu_hour(*p), 1.0) << id;
                EXPECT_LT(per_gpu_hour(*p), 25.0) << id;
            }
    }
}

Job job_on(const char* instance, int nodes)
{
    Job job;
    auto cluster = build_cluster(builtin(), instance, nodes);
    EXPECT_TRUE(cluster.has_value());
    job.cluster = std::move(*cluster);
    return job;
}

Estimate training_estimate(double tokens_per_second, double days)
{
    Estimate e;
    e.time = AttributedTime(Resource::compute, Seconds{0.9}) + AttributedTime(Resource::network, Seconds{0.1});
    e.training = TrainingResult{};
    e.training->tokens_per_second = TokensPerSecond{tokens_per_second};
    e.training->time_to_train = hours(24.0 * days);
    return e;
}

TEST(Cost, ATrainingRunByHand)
{
    Job job = job_on("p5.48xlarge", 2);
    job.cluster.gpus = 12; // four idle GPUs are paid all the same
    const Cost c = cost_of(training_estimate(1e5, 10), job, custom_price("p5.48xlarge", 5.0), 1.0);
    EXPECT_NEAR(c.cluster.value() * 3600.0, 80.0, 1e-9); // 16 x $5/h
    EXPECT_NEAR(c.per_month.value(), 80.0 * 730.0, 1e-6);
    ASSERT_TRUE(c.run.has_value());
    EXPECT_NEAR(c.run->value(), 80.0 * 240.0, 1e-6);
    EXPECT_NEAR(c.gpu_hours, 16.0 * 240.0, 1e-9);
    ASSERT_TRUE(c.per_token.has_value());
    EXPECT_NEAR(c.per_token->value() * 1e6, 80.0 / 3600.0 / 1e5 * 1e6, 1e-12);
    // The run's cost is its tokens times the price of one.
    EXPECT_NEAR(c.run->value(), c.per_token->value() * 1e5 * 864000.0, 1e-6);
    EXPECT_FALSE(c.per_input_token.has_value());
}

TEST(Cost, IdleHoursArePaid)
{
    const Job job = job_on("p5.48xlarge", 1);
    const Estimate e = training_estimate(1e5, 10);
    const auto price = custom_price("p5.48xlarge", 5.0);
    const Cost full = cost_of(e, job, price, 1.0);
    const Cost half = cost_of(e, job, price, 0.5);
    EXPECT_NEAR(half.run->value(), 2.0 * full.run->value(), 1e-6);
    EXPECT_NEAR(half.per_token->value(), 2.0 * full.per_token->value(), 1e-15);
    EXPECT_DOUBLE_EQ(half.per_month.value(), full.per_month.value());
    EXPECT_LT(half.power.value(), full.power.value());
    EXPECT_GT(half.energy_per_token.value(), full.energy_per_token.value()); // idle watts per token
    // Nonsense is taken to the nearest end, never to infinity.
    for (const double u : {0.0, -1.0, 7.0, std::nan("")})
        EXPECT_TRUE(std::isfinite(cost_of(e, job, price, u).run->value())) << u;
}

TEST(Cost, NoPriceStillHasEnergy)
{
    const Cost c = cost_of(training_estimate(1e5, 1), job_on("dgx-h100", 1), std::nullopt, 1.0);
    EXPECT_FALSE(c.price.has_value());
    EXPECT_FALSE(c.missing.empty());
    EXPECT_FALSE(c.run.has_value());
    EXPECT_GT(c.power.value(), 0.0);
    EXPECT_NEAR(c.gpu_hours, 8.0 * 24.0, 1e-9);
}

TEST(Cost, TheServingBillAddsUp)
{
    Job job = job_on("p5.48xlarge", 1);
    Serving w;
    w.input_length = 2000;
    w.output_length = 500;
    w.prefill_batch = 1;
    job.workload = w;
    Estimate e;
    e.time = AttributedTime(Resource::hbm, Seconds{0.02});
    ServingResult s;
    s.prefill_step = Seconds{0.2};
    s.requests_per_second = 2.0; // 0.4 of the time is prefill
    s.output_per_second = TokensPerSecond{1000.0};
    s.replicas = 2;
    e.serving = s;
    const Cost c = cost_of(e, job, custom_price("p5.48xlarge", 5.0), 1.0);
    ASSERT_TRUE(c.per_token && c.per_input_token && c.per_output_token_all);
    const double output = 2000.0; // tokens/s of both replicas
    const double input = 2.0 * 2000.0 * 2.0;
    EXPECT_NEAR(c.per_token->value() * output + c.per_input_token->value() * input, c.cluster.value(), 1e-12);
    EXPECT_NEAR(c.per_input_token->value() * input / c.cluster.value(), 0.4, 1e-12);
    EXPECT_NEAR(c.per_output_token_all->value() * output, c.cluster.value(), 1e-12);

    w.phase = ServingPhase::prefill;
    job.workload = w;
    e.serving->output_per_second = {};
    const Cost prefill = cost_of(e, job, custom_price("p5.48xlarge", 5.0), 1.0);
    EXPECT_FALSE(prefill.per_token.has_value());
    EXPECT_NEAR(prefill.per_input_token->value() * input, prefill.cluster.value(), 1e-12);
    EXPECT_GT(prefill.energy_per_token.value(), 0.0);
}

TEST(Power, HeavyTrainingDrawsWhatWasMeasured)
{
    const auto c = build_cluster(builtin(), "dgx-h100", 1);
    ASSERT_TRUE(c.has_value());
    // arXiv:2506.14551: computationally heavy training at 76 % of the rated 10.2 kW; arXiv:2412.08602: 8.4 kW at most.
    EXPECT_NEAR(node_power(c->node, c->accelerator, 0.9).value(), 0.76 * 10200.0, 0.02 * 10200.0);
    EXPECT_NEAR(node_power(c->node, c->accelerator, 1.0).value(), 8400.0, 50.0);
    double last = 0.0;
    for (double a = 0.0; a <= 1.0; a += 0.1) {
        const double p = node_power(c->node, c->accelerator, a).value();
        EXPECT_GT(p, last);
        last = p;
    }
    Node unknown = c->node;
    unknown.system_power = {};
    EXPECT_NEAR(rated_power(unknown, c->accelerator).value(), 10200.0, 200.0); // 8 x 700 W x 1.8
    EXPECT_DOUBLE_EQ(activity_of({}), 0.0);
    EXPECT_NEAR(activity_of(AttributedTime(Resource::compute, Seconds{2}) + AttributedTime(Resource::latency, Seconds{1})), 2.0 / 3.0, 1e-12);
}

// Three prompt GPUs for five that decode: three eighths of the money are for input, whatever the steps take.
TEST(Cost, PoolsAreBilledByTheirGpus)
{
    Layout l;
    l.tp = 5;
    Serving w;
    w.input_length = 4096;
    w.output_length = 512;
    w.concurrency = 64;
    Job job = sample::serving(sample::llama_70b(), 8, l, w);
    ServingResult s;
    s.prefill_step = Seconds{10}; // more than one prompt a second can take: what a shared pool would be charged in full
    s.requests_per_second = 2;
    s.output_per_second = TokensPerSecond{2.0 * 512};
    s.prompt_gpu_share = 3.0 / 8.0;
    const UnitCost c = unit_cost(AttributedTime{Resource::hbm, Seconds{1}}, std::nullopt, s, job, DollarsPerSecond{1.0 / 8.0}, 1.0);
    ASSERT_TRUE(c.per_token && c.per_input_token);
    EXPECT_NEAR(c.per_input_token->value(), 3.0 / 8.0 / (2 * 4096), 1e-12);
    EXPECT_NEAR(c.per_token->value(), 5.0 / 8.0 / (2 * 512), 1e-12);
}

} // namespace
} // namespace ridgepoint
