#include "model/transformer/transformer.h"

#include <algorithm>

namespace ridgepoint {
namespace {

double attention_parameters(const Transformer& m, const Attention& a)
{
    const double h = m.hidden;
    const double out_width = static_cast<double>(a.heads) * a.value_head_dim;
    const double output = out_width * h + (a.output_bias ? h : 0.0);
    if (a.kind == AttentionKind::latent) {
        const double qk = a.qk_nope_head_dim + a.qk_rope_head_dim;
        const double q = a.q_lora_rank > 0 ? h * a.q_lora_rank + a.q_lora_rank * a.heads * qk : h * a.heads * qk;
        const double kv = h * (a.kv_lora_rank + a.qk_rope_head_dim)
            + a.kv_lora_rank * static_cast<double>(a.heads) * (a.qk_nope_head_dim + a.value_head_dim);
        const double indexer = a.index_top_k > 0 ? static_cast<double>(a.index_heads) * (static_cast<double>(a.index_dim) * a.q_lora_rank + h) + h * a.index_dim : 0.0;
        return q + kv + output + indexer;
    }
    if (a.kind == AttentionKind::linear) {
        const double key = static_cast<double>(a.kv_heads) * a.head_dim;
        // Q, K, V and gate; two numbers a head (decay and step); the convolution; decay and bias of each head.
        return h * (2.0 * key + 2.0 * out_width + 2.0 * a.heads) + a.convolution * (2.0 * key + out_width) + 2.0 * a.heads + output;
    }
    const double qkv_width = (a.output_gate ? 2.0 : 1.0) * a.heads * a.head_dim + static_cast<double>(a.kv_heads) * (a.head_dim + a.value_head_dim);
    return h * qkv_width + (a.qkv_bias ? qkv_width : 0.0) + output;
}

} // namespace

int Transformer::layers_of_kind(std::size_t kind) const
{
    return static_cast<int>(std::ranges::count(layers, static_cast<std::uint8_t>(kind)));
}

LayerParameters count_layer_parameters(const Transformer& m, const LayerKind& kind)
{
    LayerParameters p;
    const double h = m.hidden;
    const double matrices = m.gated_mlp ? 3.0 : 2.0;
    if (!kind.attention_free)
        p.attention = attention_parameters(m, kind.attention);
    if (kind.moe) {
        const double f = m.moe.expert_width;
        p.router = h * m.moe.experts + (m.moe.router_bias ? m.moe.experts : 0.0);
        p.experts = m.moe.experts * (matrices * h * f + (m.moe.expert_bias ? (matrices - 1.0) * f + h : 0.0));
        p.shared_expert = matrices * h * m.moe.shared_width + (m.moe.shared_gate ? h : 0.0);
    } else {
        const double f = kind.ffn_width;
        p.mlp = matrices * h * f + (m.mlp_bias && f > 0 ? (matrices - 1.0) * f + h : 0.0);
    }
    const double norm = m.norm == NormKind::layer ? 2.0 * h : h;
    p.norms = m.norms_per_layer * norm;
    if (!kind.attention_free && kind.attention.kind == AttentionKind::latent)
        p.norms += kind.attention.q_lora_rank + kind.attention.kv_lora_rank + 2.0 * kind.attention.index_dim;
    if (!kind.attention_free && kind.attention.kind == AttentionKind::linear)
        p.norms += kind.attention.value_head_dim;
    if (!kind.attention_free && kind.attention.qk_norm)
        p.norms += 2.0 * kind.attention.head_dim;
    return p;
}

ParameterCount count_parameters(const Transformer& m)
{
    ParameterCount n;
    const double table = static_cast<double>(m.vocab) * m.hidden;
    n.embedding = table + static_cast<double>(m.learned_positions) * m.hidden;
    n.lm_head = m.tied_embeddings ? 0.0 : table;
    n.total = n.active = n.embedding + n.lm_head;
    n.matmul_active = table;
    for (std::size_t k = 0; k < m.kinds.size(); ++k) {
        const double count = m.layers_of_kind(k);
        const LayerParameters p = count_layer_parameters(m, m.kinds[k]);
        const double chosen = m.moe.experts > 0 ? p.experts * m.moe.top_k / m.moe.experts : 0.0;
        n.total += count * p.total();
        n.active += count * (p.total() - p.experts + chosen);
        n.matmul_active += count * (p.attention + p.mlp + p.router + p.shared_expert + chosen);
    }
    const double norm = m.norm == NormKind::layer ? 2.0 * m.hidden : m.hidden;
    n.total += norm + (m.embedding_norm ? norm : 0.0);
    n.active += norm + (m.embedding_norm ? norm : 0.0);
    if (m.mtp_depth > 0 && m.layer_count() > 0) // a layer, a 2h x h projection and three norms each [DeepSeek-V3, section 2.2]
        n.mtp = m.mtp_depth * (count_layer_parameters(m, m.layer(m.layer_count() - 1)).total() + 2.0 * m.hidden * m.hidden + 3.0 * norm);
    return n;
}

} // namespace ridgepoint
