#include "model/memory/workspace.h"

#include <gtest/gtest.h>

#include "model/memory/training_memory.h"
#include "tests/support/sample.h"

using namespace ridgepoint;

namespace {

// Llama 3 70B cut to twelve layers, as SimuMax publishes it: 12.37e9 parameters.
Transformer twelve_layers()
{
    Transformer m = sample::llama_70b();
    m.layers.assign(12, 0);
    return m;
}

StageMemory peak(const Transformer& m, const Layout& l, int sequence_length, TrainingRuntime runtime = TrainingRuntime::megatron)
{
    Training t;
    t.sequence_length = sequence_length;
    const std::vector<StageContent> stages = cut_into_stages(m, l);
    const PrecisionRecipe precision;
    return training_memory({m, l, precision, t, stages, 8, 8, 1.0, {}, 0.0, gibibytes(180), runtime}).worst();
}

} // namespace

// SimuMax's own breakdown of llama3_70b_l12_tp2_pp1_dp4: 11.5199 GiB of weights, 23.0398 of gradients, 17.2799 of optimizer
// state, 6.8359 of activations, the head's input and the logits (2 x 64 MiB and 501 MiB) among them.
TEST(TrainingMemory, AgreesWithSimuMaxPartByPart)
{
    Layout l;
    l.tp = 2;
    l.dp = 4;
    l.fused_loss = true;
    const StageMemory m = peak(twelve_layers(), l, 4096);
    EXPECT_NEAR(in_gibibytes(m.weights), 11.5199, 0.002);
    EXPECT_NEAR(in_gibibytes(m.gradients), 23.0398, 0.002);
    EXPECT_NEAR(in_gibibytes(m.optimizer), 17.2799, 0.002);
    EXPECT_NEAR(in_gibibytes(m.activations), 6.8359 - 0.0625 - 0.4893, 0.01);
}

// By hand, h 8192, f 28672, 64 query heads and 8 KV heads of 128, 4096 tokens on the rank: two norms keep input and output,
// 4 x 2h; Q, K, V 2 (8192 + 2 x 1024); the output before and after the all-to-all, 2 x 2h; log-sum-exp 4 x 64; gate, up and
// their product 6f: 291,072 B a token and layer.
TEST(Activations, UlyssesKeepsTheOutputTwice)
{
    const Transformer m = twelve_layers();
    Layout l;
    l.cp = 8;
    ActivationCase what{4096, 32768, false, Recompute::none, 1.0};
    EXPECT_DOUBLE_EQ(layer_activations(m, m.kinds[0], l, {}, what).value(), 4096.0 * (291072 - 16384));
    l.context_kind = ContextParallelKind::ulysses;
    EXPECT_DOUBLE_EQ(layer_activations(m, m.kinds[0], l, {}, what).value(), 4096.0 * 291072);
}

// DeepSeek-V3's latent attention: Q and K of 192, V of 128 for 128 heads, and the latents of 1536 and 512 after their norms
// come again from the latents before them: 2 (128 x 512 + 2048) B a token.
TEST(Activations, LatentUpProjectionsAreNotKept)
{
    const Transformer m = sample::latent_moe();
    const Attention& a = m.kinds[0].attention;
    const Layout l;
    ActivationCase what{1, 4096, false, Recompute::none, 1.0};
    const Bytes all = layer_activations(m, m.kinds[0], l, {}, what);
    what.recompute = Recompute::latent_up;
    const double heads = a.heads * (2.0 * (a.qk_nope_head_dim + a.qk_rope_head_dim) + a.value_head_dim);
    EXPECT_DOUBLE_EQ((all - layer_activations(m, m.kinds[0], l, {}, what)).value(), 2.0 * (heads + a.q_lora_rank + a.kv_lora_rank));
}

// Bytes per token and vocabulary entry at the loss, where the head's own backward pass is small: no hidden width to speak of.
TEST(HeadWorkspace, CountsTheCopiesOfTheLogits)
{
    Transformer m = sample::llama_8b();
    m.hidden = 1;
    Layout l;
    const auto copies = [&](TrainingRuntime r) { return head_workspace(m, l, 1e6, r, true).value() / 1e6 / m.vocab; };
    EXPECT_NEAR(copies(TrainingRuntime::megatron), 6.0, 0.001);
    EXPECT_NEAR(copies(TrainingRuntime::fsdp), 14.0, 0.001);
    l.fused_loss = true;
    EXPECT_NEAR(copies(TrainingRuntime::megatron), 2.0, 0.001);
}

// 4096 tokens, tp 1, fused loss: norm and head inputs 2 x 64 MiB, the logits' gradient 1002 MiB, the input's 64 MiB and a
// placeholder of the 128256 x 8192 weight in bf16, 2004 MiB.
TEST(HeadWorkspace, HoldsAPlaceholderInTheBackwardPass)
{
    Layout l;
    l.fused_loss = true;
    const Transformer m = sample::llama_70b();
    EXPECT_DOUBLE_EQ(head_workspace(m, l, 4096, TrainingRuntime::megatron, true).value() / 1048576, 128.0 + 1002 + 64 + 2004);
    EXPECT_DOUBLE_EQ(head_workspace(m, l, 4096, TrainingRuntime::megatron, false).value() / 1048576, 128.0 + 1002 + 64);
    // A second head, for the token after next, waits with its inputs and its logits' gradient.
    EXPECT_DOUBLE_EQ(head_workspace(m, l, 4096, TrainingRuntime::megatron, true, 2).value() / 1048576, 128.0 + 1002 + 64 + 2004 + 128 + 1002);
}

// Llama 70B in bf16: QKV 10240 x 8192 (160 MiB), output 8192 x 8192 (128), gate and up 57344 x 8192 (896), down (448).
TEST(Placeholders, AreOnePerShape)
{
    const Transformer m = twelve_layers();
    Layout l;
    EXPECT_DOUBLE_EQ(placeholder_gradients(m, l, cut_into_stages(m, l)[0]).value() / 1048576, 160.0 + 128 + 896 + 448);
    l.tp = 2;
    EXPECT_DOUBLE_EQ(placeholder_gradients(m, l, cut_into_stages(m, l)[0]).value() / 1048576, (160.0 + 128 + 896 + 448) / 2);
}

// DeepSpeed keeps autograd's bf16 gradients beside the fp32 sums: 2 + 4 + 2 bytes a parameter before the optimizer state.
TEST(TrainingMemory, DeepSpeedKeepsBothGradients)
{
    const Transformer m = twelve_layers();
    Layout l;
    l.dp = 8;
    const StageMemory megatron = peak(m, l, 4096);
    const StageMemory deepspeed = peak(m, l, 4096, TrainingRuntime::deepspeed);
    EXPECT_NEAR(deepspeed.gradients / megatron.gradients, 1.5, 1e-9);
    EXPECT_DOUBLE_EQ(deepspeed.optimizer.value(), megatron.optimizer.value());
}

TEST(LayerBackward, GrowsWithUnfusedAttentionAndExperts)
{
    const Transformer m = sample::llama_8b();
    Layout l;
    const ActivationCase what{1, 4096, false, Recompute::none, 1.0};
    // Gradients of output, 2h; of SwiGLU's result and operands less the down projection's input, 4f.
    EXPECT_DOUBLE_EQ(layer_backward_workspace(m, m.kinds[0], l, what).value(), 2.0 * 4096 + 4.0 * 14336);
    l.fused_attention = false;
    EXPECT_DOUBLE_EQ(layer_backward_workspace(m, m.kinds[0], l, what).value(), 2.0 * 4096 + 4.0 * 32 * 4096);
}
