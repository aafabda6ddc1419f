// Prompts and decoding on workers of their own under load: against the steady plan, queueing theory and Little's law; samples that
// share a prompt, outputs that think, and being stopped.

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "model/estimate/disaggregated.h"
#include "model/load/load.h"
#include "tests/support/sample.h"

namespace ridgepoint {
namespace {

Serving apart(int prompts, int decode)
{
    Serving w;
    w.input_length = 4096;
    w.output_length = 512;
    w.concurrency = 64;
    w.chunk = 0;
    w.pool = {true, prompts, decode, 2, 1, 1, true};
    return w;
}

Job pools(const Serving& w, int gpus = 16)
{
    Layout l;
    l.tp = 4;
    return sample::serving(sample::llama_70b(), gpus, l, w);
}

Load load_of(double rate, LengthSpread lengths = LengthSpread::constant)
{
    Load l;
    l.rate = rate;
    l.lengths = lengths;
    l.requests = 1500;
    return l;
}

LoadPrediction predicted(const Job& job, const Load& load)
{
    const Expected<LoadPrediction> p = predict_load(job, load);
    EXPECT_TRUE(p) << p.error().text();
    return p ? *p : LoadPrediction{};
}

// A prompt token takes 1 ms on each of `workers`, all else next to nothing.
PoolTimes prompt_pool(int workers)
{
    PoolTimes p;
    p.prompt_workers = workers;
    p.prompts.prompt_tokens = {{1.0, 2.0}, {1e-3, 2e-3}};
    p.decode.decode = {{1.0, 2.0}, {1.0}, {1e-9, 1e-9}};
    p.decode.largest_batch = 1000;
    p.transfer = {{1.0, 2.0}, {1e-9, 1e-9}};
    return p;
}

QueueRules rules(double rate, int measured = 60'000)
{
    QueueRules r;
    r.rate = rate;
    r.chunk = 0;
    r.max_batch = 1000;
    r.warm_up = 2000;
    r.measured = measured;
    return r;
}

double mean(const QueueRun& run, double RequestTimes::* of)
{
    double sum = 0.0;
    for (const RequestTimes& r : run.requests)
        sum += r.*of;
    return sum / static_cast<double>(run.requests.size());
}

} // namespace

TEST(Pools, OnePromptWorkerIsMD1)
{
    const PoolRun run = simulate_pools(prompt_pool(1), {{1000, 2}}, rules(0.7));
    EXPECT_NEAR(mean(run.whole, &RequestTimes::waiting) / (0.7 / (2.0 * 0.3)), 1.0, 0.05);
    EXPECT_NEAR(run.prompt_busy, 0.7, 0.02);
    EXPECT_NEAR(mean(run.whole, &RequestTimes::first_token), 1.0 + 0.7 / 0.6, 0.06);
}

// Erlang C of two servers at 0.7 each is 2 r^2 / (1 + r) = 0.5765 of an M/M/2; deterministic service halves its wait of
// 0.5765 / (2 x 0.3) = 0.961 up to a few per cent [Cosmetatos: Tijms, A First Course in Stochastic Models, 2003, section 9.6.1].
TEST(Pools, OneLineBeforeTwoWorkersIsNearlyMD2)
{
    const PoolRun run = simulate_pools(prompt_pool(2), {{1000, 2}}, rules(1.4));
    EXPECT_NEAR(mean(run.whole, &RequestTimes::waiting) / (0.961 / 2.0), 1.0, 0.08);
}

TEST(Pools, TransfersFollowEachOtherOnALink)
{
    PoolTimes p = prompt_pool(4);
    p.transfer = {{1.0, 2.0}, {0.5, 0.5}};
    p.overlap = false;
    const PoolRun run = simulate_pools(p, {{1, 2}}, rules(1.4)); // an M/D/1 of 0.5 s into the one decoding worker
    EXPECT_NEAR(mean(run.whole, &RequestTimes::first_token) / (0.5 + 0.7 / (2.0 * 0.3) * 0.5), 1.0, 0.05);
    EXPECT_NEAR(run.link_busy, 0.7, 0.02);
}

TEST(Pools, WithoutLoadIsThePlan)
{
    const Job job = pools(apart(1, 1));
    const Expected<Estimate> e = estimate(job);
    ASSERT_TRUE(e);
    const LoadPrediction p = predicted(job, load_of(0.1));
    ASSERT_TRUE(p.pools);
    EXPECT_NEAR(p.unloaded.ttft.mean.value() / e->serving->ttft.value(), 1.0, 0.02);
    Job one = job;
    std::get<Serving>(one.workload).concurrency = 1;
    EXPECT_NEAR(p.unloaded.tpot.mean.value() / estimate(one)->serving->tpot.value(), 1.0, 0.02);
    EXPECT_EQ(p.gpus_per_replica, 6);
    EXPECT_EQ(p.replicas, 2);
}

TEST(Pools, TheTighterPoolSaturates)
{
    const Job job = pools(apart(1, 1));
    const LoadPrediction few = predicted(job, load_of(0.1));
    const DisaggregatedResult plan = *estimate(job)->disaggregated;
    EXPECT_EQ(few.pools->saturates, "the prompt workers");
    EXPECT_DOUBLE_EQ(few.largest_rate, few.pools->prompt_rate);
    // The plan keeps a prompt worker busy for 0.90 of the time at best, the queue for all of it.
    EXPECT_NEAR(few.pools->prompt_rate / few.replicas, plan.prompt_requests_per_second / 0.90, 0.02 * plan.prompt_requests_per_second);
    // Likewise 0.92 of a decoding worker's, at the plan's batch.
    Load at_batch = load_of(0.1);
    at_batch.max_batch = 64;
    const LoadPrediction batch = predicted(job, at_batch);
    EXPECT_NEAR(batch.pools->decode_rate / batch.replicas, plan.decode_requests_per_second / 0.92, 0.03 * plan.decode_requests_per_second);
    const LoadPrediction more = predicted(pools(apart(30, 1), 64), load_of(0.1));
    EXPECT_EQ(more.pools->saturates, "the decoding workers");
    EXPECT_NEAR(more.pools->prompt_rate / more.replicas, 30.0 * few.pools->prompt_rate / few.replicas, 0.01 * more.pools->prompt_rate);
    EXPECT_NEAR(more.pools->decode_rate / more.replicas, few.pools->decode_rate / few.replicas, 0.01 * few.pools->decode_rate);
    const LoadPrediction beyond = predicted(job, load_of(1.01 * few.largest_rate));
    EXPECT_TRUE(beyond.saturated);
    EXPECT_FALSE(beyond.offered);
}

// In one pool the longest gap holds another's prompt; apart it is a decode step, whatever the prompts.
TEST(Pools, NoPromptInterruptsDecoding)
{
    const Job job = pools(apart(2, 1));
    const LoadPrediction p = predicted(job, load_of(0.5 * predicted(job, load_of(0.1)).largest_rate));
    Job full = job;
    std::get<Serving>(full.workload).concurrency = 256;
    ASSERT_TRUE(p.offered);
    EXPECT_LE(p.offered->gap.p99, estimate(full)->serving->decode_step);
    Serving together = apart(1, 1);
    together.pool.apart = false;
    const Job one = pools(together);
    const LoadPrediction q = predicted(one, load_of(0.5 * predicted(one, load_of(0.1)).largest_rate));
    EXPECT_GT(q.offered->gap.p99, 2.0 * p.offered->gap.p99);
}

TEST(Pools, LatencyRisesWithTheRateAndLittlesLawHolds)
{
    const LoadPrediction p = predicted(pools(apart(2, 1)), load_of(0.1, LengthSpread::lognormal));
    for (std::size_t i = 1; i < p.curve.size(); ++i) {
        EXPECT_GE(p.curve[i].waiting.mean.value(), 0.98 * p.curve[i - 1].waiting.mean.value());
        EXPECT_GE(p.curve[i].tpot.mean.value(), 0.98 * p.curve[i - 1].tpot.mean.value());
        const double decoding = p.curve[i].end_to_end.mean.value() - p.curve[i].ttft.mean.value();
        EXPECT_NEAR(p.curve[i].in_flight / (p.curve[i].rate / p.replicas * decoding), 1.0, 0.12);
        EXPECT_GE(p.curve[i].prompts_busy, p.curve[i - 1].prompts_busy);
    }
    ASSERT_TRUE(p.at_limits);
}

TEST(Pools, AClosedLoopHoldsItsUsers)
{
    Serving w = apart(2, 1);
    w.concurrency = 24; // far from what saturates the prompt workers
    const Job job = pools(w, 8);
    Load l = load_of(1.0);
    l.arrival = Arrival::closed;
    const LoadPrediction p = predicted(job, l);
    ASSERT_TRUE(p.offered);
    EXPECT_NEAR(p.offered->rate * p.offered->end_to_end.mean.value(), 24.0, 1.5);
}

// T24: a mean is not its tail; the gaps within a request spread wider than the requests' means over theirs; with speculation the
// tokens of a step come at once, so that a gap is longer than the time per token.
TEST(Pools, MeansTailsAndGapsAreApart)
{
    Serving w = apart(1, 1);
    w.pool.apart = false;
    w.chunk = 2048;
    const Job job = pools(w);
    const LoadPrediction p = predicted(job, load_of(0.7 * predicted(job, load_of(0.1)).largest_rate, LengthSpread::lognormal));
    ASSERT_TRUE(p.offered);
    EXPECT_GT(p.offered->ttft.p99, 1.5 * p.offered->ttft.mean);
    EXPECT_GT(p.offered->ttft.mean, p.offered->ttft.p50);
    EXPECT_GT(p.offered->gap.p99, p.offered->tpot.p99);
    EXPECT_LT(p.offered->gap.p50, p.offered->tpot.p50);
    Job speculating = job;
    speculating.assumptions.speculative_tokens = 3;
    speculating.assumptions.speculative_acceptance = 0.7; // (1 - 0.7^4) / 0.3 = 2.533 tokens a step
    const LoadPoint alone = predicted(speculating, load_of(0.1)).unloaded;
    EXPECT_NEAR(alone.gap.p50 / alone.tpot.p50, 2.533, 0.03);
}

// Sixteen answers to a prompt: computed once, kept once, and a request is done when the last of them is.
TEST(Samples, ShareOnePromptUnderLoad)
{
    Serving w = apart(1, 1);
    w.pool.apart = false;
    w.output_length = 256;
    const LoadPrediction one = predicted(pools(w), load_of(0.1, LengthSpread::lognormal));
    w.samples = 16;
    Load l = load_of(0.1, LengthSpread::lognormal);
    l.requests = 200;
    const LoadPrediction p = predicted(pools(w), l);
    EXPECT_EQ(p.samples, 16);
    EXPECT_GT(16.0 * p.largest_rate, 2.0 * one.largest_rate); // sequences per second
    EXPECT_LT(p.largest_rate, one.largest_rate);
    ASSERT_TRUE(p.offered);
    EXPECT_GT(p.offered->whole.mean, p.offered->end_to_end.mean);
    EXPECT_LE(p.offered->whole.p50, p.offered->whole.p99);
    EXPECT_NEAR(p.offered->output.value() / (16.0 * 0.1 * p.mean_output), 1.0, 0.15);
    EXPECT_NEAR(p.offered->input.value() / (0.1 * p.mean_input), 1.0, 0.2);
}

// 1,000 tokens fill the cache. A prompt of 500 with ten answers of 100: five at a time beside the one prompt; alone, one.
TEST(Samples, FillTheCacheByTheirOwnTokens)
{
    StepTimes s;
    s.decode = {{1.0, 2.0}, {1.0}, {1e-3, 1e-3}};
    s.cache_share = {{0.0, 1000.0}, {0.0, 1.0}};
    s.largest_batch = 1;
    QueueRules r;
    r.feed = Feed::drain;
    r.chunk = 0;
    r.samples_per_prompt = 10;
    r.measured = 10;
    const QueueRun alone = simulate_queue(s, {{500, 100}}, r);
    r.grouped = true;
    const QueueRun shared = simulate_queue(s, {{500, 100}}, r);
    EXPECT_NEAR(alone.ends.back(), 10 * 0.1, 0.02);
    EXPECT_NEAR(shared.ends.back(), 2 * 0.1, 0.02);
}

TEST(Thinking, HasATailOfItsOwn)
{
    Serving w = apart(1, 1);
    w.pool.apart = false;
    w.output_length = 4096;
    w.thinking_length = 3072;
    Load l = load_of(0.05, LengthSpread::lognormal);
    l.thinking_spread = 1.5;
    l.output_spread = 0.0;
    const LoadPrediction p = predicted(pools(w), l);
    ASSERT_TRUE(p.thinking);
    EXPECT_NEAR(p.thinking->mean, 3072, 60);
    // Lognormal: median = mean / sqrt(1 + spread^2), p99 = median exp(2.3263 sigma), sigma^2 = ln(1 + spread^2).
    const double median = 3072 / std::sqrt(1.0 + 2.25), sigma = std::sqrt(std::log(3.25));
    EXPECT_NEAR(p.thinking->p50 / median, 1.0, 0.02);
    EXPECT_NEAR(p.thinking->p99 / (median * std::exp(2.3263 * sigma)), 1.0, 0.08);
    EXPECT_NEAR(p.mean_output - p.thinking->mean, 1024, 1);
    ASSERT_TRUE(p.offered);
    EXPECT_GT(p.offered->first_answer.p50, p.offered->ttft.p99);
    EXPECT_LT(p.offered->first_answer.p99, p.offered->end_to_end.p99);
    l.thinking_limit = 4000;
    EXPECT_EQ(predicted(pools(w), l).thinking->longest, 4000);
}

TEST(Load, StopsSoonAfterItIsAsked)
{
    for (const bool prompts_apart : {false, true}) {
        Serving w = apart(2, 1);
        w.pool.apart = prompts_apart;
        Load l = load_of(0.1, LengthSpread::lognormal);
        l.requests = 1'000'000; // minutes
        std::stop_source stop;
        double last = 0.0;
        Progress progress;
        progress.stop = stop.get_token();
        progress.report = [&](double at) { last = at; };
        std::chrono::steady_clock::time_point asked;
        std::jthread later([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(300));
            asked = std::chrono::steady_clock::now();
            stop.request_stop();
        });
        const Expected<LoadPrediction> p = predict_load(pools(w), l, {}, progress);
        const auto ended = std::chrono::steady_clock::now();
        later.join();
        ASSERT_FALSE(p);
        EXPECT_EQ(p.error().kind, ErrorKind::cancelled);
        EXPECT_LT(std::chrono::duration<double>(ended - asked).count(), 5.0);
        EXPECT_LT(last, 1.0);
    }
}

} // namespace ridgepoint
