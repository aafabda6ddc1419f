// Attention kinds beside the usual ones: linear (gated delta rule) and sparse (an indexer picks keys).
#include <gtest/gtest.h>

#include "model/estimate/serving.h"
#include "model/memory/serving_memory.h"
#include "model/transformer/kv.h"
#include "tests/support/sample.h"

using namespace ridgepoint;

namespace {

Transformer hybrid() // three linear layers to one of grouped attention, Qwen3.5's dimensions
{
    Transformer m;
    m.id = m.name = "hybrid";
    m.hidden = 4096;
    m.vocab = 248320;
    LayerKind linear;
    linear.attention.kind = AttentionKind::linear;
    linear.attention.heads = 64;
    linear.attention.kv_heads = 16;
    linear.attention.head_dim = linear.attention.value_head_dim = 128;
    linear.attention.convolution = 4;
    linear.ffn_width = 4096;
    LayerKind full = linear;
    full.attention = sample::grouped(32, 2, 256);
    full.attention.output_gate = true;
    m.kinds = {linear, full};
    for (int i = 0; i < 60; ++i)
        m.layers.push_back(i % 4 == 3 ? 1 : 0);
    return m;
}

Transformer sparse()
{
    Transformer m = sample::latent_moe();
    for (LayerKind& k : m.kinds) {
        k.attention.index_heads = 64;
        k.attention.index_dim = 128;
        k.attention.index_top_k = 2048;
    }
    return m;
}

Seconds attention_of_a_step(Transformer model, int context)
{
    Serving w;
    w.phase = ServingPhase::decode;
    w.concurrency = 64;
    w.input_length = context;
    w.output_length = 1;
    Layout l;
    return serve(sample::serving(std::move(model), 1, l, w), w).decode.attention.total();
}

} // namespace

// 15 layers x 2 x 2 heads x 256 x 2 B = 30,720 B a token, and not four times that (trap T22).
TEST(Hybrid, OnlyFullAttentionLayersCacheTokens)
{
    EXPECT_DOUBLE_EQ(kv_bytes_per_token(hybrid(), NumberFormat::bf16).value(), 30720);
    // 64 x 128 x 128 in fp32 and (2 x 16 x 128 + 64 x 128) x 3 in bf16.
    EXPECT_DOUBLE_EQ(state_bytes(hybrid().kinds[0].attention).value(), 4.0 * 1048576 + 2.0 * 12288 * 3);
}

TEST(Hybrid, LinearLayersDoNotSlowWithTheContext)
{
    Transformer linear = hybrid();
    linear.layers.assign(60, 0);
    EXPECT_DOUBLE_EQ(attention_of_a_step(linear, 1024).value(), attention_of_a_step(linear, 65536).value());
    EXPECT_GT(attention_of_a_step(hybrid(), 65536).value(), attention_of_a_step(hybrid(), 1024).value());
}

// 64 sequences read and write 4 MiB of state in each of 60 layers.
TEST(Hybrid, DecodeReadsAndWritesTheStates)
{
    Transformer linear = hybrid();
    linear.layers.assign(60, 0);
    const double bytes = 60.0 * 64 * 2 * 4 * 1048576;
    const Seconds t = attention_of_a_step(linear, 1024);
    EXPECT_GT(t.value(), bytes / 4e12);
    EXPECT_LT(t.value(), 2.0 * bytes / 4e12);
}

TEST(Hybrid, TrainingIsRefused)
{
    Layout l;
    const Expected<Estimate> e = estimate(sample::training(hybrid(), 1, l));
    ASSERT_FALSE(e);
    EXPECT_EQ(e.error().kind, ErrorKind::infeasible);
}

TEST(Sparse, BelowTheKeysItPicksNothingChanges)
{
    EXPECT_DOUBLE_EQ(attention_of_a_step(sparse(), 1500).value(), attention_of_a_step(sample::latent_moe(), 1500).value());
}

TEST(Sparse, LongContextsCostTheIndexAlone)
{
    const double far = attention_of_a_step(sparse(), 65536).value();
    EXPECT_LT(far, 0.5 * attention_of_a_step(sample::latent_moe(), 65536).value());
    EXPECT_GT(far, attention_of_a_step(sparse(), 4096).value());
    // The indexer's key is cached beside the latent: 512 + 64 + 128 elements.
    EXPECT_DOUBLE_EQ(kv_elements_per_token(sparse().kinds[0].attention), 704);
}
