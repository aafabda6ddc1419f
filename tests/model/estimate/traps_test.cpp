// Mistakes that models of serving are known to make, each with its test. Those not here stand beside what they are about:
// T1 three matrices of a gated MLP: Layer.ForwardFlopsOfALlamaLayerByHand. T3, T4, T15: closed_loop_test. T6 dense peaks:
// builtin_specs_test. T7: serving_cases_test. T8 heads over ranks: KvCache.IsReplicatedBelowOneHeadPerRankAndLatentIsNotCut.
// T9 per phase: disaggregated_test. T10 causal, windowed, prefixed: work_test. T11 experts touched:
// Experts.TouchedShareFollowsTheExpectation. T16 windows out of use: ImportHf.WindowsOnlyWhereTheyAreInUse. T17, T23:
// estimate_test. T18 software classes: read_test. T19 conventions of active parameters: ModelCatalogue. T22: mixers_test.
// T24 means, tails and tokens between them: pools_test and queue_test of the load.

#include <gtest/gtest.h>

#include "model/estimate/estimate.h"
#include "tests/support/sample.h"

using namespace ridgepoint;

namespace {

Job served(int tp, int concurrency, ServingPhase phase = ServingPhase::decode, Transformer model = sample::llama_70b())
{
    Layout l;
    l.tp = tp;
    Serving w;
    w.phase = phase;
    w.concurrency = concurrency;
    return sample::serving(std::move(model), tp, l, w);
}

Bytes hbm_of(const Estimate& e, OperatorKind kind)
{
    Bytes sum;
    for (const Operator& op : e.operators)
        if (op.kind == kind)
            sum += op.hbm * op.count;
    return sum;
}

Flops flops_of(const Estimate& e, OperatorKind kind)
{
    Flops sum;
    for (const Operator& op : e.operators)
        if (op.kind == kind)
            sum += op.flops * op.count;
    return sum;
}

} // namespace

// T2: bytes over bandwidth is not a latency: launches, attained bandwidth, collectives and the host come on top.
TEST(Traps, LatencyIsMoreThanBytesOverBandwidth)
{
    const Job job = served(4, 16);
    const Expected<Estimate> e = estimate(job);
    ASSERT_TRUE(e);
    Bytes bytes;
    for (const Operator& op : e->operators)
        bytes += op.hbm * op.count;
    EXPECT_GT(e->serving->tpot.value(), 1.05 * (bytes / job.cluster.accelerator.hbm_bandwidth).value());
}

// T12: the head multiplies one row per sequence, not one per prompt token.
TEST(Traps, APromptNeedsLogitsOfItsLastTokenOnly)
{
    const Job job = served(4, 1, ServingPhase::prefill);
    const Expected<Estimate> e = estimate(job);
    ASSERT_TRUE(e);
    const Transformer& m = job.model;
    EXPECT_NEAR(flops_of(*e, OperatorKind::lm_head).value(), 2.0 * m.hidden * m.vocab / 4, 1.0);
    EXPECT_DOUBLE_EQ(flops_of(*e, OperatorKind::embedding).value(), 0.0);
}

// T13: prefill attention moves queries, keys and values, not the matrix of scores.
TEST(Traps, ScoresStayOnTheChip)
{
    Job job = served(4, 1, ServingPhase::prefill);
    std::get<Serving>(job.workload).chunk = 0;
    const auto bytes = [&](int tokens) {
        std::get<Serving>(job.workload).input_length = tokens;
        const Expected<Estimate> e = estimate(job);
        return e ? hbm_of(*e, OperatorKind::attention).value() : 0.0;
    };
    EXPECT_GT(bytes(2048), 0.0);
    EXPECT_NEAR(bytes(8192), 4.0 * bytes(2048), 0.2 * bytes(8192)); // linear in the length, where scores would be square
}

// T21: drafting layers are part of the checkpoint, and not loaded where nothing is drafted.
TEST(Traps, DraftingLayersAreLoadedOnlyToDraft)
{
    Layout l;
    l.ep = 8;
    l.attention_dp = true;
    Serving w;
    w.phase = ServingPhase::decode;
    w.concurrency = 64;
    Transformer m = sample::latent_moe();
    m.mtp_depth = 1;
    m.layers.push_back(m.layers.back());
    Job job = sample::serving(m, 8, l, w);
    const Expected<Estimate> plain = estimate(job);
    job.assumptions.speculative_tokens = 1;
    job.assumptions.speculative_acceptance = 0.8;
    const Expected<Estimate> drafting = estimate(job);
    ASSERT_TRUE(plain && drafting);
    EXPECT_GT(drafting->memory.worst().weights.value(), plain->memory.worst().weights.value());
}

