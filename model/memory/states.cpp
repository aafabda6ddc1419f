#include "model/memory/states.h"

#include <algorithm>
#include <cmath>

namespace ridgepoint {
namespace {

double padded_vocab(const Transformer& model, int tp)
{
    const double unit = 128.0 * tp; // Megatron pads the vocabulary to a multiple of 128 x tp
    return std::ceil(model.vocab / unit) * unit;
}

double lora_parameters(const Transformer& model, const LayerKind& kind, const Lora& lora)
{
    const double h = model.hidden;
    const Attention& a = kind.attention;
    double sum = 0;
    if (lora.attention && !kind.attention_free) {
        if (a.kind == AttentionKind::grouped)
            sum += h + a.heads * a.head_dim + a.kv_heads * (a.head_dim + a.value_head_dim);
        else
            sum += 2.0 * h + a.q_lora_rank + a.kv_lora_rank + a.heads * (a.qk_nope_head_dim + a.qk_rope_head_dim);
        sum += h + a.heads * a.value_head_dim;
    }
    if (lora.mlp) {
        const double width = kind.moe ? model.moe.expert_width : kind.ffn_width;
        const double copies = kind.moe ? model.moe.experts : 1.0;
        sum += copies * (h + (model.gated_mlp ? 2.0 : 1.0) * width + h + width);
    }
    return sum * lora.rank;
}

} // namespace

RankParameters rank_parameters(const Transformer& model, const Layout& l, const StageContent& stage, const Lora* lora)
{
    RankParameters out;
    for (std::size_t k = 0; k < model.kinds.size() && k < max_layer_kinds; ++k) {
        if (stage.layers[k] == 0)
            continue;
        const LayerParameters p = count_layer_parameters(model, model.kinds[k]);
        const double dense = (p.attention + p.mlp + p.shared_expert) / l.tp + p.norms + p.router;
        const double experts = p.experts / (static_cast<double>(l.ep) * l.etp);
        out.dense += stage.layers[k] * dense;
        out.experts += stage.layers[k] * experts;
        out.largest_layer = std::max(out.largest_layer, dense + experts);
        if (lora != nullptr)
            out.adapters += stage.layers[k] * lora_parameters(model, model.kinds[k], *lora) / l.tp;
    }
    const double table = padded_vocab(model, l.tp) * model.hidden / l.tp;
    if (stage.embedding)
        out.tables += table + static_cast<double>(model.learned_positions) * model.hidden;
    const bool shares_table = model.tied_embeddings && stage.embedding;
    if (stage.heads > 0 && !shares_table)
        out.tables += table;
    out.dense += out.tables;
    if (stage.heads > 1) // MTP: a projection of 2h x h and norms per extra head [DeepSeek-V3, section 2.2]
        out.dense += (stage.heads - 1) * 2.0 * model.hidden * model.hidden / l.tp;
    return out;
}

ShardDegrees shard_degrees(const Layout& l, double ranks, int gpus_per_node)
{
    const double n = std::max(ranks, 1.0);
    switch (l.sharding) {
    case DataSharding::none:
        return {1, 1, 1};
    case DataSharding::zero1:
        return {1, 1, n};
    case DataSharding::zero2:
        return {1, n, n};
    case DataSharding::zero3:
        return {n, n, n};
    case DataSharding::hsdp: {
        const double group = std::min(n, l.shard_group > 0 ? l.shard_group : std::max(1.0, gpus_per_node / static_cast<double>(l.tp)));
        return {group, group, group};
    }
    }
    return {};
}

StateBytes training_states(const RankParameters& p, const Layout& l, const PrecisionRecipe& precision, int gpus_per_node, bool frozen)
{
    const ShardDegrees dense = shard_degrees(l, static_cast<double>(l.dp) * l.cp, gpus_per_node);
    const ShardDegrees expert = shard_degrees(l, l.expert_dp(), gpus_per_node);
    // Trained weights are kept in bf16 (FSDP with an fp32 master keeps 4 and 8 instead of 2 and 12: the same sum less the
    // bf16 copy). Low-precision recipes keep bf16 weights and cast per step.
    const double weight = frozen ? bytes_per_element(precision.weights) : (precision.optimizer_bytes < 10.0 ? 4.0 : 2.0);
    const double gradient = bytes_per_element(precision.gradients);
    StateBytes s;
    s.weights = Bytes{weight * (p.dense / dense.weights + p.experts / expert.weights) + 2.0 * p.adapters};
    if (frozen) {
        s.gradients = Bytes{gradient * p.adapters};
        s.optimizer = Bytes{precision.optimizer_bytes * p.adapters / dense.optimizer};
    } else {
        s.gradients = Bytes{gradient * (p.dense / dense.gradients + p.experts / expert.gradients)};
        s.optimizer = Bytes{precision.optimizer_bytes * (p.dense / dense.optimizer + p.experts / expert.optimizer)};
    }
    if (dense.weights > 1.0) {
        s.gathered = Bytes{2.0 * (2.0 * p.largest_layer + p.tables)};
        s.reducing = Bytes{frozen ? 0.0 : gradient * p.largest_layer};
    }
    return s;
}

} // namespace ridgepoint
