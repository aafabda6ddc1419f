#include "model/memory/workspace.h"

#include <algorithm>
#include <set>
#include <utility>

namespace ridgepoint {
namespace {

double gates(const Transformer& m) { return m.gated_mlp ? 2.0 : 1.0; }

} // namespace

// Bytes per token, bf16, with w the MLP's width on the rank, n its input matrices (2 if gated) and h the residual stream.
// The gradient of the layer's output waits for the residual addition throughout: 2h.
//   activation function: the gradients of its output and input, 2w + 2nw; the down projection's input, 2w, is gone.
//   input projections: the gathered input and its gradient, 2h each (no gathered copy without sequence parallelism), while
//   both of the MLP's tensors, 2w + 2nw, are gone and the gradient 2nw is still there.
//   unfused attention: the gradients of the probabilities and of the scores, 2s for every head each.
//   dispatch: every token's copies for its experts, on both sides of the all-to-all, with nothing given back.
Bytes layer_backward_workspace(const Transformer& model, const LayerKind& kind, const Layout& l, const ActivationCase& what)
{
    const double h = model.hidden;
    const bool cut_sequence = l.sequence_parallel && l.tp > 1;
    const double residual = 2.0 * h / (cut_sequence ? l.tp : 1.0);
    const double width = (kind.moe ? model.moe.shared_width : kind.ffn_width) / static_cast<double>(l.tp);
    const double activation = 2.0 * gates(model) * width;
    const double inputs = (cut_sequence ? 4.0 : 2.0) * h - 2.0 * width;
    double most = std::max(activation, inputs);
    if (!l.fused_attention && !kind.attention_free)
        most = std::max(most, 4.0 * kind.attention.heads * what.sequence_length / l.tp);
    if (kind.moe) {
        const double copies = model.moe.top_k * what.moe_imbalance / l.tp;
        most = std::max(most, (l.ep > 1 ? 2.0 : 1.0) * copies * 2.0 * h);
    }
    return Bytes{what.tokens * (residual + most)};
}

// Per token, V the rank's share of the vocabulary. Logits leave the product in bf16, 2V.
//   fused loss: gradient in place of the logits, 2V.
//   Megatron's own: an fp32 copy, 4V, made in place into the softmax and its gradient, beside the bf16 logits before and
//   the bf16 gradient after: 6V.
//   PyTorch: log-softmax, the gradient of the picked logits and that of the softmax, all fp32, 12V; a vocabulary-parallel
//   loss (torch.distributed.tensor.parallel.loss_parallel) also exponentiates out of place, 16V. The block of the bf16
//   logits is free by then, but too small to be used again: 2V more.
// Backward of the head: the gradient of the logits, 2V, that of the input, 2h (and under sequence parallelism the gathered
// input, 2h, and the scattered gradient), and with fp32 accumulation a placeholder of the weight's shape, freed after.
// Each further head waits with its inputs and what its loss saved: the gradient in place, 2V, or the softmax, 4V.
Bytes head_workspace(const Transformer& model, const Layout& l, double tokens, TrainingRuntime runtime, bool trains_head, int heads)
{
    const double h = model.hidden;
    const double vocab = model.vocab / static_cast<double>(l.tp);
    const bool cut_sequence = l.sequence_parallel && l.tp > 1;
    const double residual = cut_sequence ? l.tp : 1.0;
    // DTensor keeps the gathered input of the head; Megatron keeps its share and gathers it again.
    const double kept = tokens * 2.0 * h * (1.0 / residual + 1.0 / (runtime == TrainingRuntime::fsdp ? 1.0 : residual));
    double loss = l.fused_loss ? 2.0 : 6.0;
    if (runtime == TrainingRuntime::fsdp && !l.fused_loss)
        loss = l.tp > 1 ? 18.0 : 14.0;
    const double placeholder = runtime == TrainingRuntime::megatron && trains_head ? 2.0 * vocab * h : 0.0;
    const double backward = tokens * (2.0 * vocab + 2.0 * h + (cut_sequence ? 2.0 * h + 2.0 * h / l.tp : 0.0)) + placeholder;
    const double waiting = (heads - 1) * (kept + tokens * (l.fused_loss ? 2.0 : 4.0) * vocab);
    return Bytes{kept + waiting + std::max(tokens * loss * vocab, backward)};
}

Bytes placeholder_gradients(const Transformer& model, const Layout& l, const StageContent& stage)
{
    std::set<std::pair<double, double>> shapes; // rows and columns of the rank's shares
    const double h = model.hidden;
    const auto mlp = [&](double width, double ranks) {
        if (width <= 0)
            return;
        shapes.insert({gates(model) * width / ranks, h});
        shapes.insert({h, width / ranks});
    };
    for (std::size_t k = 0; k < model.kinds.size() && k < max_layer_kinds; ++k) {
        if (stage.layers[k] == 0)
            continue;
        const LayerKind& kind = model.kinds[k];
        const Attention& a = kind.attention;
        const double tp = l.tp;
        if (!kind.attention_free) {
            if (a.kind == AttentionKind::latent) {
                const double qk = a.qk_nope_head_dim + a.qk_rope_head_dim;
                if (a.q_lora_rank > 0)
                    shapes.insert({static_cast<double>(a.q_lora_rank), h});
                shapes.insert({a.heads * qk / tp, a.q_lora_rank > 0 ? a.q_lora_rank : h});
                shapes.insert({static_cast<double>(a.kv_lora_rank + a.qk_rope_head_dim), h});
                shapes.insert({a.heads * static_cast<double>(a.qk_nope_head_dim + a.value_head_dim) / tp, static_cast<double>(a.kv_lora_rank)});
            } else {
                shapes.insert({(a.heads * static_cast<double>(a.head_dim) + a.kv_heads * static_cast<double>(a.head_dim + a.value_head_dim)) / tp, h});
            }
            shapes.insert({h, a.heads * static_cast<double>(a.value_head_dim) / tp});
        }
        if (kind.moe) {
            mlp(model.moe.expert_width, l.etp); // one expert: all have the same shape
            mlp(model.moe.shared_width, tp);
        } else {
            mlp(kind.ffn_width, tp);
        }
    }
    double elements = 0.0;
    for (const auto& [rows, columns] : shapes)
        elements += rows * columns;
    return Bytes{2.0 * elements};
}

} // namespace ridgepoint
