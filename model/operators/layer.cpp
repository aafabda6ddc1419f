#include "model/operators/layer.h"

#include <algorithm>
#include <cmath>

#include "model/operators/blocks.h"

namespace ridgepoint {

LayerParts all_parts() { return {}; }

LayerParts recomputed_parts(Recompute policy, bool moe)
{
    LayerParts p{false, false, false, false, false, false, false};
    switch (policy) {
    case Recompute::none:
        break;
    case Recompute::selective:
        p.attention_core = true;
        break;
    case Recompute::full:
        p = all_parts();
        break;
    case Recompute::attention:
        p.attention_projections = p.latent_up = p.attention_core = p.communication = true;
        break;
    case Recompute::mlp:
        p.mlp = p.activations = p.communication = !moe;
        break;
    case Recompute::norm_activation:
        p.norms = p.activations = true;
        break;
    case Recompute::latent_up:
        p.latent_up = true;
        break;
    }
    return p;
}

void emit_layer(Emitter& emit, const LayerKind& kind, const TokenBatch& batch, const LayerParts& parts)
{
    const Transformer& model = emit.context().model;
    const double rows = norm_rows(emit.context(), batch);
    if (!kind.attention_free) {
        if (parts.norms)
            emit_norm(emit, OperatorKind::norm, rows, model.hidden);
        emit_attention_block(emit, kind, batch, parts);
        if (parts.norms)
            emit_residual(emit, rows, model.hidden);
    }
    if (kind.moe || kind.ffn_width > 0) {
        if (parts.norms)
            for (int extra = 1; extra < std::max(model.norms_per_layer, 1); ++extra)
                emit_norm(emit, OperatorKind::norm, rows, model.hidden);
        if (kind.moe)
            emit_moe_block(emit, batch, parts);
        else
            emit_mlp_block(emit, kind, batch, parts);
        if (parts.norms && !model.parallel_block)
            emit_residual(emit, rows, model.hidden);
    }
}

void emit_embedding(Emitter& emit, const TokenBatch& batch)
{
    const double row = 2.0 * emit.context().model.hidden * batch.tokens();
    // Forward: gather and write. Backward: read the gradient, scatter-add into the fp32 table.
    emit.traffic(OperatorKind::embedding, Bytes{2.0 * row}, Bytes{row + 2.0 * 2.0 * row});
}

void emit_head(Emitter& emit, double rows)
{
    const OperatorContext& c = emit.context();
    const double vocab = static_cast<double>(c.model.vocab) / c.layout.tp;
    const double norm = c.layout.sequence_parallel && c.training ? rows / c.layout.tp : rows;
    emit_norm(emit, OperatorKind::final_norm, norm, c.model.hidden);
    emit_tp_enter(emit, rows);
    Emitter::Product head;
    head.rows = rows;
    head.n = vocab;
    head.k = c.model.hidden;
    head.arithmetic = c.precision.lm_head;
    head.frozen = c.frozen_weights;
    emit.product(OperatorKind::lm_head, head);
    if (c.training) {
        // Logits in fp32: cast, maximum, exponent and sum forward (three passes); gradient in place backward (two).
        emit.traffic(OperatorKind::cross_entropy, Bytes{(2.0 + 3.0 * 4.0) * rows * vocab}, Bytes{(4.0 + 2.0) * rows * vocab}, 4);
        // Three scalars per token: maximum, target logit, sum of exponents.
        for (int i = 0; i < 3 && !emit.backward(); ++i)
            emit.collective(OperatorKind::tp_all_reduce, Collective::all_reduce, Collective::all_reduce, Bytes{4.0 * rows}, c.groups.tp);
    } else {
        emit.collective(OperatorKind::tp_all_gather, Collective::all_gather, Collective::all_gather, Bytes{2.0 * rows * c.model.vocab}, c.groups.tp);
        emit.traffic(OperatorKind::sampling, Bytes{3.0 * 4.0 * rows * c.model.vocab}, {}, 3);
    }
}

double touched_experts(const MixtureOfExperts& moe, double tokens)
{
    if (moe.experts <= 0)
        return 0.0;
    const double miss = 1.0 - static_cast<double>(moe.top_k) / moe.experts;
    return miss <= 0.0 ? 1.0 : 1.0 - std::pow(miss, tokens);
}

ExpertTraffic expert_traffic(const MixtureOfExperts& moe, const GroupPlacement& group, double tokens, int ep)
{
    ExpertTraffic t;
    if (ep <= 1)
        return t;
    t.copies = tokens * moe.top_k * (ep - 1.0) / ep;
    if (group.domains > 1) {
        const double domains = group.domains;
        double visited = domains * (1.0 - std::pow(1.0 - 1.0 / domains, moe.top_k));
        if (moe.node_limit > 0)
            visited = std::min(visited, static_cast<double>(moe.node_limit));
        t.distinct_remote_domains = visited * (domains - 1.0) / domains;
    }
    return t;
}

} // namespace ridgepoint
