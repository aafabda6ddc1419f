#include "model/estimate/flops.h"

#include <algorithm>

namespace ridgepoint {
namespace {

// Mean number of keys that a query of a sequence sees.
double mean_keys(double s, double window, bool causal)
{
    if (!causal)
        return window > 0 ? std::min(s, window) : s;
    if (window <= 0 || window >= s)
        return (s + 1.0) / 2.0;
    return window - window * (window - 1.0) / (2.0 * s);
}

double score_width(const Attention& a)
{
    return a.kind == AttentionKind::latent ? a.heads * static_cast<double>(a.qk_nope_head_dim + a.qk_rope_head_dim + a.value_head_dim)
                                           : a.heads * static_cast<double>(a.head_dim + a.value_head_dim);
}

double projections(const Transformer& m, const Attention& a)
{
    const double h = m.hidden;
    if (a.kind == AttentionKind::grouped)
        return h * (a.heads * a.head_dim + a.kv_heads * (a.head_dim + a.value_head_dim)) + a.heads * static_cast<double>(a.value_head_dim) * h;
    if (a.kind == AttentionKind::linear)
        return h * (2.0 * a.kv_heads * a.head_dim + 3.0 * a.heads * a.value_head_dim + 2.0 * a.heads);
    const double qk = a.qk_nope_head_dim + a.qk_rope_head_dim;
    const double q = a.q_lora_rank > 0 ? h * a.q_lora_rank + a.q_lora_rank * a.heads * qk : h * a.heads * qk;
    return q + h * (a.kv_lora_rank + a.qk_rope_head_dim) + a.kv_lora_rank * a.heads * static_cast<double>(a.qk_nope_head_dim + a.value_head_dim)
        + a.heads * static_cast<double>(a.value_head_dim) * h;
}

double mlp(const Transformer& m, const LayerKind& kind)
{
    const double matrices = m.gated_mlp ? 3.0 : 2.0;
    if (!kind.moe)
        return matrices * m.hidden * kind.ffn_width;
    return static_cast<double>(m.hidden) * m.moe.experts
        + matrices * m.hidden * (static_cast<double>(m.moe.top_k) * m.moe.expert_width + m.moe.shared_width);
}

struct ForwardSplit {
    double linear = 0; // FLOPs per token in weight products
    double attention = 0;
    double attention_full = 0; // with every query seeing every key
};

ForwardSplit split(const Transformer& m, double s, bool causal)
{
    ForwardSplit f;
    const auto add = [&](const LayerKind& kind, double count) {
        if (!kind.attention_free) {
            f.linear += count * 2.0 * projections(m, kind.attention);
            f.attention += count * 2.0 * score_width(kind.attention) * mean_keys(s, kind.window, causal);
            f.attention_full += count * 2.0 * score_width(kind.attention) * s;
        }
        f.linear += count * 2.0 * mlp(m, kind);
    };
    for (std::size_t k = 0; k < m.kinds.size(); ++k)
        add(m.kinds[k], m.layers_of_kind(k));
    if (m.mtp_depth > 0 && m.layer_count() > 0) {
        add(m.layer(m.layer_count() - 1), m.mtp_depth);
        f.linear += m.mtp_depth * 2.0 * 2.0 * static_cast<double>(m.hidden) * m.hidden;
    }
    f.linear += 2.0 * static_cast<double>(m.hidden) * m.vocab * (1.0 + m.mtp_depth);
    return f;
}

} // namespace

FlopsPerToken forward_flops_per_token(const Transformer& model, double sequence, bool causal)
{
    const ForwardSplit f = split(model, sequence, causal);
    return FlopsPerToken{f.linear + f.attention};
}

Flops training_flops(const Transformer& model, const Training& w, FlopConvention convention)
{
    const double tokens = static_cast<double>(w.global_batch) * w.sequence_length;
    const ForwardSplit f = split(model, w.sequence_length, w.causal);
    // Forward, input gradient, weight gradient; LoRA has no weight gradient of the frozen matrices, but attention has
    // both halves of its backward pass.
    const double linear_passes = w.kind == TrainingKind::lora ? 2.0 : 3.0;
    const double scale = linear_passes / 3.0;
    const ParameterCount n = count_parameters(model);
    switch (convention) {
    case FlopConvention::six_n:
        return Flops{6.0 * n.active * tokens * scale};
    case FlopConvention::six_n_full_attention:
        return Flops{(6.0 * (n.active - n.embedding) * scale + 3.0 * f.attention_full) * tokens};
    case FlopConvention::six_n_causal_attention:
        return Flops{(6.0 * n.matmul_active * scale + 3.0 * f.attention_full / 2.0) * tokens};
    case FlopConvention::model_exact:
    case FlopConvention::hardware:
        break;
    }
    return Flops{(linear_passes * f.linear + 3.0 * f.attention) * tokens};
}

std::string_view name_of(FlopConvention c)
{
    switch (c) {
    case FlopConvention::six_n:
        return "6N";
    case FlopConvention::six_n_full_attention:
        return "6N + full attention";
    case FlopConvention::six_n_causal_attention:
        return "6N + causal attention";
    case FlopConvention::model_exact:
        return "model FLOPs, exact";
    case FlopConvention::hardware:
        return "hardware FLOPs";
    }
    return "";
}

} // namespace ridgepoint
