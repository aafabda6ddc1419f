// Mistakes that models of serving are known to make, each with its test. Those not here stand beside what they are about:
// T1 three matrices of a gated MLP: Layer.ForwardFlopsOfALlamaLayerByHand. T3, T4, T15: closed_loop_test. T6 dense peaks:
// builtin_specs_test. T7: serving_cases_test. T8 heads over ranks: KvCache.IsReplicatedBelowOneHeadPerRankAndLatentIsNotCut.
// T9 per phase: disaggregated_test. T10 causal, windowed, prefixed: work_test. T11 experts touched:
// Experts.TouchedShareFollowsTheExpectation. T16 windows out of use: ImportHf.WindowsOnlyWhereTheyAreInUse. T17, T23:
// estimate_test. T18 software classes: read_test. T19 conventions of active parameters: ModelCatalogue. T22: mixers_test.

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
