#include "model/operators/layer.h"

#include <gtest/gtest.h>

#include "tests/support/sample.h"

using namespace ridgepoint;

namespace {

struct Emitted {
    OperatorList ops;
    double flops = 0, model_flops = 0, hbm = 0;
    double of(OperatorKind k) const
    {
        double sum = 0;
        for (const Operator& op : ops)
            if (op.kind == k)
                sum += op.flops.value();
        return sum;
    }
};

Emitted emit(const Job& job, std::size_t kind, Phase phase, const TokenBatch& batch, const LayerParts& parts = all_parts())
{
    const OperatorContext c{job.model, job.cluster, job.layout, job.precision, job.kernels, job.collectives, place_groups(job.cluster, job.layout), 1.0, true, false, {}};
    Emitted out;
    Emitter e(c, phase, static_cast<std::uint8_t>(kind), out.ops);
    emit_layer(e, job.model.kinds[kind], batch, parts);
    for (const Operator& op : out.ops) {
        out.flops += op.flops.value();
        out.model_flops += op.model_flops.value();
        out.hbm += op.hbm.value();
    }
    return out;
}

TokenBatch sequence(double s) { return {1, s, s, 1, true}; }

} // namespace

// Llama 3 8B, one layer, 1,000 tokens, by hand: QKV 2 x 1000 x 4096 x 6144; output 2 x 1000 x 4096 x 4096; MLP
// 3 x 2 x 1000 x 4096 x 14336; causal attention 4 x 32 x 128 x (1000 x 1001 / 2).
TEST(Layer, ForwardFlopsOfALlamaLayerByHand)
{
    const Job j = sample::training(sample::llama_8b(), 1, {});
    const Emitted e = emit(j, 0, Phase::forward, sequence(1000));
    EXPECT_DOUBLE_EQ(e.of(OperatorKind::qkv_projection), 2.0 * 1000 * 4096 * 6144);
    EXPECT_DOUBLE_EQ(e.of(OperatorKind::output_projection), 2.0 * 1000 * 4096 * 4096);
    EXPECT_DOUBLE_EQ(e.of(OperatorKind::gate_up_projection) + e.of(OperatorKind::down_projection), 3.0 * 2 * 1000 * 4096 * 14336);
    EXPECT_DOUBLE_EQ(e.of(OperatorKind::attention), 4.0 * 32 * 128 * 1000 * 1001 / 2);
}

TEST(Layer, BackwardIsTwiceForwardInModelFlops)
{
    for (const Transformer& m : {sample::llama_8b(), sample::small_moe(), sample::latent_moe()}) {
        const Job j = sample::training(m, 1, {});
        for (std::size_t k = 0; k < m.kinds.size(); ++k) {
            const double forward = emit(j, k, Phase::forward, sequence(2048)).model_flops;
            EXPECT_NEAR(emit(j, k, Phase::backward, sequence(2048)).model_flops, 2.0 * forward, 1e-6 * forward) << m.name;
            EXPECT_DOUBLE_EQ(emit(j, k, Phase::recompute, sequence(2048)).model_flops, 0.0);
        }
    }
}

TEST(Layer, TensorParallelRanksDoTheWorkTogether)
{
    for (const Transformer& m : {sample::llama_8b(), sample::small_moe()}) {
        Layout l;
        const Job one = sample::training(m, 1, l);
        l.tp = 8;
        l.etp = m.is_moe() ? 8 : 1;
        const Job eight = sample::training(m, 1, l);
        for (std::size_t k = 0; k < m.kinds.size(); ++k) {
            const double alone = emit(one, k, Phase::forward, sequence(4096)).model_flops;
            EXPECT_NEAR(8 * emit(eight, k, Phase::forward, sequence(4096)).model_flops, alone, 1e-6 * alone) << m.name;
        }
    }
}

TEST(Layer, MoeCostsTopKExpertsPerToken)
{
    const Job j = sample::training(sample::small_moe(), 1, {});
    const Emitted e = emit(j, 1, Phase::forward, sequence(4096));
    EXPECT_NEAR(e.of(OperatorKind::expert_gate_up) + e.of(OperatorKind::expert_down), 2.0 * 4096 * 2 * 3 * 4096 * 4096, 1e6);
}

// The law of grouped products is fitted to whole expert layers of serving engines, which gather rows as they read them and
// convert each token once: an engine's step must cost what that law says of one, not a copy of every routed row beside.
TEST(Layer, ServedExpertsCostWhatTheirKernelsWereMeasuredAt)
{
    constexpr double tokens = 8192;
    Layout l;
    l.tp = l.etp = 8;
    l.sequence_parallel = false;
    Job j = sample::serving(sample::latent_moe(), 8, l, {});
    j.precision.gemm = Arithmetic::fp8;
    j.precision.activations = NumberFormat::fp8;
    j.precision.expert_weights = NumberFormat::fp8_block;
    const OperatorContext c{j.model, j.cluster, j.layout, j.precision, j.kernels, j.collectives, place_groups(j.cluster, j.layout), 1.0, false, false, {}};
    OperatorList ops;
    Emitter e(c, Phase::prefill, 1, ops);
    emit_layer(e, j.model.kinds[1], sequence(tokens));
    double served = 0;
    for (const Operator& op : ops)
        for (const OperatorKind k : {OperatorKind::expert_gate_up, OperatorKind::expert_activation, OperatorKind::expert_down, OperatorKind::permute})
            served += op.kind == k ? op.time.total().value() : 0.0;
    ExpertLayerShape s;
    s.tokens = tokens;
    s.hidden = j.model.hidden;
    s.inter = j.model.moe.expert_width / 8.0;
    s.top_k = j.model.moe.top_k;
    s.experts = j.model.moe.experts;
    s.arithmetic = Arithmetic::fp8;
    s.a = NumberFormat::fp8;
    s.b = NumberFormat::fp8_block;
    s.quantize_a = true;
    const double measured = expert_layer_time(s, j.cluster.accelerator, j.kernels).total().value();
    EXPECT_NEAR(served, measured, 0.1 * measured);
}

