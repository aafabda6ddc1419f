// Runs of whole plans: the built-in example by hand, properties, and what is wrong with a plan.

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "model/project/fields.h"
#include "model/project/run_answer.h"
#include "model/project/snapshots.h"
#include "tests/model/project/catalogue.h"

namespace ridgepoint {
namespace {

void set(Plan& p, const std::string& path, const std::string& value)
{
    const Status s = set_field(p, path, value);
    EXPECT_TRUE(s) << (s ? "" : s.error().text());
}

RunAnswer answer_of(const Plan& p, std::optional<Date> today = std::nullopt)
{
    const Expected<RunAnswer> a = evaluate_run(p, catalogue(), today);
    EXPECT_TRUE(a) << (a ? "" : a.error().text());
    return a ? *a : RunAnswer{};
}

Error error_of(const Plan& p)
{
    const Expected<RunAnswer> a = evaluate_run(p, catalogue(), std::nullopt);
    EXPECT_FALSE(a);
    return a ? Error{} : a.error();
}

Dollars sum_of(const Bill& b)
{
    return std::accumulate(b.lines.begin(), b.lines.end(), Dollars{}, [](Dollars sum, const CostLine& l) { return sum + l.amount; });
}

Plan small_plan() // one that is quick to simulate
{
    Plan p = example_plan();
    set(p, "/run/samples", "400");
    return p;
}

TEST(RunFields, AreWrittenOnceTheyAreUsed)
{
    Plan p = example_plan();
    const std::string before = to_text(p);
    EXPECT_EQ(before.find("\"run\""), std::string::npos);
    EXPECT_EQ(before.find("\"support\""), std::string::npos);
    set(p, "/run/spare_nodes", "8");
    EXPECT_TRUE(in_use("Run", p));
    EXPECT_FALSE(in_use("Costs", p));
    set(p, "/price/tax", "0.19");
    set(p, "/run/mtbf_hours", "5000");
    const std::string text = to_text(p);
    EXPECT_NE(text.find("\"spare_nodes\": 8"), std::string::npos);
    const Expected<Plan> again = plan_from_text(text, "p");
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_TRUE(*again == p);
    set(p, "/run/mtbf_hours", "");
    EXPECT_FALSE(p.run.mtbf_hours);
    Expected<Plan> serving = load_plan(example_file("llama-3.1-8b-serving-p5.4xlarge"));
    ASSERT_TRUE(serving);
    EXPECT_FALSE(set_field(*serving, "/run/spare_nodes", "8")) << "a serving plan has no run";
    const Expected<std::vector<SpecSnapshot>> snapshots = take_snapshots(p, catalogue());
    ASSERT_TRUE(snapshots);
    EXPECT_TRUE(std::ranges::any_of(*snapshots, [](const SpecSnapshot& s) { return s.kind == SpecKind::market; })) << "prices of an old plan stay";
}

// A spare free when a node fails saves 1,800 - 180 s of the restart: goodput rises with spares and ends where one always is.
TEST(RunSpares, GoodputRisesToAllSparesFreeAndHoldsThePlansOwn)
{
    Plan p = small_plan();
    set(p, "/run/spare_nodes", "6");
    const RunPrediction r = answer_of(p).run;
    ASSERT_GT(r.by_spares.size(), 10U);
    EXPECT_EQ(r.by_spares.front().spares, 0);
    EXPECT_EQ(r.by_spares.front().no_spare_free, 1.0);
    for (std::size_t i = 1; i < r.by_spares.size(); ++i)
        EXPECT_GE(r.by_spares[i].goodput, r.by_spares[i - 1].goodput);
    EXPECT_LT(r.by_spares.back().no_spare_free, 0.01);
    const auto own = std::ranges::find(r.by_spares, 6, &SparePoint::spares);
    ASSERT_NE(own, r.by_spares.end());
    EXPECT_NEAR(own->goodput, r.goodput, 1e-12);
    EXPECT_NEAR(own->wall / r.wall, 1.0, 1e-12);
    EXPECT_EQ(own->no_spare_free, r.restart.no_spare_free);
    set(p, "/run/spare_nodes", "0");
    EXPECT_NEAR(answer_of(p).run.goodput, r.by_spares.front().goodput, 1e-12);
    set(p, "/run/mtbf_hours", "0");
    EXPECT_TRUE(answer_of(p).run.by_spares.empty()) << "nothing fails";
}

// Llama 3.1 405B on 2,048 p5en.48xlarge, by hand from its step time T and its 15.6e12 / (2,048 x 8,192) = 929,832 steps.
// M = 6,334 h x 3,600 / 2,048 = 11,134 s. A checkpoint holds 14 B for each of 405.9e9 parameters: 5.68 TB; three of them
// need 17.0 TB, in steps of 4.8 TiB that is 21.1 TB (19.2 TiB), which a tier of 1,000 MB/s per TiB writes at 19.2 GB/s:
// 5.68e12 / 19.2e9 = 296 s, and 2 s of barriers. The copy to the host takes milliseconds, so that C = 2.0 s and the optimum
// is about sqrt(2 x 2 x 11,134) = 211 s; but no checkpoint may begin before the last is written: the interval is 298 s to
// the next whole step. R = 120 + 1,800 + 300 s, 296 s
// to read it once and 0.13 s to spread 6.3 GB of weights at 50 GB/s, and 298 s of the write that had not ended: 2,815 s.
// The factor is e^(2,815/11,134) (e^(300/11,134) - 1) 11,134/298 = 1.288 x 1.020 = 1.314: a goodput of 0.761.
TEST(Run405B, GoodputByHand)
{
    const RunAnswer a = answer_of(small_plan());
    const RunPrediction& r = a.run;
    const double step = a.evaluation.estimate.training->step.value();
    EXPECT_NEAR(r.steps, 929'832.0, 1.0);
    EXPECT_NEAR(r.mtbf.value(), 11'134.0, 1.0);
    EXPECT_NEAR(r.checkpoint.size.total.value() / 5.68e12, 1.0, 0.005);
    EXPECT_NEAR(r.storage[1].capacity.value() / 1099511627776.0, 19.2, 1e-6);
    EXPECT_NEAR(r.checkpoint.write.value(), 298.0, 2.0);
    EXPECT_NEAR(r.checkpoint.blocking.value(), 2.0, 0.1);
    EXPECT_NEAR(r.interval.optimum.value(), 211.0, 2.0);
    const double tau = r.interval.used.value();
    EXPECT_NEAR(tau, 298.0, step) << "whole steps";
    EXPECT_TRUE(r.storage[1].limits) << "the write sets the interval";
    const double m = 6334.0 * 3600.0 / 2048.0, c = r.checkpoint.blocking.value(), restart = 120.0 + 1800.0 + 300.0 + r.checkpoint.reload.value() + r.checkpoint.write.value();
    EXPECT_NEAR(r.restart.total().value(), restart, 1e-6);
    const double goodput = tau / (m * std::exp(restart / m) * (std::exp((tau + c) / m) - 1.0));
    EXPECT_NEAR(r.goodput, goodput, 1e-9);
    EXPECT_NEAR(r.checkpoint.reload.value(), 296.0, 3.0);
    EXPECT_NEAR(r.goodput, 0.761, 0.005) << "half an hour without a spare is what costs most";
    // Nine in ten runs of 16,384 GPUs had more than 90 % effective time with nodes to swap in [arXiv:2407.21783].
    Plan spares = small_plan();
    set(spares, "/run/spare_nodes", "32");
    EXPECT_GT(answer_of(spares).run.goodput, 0.87);
}

// The bill of the same run by hand: 2,048 instances at $63.296 an hour for the wall time, and the file systems.
TEST(Run405B, CostByHand)
{
    const RunAnswer a = answer_of(small_plan());
    ASSERT_TRUE(a.cost);
    const Bill& b = a.cost->expected;
    const double hours = 929'832.0 * a.evaluation.estimate.training->step.value() / a.run.goodput / 3600.0, months = hours / 730.0;
    EXPECT_NEAR(b.of(CostKind::compute).value() / (2048.0 * 63.296 * hours), 1.0, 1e-4);
    // 15.6e12 tokens x 4 B = 62.4 TB in steps of 19.2 TiB (21.11 TB): 63.3 TB at $0.21; checkpoints 21.1 TB at $0.60; ten archived
    // ones, 56.8 TB, half the time at $0.023, and 56.8e12 / 2^26 / 1,000 x $0.005 = $4 of uploads.
    const double storage = (63.33e3 * 0.21 + 21.11e3 * 0.60 + 0.5 * 56.8e3 * 0.023) * months + 4.2;
    EXPECT_NEAR(b.of(CostKind::storage).value() / storage, 1.0, 0.01);
    EXPECT_NEAR(sum_of(b).value(), b.total.value(), 1e-6 * b.total.value());
    EXPECT_NEAR(a.cost->per_token.value() * 15.6e12, b.total.value(), 1e-6 * b.total.value());
    EXPECT_LE(a.cost->p50.total, a.cost->p90.total);
    // $/EFLOP is the same money over the model's FLOPs.
    const TrainingResult& t = *a.evaluation.estimate.training;
    EXPECT_NEAR(a.cost->per_exaflop, b.total.value() / (t.model_flops_per_step.value() * a.run.steps / 1e18), 1e-6 * a.cost->per_exaflop);
}

TEST(RunAnswers, PartsAndResourcesAddUpToTheWallTime)
{
    for (const char* edit : {"/run/asynchronous=false", "/run/asynchronous=true", "/run/data_capacity_tib=1", "/run/power_cap=0.7", "/run/spare_nodes=16"}) {
        Plan p = small_plan();
        const std::string text = edit;
        set(p, text.substr(0, text.find('=')), text.substr(text.find('=') + 1));
        const RunPrediction r = answer_of(p).run;
        Seconds sum;
        for (const Seconds part : r.parts)
            sum += part;
        EXPECT_NEAR(sum / r.wall, 1.0, 1e-9) << edit;
        EXPECT_NEAR(r.time.total() / r.wall, 1.0, 1e-9) << edit;
        double shares = 0.0;
        for (std::size_t i = 0; i < resource_count; ++i)
            shares += r.time.share(static_cast<Resource>(i));
        EXPECT_NEAR(shares, 1.0, 1e-9) << edit;
        EXPECT_LE(r.time_to_train.at(0.5), r.time_to_train.at(0.9)) << edit;
        EXPECT_LE(r.failures_only.at(0.5), r.failures_only.at(0.9)) << edit;
        EXPECT_NEAR(r.failures_only.mean / r.wall, 1.0, 0.01) << edit;
    }
}

TEST(RunAnswers, GoodputFallsWithNodesAndPerfectNodesLoseNothing)
{
    double before = 1.0;
    for (const char* mtbf : {"0", "100000", "6334", "2000"}) {
        Plan p = small_plan();
        set(p, "/run/mtbf_hours", mtbf);
        const RunPrediction r = answer_of(p).run;
        EXPECT_LT(r.goodput, before + 1e-12) << mtbf;
        before = r.goodput;
        if (std::string(mtbf) == "0") {
            EXPECT_GT(r.goodput, 0.999999) << "one checkpoint at the end";
            EXPECT_EQ(r.expected_failures, 0.0);
            EXPECT_TRUE(r.waste.empty());
        }
    }
    Plan p = small_plan();
    set(p, "/run/mtbf_hours", "0.3");
    EXPECT_EQ(error_of(p).kind, ErrorKind::infeasible) << "a job that fails every half second never ends";
}

TEST(RunAnswers, DataThatComeTooSlowlyAreTheBound)
{
    Plan p = small_plan();
    set(p, "/run/bytes_per_token", "10000"); // pictures
    set(p, "/run/data_tier", "s3-standard");
    const RunAnswer fast = answer_of(p);
    EXPECT_FALSE(fast.run.storage[0].limits) << "2,048 instances with 100 Gbit/s each";
    Plan one = *load_plan(example_file("llama-3.1-70b-sft-p5"));
    set(one, "/model", "llama-3.1-8b");
    set(one, "/workload/tokens", "1e9");
    set(one, "/run/samples", "200");
    set(one, "/run/data_tier", "fsx-lustre-persistent2-125");
    const Seconds unhindered = answer_of(one).run.step;
    set(one, "/run/bytes_per_token", "10000");
    const RunAnswer slow = answer_of(one);
    // 10 TB in a file system of 38.4 TiB: 4.8 GB/s.
    const double per_step = 10000.0 * std::get<Training>(one.workload).global_batch * std::get<Training>(one.workload).sequence_length;
    EXPECT_NEAR(slow.run.storage[0].available.value(), 4.8e9, 1e6);
    ASSERT_TRUE(slow.run.storage[0].limits);
    EXPECT_NEAR(slow.run.step.value(), per_step / 4.8e9, 1e-6 * slow.run.step.value());
    EXPECT_GT(slow.run.step, unhindered);
    EXPECT_NE(slow.run.bound.find("storage: reading training data"), std::string::npos) << slow.run.bound;
}

TEST(RunAnswers, SynchronousCheckpointsStopTrainingForTheWholeWrite)
{
    Plan p = small_plan();
    const RunPrediction behind = answer_of(p).run;
    set(p, "/run/asynchronous", "false");
    const RunPrediction r = answer_of(p).run;
    EXPECT_EQ(r.checkpoint.blocking, r.checkpoint.write);
    EXPECT_EQ(r.restart.replay, Seconds{});
    EXPECT_LT(r.goodput, behind.goodput);
    set(p, "/run/checkpoint_tier", "nvme-instance-store"); // every instance to its own drives
    const RunPrediction local = answer_of(p).run;
    EXPECT_LT(local.checkpoint.write, r.checkpoint.write);
    EXPECT_GT(local.goodput, r.goodput);
}

TEST(RunAnswers, RampAndEvaluationTakeTime)
{
    Plan p = small_plan();
    const RunPrediction plain = answer_of(p).run;
    set(p, "/run/ramp_batch", "512");
    set(p, "/run/ramp_increment", "512");
    set(p, "/run/ramp_tokens", "252e9");
    set(p, "/run/evaluate_every", "1000");
    set(p, "/run/evaluation_tokens", "167772160"); // ten steps' worth, a third of the time: 0.33 % at every thousandth
    const RunPrediction r = answer_of(p).run;
    EXPECT_GT(r.part(RunPart::ramp), Seconds{}) << "bubbles of a pipeline with fewer microbatches";
    EXPECT_GT(r.steps, plain.steps);
    EXPECT_NEAR(r.part(RunPart::evaluation) / r.part(RunPart::steps), 0.00333, 0.0001);
    EXPECT_LT(r.goodput, plain.goodput);
    set(p, "/run/ramp_increment", "500");
    EXPECT_EQ(error_of(p).place.pointer, "/run/ramp_increment");
    set(p, "/run/ramp_increment", "512");
    set(p, "/run/ramp_batch", "4096");
    EXPECT_EQ(error_of(p).place.pointer, "/run/ramp_batch");
    set(p, "/run/ramp_batch", "511");
    set(p, "/run/ramp_increment", "1537");
    EXPECT_EQ(error_of(p).place.pointer, "/run/ramp_batch") << "511 sequences are no multiple of 128 replicas";
    set(p, "/run/ramp_batch", "1");
    set(p, "/run/ramp_increment", "1");
    EXPECT_EQ(error_of(p).place.pointer, "/run/ramp_increment") << "2,047 batches";
    set(p, "/run/ramp_batch", "1024");
    set(p, "/run/ramp_increment", "1024");
    set(p, "/run/ramp_tokens", "1e15");
    EXPECT_EQ(error_of(p).place.pointer, "/run/ramp_tokens");
}

TEST(RunAnswers, SparesFailLessTheMoreThereAre)
{
    Plan p = small_plan();
    double goodput = 0.0, chance = 1.1;
    for (const char* spares : {"0", "4", "16", "64"}) {
        set(p, "/run/spare_nodes", spares);
        const RunAnswer a = answer_of(p);
        EXPECT_GT(a.run.goodput, goodput) << spares;
        EXPECT_LT(a.run.restart.no_spare_free, chance) << spares;
        goodput = a.run.goodput;
        chance = a.run.restart.no_spare_free;
    }
    EXPECT_TRUE(std::ranges::any_of(answer_of(p).cost->expected.lines, [](const CostLine& l) { return l.name == "Instances: spares"; }));
}

TEST(RunAnswers, CostLinesAddUpUnderEveryTerm)
{
    Plan p = small_plan();
    set(p, "/price/support", "enterprise");
    set(p, "/price/egress_tb", "50");
    set(p, "/price/tax", "0.2");
    set(p, "/price/custom_usd_per_gpu_hour", "3");
    for (const char* term : {"on_demand", "capacity_block", "custom"}) {
        set(p, "/price/term", term);
        const RunAnswer a = answer_of(p, parse_date("2026-11-30").value());
        ASSERT_TRUE(a.cost) << term;
        EXPECT_NEAR(sum_of(a.cost->expected) / a.cost->expected.total, 1.0, 1e-12) << term;
        EXPECT_NEAR(a.cost->expected.of(CostKind::tax) / a.cost->expected.total, 0.2 / 1.2, 1e-9) << term;
        EXPECT_GT(a.cost->expected.of(CostKind::support), Dollars{}) << term;
        EXPECT_NEAR(a.cost->expected.of(CostKind::egress).value(), 900.0 + 3400.0, 1e-6);
        EXPECT_EQ(a.cost->list.has_value(), std::string(term) == "custom");
        for (std::size_t i = 1; i < a.cost->terms.size(); ++i)
            EXPECT_LE(a.cost->terms[i - 1].run, a.cost->terms[i].run);
        if (std::string(term) == "capacity_block") {
            EXPECT_TRUE(a.cost->age.stale) << "July's price at the end of November";
            EXPECT_FALSE(a.cost->expected.commitment.problems.empty()) << "2,048 instances are more than 256";
            EXPECT_GT(a.cost->expected.of(CostKind::commitment), Dollars{}) << "whole weeks";
        }
    }
    set(p, "/price/support", "platinum");
    EXPECT_EQ(error_of(p).place.pointer, "/price/support");
}

TEST(RunAnswers, DatesAndDelay)
{
    Plan p = small_plan();
    set(p, "/run/start", "2027-01-01");
    set(p, "/price/delay_usd_per_day", "1000000");
    const RunAnswer a = answer_of(p);
    EXPECT_EQ(a.start->text(), "2027-01-01");
    EXPECT_GE(*a.end_p90, *a.end_p50);
    EXPECT_EQ(*a.end_p50 - *a.start, static_cast<int>(std::ceil(in_days(a.run.time_to_train.at(0.5)))));
    EXPECT_NEAR(a.cost->delay_per_day.value(), 1e6 + 2048 * 63.296 * 24.0, 1.0);
    set(p, "/run/start", "1 January");
    EXPECT_EQ(error_of(p).place.pointer, "/run/start");
}

TEST(RunAnswers, ACapTakesTimeAndSavesEnergy)
{
    Plan p = small_plan();
    const RunAnswer full = answer_of(p);
    set(p, "/run/power_cap", "0.7");
    const RunAnswer capped = answer_of(p);
    EXPECT_GT(capped.run.wall, full.run.wall);
    EXPECT_LT(capped.run.energy.energy, full.run.energy.energy);
    EXPECT_LT(capped.run.energy.clock_low, capped.run.energy.clock);
    EXPECT_GT(capped.run.energy.clock_high, capped.run.energy.clock);
    // kWh x g/kWh.
    EXPECT_NEAR(*full.carbon_kg, full.run.energy.energy.value() / 3.6e6 * 0.3651, 1e-6 * *full.carbon_kg);
}

TEST(RunAnswers, SayWhatIsWrong)
{
    Plan p = small_plan();
    set(p, "/workload/tokens", "0");
    EXPECT_EQ(error_of(p).place.pointer, "/workload/tokens");
    p = small_plan();
    set(p, "/run/data_tier", "floppy");
    EXPECT_EQ(error_of(p).place.pointer, "/run/data_tier");
    set(p, "/run/data_tier", "s3-standard");
    set(p, "/run/checkpoint_tier", "tape");
    EXPECT_EQ(error_of(p).place.pointer, "/run/checkpoint_tier");
    const Expected<Plan> serving = load_plan(example_file("llama-3.1-8b-serving-p5.4xlarge"));
    ASSERT_TRUE(serving);
    EXPECT_EQ(error_of(*serving).place.pointer, "/workload/kind");
    p = small_plan();
    EXPECT_FALSE(set_field(p, "/run/power_cap", "0"));
    EXPECT_FALSE(set_field(p, "/run/samples", "1e9"));
}

TEST(RunAnswers, LoraCheckpointsHoldTheAdaptersOnly)
{
    Plan p = *load_plan(example_file("llama-3.1-70b-lora-p4de"));
    set(p, "/workload/tokens", "1e8");
    set(p, "/run/samples", "200");
    const RunAnswer a = answer_of(p);
    EXPECT_LT(a.run.checkpoint.size.total, gigabytes(20.0));
    EXPECT_GT(a.run.checkpoint.size.total, gigabytes(0.1));
    EXPECT_TRUE(a.sizing.empty()) << "scaling laws are of pre-training";
}

} // namespace
} // namespace ridgepoint
