#include "model/memory/adapters.h"

#include <algorithm>

namespace ridgepoint {
namespace {

// Elements per unit of the rank: inputs of A plus outputs of B, of every adapted matrix of a layer.
double attention_width(const Transformer& model, const Attention& a, int tp)
{
    const double h = model.hidden;
    const double query = static_cast<double>(a.heads) / tp;
    const double kv = std::max(1.0, static_cast<double>(a.kv_heads) / tp);
    const double output = query * a.value_head_dim + h;
    switch (a.kind) {
    case AttentionKind::grouped:
        return 3.0 * h + (a.output_gate ? 2.0 : 1.0) * query * a.head_dim + kv * (a.head_dim + a.value_head_dim) + output;
    case AttentionKind::linear:
        return h + 2.0 * (kv * a.head_dim + query * a.value_head_dim + query) + output;
    case AttentionKind::latent:
        break;
    }
    const double up = query * (a.qk_nope_head_dim + a.qk_rope_head_dim);
    const double queries = a.q_lora_rank > 0 ? h + 2.0 * a.q_lora_rank + up : h + up;
    return queries + h + 2.0 * a.kv_lora_rank + a.qk_rope_head_dim + query * (a.qk_nope_head_dim + a.value_head_dim) + output;
}

double mlp_width(const Transformer& model, double width)
{
    const double h = model.hidden;
    return width > 0.0 ? (model.gated_mlp ? 2.0 : 1.0) * (h + width) + width + h : 0.0;
}

} // namespace

Bytes adapter_bytes(const Transformer& model, const Layout& l, const StageContent& stage, const ServedAdapters& adapters)
{
    double width = 0.0;
    for (std::size_t k = 0; k < model.kinds.size() && k < max_layer_kinds; ++k) {
        const LayerKind& kind = model.kinds[k];
        if (adapters.attention && !kind.attention_free)
            width += stage.layers[k] * attention_width(model, kind.attention, l.tp);
        if (adapters.mlp)
            width += stage.layers[k] * mlp_width(model, static_cast<double>(kind.moe ? model.moe.shared_width : kind.ffn_width) / l.tp);
    }
    return Bytes{2.0 * adapters.rank * width};
}

} // namespace ridgepoint
