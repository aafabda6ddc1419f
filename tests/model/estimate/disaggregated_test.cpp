#include "model/estimate/disaggregated.h"

#include <gtest/gtest.h>

#include "tests/support/sample.h"

using namespace ridgepoint;

namespace {

// Llama 70B, decoding workers of four GPUs, prompt workers of two, on two nodes.
Job pools(int prompts, int decode)
{
    Layout l;
    l.tp = 4;
    Serving w;
    w.input_length = 4096;
    w.output_length = 512;
    w.concurrency = 64;
    w.pool = {true, prompts, decode, 2, 1, 1, true};
    return sample::serving(sample::llama_70b(), 16, l, w);
}

DisaggregatedResult result(const Job& job)
{
    const Expected<Estimate> e = estimate(job);
    EXPECT_TRUE(e) << e.error().text();
    return e && e->disaggregated ? *e->disaggregated : DisaggregatedResult{};
}

} // namespace

TEST(Disaggregated, TheSlowerSideSetsTheRate)
{
    const Job job = pools(2, 1);
    const Expected<Estimate> e = estimate(job);
    ASSERT_TRUE(e) << e.error().text();
    const DisaggregatedResult& r = *e->disaggregated;
    EXPECT_DOUBLE_EQ(e->serving->requests_per_second, std::min(r.prompt_requests_per_second, r.decode_requests_per_second));
    // Twice the workers of a side are twice its rate, and nothing of the other's.
    const DisaggregatedResult more = result(pools(4, 1));
    EXPECT_NEAR(more.prompt_requests_per_second, 2.0 * r.prompt_requests_per_second, 1e-9);
    EXPECT_NEAR(more.decode_requests_per_second, r.decode_requests_per_second, 1e-9);
    EXPECT_DOUBLE_EQ(more.best_ratio, r.best_ratio);
}

TEST(Disaggregated, RatesFollowTheSteps)
{
    const Job job = pools(2, 1);
    const Expected<DisaggregatedDetail> d = disaggregate(job, std::get<Serving>(job.workload));
    ASSERT_TRUE(d) << d.error().text();
    const DisaggregatedResult& r = *d->estimate.disaggregated;
    EXPECT_NEAR(r.prompt_requests_per_second, 0.90 * 2 / d->prompts.prefill.time.total().value(), 1e-9);
    EXPECT_NEAR(r.decode_requests_per_second, 0.92 * 64 / (512 * d->decode.decode.time.total().value()), 1e-9);
    EXPECT_NEAR(r.best_ratio, r.decode_requests_per_second / (r.prompt_requests_per_second / 2), 1e-9);
}

TEST(Disaggregated, EachPhaseIsDividedByItsOwnGpus) // trap T9
{
    const Expected<Estimate> e = estimate(pools(2, 1));
    ASSERT_TRUE(e);
    const DisaggregatedResult& r = *e->disaggregated;
    const double rate = e->serving->requests_per_second;
    EXPECT_EQ(r.gpus_per_prompt_worker, 2);
    EXPECT_EQ(r.gpus_per_decode_worker, 4);
    EXPECT_NEAR(r.input_per_prompt_gpu.value(), rate * 4096 / 4, 1e-6);
    EXPECT_NEAR(r.output_per_decode_gpu.value(), rate * 512 / 4, 1e-6);
    EXPECT_NEAR(e->serving->output_per_second_per_gpu.value(), rate * 512 / 8, 1e-6);
    EXPECT_EQ(e->serving->replicas, 2); // 16 GPUs hold two units of eight
}

TEST(Disaggregated, TheCacheCrossesOnce)
{
    // 327,680 B a token in bf16 (serving.md 4.7) x 4,096 tokens; two GPUs send half each over NVLink at 400 GB/s: more than
    // 1.68 ms.
    const DisaggregatedResult r = result(pools(2, 1));
    EXPECT_DOUBLE_EQ(r.cache.value(), 327680.0 * 4096);
    EXPECT_TRUE(r.inside_domain);
    EXPECT_GT(r.transfer.value(), 0.5 * r.cache.value() / 400e9);
    // Across nodes at 50 GB/s a GPU it takes longer, and the links are busier.
    const DisaggregatedResult across = result(pools(6, 1));
    EXPECT_FALSE(across.inside_domain);
    EXPECT_GT(across.transfer.value(), r.transfer.value());
    EXPECT_GT(across.transfer.value(), 0.5 * r.cache.value() / 50e9);
}

TEST(Disaggregated, LayerwiseSendingHidesAllButTheLastLayer)
{
    Job job = pools(2, 1);
    const DisaggregatedResult hidden = result(job);
    std::get<Serving>(job.workload).pool.overlap = false;
    const DisaggregatedResult after = result(job);
    EXPECT_DOUBLE_EQ(after.exposed_transfer.value(), after.transfer.value());
    EXPECT_NEAR(hidden.exposed_transfer.value(), hidden.transfer.value() / 80, 1e-9); // 80 layers, prefill is longer
}

TEST(Disaggregated, NoPromptInterruptsDecoding)
{
    Job job = pools(2, 1);
    const Expected<Estimate> apart = estimate(job);
    std::get<Serving>(job.workload).pool.apart = false;
    const Expected<Estimate> together = estimate(job);
    ASSERT_TRUE(apart && together);
    EXPECT_LT(apart->serving->tpot.value(), together->serving->tpot.value());
}

TEST(Disaggregated, TheBestSplitIsNoWorseThanThePlans)
{
    for (const auto& [p, d] : {std::pair{1, 1}, {2, 1}, {4, 1}, {2, 2}, {4, 2}}) {
        const Expected<Estimate> e = estimate(pools(p, d));
        ASSERT_TRUE(e);
        const DisaggregatedResult& r = *e->disaggregated;
        const int gpus = p * r.gpus_per_prompt_worker + d * r.gpus_per_decode_worker;
        EXPECT_GE(r.best_requests_per_second_per_gpu, e->serving->requests_per_second / gpus * (1.0 - 1e-9)) << p << ":" << d;
        EXPECT_LE(r.best_prompt_workers * r.gpus_per_prompt_worker + r.best_decode_workers * r.gpus_per_decode_worker, 16);
    }
}

TEST(Disaggregated, MoreWorkersThanGpusAreRefusedByName)
{
    const Expected<Estimate> e = estimate(pools(8, 1));
    ASSERT_FALSE(e);
    EXPECT_EQ(e.error().place.pointer, "/workload/prompt_pool/workers");
}
