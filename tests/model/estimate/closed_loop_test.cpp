#include "model/estimate/closed_loop.h"

#include <gtest/gtest.h>

#include "model/estimate/serving.h"
#include "tests/support/sample.h"

using namespace ridgepoint;

namespace {

Job job(int input = 1024, int output = 1024, Transformer model = sample::llama_70b())
{
    Layout l;
    l.tp = 4;
    Serving w;
    w.input_length = input;
    w.output_length = output;
    return sample::serving(std::move(model), 4, l, w);
}

} // namespace

TEST(ClosedLoop, MeanTtftHoldsTheStartBurst) // trap T3
{
    const Job j = job();
    const double once = closed_loop(j, {64, 1}).ttft.value();
    const double ten = closed_loop(j, {64, 10}).ttft.value();
    const double many = closed_loop(j, {64, 1e12, 0}).ttft.value();
    EXPECT_GT(once, ten);
    EXPECT_GT(ten, many);
    EXPECT_NEAR(ten, 0.1 * once + 0.9 * many, 1e-6);
    // Alone, nothing waits behind itself: the burst is one prompt.
    Serving one = std::get<Serving>(j.workload);
    one.phase = ServingPhase::prefill;
    one.concurrency = 1;
    EXPECT_NEAR(closed_loop(j, {1, 1}).ttft.value(), serve(j, one).prefill.time.total().value(), 1e-9);
}

TEST(ClosedLoop, SequencesThatStartTogetherPayForHalfThePrompts) // trap T4, offline bursts
{
    Job j = job(1024, 128);
    const double spread = closed_loop(j, {64, 1e9}).tpot.value();
    j.engine.bunching = 1.0;
    const ClosedLoopResult together = closed_loop(j, {64, 1e9});
    Serving w = std::get<Serving>(j.workload);
    w.concurrency = 64;
    w.prefill_batch = 8;
    const ServingDetail d = serve(j, w);
    EXPECT_NEAR(spread - together.tpot.value(), 0.5 * d.steal.total().value(), 1e-6);
    j.engine.bunching = 0.0;
    EXPECT_GT(together.ttft.value(), closed_loop(j, {64, 1e9}).ttft.value());
}

TEST(ClosedLoop, UsersWithoutAPlaceInTheCacheWait) // trap T15
{
    const Job j = job(8192, 1024);
    const ClosedLoopResult few = closed_loop(j, {16, 10});
    const ClosedLoopResult crowd = closed_loop(j, {20000, 10});
    EXPECT_DOUBLE_EQ(few.running, 16);
    EXPECT_LT(crowd.running, 20000);
    const ClosedLoopResult larger = closed_loop(j, {40000, 10});
    EXPECT_DOUBLE_EQ(larger.running, crowd.running);
    EXPECT_DOUBLE_EQ(larger.tpot.value(), crowd.tpot.value());
    // Little's law: 20,000 users more wait 20,000 / rate longer.
    EXPECT_NEAR(larger.ttft.value() - crowd.ttft.value(), 20000 / crowd.requests_per_second, 1e-6 * larger.ttft.value());
}

TEST(ClosedLoop, NoPromptInterruptsADecodingWorker)
{
    const Job j = job();
    const ClosedLoopResult one = closed_loop(j, {64, 10});
    const ClosedLoopResult split = closed_loop(SplitPools{j, j, 1, 1}, {64, 10});
    EXPECT_LT(split.tpot.value(), one.tpot.value());
    Serving decode = std::get<Serving>(j.workload);
    decode.phase = ServingPhase::decode;
    decode.concurrency = static_cast<int>(split.running + 0.5);
    EXPECT_NEAR(split.tpot.value(), serve(j, decode).estimate.serving->tpot.value(), 1e-9);
}

TEST(ClosedLoop, PromptWorkersLimitWhatDecodes)
{
    const Job j = job(8192, 128);
    const ClosedLoopResult slow = closed_loop(SplitPools{j, j, 1, 1}, {256, 10});
    const ClosedLoopResult fast = closed_loop(SplitPools{j, j, 16, 1}, {256, 10});
    EXPECT_LT(slow.running, 0.5 * fast.running);
    EXPECT_LT(slow.tpot.value(), fast.tpot.value());
    EXPECT_GT(slow.ttft.value(), fast.ttft.value());
    EXPECT_LT(slow.requests_per_second, fast.requests_per_second);
}

TEST(ClosedLoop, MoreDecodingWorkersShareTheSequences)
{
    const Job j = job();
    const double one = closed_loop(SplitPools{j, j, 4, 1}, {256, 10}).tpot.value();
    const double four = closed_loop(SplitPools{j, j, 4, 4}, {256, 10}).tpot.value();
    EXPECT_LT(four, one);
}

TEST(ClosedLoop, APromptOfOneGroupHoldsUpAll)
{
    Layout l;
    l.ep = 8;
    l.attention_dp = true;
    Serving w;
    w.input_length = 8192;
    const Job j = sample::serving(sample::latent_moe(), 8, l, w);
    // Few users: prompts come one at a time, and all groups wait for each.
    Serving full = w;
    full.concurrency = 16;
    full.prefill_batch = 8;
    EXPECT_GT(closed_loop(j, {16, 1e9}).tpot.value(), serve(j, full).estimate.serving->tpot.value());
}

TEST(ClosedLoop, LaterWavesDoNotQueueLikeTheFirst)
{
    // Staggered starts end staggered: beside the prompt itself, at most half of another one and half a decode step.
    const Job j = job(8192, 1024);
    Serving w = std::get<Serving>(j.workload);
    w.phase = ServingPhase::prefill;
    w.concurrency = 1;
    const double one = serve(j, w).prefill.time.total().value();
    const double later = closed_loop(j, {16, 1e12}).ttft.value();
    EXPECT_GT(later, one);
    EXPECT_LT(later, 1.6 * one);
}

TEST(ClosedLoop, ASchedulerThatSeldomLooksDelaysTheFirstToken)
{
    const Job j = job();
    ClosedLoop seldom{16, 1e12};
    const double often = closed_loop(j, seldom).ttft.value();
    seldom.poll = 30;
    EXPECT_GT(closed_loop(j, seldom).ttft.value(), often);
    EXPECT_DOUBLE_EQ(closed_loop(j, seldom).tpot.value(), closed_loop(j, {16, 1e12}).tpot.value());
}

TEST(ClosedLoop, GatheredPromptsInterruptLess)
{
    Layout l;
    l.ep = 8;
    l.attention_dp = true;
    Serving w;
    w.input_length = 8192;
    const Job j = sample::serving(sample::latent_moe(), 8, l, w);
    ClosedLoop held{64, 1e9};
    const ClosedLoopResult once = closed_loop(j, held);
    held.gather = 60;
    const ClosedLoopResult gathered = closed_loop(j, held);
    EXPECT_LT(gathered.tpot.value(), once.tpot.value());
    EXPECT_GT(gathered.ttft.value(), once.ttft.value());
}
