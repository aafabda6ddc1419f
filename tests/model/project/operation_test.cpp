// Load, fleet and post-training of whole plans, and the load simulation against published serving runs.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "model/project/field_table.h"
#include "model/project/fields.h"
#include "model/project/operation.h"
#include "tests/model/project/catalogue.h"

namespace ridgepoint {
namespace {

Plan example_of(const std::string& name)
{
    Expected<Plan> plan = load_plan(example_file(name));
    EXPECT_TRUE(plan);
    return *plan;
}

void set(Plan& p, const std::string& path, const std::string& value)
{
    const Status s = set_field(p, path, value);
    EXPECT_TRUE(s) << (s ? "" : s.error().text());
}

TEST(OperationFields, AreWrittenOnceTheyAreUsed)
{
    Plan p = example_of("llama-3.1-8b-serving-p5.4xlarge");
    EXPECT_FALSE(in_use("Load", p));
    EXPECT_EQ(to_text(p).find("\"load\""), std::string::npos); // as older versions wrote it
    set(p, "/load/rate", "5");
    EXPECT_TRUE(in_use("Load", p));
    EXPECT_FALSE(in_use("Fleet", p));
    EXPECT_NE(to_text(p).find("\"seed\""), std::string::npos) << "the whole section: its defaults may change";
    EXPECT_EQ(to_text(p).find("\"fleet\""), std::string::npos);
    const Expected<Plan> again = plan_from_text(to_text(p), "p");
    ASSERT_TRUE(again);
    EXPECT_TRUE(*again == p);
    EXPECT_FALSE(set_field(p, "/post_training/group", "4")) << "a serving plan has no learner";
    EXPECT_FALSE(plan_from_text(R"({"ridgepoint": 1, "load": {"rate": 1}})", "p")) << "nor a training plan a load";
}

TEST(Operation, ALoadFileIsFoundBesideThePlan)
{
    Plan p = example_of("llama-3.1-8b-chat-fleet-p5");
    set(p, "/load/lengths", "file");
    const auto none = evaluate_load(p, catalogue(), ".");
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().place.pointer, "/load/lengths_file");
    set(p, "/load/lengths_file", "no-such-file.csv");
    EXPECT_EQ(evaluate_load(p, catalogue(), ".").error().kind, ErrorKind::io);
}

TEST(Operation, ARolloutThatCannotBeNamesItsField)
{
    Plan p = example_of("qwen3-32b-grpo-p5en");
    set(p, "/post_training/rollout_tp", "3");
    const auto r = evaluate_post_training(p, catalogue());
    ASSERT_FALSE(r);
    EXPECT_EQ(r.error().place.pointer, "/post_training/rollout_tp");
}

TEST(Operation, WhatIsStoppedSaysSo)
{
    std::stop_source stop;
    stop.request_stop();
    const Progress stopped{{}, stop.get_token()};
    const Plan chat = example_of("llama-3.1-8b-chat-fleet-p5");
    const auto load = evaluate_load(chat, catalogue(), ".", stopped);
    ASSERT_FALSE(load);
    EXPECT_EQ(load.error().kind, ErrorKind::cancelled);
    const auto fleet = evaluate_fleet(chat, catalogue(), ".", stopped);
    ASSERT_FALSE(fleet);
    EXPECT_EQ(fleet.error().kind, ErrorKind::cancelled);
    const auto rl = evaluate_post_training(example_of("qwen3-32b-grpo-p5en"), catalogue(), stopped);
    ASSERT_FALSE(rl);
    EXPECT_EQ(rl.error().kind, ErrorKind::cancelled);
    const auto plan = evaluate_only(chat, catalogue());
    ASSERT_TRUE(plan);
    EXPECT_TRUE(pareto_points(plan->job, {}, 1.0, stopped).empty());
}

// Punica adds 2 ms to a token on an A100 80GB [arXiv:2310.18547, abstract]; its 7B model, 32 requests that each have an adapter of
// their own of rank 16.
TEST(Operation, AdaptersAgainstPunica)
{
    Plan p = default_plan("decode");
    for (const auto& [field, value] : {std::pair{"/model", "llama-2-7b"}, {"/cluster/instance", "p4de.24xlarge"}, {"/cluster/nodes", "1"}, {"/cluster/gpus", "1"},
             {"/layout/tp", "1"}, {"/precision/recipe", "bf16"}, {"/workload/concurrency", "32"}, {"/workload/input_length", "512"}, {"/workload/output_length", "512"}})
        set(p, field, value);
    const auto none = evaluate_only(p, catalogue());
    ASSERT_TRUE(none) << none.error().text();
    for (const auto& [field, value] : {std::pair{"/workload/adapters/resident", "32"}, {"/workload/adapters/active", "32"}, {"/workload/adapters/rank", "16"}})
        set(p, field, value);
    const auto all = evaluate_only(p, catalogue());
    ASSERT_TRUE(all) << all.error().text();
    const double added = (all->estimate.serving->tpot - none->estimate.serving->tpot).value() * 1e3;
    RecordProperty("added_ms", std::to_string(added));
    EXPECT_NEAR(std::log(added / 2.0), 0.0, std::log(2.0)) << added << " ms";
}

// Llama 3.3 70B in bf16 with SGLang, tp 4 of H200, lengths uniform from 1 to 1,024, Poisson arrivals
// [datacrunch-research/h200-benchmarks @ c091ef5: sglang/outputs/llama_3_3_70b_online_output.jsonl; launched by
// sglang/experiments/llama_3_3_70b_sglang.sh]. Nothing is fitted to it. At 16 requests per second it is saturated: 4,288
// output tokens per second over a run with ramps at both ends, 8.4 requests. The bounds below are as wide as the step times
// at large batches are optimistic for this engine of early 2025 (docs/operation.md).
struct Measured {
    double rate, median_gap_ms, mean_end_to_end_s, output_per_second;
};
constexpr Measured datacrunch[] = {{1, 13.639, 7.841, 537.4}, {2, 14.830, 8.541, 987.3}, {4, 19.420, 12.896, 2047.9}};

Plan datacrunch_plan(const std::filesystem::path& folder)
{
    std::ofstream lengths(folder / "uniform.csv");
    lengths << "input_length,output_length\n";
    for (int i = 0; i < 1024; ++i) // every length once, in two unrelated orders
        lengths << 1 + i << "," << 1 + i * 389 % 1024 << "\n";
    lengths.close();
    Plan p = example_of("llama-3.1-8b-serving-p5.4xlarge");
    set(p, "/model", "llama-3.1-70b");
    set(p, "/cluster/instance", "p5en.48xlarge");
    set(p, "/cluster/gpus", "4");
    set(p, "/layout/tp", "4");
    set(p, "/precision/recipe", "bf16");
    set(p, "/assumptions/framework", "sglang");
    set(p, "/load/lengths", "file");
    set(p, "/load/lengths_file", "uniform.csv");
    set(p, "/load/max_batch", "1024"); // SGLang: as many as the cache holds
    set(p, "/load/requests", "2000");
    return p;
}

TEST(Operation, LoadAgainstPublishedRuns)
{
    const std::filesystem::path folder = std::filesystem::temp_directory_path() / "ridgepoint-operation-test";
    std::filesystem::create_directories(folder);
    Plan p = datacrunch_plan(folder);
    for (const Measured& m : datacrunch) {
        set(p, "/load/rate", std::to_string(m.rate));
        const auto a = evaluate_load(p, catalogue(), folder.string());
        ASSERT_TRUE(a) << a.error().text();
        const LoadPoint& at = *a->load.offered;
        const double gap = at.gap.p50.value() * 1e3 / m.median_gap_ms, stay = at.end_to_end.mean.value() / m.mean_end_to_end_s;
        EXPECT_NEAR(std::log(gap), 0.0, std::log(1.5)) << m.rate << " 1/s: between tokens " << gap;
        EXPECT_NEAR(std::log(stay), 0.0, std::log(1.5)) << m.rate << " 1/s: end to end " << stay;
        RecordProperty(std::to_string(m.rate) + "_gap", std::to_string(gap));
        RecordProperty(std::to_string(m.rate) + "_stay", std::to_string(stay));
    }
    set(p, "/load/rate", "16");
    const auto beyond = evaluate_load(p, catalogue(), folder.string());
    ASSERT_TRUE(beyond);
    EXPECT_NEAR(std::log(beyond->load.largest_rate / 8.4), 0.0, std::log(1.6)) << beyond->load.largest_rate;
    RecordProperty("largest", std::to_string(beyond->load.largest_rate));
    std::filesystem::remove_all(folder);
}

} // namespace
} // namespace ridgepoint
