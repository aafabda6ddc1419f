#include "model/transformer/kv.h"

#include <algorithm>

namespace ridgepoint {

double kv_elements_per_token(const Attention& a)
{
    if (a.kind == AttentionKind::latent)
        return static_cast<double>(a.kv_lora_rank) + a.qk_rope_head_dim;
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

} // namespace ridgepoint
