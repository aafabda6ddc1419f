#include <algorithm>

#include "model/operators/blocks.h"

namespace ridgepoint {
namespace {

bool cut_sequence(const OperatorContext& c) { return c.layout.sequence_parallel && c.layout.tp > 1; }

Emitter::Product linear(const OperatorContext& c, double rows, double n, double k, bool adapter)
{
    Emitter::Product p;
    p.rows = rows;
    p.n = n;
    p.k = k;
    p.weights = c.precision.plain_attention ? NumberFormat::bf16 : c.precision.weights;
    p.arithmetic = c.precision.plain_attention ? Arithmetic::bf16 : c.precision.gemm;
    p.frozen = c.frozen_weights;
    p.adapter = (c.frozen_weights || c.served_adapters > 0.0) && adapter;
    return p;
}

// Heads of one rank. KV heads fewer than tensor ranks are replicated.
struct RankHeads {
    double query;
    double kv;
};
RankHeads heads_of(const OperatorContext& c, const Attention& a)
{
    const double tp = c.layout.tp;
    return {a.heads / tp, std::max(1.0, a.kv_heads / tp)};
}

// Keys that several sequences share are read once for all of them: a kernel over the shared keys with the queries of the whole
// group, one over each sequence's own keys, and the merge of both partial outputs by their softmax sums [Hydragen,
// arXiv:2402.05099, section 3.1]. Windows and sparse choices read keys of their own. Both parts count the store of the new token.
void emit_core(Emitter& emit, const AttentionShape& s, const TokenBatch& batch)
{
    if (batch.sharing <= 1.0 || batch.shared_keys <= 0.0 || s.window > 0.0)
        return emit.attention(s);
    AttentionShape shared = s, own = s;
    shared.sequences = s.sequences / batch.sharing;
    shared.queries = s.queries * batch.sharing;
    shared.keys = batch.shared_keys;
    shared.causal = false;
    own.keys = std::max(s.keys - batch.shared_keys, s.queries);
    emit.attention(shared);
    emit.attention(own);
    const double output = 2.0 * s.sequences * s.queries * s.query_heads * s.v_dim;
    emit.traffic(OperatorKind::attention, Bytes{3.0 * output}, Bytes{});
}

void emit_grouped(Emitter& emit, const LayerKind& kind, const TokenBatch& batch, const LayerParts& parts)
{
    const OperatorContext& c = emit.context();
    const Attention& a = kind.attention;
    const RankHeads heads = heads_of(c, a);
    const double rows = batch.tokens();
    const double h = c.model.hidden;

    if (parts.attention_projections) {
        Emitter::Product qkv = linear(c, rows, (a.output_gate ? 2.0 : 1.0) * heads.query * a.head_dim + heads.kv * (a.head_dim + a.value_head_dim), h, c.lora.attention);
        qkv.packed = 3.0;
        emit.product(OperatorKind::qkv_projection, qkv);
        if (c.model.learned_positions == 0 || a.qk_norm) {
            const double qk = 2.0 * rows * a.head_dim * (heads.query + heads.kv);
            emit.traffic(OperatorKind::rotary, Bytes{2.0 * qk}, Bytes{2.0 * qk}, a.qk_norm ? 2 : 1);
        }
    }
    if (parts.attention_core) {
        AttentionShape s;
        s.sequences = batch.sequences * batch.share;
        s.query_heads = heads.query;
        s.kv_heads = heads.kv;
        s.qk_dim = a.head_dim;
        s.v_dim = a.value_head_dim;
        s.queries = batch.queries;
        s.keys = batch.keys;
        s.window = kind.window;
        s.causal = batch.causal;
        s.fused = c.layout.fused_attention;
        s.arithmetic = c.precision.attention;
        s.kv = c.training ? NumberFormat::bf16 : c.precision.kv_cache;
        s.stores_cache = !c.training;
        emit_core(emit, s, batch);
    }
    if (parts.attention_projections) {
        if (a.output_gate) {
            const double gated = 3.0 * 2.0 * rows * heads.query * a.value_head_dim;
            emit.traffic(OperatorKind::activation, Bytes{gated}, Bytes{gated});
        }
        emit.product(OperatorKind::output_projection, linear(c, rows, h, heads.query * a.value_head_dim, c.lora.attention));
    }
}

// Gated delta rule [Yang 2024, arXiv:2412.06464]. Decode reads and writes the state of every sequence; longer blocks
// work in chunks of 64 tokens: attention inside the chunk, and products with the state between chunks (section 3.3).
void emit_linear(Emitter& emit, const LayerKind& kind, const TokenBatch& batch, const LayerParts& parts)
{
    constexpr double chunk = 64.0;
    const OperatorContext& c = emit.context();
    const Attention& a = kind.attention;
    const RankHeads heads = heads_of(c, a);
    const double rows = batch.tokens();
    const double key = heads.kv * a.head_dim;
    const double value = heads.query * a.value_head_dim;
    if (parts.attention_projections) {
        emit.product(OperatorKind::qkv_projection, linear(c, rows, 2.0 * key + 2.0 * value + 2.0 * heads.query, c.model.hidden, c.lora.attention));
        // Convolution and activation, normalized Q and K, gated norm of the output.
        const double moved = 2.0 * rows * (2.0 * (2.0 * key + value) + 3.0 * value);
        emit.traffic(OperatorKind::rotary, Bytes{moved}, Bytes{1.5 * moved}, 3);
    }
    if (parts.attention_core) {
        const double state = heads.query * a.head_dim * a.value_head_dim;
        const double sequences = batch.sequences * batch.share;
        if (batch.queries < chunk) {
            emit.recurrence(2.0 * 4.0 * state * sequences, 6.0 * state * rows);
        } else {
            AttentionShape s;
            s.sequences = sequences;
            s.query_heads = s.kv_heads = heads.query;
            s.qk_dim = a.head_dim;
            s.v_dim = a.value_head_dim;
            s.queries = batch.queries;
            s.keys = batch.queries;
            s.window = chunk;
            s.stores_cache = false;
            emit.attention(s);
            emit.recurrence(2.0 * 2.0 * state * std::max(1.0, batch.queries / chunk) * sequences, 6.0 * state * rows);
        }
    }
    if (parts.attention_projections)
        emit.product(OperatorKind::output_projection, linear(c, rows, c.model.hidden, value, c.lora.attention));
}


// The lightning indexer of sparse attention: its projections, the scores of all keys, and the choice of the best
// [DeepSeek-V3.2, arXiv:2512.02556, section 2.1]. Not cut by tensor parallelism; keys are kept in fp8.
void emit_indexer(Emitter& emit, const Attention& a, const TokenBatch& batch, const LayerParts& parts)
{
    const OperatorContext& c = emit.context();
    const double rows = batch.tokens();
    const double scored = rows * std::max(batch.keys - 0.5 * (batch.queries - 1.0), 1.0); // pairs, causal
    if (parts.attention_projections) {
        emit.product(OperatorKind::q_up_projection, linear(c, rows, static_cast<double>(a.index_heads) * a.index_dim, a.q_lora_rank, false));
        emit.product(OperatorKind::kv_down_projection, linear(c, rows, static_cast<double>(a.index_dim) + a.index_heads, c.model.hidden, false));
    }
    if (parts.attention_core)
        emit.recurrence(batch.sequences * batch.share * batch.keys * a.index_dim + 8.0 * scored, 2.0 * a.index_heads * a.index_dim * scored);
}

// Multi-head latent attention. Training and prefill expand the latent to heads; decode absorbs the expansion into the
// query and the output and attends over the latent itself [DeepSeek-V2, section 2.1.2; FlashMLA].
void emit_latent(Emitter& emit, const LayerKind& kind, const TokenBatch& batch, const LayerParts& parts)
{
    const OperatorContext& c = emit.context();
    const Attention& a = kind.attention;
    const double heads = heads_of(c, a).query;
    const double rows = batch.tokens();
    const double h = c.model.hidden;
    const double qk = a.qk_nope_head_dim + a.qk_rope_head_dim;
    const double latent = a.kv_lora_rank + a.qk_rope_head_dim;
    // The down projections are not cut by tensor parallelism; sequence parallelism cuts their rows.
    const double down_rows = cut_sequence(c) && c.training ? rows / c.layout.tp : rows;
    if (a.index_top_k > 0 && batch.keys > a.index_top_k)
        emit_indexer(emit, a, batch, parts);
    const bool absorbed = !c.training && batch.queries * 4.0 <= batch.keys;

    if (parts.attention_projections && a.q_lora_rank > 0)
        emit.product(OperatorKind::q_down_projection, linear(c, down_rows, a.q_lora_rank, h, c.lora.attention));
    if (parts.latent_up && a.q_lora_rank > 0) {
        emit_norm(emit, OperatorKind::norm, down_rows, a.q_lora_rank);
        emit.product(OperatorKind::q_up_projection, linear(c, rows, heads * qk, a.q_lora_rank, c.lora.attention));
    }
    if (parts.attention_projections && a.q_lora_rank == 0)
        emit.product(OperatorKind::q_up_projection, linear(c, rows, heads * qk, h, c.lora.attention));
    if (parts.attention_projections)
        emit.product(OperatorKind::kv_down_projection, linear(c, down_rows, latent, h, c.lora.attention));
    if (parts.latent_up) {
        emit_norm(emit, OperatorKind::norm, down_rows, a.kv_lora_rank);
        if (absorbed) {
            Emitter::Product p = linear(c, rows, a.kv_lora_rank, a.qk_nope_head_dim, false);
            p.groups = heads;
            p.arithmetic = Arithmetic::bf16;
            p.weights = NumberFormat::bf16;
            emit.product(OperatorKind::kv_up_projection, p);
        } else {
            emit.product(OperatorKind::kv_up_projection,
                linear(c, rows, heads * (a.qk_nope_head_dim + a.value_head_dim), a.kv_lora_rank, c.lora.attention));
        }
        emit.traffic(OperatorKind::rotary, Bytes{4.0 * rows * (heads * qk + latent)}, Bytes{4.0 * rows * (heads * qk + latent)});
    }
    if (parts.attention_core) {
        AttentionShape s;
        s.sequences = batch.sequences * batch.share;
        s.query_heads = heads;
        s.queries = batch.queries;
        s.keys = batch.keys;
        s.window = absorbed && a.index_top_k > 0 ? a.index_top_k : kind.window; // a whole prompt is cheaper with all keys
        s.causal = batch.causal;
        s.fused = c.layout.fused_attention;
        s.arithmetic = c.precision.attention;
        s.kv = c.training ? NumberFormat::bf16 : c.precision.kv_cache;
        s.stores_cache = !c.training;
        if (absorbed) {
            s.latent = true;
            s.kv_heads = 1;
            s.qk_dim = latent;
            s.v_dim = a.kv_lora_rank;
        } else {
            s.kv_heads = heads;
            s.qk_dim = qk;
            s.v_dim = a.value_head_dim;
        }
        emit_core(emit, s, batch);
    }
    if (parts.attention_projections) {
        if (absorbed) {
            Emitter::Product p = linear(c, rows, a.value_head_dim, a.kv_lora_rank, false);
            p.groups = heads;
            p.arithmetic = Arithmetic::bf16;
            p.weights = NumberFormat::bf16;
            emit.product(OperatorKind::kv_up_projection, p);
        }
        emit.product(OperatorKind::output_projection, linear(c, rows, h, heads * a.value_head_dim, c.lora.attention));
    }
}

// Context parallelism moves keys and values (ring, all-gather) or re-cuts heads against sequence (Ulysses).
void emit_context_exchange(Emitter& emit, const LayerKind& kind, const TokenBatch& batch)
{
    const OperatorContext& c = emit.context();
    if (c.layout.cp <= 1)
        return;
    const Attention& a = kind.attention;
    const RankHeads heads = heads_of(c, a);
    const bool latent = a.kind == AttentionKind::latent;
    const double kv_width = latent ? heads.query * (a.qk_nope_head_dim + a.qk_rope_head_dim + a.value_head_dim)
                                   : heads.kv * (a.head_dim + a.value_head_dim);
    const double q_width = heads.query * (latent ? a.qk_nope_head_dim + a.qk_rope_head_dim + a.value_head_dim : a.head_dim + a.value_head_dim);
    const double local = 2.0 * batch.tokens(); // bytes per element of width, bf16
    const int cp = c.layout.cp;
    switch (c.layout.context_kind) {
    case ContextParallelKind::ring: {
        // cp - 1 hops of the local KV; backward carries KV and its gradient.
        const double passes = (cp - 1.0) * (emit.backward() ? 2.0 : 1.0);
        const CollectiveCost hop = collective_cost({Collective::send_recv, Bytes{local * kv_width}, c.groups.cp}, c.cluster, c.collectives);
        Operator op;
        op.kind = OperatorKind::cp_exchange;
        op.nvlink = passes * hop.nvlink;
        op.network = passes * hop.network;
        op.time = passes * hop.time;
        emit.add(op);
        break;
    }
    case ContextParallelKind::all_gather:
        emit.collective(OperatorKind::cp_exchange, Collective::all_gather, Collective::reduce_scatter, Bytes{local * kv_width * cp}, c.groups.cp);
        break;
    case ContextParallelKind::ulysses:
        // Q, K, V before and the output after, as one buffer each way.
        emit.collective(OperatorKind::cp_exchange, Collective::all_to_all, Collective::all_to_all, Bytes{local * (q_width + kv_width)}, c.groups.cp);
        break;
    }
}

} // namespace

double norm_rows(const OperatorContext& c, const TokenBatch& batch)
{
    return cut_sequence(c) && c.training ? batch.tokens() / c.layout.tp : batch.tokens();
}

void emit_norm(Emitter& emit, OperatorKind kind, double rows, double hidden)
{
    // Read and write forward; read the gradient and the input, write the gradient backward (bf16).
    emit.traffic(kind, Bytes{4.0 * rows * hidden}, Bytes{6.0 * rows * hidden});
}

void emit_residual(Emitter& emit, double rows, double hidden)
{
    // Two reads and a write forward; the gradients of both branches are summed backward.
    emit.traffic(OperatorKind::residual, Bytes{6.0 * rows * hidden}, Bytes{6.0 * rows * hidden});
}

void emit_tp_enter(Emitter& emit, double rows)
{
    const OperatorContext& c = emit.context();
    const Bytes buffer{2.0 * rows * c.model.hidden};
    if (!c.training || c.layout.tp <= 1)
        return;
    if (cut_sequence(c)) {
        emit.collective(OperatorKind::tp_all_gather, Collective::all_gather, Collective::reduce_scatter, buffer, c.groups.tp);
        // The gathered input is not kept: backward gathers it again for the weight gradient [Korthikanti 2022, section 4.2.2].
        if (emit.backward() && !c.frozen_weights)
            emit.collective(OperatorKind::tp_all_gather, Collective::all_gather, Collective::all_gather, buffer, c.groups.tp);
    } else if (emit.backward()) {
        emit.collective(OperatorKind::tp_all_reduce, Collective::all_reduce, Collective::all_reduce, buffer, c.groups.tp);
    }
}

void emit_tp_leave(Emitter& emit, double rows)
{
    const OperatorContext& c = emit.context();
    const Bytes buffer{2.0 * rows * c.model.hidden};
    if (cut_sequence(c) && c.training)
        emit.collective(OperatorKind::tp_reduce_scatter, Collective::reduce_scatter, Collective::all_gather, buffer, c.groups.tp);
    else if (!emit.backward())
        emit.collective(OperatorKind::tp_all_reduce, Collective::all_reduce, Collective::all_reduce, buffer, c.groups.tp);
}

void emit_attention_block(Emitter& emit, const LayerKind& kind, const TokenBatch& batch, const LayerParts& parts)
{
    if (parts.communication)
        emit_tp_enter(emit, batch.tokens());
    if (kind.attention.kind == AttentionKind::latent)
        emit_latent(emit, kind, batch, parts);
    else if (kind.attention.kind == AttentionKind::linear)
        emit_linear(emit, kind, batch, parts);
    else
        emit_grouped(emit, kind, batch, parts);
    if (parts.attention_core)
        emit_context_exchange(emit, kind, batch);
    // Attention and MLP of a parallel block are summed before one reduction, which the MLP emits.
    if (parts.communication && !emit.context().model.parallel_block)
        emit_tp_leave(emit, batch.tokens());
}

} // namespace ridgepoint
