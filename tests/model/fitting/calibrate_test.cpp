// Calibration finds factors that were put in, says what the measurements do not tell, and is kept by the plan.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "model/calibration/infer_plan.h"
#include "model/collectives/collectives.h"
#include "model/estimate/estimate.h"
#include "model/fitting/calibrate.h"
#include "model/project/fields.h"
#include "model/project/resolve.h"
#include "tests/model/project/catalogue.h"

namespace ridgepoint {
namespace {

using testing::HasSubstr;

Plan plan_on_one_node()
{
    Plan p = example_plan();
    p.model = "llama-3.1-8b";
    p.instance = "p5.48xlarge";
    p.nodes = 1;
    p.layout = Layout{};
    p.layout.dp = 0;
    auto& t = std::get<Training>(p.workload);
    t.global_batch = 64;
    return p;
}

// nccl-tests output as a machine would give it whose collectives take `factor` times what the laws say.
Measured sweep(const Plan& plan, double factor, int hosts)
{
    const Expected<Job> job = resolve(plan, catalogue());
    EXPECT_TRUE(job) << job.error().text();
    CollectiveSweep s;
    s.type = CollectiveType::all_reduce;
    s.test = "all_reduce_perf";
    s.ranks = 8 * hosts;
    s.hosts = hosts;
    GroupPlacement g;
    g.ranks = s.ranks;
    g.domains = hosts;
    g.ranks_per_domain = 8;
    g.groups_per_domain = 1;
    for (double size = 1 << 16; size <= 1 << 30; size *= 4) {
        CollectiveRow r;
        r.size = Bytes{size};
        r.out_of_place = CollectiveTiming{collective_cost({Collective::all_reduce, r.size, g}, job->cluster, job->collectives).time.total() * factor, {}, {}, {}};
        s.rows.push_back(r);
    }
    Measured m;
    m.file = "nccl.log";
    CollectiveBenchmark b;
    b.sweeps.push_back(s);
    m.content = b;
    return m;
}

Measured log_of(Seconds step)
{
    TrainingLog l;
    l.framework = "Megatron-LM";
    for (int i = 0; i < 30; ++i) {
        TrainingStep s;
        s.step = i;
        s.time = i == 0 ? step * 3.0 : step; // the first one warms up
        l.steps.push_back(s);
    }
    Measured m;
    m.file = "train.log";
    m.content = l;
    return m;
}

const CalibratedFactor& of(const CalibrationResult& r, MeasuredPart part) { return r.moved[static_cast<std::size_t>(part)]; }

} // namespace

TEST(Calibrate, FindsTheFactorThatWasPutIn)
{
    const Plan plan = plan_on_one_node();
    for (const double factor : {0.8, 1.0, 1.5}) {
        const Measured m = sweep(plan, factor, 1);
        const auto r = calibrate(plan, catalogue(), {&m});
        ASSERT_TRUE(r) << r.error().text();
        // The pull to the laws is weak: of ln f a part of prior^2 / (sum of weights + prior^2) at most stays behind.
        EXPECT_NEAR(std::log(of(*r, MeasuredPart::domain).after), std::log(factor), 0.05 * std::abs(std::log(factor)) + 1e-3);
        EXPECT_LE(of(*r, MeasuredPart::domain).low, of(*r, MeasuredPart::domain).after);
        EXPECT_GE(of(*r, MeasuredPart::domain).high, of(*r, MeasuredPart::domain).after);
        EXPECT_LE(r->after.median, r->before.median + 1e-9);
        EXPECT_FALSE(of(*r, MeasuredPart::products).determined);
        EXPECT_DOUBLE_EQ(of(*r, MeasuredPart::products).after, 1.0);
    }
}

TEST(Calibrate, TheNetworkHasAFactorOfItsOwn)
{
    Plan plan = plan_on_one_node();
    plan.nodes = 2;
    const Measured m = sweep(plan, 1.4, 2);
    const auto r = calibrate(plan, catalogue(), {&m});
    ASSERT_TRUE(r) << r.error().text();
    EXPECT_TRUE(of(*r, MeasuredPart::network).determined);
    EXPECT_LT(r->after.median, 0.1);
    EXPECT_GT(r->before.median, 0.2);
}

TEST(Calibrate, AStepCalibratesThePlan)
{
    const Plan plan = plan_on_one_node();
    const Expected<Evaluation> before = evaluate_only(plan, catalogue());
    ASSERT_TRUE(before) << before.error().text();
    const Measured m = log_of(before->estimate.time.total() * 1.3);
    const auto r = calibrate(plan, catalogue(), {&m});
    ASSERT_TRUE(r) << r.error().text();
    const Plan calibrated = with_factors(plan, r->factors);
    const Expected<Evaluation> after = evaluate_only(calibrated, catalogue());
    ASSERT_TRUE(after) << after.error().text();
    // One number pulls all of the work's factors; it comes most of the way.
    EXPECT_GT(after->estimate.time.total() / before->estimate.time.total(), 1.2);
    EXPECT_LT(after->estimate.time.total() / before->estimate.time.total(), 1.31);
    EXPECT_THAT(r->notes, testing::Contains(HasSubstr("do not tell apart")));
    // It survives the file, and another GPU does not see it.
    const Expected<Plan> again = plan_from_text(to_text(calibrated), "plan");
    ASSERT_TRUE(again) << again.error().text();
    for (std::size_t p = 0; p < again->measured.times.size(); ++p)
        EXPECT_DOUBLE_EQ(again->measured.times[p], calibrated.measured.times[p]);
    EXPECT_NEAR(again->measured.per_step.value(), calibrated.measured.per_step.value(), 1e-12);
    EXPECT_EQ(again->measured.gpu, calibrated.measured.gpu);
    Plan elsewhere = calibrated;
    elsewhere.instance = "p6-b200.48xlarge";
    Plan plain = elsewhere;
    plain.measured = {};
    const auto with = evaluate_only(elsewhere, catalogue());
    const auto without = evaluate_only(plain, catalogue());
    ASSERT_TRUE(with && without);
    EXPECT_DOUBLE_EQ(with->estimate.time.total().value(), without->estimate.time.total().value());
}

TEST(Calibrate, WhatCannotBeComparedIsAnError)
{
    Measured m;
    m.file = "metrics.prom";
    m.format = "Prometheus exposition text";
    m.content = MetricSet{};
    const auto r = calibrate(plan_on_one_node(), catalogue(), {&m});
    ASSERT_FALSE(r);
    EXPECT_THAT(r.error().text(), HasSubstr("metrics.prom"));
}

TEST(InferPlan, ServingResultsTellModelLengthsAndConcurrency)
{
    ServingRun run;
    run.tool = "vLLM bench serve";
    run.backend = "vllm";
    run.model = "meta-llama/Llama-3.1-405B-FP8";
    run.completed = 1000;
    run.input_tokens = 215'196;
    run.output_tokens = 120'689;
    run.max_concurrency = 64;
    Measured m;
    m.file = "run.json";
    m.content = ServingBenchmark{{run}};
    const auto inferred = infer_plan({m}, example_plan(), catalogue());
    ASSERT_TRUE(inferred) << inferred.error().text();
    EXPECT_EQ(inferred->plan.model, "llama-3.1-405b");
    EXPECT_EQ(inferred->plan.precision.recipe, "fp8");
    const auto& serving = std::get<Serving>(inferred->plan.workload);
    EXPECT_EQ(serving.input_length, 215);
    EXPECT_EQ(serving.output_length, 120);
    EXPECT_EQ(serving.concurrency, 64);
    EXPECT_FALSE(inferred->open.empty()); // neither GPU nor tensor parallelism is said
}

TEST(InferPlan, NamesOfModelsAndDevices)
{
    EXPECT_EQ(model_named(catalogue(), "meta-llama/Meta-Llama-3.1-70B-Instruct"), "llama-3.1-70b");
    EXPECT_EQ(model_named(catalogue(), "somebody/of-no-catalogue-7b"), "");
    EXPECT_EQ(instance_of_device(catalogue(), "NVIDIA H100 80GB HBM3"), "p5.48xlarge");
    EXPECT_EQ(instance_of_device(catalogue(), "NVIDIA H200"), "p5en.48xlarge");
    EXPECT_EQ(instance_of_device(catalogue(), "NVIDIA A100-SXM4-80GB"), "p4de.24xlarge");
    EXPECT_EQ(instance_of_device(catalogue(), "NVIDIA A100-SXM4-40GB"), "p4d.24xlarge");
    EXPECT_EQ(instance_of_device(catalogue(), "Tesla V100-SXM2-32GB"), "");
}

TEST(InferPlan, TwoKindsOfRunsContradictEachOther)
{
    Measured a, b;
    a.content = ServingBenchmark{{ServingRun{}}};
    b.content = TrainingLog{};
    EXPECT_FALSE(infer_plan({a, b}, example_plan(), catalogue()));
}

} // namespace ridgepoint
