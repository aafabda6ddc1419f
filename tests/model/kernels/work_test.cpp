// FLOPs and bytes of single kernels against figures worked out by hand.

#include <gtest/gtest.h>

#include "model/kernels/kernels.h"

namespace ridgepoint {
namespace {

AttentionShape causal(double heads, double kv_heads, double queries, double keys)
{
    AttentionShape s;
    s.query_heads = heads;
    s.kv_heads = kv_heads;
    s.queries = queries;
    s.keys = keys;
    return s;
}

TEST(GemmWork, CountsTwoFlopsAMultiplyAddAndEachOperandOnce)
{
    GemmShape s;
    s.m = 3;
    s.n = 5;
    s.k = 7;
    const Work w = gemm_work(s);
    EXPECT_DOUBLE_EQ(w.flops.value(), 2 * 3 * 5 * 7);
    EXPECT_DOUBLE_EQ(w.hbm.value(), 2 * (3 * 7 + 7 * 5 + 3 * 5));
}

TEST(GemmWork, GroupedProductReadsOnlyTheWeightsItTouches)
{
    GemmShape s;
    s.m = 2;
    s.n = 16;
    s.k = 8;
    s.groups = 4;
    s.touched = 0.5;
    s.arithmetic = Arithmetic::fp8;
    s.a = s.b = NumberFormat::fp8;
    const Work w = gemm_work(s);
    EXPECT_DOUBLE_EQ(w.flops.value(), 4 * 2.0 * 2 * 16 * 8);
    // 2 groups of 128 weights, 8 rows of 8 in, 8 rows of 16 out in bf16
    EXPECT_DOUBLE_EQ(w.hbm.value(), 2 * 128 + 64 + 8 * 16 * 2);
}

TEST(GemmWork, ConversionReadsBf16AndWritesTheLowFormat)
{
    GemmShape s;
    s.m = 4;
    s.n = 4;
    s.k = 4;
    s.arithmetic = Arithmetic::fp8;
    s.a = s.b = NumberFormat::fp8;
    const double plain = gemm_work(s).hbm.value();
    s.quantize_a = true;
    EXPECT_DOUBLE_EQ(gemm_work(s).hbm.value() - plain, 16 * (2 + 1));
    s.groups = 8; // two tokens that go to several experts each are converted once
    s.quantized_rows = 2;
    GemmShape unconverted = s;
    unconverted.quantize_a = false;
    EXPECT_DOUBLE_EQ(gemm_work(s).hbm.value() - gemm_work(unconverted).hbm.value(), 2 * 4 * (2 + 1));
}

TEST(AttentionWork, CausalWithPrefixIs4ndTimesPairs)
{
    // q = 4 new tokens on a prefix of p = 6: pairs q p + q (q + 1) / 2 = 24 + 10 = 34.
    const Work w = attention_work(causal(8, 2, 4, 10));
    EXPECT_DOUBLE_EQ(w.flops.value(), 4.0 * 8 * 128 * 34);
    // K and V of 10 keys in 2 heads; Q and O of 4 tokens in 8 heads; bf16
    EXPECT_DOUBLE_EQ(w.hbm.value(), 2.0 * (10 * 2 * 256 + 4 * 8 * 256));
}

TEST(AttentionWork, WindowCapsTheKeysOfEachQuery)
{
    AttentionShape s = causal(1, 1, 8, 8);
    s.window = 3; // 1 + 2 + 3 x 6
    EXPECT_DOUBLE_EQ(attention_work(s).flops.value(), 4.0 * 128 * 21);
    s = causal(1, 1, 4, 10);
    s.window = 3; // the prefix is longer than the window: 4 x 3
    EXPECT_DOUBLE_EQ(attention_work(s).flops.value(), 4.0 * 128 * 12);
    s.window = 8; // query 1 sees 7, the others 8
    EXPECT_DOUBLE_EQ(attention_work(s).flops.value(), 4.0 * 128 * (7 + 8 * 3));
    s.window = 100;
    EXPECT_DOUBLE_EQ(attention_work(s).flops.value(), attention_work(causal(1, 1, 4, 10)).flops.value());
}

TEST(AttentionWork, WithoutMaskEveryQuerySeesEveryKey)
{
    AttentionShape s = causal(2, 2, 5, 5);
    s.causal = false;
    EXPECT_DOUBLE_EQ(attention_work(s).flops.value(), 4.0 * 2 * 128 * 25);
}

TEST(AttentionWork, DecodeIntensityIsTwoHeadsPerCacheByte)
{
    // 2 (n / g) / b: 64 query heads on 8 KV heads, bf16: 8 FLOP/B of cache; fp8: 16.
    AttentionShape s = causal(64, 8, 1, 32768);
    const auto intensity = [](const AttentionShape& shape) {
        const Work w = attention_work(shape);
        const double outputs = shape.query_heads * 256 * 2;
        return w.flops.value() / (w.hbm.value() - outputs);
    };
    EXPECT_NEAR(intensity(s), 8.0, 1e-9);
    s.kv = NumberFormat::fp8;
    EXPECT_NEAR(intensity(s), 16.0, 1e-9);
}

TEST(AttentionWork, AbsorbedLatentAttentionHas242FlopsAByte)
{
    // 128 heads, latent 512 + 64 rotary: 2 x 128 x (576 + 512) / (576 x 2) = 241.8 FLOP/B of bf16 cache.
    AttentionShape s = causal(128, 1, 1, 65536);
    s.latent = true;
    s.qk_dim = 576;
    s.v_dim = 512;
    const Work w = attention_work(s);
    const double outputs = 128.0 * (576 + 512) * 2;
    EXPECT_NEAR(w.flops.value() / (w.hbm.value() - outputs), 241.8, 0.05);
    EXPECT_DOUBLE_EQ(w.hbm.value() - outputs, 65536.0 * 576 * 2);
}

TEST(AttentionWork, FusedBackwardRecomputesTheScores)
{
    AttentionShape s = causal(8, 8, 128, 128);
    EXPECT_DOUBLE_EQ(attention_backward_work(s).flops / attention_work(s).flops, 2.5);
    s.fused = false;
    EXPECT_DOUBLE_EQ(attention_backward_work(s).flops / attention_work(s).flops, 2.0);
    // Unfused: scores and probabilities written and read, 4 x 8 heads x 128^2 x 2 B, more than the fused kernel moves.
    AttentionShape fused = s;
    fused.fused = true;
    EXPECT_DOUBLE_EQ(attention_work(s).hbm.value() - attention_work(fused).hbm.value(), 4.0 * 8 * 128 * 128 * 2);
}

} // namespace

// Unfused attention fills the square: 4 s^2 d a FLOPs against 2 s (s + 1) d a causally, and head dimensions that do not fill
// 16 bytes lose the tensor cores.
TEST(Attention, WithoutFusionTheWholeSquareIsComputed)
{
    AttentionShape s;
    s.query_heads = s.kv_heads = 16;
    s.queries = s.keys = 2048;
    s.fused = false;
    s.stores_cache = false;
    EXPECT_DOUBLE_EQ(attention_work(s).flops.value(), 4.0 * 16 * 128 * 2048 * 2048);
    EXPECT_DOUBLE_EQ(attention_model_flops(s).value(), 2.0 * 16 * 128 * 2048.0 * 2049.0);
}

} // namespace ridgepoint