// T5: messages are counted in bytes, not in elements; a giga is 1e9 and a gibi 2^30; a tera of FLOP is 1e12.
TEST(Traps, MessagesAreBytesAndPrefixesAreThoseOfTheirUnit)
{
    EXPECT_DOUBLE_EQ(gigabytes(1).value(), 1e9);
    EXPECT_DOUBLE_EQ(gibibytes(1).value(), 1073741824.0);
    EXPECT_DOUBLE_EQ(gigabytes_per_second(1).value(), 1e9);
    EXPECT_DOUBLE_EQ(teraflops_per_second(1).value(), 1e12);
    // Two all-reduces a layer of 16 tokens x 8,192 x 2 B; a rank sends 2 (n - 1) / n of the buffer.
    Job job = served(4, 16);
    job.model.kinds[0].attention.kv_heads = 8;
    const Expected<Estimate> e = estimate(job);
    ASSERT_TRUE(e);
    double sent = 0.0;
    for (const Operator& op : e->operators)
        if (op.kind == OperatorKind::tp_all_reduce)
            sent += op.nvlink.value() * op.count;
    EXPECT_NEAR(sent, 80 * 2 * (2.0 * 3.0 / 4.0) * 16 * 8192 * 2.0, 1.0);
    // The cache of a token: half the bytes in fp8.
    job.precision.kv_cache = NumberFormat::fp8;
    EXPECT_DOUBLE_EQ(estimate(job)->serving->kv_bytes_per_token.value(), 0.5 * e->serving->kv_bytes_per_token.value());
}

// T14: an all-reduce of decoding is the start of its kernels, not the bytes: eight times the tokens change it little, and an
// engine's captured kernel (4.7 us on 8 H100) is worth several of a library's (some 20 us eager).
TEST(Traps, ADecodeAllReduceIsBoundByLatency)
{
    const auto reduce = [](Job job) {
        const Expected<Estimate> e = estimate(job);
        AttributedTime sum;
        for (const Operator& op : e->operators)
            if (op.kind == OperatorKind::tp_all_reduce)
                sum += op.time * op.count;
        return sum;
    };
    Job few = served(8, 2), many = served(8, 16);
    for (Job* job : {&few, &many}) {
        job->collectives.domain.all_reduce.base = microseconds(20.0);
        job->collectives.domain.all_reduce_switch.base = microseconds(20.0);
        job->collectives.domain.peer_all_reduce.latency = microseconds(4.7);
        job->collectives.domain.peer_all_reduce.fraction = 0.5;
    }
    EXPECT_GT(reduce(few).share(Resource::latency), 0.8);
    EXPECT_LT(reduce(many).total(), 2.0 * reduce(few).total());
    Job eager = few;
    eager.collectives.domain.peer_all_reduce.latency = Seconds{};
    EXPECT_GT(reduce(eager).total(), 3.0 * reduce(few).total());
    Job faster = few; // twice the links are worth little
    faster.cluster.accelerator.nvlink_per_direction = 2.0 * faster.cluster.accelerator.nvlink_per_direction;
    EXPECT_GT(reduce(faster).total(), 0.85 * reduce(few).total());
}

// T20: blocks of 128 x 128 share a scale, so no rank may hold part of one. 1,536 over 8 is 192; engines refuse to load it.
TEST(Traps, ScaleBlocksAreNotCut)
{
    Transformer m = sample::llama_70b();
    LayerKind& k = m.kinds[0];
    k.moe = true;
    k.ffn_width = 0;
    m.moe.experts = 128;
    m.moe.top_k = 8;
    m.moe.expert_width = 1536;
    const auto at = [&](int tp, int ep, NumberFormat format) {
        Job job = served(tp, 64, ServingPhase::decode, m);
        job.layout.ep = ep;
        job.precision.weights = job.precision.expert_weights = format;
        return estimate(job);
    };
    EXPECT_TRUE(at(4, 1, NumberFormat::fp8_block)); // 384
    EXPECT_TRUE(at(8, 1, NumberFormat::fp8)); // one scale for the whole tensor
    EXPECT_TRUE(at(8, 8, NumberFormat::fp8_block)); // whole experts
    const Expected<Estimate> cut = at(8, 1, NumberFormat::fp8_block);
    ASSERT_FALSE(cut);
    EXPECT_EQ(cut.error().kind, ErrorKind::infeasible);
    EXPECT_EQ(cut.error().place.pointer, "/layout/tp");
    EXPECT_NE(cut.error().message.find("192"), std::string::npos) << cut.error().message;
}
