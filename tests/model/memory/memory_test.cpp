#include "model/memory/training_memory.h"

#include <gtest/gtest.h>

#include "model/memory/serving_memory.h"
#include "tests/support/sample.h"

using namespace ridgepoint;

namespace {

double gib_of_layers(const Layout& l, Recompute recompute, double microbatch)
{
    const Transformer m = sample::gpt_22b();
    ActivationCase what;
    what.tokens = 2048 * microbatch;
    what.sequence_length = 2048;
    what.dropout = true;
    what.recompute = recompute;
    return in_gibibytes(m.layer_count() * layer_activations(m, m.kinds[0], l, {}, what));
}

} // namespace

// Korthikanti 2022, figure 1, 22B, tp 8, microbatch 4: 59.25 GiB, and 9.56 GiB with sequence parallelism and selective
// recomputation. By hand: s b h = 50,331,648; (10 + 24/8 + 5 x 64 x 2048/(6144 x 8)) x 48 layers = 63.6e9 bytes.
TEST(Activations, ReproduceKorthikantiFigureOne)
{
    Layout l;
    l.tp = 8;
    l.fused_attention = false;
    l.sequence_parallel = false;
    EXPECT_NEAR(gib_of_layers(l, Recompute::none, 4), 59.25, 0.005);
    l.sequence_parallel = true;
    EXPECT_NEAR(gib_of_layers(l, Recompute::selective, 4), 9.5625, 0.005);
    EXPECT_NEAR(gib_of_layers(l, Recompute::full, 4), 2.0 * 2048 * 4 * 6144 / 8 * 48 / 1073741824.0, 1e-9);
}

// The six variants of table 2, per layer and token in units of h: 34 + 5 a s / h and so on.
TEST(Activations, ReproduceKorthikantiTableTwo)
{
    const Transformer m = sample::gpt_22b();
    const double h = 6144, a = 64, s = 2048;
    const auto bytes = [&](int tp, bool sp, Recompute r) {
        Layout l;
        l.tp = tp;
        l.sequence_parallel = sp;
        l.fused_attention = false;
        ActivationCase what{s, s, true, r, 1.0};
        return layer_activations(m, m.kinds[0], l, {}, what).value() / (s * h);
    };
    EXPECT_NEAR(bytes(1, false, Recompute::none), 34 + 5 * a * s / h, 1e-9);
    EXPECT_NEAR(bytes(8, false, Recompute::none), 10 + 24.0 / 8 + 5 * a * s / (h * 8), 1e-9);
    EXPECT_NEAR(bytes(8, true, Recompute::none), (34 + 5 * a * s / h) / 8, 1e-9);
    EXPECT_NEAR(bytes(8, false, Recompute::selective), 10 + 24.0 / 8, 1e-9);
    EXPECT_NEAR(bytes(8, true, Recompute::selective), 34.0 / 8, 1e-9);
    EXPECT_NEAR(bytes(8, false, Recompute::full), 2.0, 1e-9);
}

TEST(Activations, RecomputationNeverKeepsMore)
{
    for (const Transformer& m : {sample::llama_8b(), sample::small_moe(), sample::latent_moe()})
        for (const LayerKind& k : m.kinds)
            for (bool fused : {true, false})
                for (Recompute r : {Recompute::selective, Recompute::attention, Recompute::mlp, Recompute::norm_activation, Recompute::latent_up, Recompute::full}) {
                    Layout l;
                    l.fused_attention = fused;
                    const ActivationCase none{4096, 4096, false, Recompute::none, 1.0};
                    ActivationCase some = none;
                    some.recompute = r;
                    EXPECT_LE(layer_activations(m, k, l, {}, some), layer_activations(m, k, l, {}, none));
                }
}

TEST(Activations, InterleavingHoldsMoreOnTheFirstStage)
{
    Layout l;
    l.pp = 8;
    l.vpp = 3;
    l.schedule = PipelineSchedule::interleaved;
    // In units of one microbatch of all the stage's layers: p (1 + (p - 1)/(p v)).
    EXPECT_NEAR(microbatches_in_flight(l, 0, 1000), 8.0 * (1.0 + 7.0 / 24.0), 1e-12);
    l.schedule = PipelineSchedule::one_f_one_b;
    EXPECT_DOUBLE_EQ(microbatches_in_flight(l, 0, 1000), 8.0);
    EXPECT_DOUBLE_EQ(microbatches_in_flight(l, 7, 1000), 1.0);
    EXPECT_DOUBLE_EQ(microbatches_in_flight(l, 0, 3), 3.0); // no more than there are
}

// Bytes per parameter, training.md 4.3: DDP 18, ZeRO-1 6 + 12/D, ZeRO-2 2 + 16/D, ZeRO-3 18/D.
TEST(States, FollowTheZeroTable)
{
    const RankParameters p{1e9, 0, 0, 0};
    Layout l;
    l.dp = 8;
    PrecisionRecipe recipe;
    const auto per_parameter = [&](DataSharding s) {
        l.sharding = s;
        const StateBytes b = training_states(p, l, recipe, 8, false);
        return (b.weights + b.gradients + b.optimizer).value() / 1e9;
    };
    EXPECT_NEAR(per_parameter(DataSharding::none), 18.0, 1e-9);
    EXPECT_NEAR(per_parameter(DataSharding::zero1), 6.0 + 12.0 / 8, 1e-9);
    EXPECT_NEAR(per_parameter(DataSharding::zero2), 2.0 + 16.0 / 8, 1e-9);
    EXPECT_NEAR(per_parameter(DataSharding::zero3), 18.0 / 8, 1e-9);
}

TEST(States, StagesHoldAllParameters)
{
    const Transformer m = sample::llama_8b();
    Layout l;
    l.pp = 4;
    double sum = 0;
    for (const StageContent& s : cut_into_stages(m, l))
        sum += rank_parameters(m, l, s).total();
    const ParameterCount n = count_parameters(m);
    EXPECT_NEAR(sum, n.total, 0.001 * n.total); // less the final norm, plus padding of the vocabulary
}

// serving.md 4.7: bf16 bytes per token.
TEST(KvCache, MatchesPublishedBytesPerToken)
{
    EXPECT_DOUBLE_EQ(kv_bytes_per_token(sample::llama_8b(), NumberFormat::bf16).value(), 131072.0);
    EXPECT_DOUBLE_EQ(kv_bytes_per_token(sample::llama_70b(), NumberFormat::bf16).value(), 327680.0);
    Transformer v3 = sample::latent_moe();
    v3.layers.assign(61, 1);
    EXPECT_DOUBLE_EQ(kv_bytes_per_token(v3, NumberFormat::bf16).value(), 70272.0);
}

TEST(KvCache, IsReplicatedBelowOneHeadPerRankAndLatentIsNotCut)
{
    const StageContent all{{32}, true, 1};
    Layout l;
    const auto at = [&](int tp) {
        l.tp = tp;
        return kv_bytes_per_sequence(sample::llama_8b(), l, {}, all, 1000).value();
    };
    EXPECT_DOUBLE_EQ(at(8), at(1) / 8);
    EXPECT_DOUBLE_EQ(at(16), at(8)); // eight KV heads
    l.tp = 1;
    const StageContent ten{{1, 9}, true, 1};
    const double whole = kv_bytes_per_sequence(sample::latent_moe(), l, {}, ten, 1000).value();
    l.tp = 8;
    EXPECT_DOUBLE_EQ(kv_bytes_per_sequence(sample::latent_moe(), l, {}, ten, 1000).value(), whole);
}
