#include "model/schedule/layer_time.h"

#include <algorithm>

namespace ridgepoint {
namespace {

// Share of a window that communication can really use: the kernels at its edges depend on each other.
constexpr double usable_window = 0.9;

void mark_hidden(std::span<Operator> operators, bool (*is_of)(OperatorKind), Seconds exposed_time, Seconds whole)
{
    const double hidden = whole.value() > 0 ? 1.0 - exposed_time.value() / whole.value() : 0.0;
    for (Operator& op : operators)
        if (is_of(op.kind))
            op.hidden = std::clamp(hidden, 0.0, 1.0);
}

bool is_tp(OperatorKind k) { return k == OperatorKind::tp_all_reduce || k == OperatorKind::tp_all_gather || k == OperatorKind::tp_reduce_scatter; }
bool is_cp(OperatorKind k) { return k == OperatorKind::cp_exchange; }
bool is_ep(OperatorKind k) { return k == OperatorKind::ep_dispatch || k == OperatorKind::ep_combine; }

} // namespace

LayerTime& LayerTime::operator+=(const LayerTime& o)
{
    gemm += o.gemm;
    attention += o.attention;
    elementwise += o.elementwise;
    tp += o.tp;
    cp += o.cp;
    ep += o.ep;
    host += o.host;
    tp_hidden += o.tp_hidden;
    cp_hidden += o.cp_hidden;
    ep_hidden += o.ep_hidden;
    return *this;
}

LayerTime& LayerTime::operator*=(double k)
{
    gemm *= k;
    attention *= k;
    elementwise *= k;
    tp *= k;
    cp *= k;
    ep *= k;
    host *= k;
    tp_hidden *= k;
    cp_hidden *= k;
    ep_hidden *= k;
    return *this;
}

LayerTime operator*(double k, LayerTime t) { return t *= k; }
LayerTime operator+(LayerTime a, const LayerTime& b) { return a += b; }

OverlapRules overlap_rules(const Layout& l, Seconds host_per_launch, Seconds host_per_moe_layer, double ep_hidden)
{
    OverlapRules r;
    r.tp = l.overlap_tp && l.tp > 1;
    r.tp_degree = l.tp;
    r.ring_cp = l.cp > 1 && l.context_kind == ContextParallelKind::ring;
    r.cp_degree = l.cp;
    r.ep = l.overlap_moe && l.ep > 1;
    r.ep_hidden = ep_hidden;
    r.host_per_launch = l.cuda_graphs ? Seconds{} : host_per_launch;
    r.host_per_moe_layer = l.cuda_graphs ? Seconds{} : host_per_moe_layer;
    return r;
}

LayerTime layer_time(std::span<Operator> operators, const OverlapRules& rules)
{
    LayerTime t;
    AttributedTime tp, cp, ep;
    int launches = 0;
    double routed = 0.0; // passes through a router and its experts
    for (const Operator& op : operators) {
        ++launches;
        if (op.kind == OperatorKind::permute)
            routed = op.phase == Phase::backward ? 2.0 : 1.0;
        if (is_tp(op.kind))
            tp += op.time;
        else if (is_cp(op.kind))
            cp += op.time;
        else if (is_ep(op.kind))
            ep += op.time;
        else if (class_of(op.kind) == OperatorClass::attention)
            t.attention += op.time;
        else if (class_of(op.kind) == OperatorClass::gemm && op.flops > Flops{})
            t.gemm += op.time;
        else
            t.elementwise += op.time;
    }
    t.tp = tp;
    if (rules.tp) // the first tile of each collective has nothing to hide behind
        t.tp = larger(tp * (1.0 / rules.tp_degree), exposed(tp, usable_window * t.gemm));
    t.cp = rules.ring_cp ? exposed(cp, (1.0 - 1.0 / rules.cp_degree) * t.attention) : cp;
    t.ep = rules.ep ? larger((1.0 - rules.ep_hidden) * ep, exposed(ep, usable_window * t.compute())) : ep;
    t.tp_hidden = tp.total() - t.tp.total();
    t.cp_hidden = cp.total() - t.cp.total();
    t.ep_hidden = ep.total() - t.ep.total();
    mark_hidden(operators, is_tp, t.tp.total(), tp.total());
    mark_hidden(operators, is_cp, t.cp.total(), cp.total());
    mark_hidden(operators, is_ep, t.ep.total(), ep.total());

    const AttributedTime gpu = t.compute() + t.tp + t.cp + t.ep;
    const Seconds waits = rules.host_per_moe_layer * routed;
    const AttributedTime host{Resource::latency, rules.host_per_launch * static_cast<double>(launches) + waits};
    // A host that runs ahead is hidden whole. One that must read the router's counts before it can launch the experts is
    // late in some stretches of the layer and early in others: the two add as a root of squares, not as a maximum.
    t.host = waits > Seconds{} ? smooth_maximum(gpu, host, 2.0) - gpu : exposed(host, gpu);
    return t;
}

} // namespace ridgepoint
