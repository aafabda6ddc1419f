#include "model/operators/emitter.h"

namespace ridgepoint {
namespace {

// NCCL takes over where it is faster.
AttributedTime peer_all_reduce(Bytes buffer, const GroupPlacement& group, const Cluster& cluster, const ExchangeLaw& law)
{
    const BytesPerSecond link = cluster.accelerator.nvlink_per_direction;
    if (group.domains > 1 || link <= BytesPerSecond{} || law.latency <= Seconds{})
        return {Resource::latency, seconds(1e9)}; // no such kernel
    const double n = group.ranks;
    return AttributedTime{Resource::latency, law.latency}
        + AttributedTime{Resource::nvlink, 2.0 * (n - 1.0) / n * buffer / (law.fraction * link)};
}

// Elements of an adapter per unit of its rank: an A of k for every packed matrix, B as wide as all of them.
double adapter_width(const Emitter::Product& p) { return p.packed * p.k + p.n; }

} // namespace

Emitter::Emitter(const OperatorContext& context, Phase phase, std::uint8_t layer_kind, OperatorList& out)
    : m_context(context)
    , m_phase(phase)
    , m_layer_kind(layer_kind)
    , m_out(out)
{
}

void Emitter::add(const Operator& op)
{
    m_out.push_back(op);
    m_out.back().phase = m_phase;
    m_out.back().layer_kind = m_layer_kind;
}

void Emitter::gemm(OperatorKind kind, const GemmShape& shape, Flops model_flops)
{
    const Work work = gemm_work(shape);
    Operator op;
    op.kind = kind;
    op.flops = work.flops;
    op.model_flops = model_flops;
    op.hbm = work.hbm;
    op.time = gemm_time(shape, m_context.cluster.accelerator, m_context.kernels);
    op.m = shape.m;
    op.n = shape.n;
    op.k = shape.k;
    add(op);
}

void Emitter::product(OperatorKind kind, const Product& p)
{
    GemmShape s;
    s.m = p.rows;
    s.n = p.n;
    s.k = p.k;
    s.groups = p.groups;
    s.touched = p.touched;
    s.quantized_rows = p.quantized_rows;
    s.arithmetic = p.arithmetic;
    s.a = p.arithmetic == Arithmetic::bf16 ? NumberFormat::bf16 : m_context.precision.activations;
    s.b = p.weights;
    // Serving engines convert per-tensor and NVFP4 activations inside the norm or activation before; training and block
    // scales run a kernel for it.
    const bool fused = !m_context.training && p.weights != NumberFormat::fp8_block;
    s.quantize_a = bytes_per_element(s.a) < 2.0 && !fused;
    const Flops exact{2.0 * p.rows * p.n * p.k * p.groups};

    if (!backward()) {
        gemm(kind, s, m_phase == Phase::recompute ? Flops{} : exact);
    } else {
        GemmShape input = s; // dX = dY W^T
        input.n = p.k;
        input.k = p.n;
        gemm(kind, input, exact);
        if (!p.frozen) {
            GemmShape weight = s; // dW = X^T dY, accumulated into the gradient buffer
            weight.m = p.k;
            weight.k = p.rows;
            weight.b = s.a;
            weight.c = m_context.precision.gradients;
            weight.touched = 1.0;
            weight.quantize_a = false; // both operands were converted, and transposed, for the two products before
            gemm(kind, weight, exact);
        }
    }
    if (p.adapter && m_context.training)
        adapters(p);
    else if (p.adapter && m_context.served_adapters > 0.0)
        served_adapters(p);
}

// y += B (A x) with A: r x k and B: n x r; both in bf16, both trained.
void Emitter::adapters(const Product& p)
{
    const double r = m_context.lora.rank;
    GemmShape down{p.rows, r, p.k};
    GemmShape up{p.rows, p.n, r};
    const double passes = backward() ? 2.0 : 1.0;
    Operator op;
    op.kind = OperatorKind::lora;
    op.flops = Flops{passes * 2.0 * p.rows * r * (p.k + p.n)};
    op.model_flops = m_phase == Phase::recompute ? Flops{} : op.flops;
    op.hbm = passes * (gemm_work(down).hbm + gemm_work(up).hbm);
    op.time = gemm_time(down, m_context.cluster.accelerator, m_context.kernels) + gemm_time(up, m_context.cluster.accelerator, m_context.kernels);
    op.time *= passes;
    op.m = p.rows;
    op.n = p.n;
    op.k = r;
    add(op);
    traffic(OperatorKind::lora, Bytes{6.0 * p.rows * p.n}, Bytes{6.0 * p.rows * p.k});
}

// The addon of every token by its own adapter, as two kernels over all tokens, shrink and expand [Punica, arXiv:2310.18547,
// section 4]: the weights of each distinct adapter are streamed once, the inner rows pass through memory in fp32, the output is
// read and written again. The sum of both is taken as a kernel that moves bytes at the attained bandwidth plus products at the
// attained bf16 rate; no published fit of these kernels is in it.
void Emitter::served_adapters(const Product& p)
{
    const double inner = m_context.lora.rank * p.packed * p.rows;
    const double weights = m_context.served_adapters * m_context.lora.rank * adapter_width(p);
    const double rate = m_context.cluster.accelerator.dense_peak(Arithmetic::bf16).value()
        * m_context.kernels.gemm[static_cast<std::size_t>(GemmKind::bf16)].peak_fraction;
    Operator op;
    op.kind = OperatorKind::lora;
    op.flops = op.model_flops = Flops{2.0 * p.rows * m_context.lora.rank * adapter_width(p)};
    op.hbm = Bytes{2.0 * weights + 2.0 * p.rows * p.k + 2.0 * 4.0 * inner + 2.0 * 2.0 * p.rows * p.n};
    op.time = memory_time(op.hbm, 2.0, m_context.cluster.accelerator, m_context.kernels);
    if (rate > 0.0)
        op.time += AttributedTime{Resource::compute, Seconds{op.flops.value() / rate}};
    op.m = p.rows;
    op.n = p.n;
    op.k = m_context.lora.rank;
    add(op);
}

void Emitter::attention(const AttentionShape& shape)
{
    const Work forward = attention_work(shape);
    const Flops model = attention_model_flops(shape);
    Operator op;
    op.kind = OperatorKind::attention;
    if (backward()) {
        const Work work = attention_backward_work(shape);
        op.flops = work.flops;
        op.hbm = work.hbm;
        op.model_flops = 2.0 * model;
        op.time = attention_backward_time(shape, m_context.cluster.accelerator, m_context.kernels);
    } else {
        op.flops = forward.flops;
        op.hbm = forward.hbm;
        op.model_flops = m_phase == Phase::recompute ? Flops{} : model;
        op.time = attention_time(shape, m_context.cluster.accelerator, m_context.kernels);
    }
    op.m = shape.queries * shape.sequences;
    op.n = shape.keys;
    op.k = shape.qk_dim;
    add(op);
}

void Emitter::recurrence(double bytes, double flops)
{
    const double passes = backward() ? 2.0 : 1.0;
    const double rate = m_context.cluster.accelerator.dense_peak(Arithmetic::bf16).value()
        * m_context.kernels.gemm[static_cast<std::size_t>(GemmKind::bf16)].peak_fraction;
    Operator op;
    op.kind = OperatorKind::attention;
    op.flops = Flops{passes * flops};
    op.model_flops = m_phase == Phase::recompute ? Flops{} : op.flops;
    op.hbm = Bytes{passes * bytes};
    op.time = memory_time(op.hbm, 2.0, m_context.cluster.accelerator, m_context.kernels);
    if (rate > 0.0)
        op.time += AttributedTime{Resource::compute, Seconds{op.flops.value() / rate}};
    add(op);
}

void Emitter::traffic(OperatorKind kind, Bytes forward, Bytes backward_bytes, double launches)
{
    Operator op;
    op.kind = kind;
    op.hbm = backward() ? backward_bytes : forward;
    if (op.hbm <= Bytes{})
        return;
    op.hbm *= m_context.memory_passes;
    op.time = memory_time(op.hbm, launches, m_context.cluster.accelerator, m_context.kernels);
    add(op);
}

void Emitter::collective(OperatorKind kind, Collective forward, Collective backward_op, Bytes buffer, const GroupPlacement& group)
{
    if (group.ranks <= 1)
        return;
    CollectiveCost cost = collective_cost({backward() ? backward_op : forward, buffer, group}, m_context.cluster, m_context.collectives);
    if (!m_context.training && forward == Collective::all_reduce)
        cost.time = smaller(cost.time, peer_all_reduce(buffer, group, m_context.cluster, m_context.collectives.domain.peer_all_reduce));
    if (kind == OperatorKind::ep_dispatch || kind == OperatorKind::ep_combine)
        cost.time *= 1.0 / (group.domains > 1 ? m_context.collectives.fabric.routed_share : m_context.collectives.domain.routed_share);
    Operator op;
    op.kind = kind;
    op.nvlink = cost.nvlink;
    op.network = cost.network;
    op.time = cost.time;
    add(op);
}

void Emitter::exchange(OperatorKind kind, Bytes bytes, Bytes network_bytes, const GroupPlacement& group)
{
    if (group.ranks <= 1)
        return;
    const CollectiveCost cost = expert_exchange_cost(bytes, network_bytes, group, m_context.cluster, m_context.collectives);
    Operator op;
    op.kind = kind;
    op.nvlink = cost.nvlink;
    op.network = cost.network;
    op.time = cost.time;
    add(op);
}

} // namespace ridgepoint
