#include <algorithm>

#include "model/operators/blocks.h"

namespace ridgepoint {
namespace {

Emitter::Product linear(const OperatorContext& c, double rows, double n, double k, NumberFormat weights, double packed = 1.0)
{
    Emitter::Product p;
    p.rows = rows;
    p.n = n;
    p.k = k;
    p.packed = packed;
    p.weights = weights;
    p.arithmetic = c.precision.gemm;
    p.frozen = c.frozen_weights;
    p.adapter = (c.frozen_weights || c.served_adapters > 0.0) && c.lora.mlp;
    return p;
}

// bf16 in, bf16 out. Gated: read gate and up, write the product; backward reads them and the gradient, writes two.
void emit_activation(Emitter& emit, OperatorKind kind, double rows, double width, bool gated)
{
    const double element = 2.0 * rows * width;
    emit.traffic(kind, Bytes{(gated ? 3.0 : 2.0) * element}, Bytes{(gated ? 5.0 : 3.0) * element});
}

} // namespace

void emit_mlp_block(Emitter& emit, const LayerKind& kind, const TokenBatch& batch, const LayerParts& parts)
{
    const OperatorContext& c = emit.context();
    const double rows = batch.tokens();
    const double width = static_cast<double>(kind.ffn_width) / c.layout.tp;
    const double h = c.model.hidden;
    if (parts.communication && !c.model.parallel_block)
        emit_tp_enter(emit, rows);
    if (parts.mlp)
        emit.product(OperatorKind::gate_up_projection, linear(c, rows, (c.model.gated_mlp ? 2.0 : 1.0) * width, h, c.precision.weights, c.model.gated_mlp ? 2.0 : 1.0));
    if (parts.activations)
        emit_activation(emit, OperatorKind::activation, rows, width, c.model.gated_mlp);
    if (parts.mlp)
        emit.product(OperatorKind::down_projection, linear(c, rows, h, width, c.precision.weights));
    if (parts.communication)
        emit_tp_leave(emit, rows);
}

void emit_moe_block(Emitter& emit, const TokenBatch& batch, const LayerParts& parts)
{
    const OperatorContext& c = emit.context();
    const MixtureOfExperts& moe = c.model.moe;
    const Layout& l = c.layout;
    const double h = c.model.hidden;
    // Tokens whose routing this rank does: those of its tensor-parallel group are cut over the group's ranks.
    const double own = batch.tokens() / l.tp;
    // A served model with one attention group has all tokens on every rank: experts are computed where they are and the
    // all-reduce of the block sums them. Training, and attention data parallelism, send tokens to their experts.
    const bool sends = c.training || l.attention_dp;
    const double group_tokens = own * l.ep * l.etp; // of all ranks that share one copy of the experts
    const double local_experts = static_cast<double>(moe.experts) / l.ep;
    const double touched = touched_experts(moe, group_tokens);
    // Rows of the busiest rank's experts, spread over those that are touched at all.
    const double copies = group_tokens * moe.top_k / l.ep * c.moe_imbalance;
    const double rows_per_expert = copies / std::max(local_experts * touched, 1e-9);
    const double width = static_cast<double>(moe.expert_width) / l.etp;
    const double gate = c.model.gated_mlp ? 2.0 : 1.0;

    const ExpertTraffic traffic = expert_traffic(moe, c.groups.ep, own, l.ep);
    const double dispatch_element = bytes_per_element(emit.backward() ? NumberFormat::bf16 : c.precision.dispatch);
    const auto send = [&](OperatorKind kind, double element) {
        const Bytes all{traffic.copies * h * element * c.moe_imbalance};
        const bool kernels = l.expert_dispatch_rdma || (c.groups.ep.domains == 1 && !c.training);
        if (l.ep > 1 && kernels)
            emit.exchange(kind, all, Bytes{own * traffic.distinct_remote_domains * h * element * c.moe_imbalance}, c.groups.ep);
        else if (l.ep > 1)
            emit.collective(kind, Collective::all_to_all, Collective::all_to_all,
                Bytes{own * moe.top_k * h * element * c.moe_imbalance}, c.groups.ep);
        if (l.etp > 1) // every tensor rank of the expert needs the tokens of its peers
            emit.collective(OperatorKind::tp_all_gather, Collective::all_gather, Collective::reduce_scatter,
                Bytes{own * l.etp * moe.top_k * h * element}, place_group(c.cluster, l.etp, 1));
    };

    if (parts.mlp) {
        Emitter::Product router;
        router.rows = own;
        router.n = moe.experts;
        router.k = h;
        router.frozen = c.frozen_weights;
        emit.product(OperatorKind::router, router);
        emit.traffic(OperatorKind::router, Bytes{3.0 * 4.0 * own * moe.experts}, Bytes{2.0 * 4.0 * own * moe.experts}, 3);
        // Copy each token once per chosen expert, in bf16 (read and write), and back with the weighted sum. The kernels of
        // serving engines gather the rows as they read them (expert_layer_time is of such kernels).
        if (c.training)
            emit.traffic(OperatorKind::permute, Bytes{4.0 * copies * h}, Bytes{4.0 * copies * h}, 2);
    }
    if (parts.communication && sends)
        send(OperatorKind::ep_dispatch, dispatch_element);
    // NCCL delivers the copies by sender; they are sorted by expert on arrival and back before they leave. DeepEP and
    // HybridEP place them as they arrive.
    if (parts.mlp && c.training && l.ep > 1 && local_experts > 1.0 && !l.expert_dispatch_rdma)
        emit.traffic(OperatorKind::permute, Bytes{8.0 * copies * h}, Bytes{8.0 * copies * h}, 2);
    Emitter::Product expert = linear(c, rows_per_expert, gate * width, h, c.precision.expert_weights);
    expert.groups = local_experts * touched;
    expert.touched = 1.0;
    if (!c.training) // serving engines convert tokens before they sort or send them
        expert.quantized_rows = sends ? own : group_tokens;
    expert.adapter = expert.adapter && c.training; // adapters that are served have none on experts
    if (c.precision.native_fp4_experts)
        expert.arithmetic = Arithmetic::fp4;
    if (parts.mlp)
        emit.product(OperatorKind::expert_gate_up, expert);
    if (parts.activations)
        emit_activation(emit, OperatorKind::expert_activation, copies, width, c.model.gated_mlp);
    if (parts.mlp) {
        expert.n = h;
        expert.k = width;
        expert.quantized_rows = 0;
        emit.product(OperatorKind::expert_down, expert);
    }
    if (parts.communication && sends)
        send(OperatorKind::ep_combine, 2.0);
    if (parts.mlp)
        emit.traffic(OperatorKind::permute, Bytes{(2.0 * copies + 2.0 * own) * h}, Bytes{(2.0 * copies + 2.0 * own) * h}, 1);

    const double rows = batch.tokens();
    if (moe.shared_width > 0) {
        const double shared = static_cast<double>(moe.shared_width) / l.tp;
        if (parts.communication)
            emit_tp_enter(emit, rows);
        if (parts.mlp)
            emit.product(OperatorKind::shared_gate_up, linear(c, rows, gate * shared, h, c.precision.weights, gate));
        if (parts.activations)
            emit_activation(emit, OperatorKind::shared_activation, rows, shared, c.model.gated_mlp);
        if (parts.mlp)
            emit.product(OperatorKind::shared_down, linear(c, rows, h, shared, c.precision.weights));
    }
    if (parts.communication && (moe.shared_width > 0 || !sends))
        emit_tp_leave(emit, rows);
}

} // namespace ridgepoint
