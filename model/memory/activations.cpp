#include "model/memory/activations.h"

#include <algorithm>

namespace ridgepoint {
namespace {

// Per token, before division: `replicated` lives on every tensor rank unless sequence parallelism cuts it.
struct PerToken {
    double replicated = 0;
    double cut = 0;
};

PerToken attention_tensors(const Transformer& model, const LayerKind& kind, const Layout& l, const ActivationCase& what, double gemm_input)
{
    const Attention& a = kind.attention;
    const double h = model.hidden;
    const bool core_again = what.recompute == Recompute::selective;
    const bool norms_again = what.recompute == Recompute::norm_activation;
    const bool up_again = what.recompute == Recompute::latent_up;
    PerToken t;
    t.replicated += 2.0 * h; // input of the norm, the residual stream
    if (what.recompute == Recompute::attention)
        return t;
    if (!norms_again)
        t.replicated += gemm_input * h; // norm output, read by the projections
    if (a.kind == AttentionKind::latent) {
        const double qk = a.qk_nope_head_dim + a.qk_rope_head_dim;
        t.replicated += 2.0 * (a.q_lora_rank + a.kv_lora_rank + a.qk_rope_head_dim); // before their norms
        if (!up_again) {
            t.replicated += 2.0 * (a.q_lora_rank + a.kv_lora_rank); // after
            t.cut += 2.0 * a.heads * (2.0 * qk + a.value_head_dim); // Q, K, V expanded
        }
    } else {
        const double kv = std::max(static_cast<double>(a.kv_heads), static_cast<double>(l.tp)); // replicated below one head per rank
        t.cut += 2.0 * (a.heads * a.head_dim + kv * (a.head_dim + a.value_head_dim));
        if (a.qk_norm)
            t.cut += 2.0 * (a.heads + kv) * a.head_dim; // before their norms
    }
    t.cut += 2.0 * a.heads * a.value_head_dim; // attention output, input of the projection
    if (l.cp > 1 && l.context_kind == ContextParallelKind::ulysses && !core_again)
        t.cut += 2.0 * a.heads * a.value_head_dim; // the core keeps its output as it was before the all-to-all
    if (!l.fused_attention && !core_again) // softmax output, and with dropout its mask and result
        t.cut += (what.dropout ? 5.0 : 2.0) * a.heads * what.sequence_length;
    if (l.fused_attention)
        t.cut += 4.0 * a.heads; // log-sum-exp
    if (what.dropout)
        t.replicated += h; // mask
    return t;
}

PerToken mlp_tensors(const Transformer& model, double width, const ActivationCase& what, double gemm_input)
{
    const double h = model.hidden;
    PerToken t;
    if (what.recompute == Recompute::mlp) {
        if (what.dropout)
            t.replicated += h;
        return t;
    }
    if (what.recompute != Recompute::norm_activation) {
        t.replicated += gemm_input * h;
        t.cut += gemm_input * width; // input of the down projection
    }
    t.cut += 2.0 * width * (model.gated_mlp ? 2.0 : 1.0); // input of the activation function
    if (what.dropout)
        t.replicated += h;
    return t;
}

// Bytes per token that a rank routes (tokens/tp): copies of tokens at their experts and what those keep.
double expert_tensors(const Transformer& model, const ActivationCase& what, double gemm_input)
{
    const MixtureOfExperts& moe = model.moe;
    const double copies = moe.top_k * what.moe_imbalance;
    double bytes = 2.0 * 4.0 * moe.experts; // router logits and probabilities in fp32
    if (what.recompute == Recompute::mlp)
        return bytes;
    // Dispatched tokens. The experts' outputs are not kept: routing weights are applied inside the experts, between their
    // two products (Megatron-Core 0.13 and later).
    bytes += copies * gemm_input * model.hidden;
    bytes += copies * 2.0 * (model.gated_mlp ? 2.0 : 1.0) * moe.expert_width;
    if (what.recompute != Recompute::norm_activation)
        bytes += copies * gemm_input * moe.expert_width;
    return bytes;
}

} // namespace

Bytes layer_activations(const Transformer& model, const LayerKind& kind, const Layout& l, const PrecisionRecipe& precision, const ActivationCase& what)
{
    const double tp = l.tp;
    const bool cut_sequence = l.sequence_parallel && l.tp > 1;
    const double residual = cut_sequence ? tp : 1.0;
    if (what.recompute == Recompute::full)
        return Bytes{2.0 * model.hidden * what.tokens / residual};

    const double gemm_input = precision.gemm == Arithmetic::bf16 ? 2.0 : bytes_per_element(precision.activations);
    PerToken sum;
    if (!kind.attention_free)
        sum = attention_tensors(model, kind, l, what, gemm_input);
    double routed = 0.0;
    if (kind.moe || kind.ffn_width > 0) {
        if (!model.parallel_block)
            sum.replicated += 2.0 * model.hidden; // input of the second norm
        const double width = kind.moe ? model.moe.shared_width : kind.ffn_width;
        if (width > 0 || kind.moe) {
            const PerToken mlp = mlp_tensors(model, width, what, gemm_input);
            sum.replicated += mlp.replicated;
            sum.cut += mlp.cut;
        }
        if (kind.moe && what.recompute == Recompute::mlp)
            sum.replicated += 2.0 * model.hidden; // output of the norm, where the experts start again
        if (kind.moe)
            routed = expert_tensors(model, what, gemm_input);
    }
    return Bytes{what.tokens * (sum.replicated / residual + sum.cut / tp + routed / tp)};
}

double microbatches_in_flight(const Layout& l, int stage, int microbatches)
{
    const double p = l.pp;
    const double m = microbatches;
    switch (l.schedule) {
    case PipelineSchedule::gpipe:
        return m;
    case PipelineSchedule::interleaved:
        return std::min(m, (2.0 * (p - stage - 1.0) + (l.vpp - 1.0) * p + 1.0) / l.vpp);
    case PipelineSchedule::dualpipe:
        return std::min(m, p + 1.0);
    case PipelineSchedule::one_f_one_b:
    case PipelineSchedule::zero_bubble:
        break;
    }
    return std::min(m, p - stage);
}

} // namespace ridgepoint