TEST(Layer, ExpertParallelismKeepsTheWorkAndSendsTokens)
{
    Layout l;
    l.ep = 8;
    const Job j = sample::training(sample::small_moe(), 1, l);
    const Job alone = sample::training(sample::small_moe(), 1, {});
    const Emitted e = emit(j, 1, Phase::forward, sequence(4096));
    EXPECT_NEAR(e.flops, emit(alone, 1, Phase::forward, sequence(4096)).flops, 1e-6 * e.flops);
    double sent = 0;
    for (const Operator& op : e.ops)
        if (op.kind == OperatorKind::ep_dispatch)
            sent += op.nvlink.value();
    EXPECT_NEAR(sent, 4096.0 * 2 * 7 / 8 * 4096 * 2, 1.0); // tokens x top k x (e - 1)/e x h x 2 bytes
}

TEST(Layer, DecodeReadsWeightsAndCache)
{
    Serving w;
    const Job j = sample::serving(sample::llama_8b(), 1, {}, w);
    const OperatorContext c{j.model, j.cluster, j.layout, j.precision, j.kernels, j.collectives, place_groups(j.cluster, j.layout), 1.0, false, false, {}};
    OperatorList ops;
    Emitter e(c, Phase::decode, 0, ops);
    emit_layer(e, j.model.kinds[0], {1, 1, 8192, 1, true});
    double weights = 0, cache = 0;
    for (const Operator& op : ops) {
        if (class_of(op.kind) == OperatorClass::gemm)
            weights += op.hbm.value();
        if (op.kind == OperatorKind::attention)
            cache += op.hbm.value();
    }
    const double parameters = 4096.0 * 6144 + 4096.0 * 4096 + 3.0 * 4096 * 14336;
    EXPECT_NEAR(weights, 2 * parameters, 0.002 * 2 * parameters);
    EXPECT_NEAR(cache, 8192.0 * 2 * 8 * 128 * 2, 0.01 * 8192 * 4096); // 4,096 bytes per token and layer
}

TEST(Layer, AbsorbedLatentDecodeStreams576NumbersPerToken)
{
    Serving w;
    const Job j = sample::serving(sample::latent_moe(), 1, {}, w);
    const OperatorContext c{j.model, j.cluster, j.layout, j.precision, j.kernels, j.collectives, place_groups(j.cluster, j.layout), 1.0, false, false, {}};
    OperatorList ops;
    Emitter e(c, Phase::decode, 0, ops);
    emit_layer(e, j.model.kinds[0], {64, 1, 4096, 1, true});
    for (const Operator& op : ops)
        if (op.kind == OperatorKind::attention) {
            // serving.md 4.4: 2 n (2c + r) FLOPs per key; about 242 FLOP per byte in bf16.
            EXPECT_NEAR(op.flops.value(), 64.0 * 4096 * 2 * 128 * 1088, 1e-6 * op.flops.value());
            EXPECT_NEAR(op.intensity().value(), 242.0, 20.0);
        }
}

TEST(Experts, TouchedShareFollowsTheExpectation)
{
    MixtureOfExperts moe;
    moe.experts = 128;
    moe.top_k = 8;
    EXPECT_NEAR(128 * touched_experts(moe, 8), 51.6, 0.1); // serving.md 4.5
    EXPECT_NEAR(128 * touched_experts(moe, 1), 8.0, 1e-9);
    EXPECT_NEAR(touched_experts(moe, 10000), 1.0, 1e-9);
}

TEST(Experts, NodeLimitBoundsRemoteDomains)
{
    MixtureOfExperts moe;
    moe.experts = 256;
    moe.top_k = 8;
    GroupPlacement g{64, 8, 8, 1};
    const double free = expert_traffic(moe, g, 1, 64).distinct_remote_domains;
    moe.node_limit = 4;
    const double limited = expert_traffic(moe, g, 1, 64).distinct_remote_domains;
    EXPECT_LT(limited, free);
    EXPECT_NEAR(limited, 4.0 * 7 / 8, 1e-12);
}

// DeepSeek-V3, one layer, 1,000 tokens, by hand: Q from its latent 2 x 1000 x 1536 x (128 x 192), K and V from theirs
// 2 x 1000 x 512 x (128 x 256), and nothing else that multiplies.
TEST(Layer, RecomputesLatentUpProjectionsAlone)
{
    const Job j = sample::training(sample::latent_moe(), 1, {});
    const Emitted e = emit(j, 0, Phase::recompute, sequence(1000), recomputed_parts(Recompute::latent_up));
    EXPECT_DOUBLE_EQ(e.of(OperatorKind::q_up_projection), 2.0 * 1000 * 1536 * 128 * 192);
    EXPECT_DOUBLE_EQ(e.of(OperatorKind::kv_up_projection), 2.0 * 1000 * 512 * 128 * 256);
    EXPECT_DOUBLE_EQ(e.flops, e.of(OperatorKind::q_up_projection) + e.of(OperatorKind::kv_up_projection));
}
