#include "model/transformer/kv.h"

#include <algorithm>

namespace ridgepoint {

double kv_elements_per_token(const Attention& a)
{
    if (a.kind == AttentionKind::latent)
        return static_cast<double>(a.kv_lora_rank) + a.qk_rope_head_dim + a.index_dim;
    if (a.kind == AttentionKind::linear)
        return 0.0;
    return static_cast<double>(a.kv_heads) * (static_cast<double>(a.head_dim) + a.value_head_dim);
}

double kv_elements(const Transformer& m, double tokens)
{
    double sum = 0.0;
    for (std::size_t k = 0; k < m.kinds.size(); ++k) {
        const LayerKind& kind = m.kinds[k];
        if (kind.attention_free)
            continue;
        const double kept = kind.window > 0 ? std::min(tokens, static_cast<double>(kind.window)) : tokens;
        sum += m.layers_of_kind(k) * kept * kv_elements_per_token(kind.attention);
    }
    return sum;
}

Bytes state_bytes(const Attention& a)
{
    if (a.kind != AttentionKind::linear)
        return {};
    const double state = static_cast<double>(a.heads) * a.head_dim * a.value_head_dim;
    const double convolved = 2.0 * a.kv_heads * a.head_dim + static_cast<double>(a.heads) * a.value_head_dim;
    return Bytes{4.0 * state + 2.0 * convolved * std::max(0, a.convolution - 1)};
}

} // namespace ridgepoint
