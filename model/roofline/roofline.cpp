#include "model/roofline/roofline.h"

#include <algorithm>

#include <fmt/format.h>

#include "model/units/format.h"

namespace ridgepoint {
namespace {

Arithmetic arithmetic_of(const Operator& op, const PrecisionRecipe& precision)
{
    switch (op.kind) {
    case OperatorKind::attention:
        return precision.attention;
    case OperatorKind::lm_head:
        return precision.lm_head;
    case OperatorKind::router:
    case OperatorKind::lora:
        return Arithmetic::bf16;
    default:
        return precision.gemm;
    }
}

std::string upper(std::string_view s)
{
    std::string out(s);
    std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c); });
    return out;
}

// The network that takes longer for its bytes decides the vertical position.
RidgelinePoint ridgeline_point(std::string label, Flops flops, Bytes hbm, Bytes nvlink, Bytes network, const Cluster& cluster, Seconds time)
{
    RidgelinePoint p;
    p.label = std::move(label);
    p.arithmetic_intensity = flops / hbm;
    p.total_time = time;
    const BytesPerSecond link = cluster.accelerator.nvlink_per_direction;
    const BytesPerSecond nic = cluster.node.network_per_accelerator();
    const double over_link = link > BytesPerSecond{} ? (nvlink / link).value() : 0.0;
    const double over_nic = nic > BytesPerSecond{} ? (network / nic).value() : 0.0;
    p.network = over_nic >= over_link ? MemoryLevel::network : MemoryLevel::nvlink;
    const Bytes slower = p.network == MemoryLevel::network ? network : nvlink;
    p.memory_intensity = slower > Bytes{} ? hbm / slower : 0.0;
    return p;
}

} // namespace

std::string_view name_of(MemoryLevel l)
{
    switch (l) {
    case MemoryLevel::hbm:
        return "HBM";
    case MemoryLevel::nvlink:
        return "NVLink";
    case MemoryLevel::network:
        return "Network";
    }
    return "";
}

FlopPerByte ridge_point(FlopPerSecond peak, BytesPerSecond bandwidth) { return peak / bandwidth; }

FlopPerSecond attainable(FlopPerSecond peak, BytesPerSecond bandwidth, FlopPerByte intensity) { return std::min(peak, bandwidth * intensity); }

RooflineModel roofline_of(const Estimate& estimate, const Job& job)
{
    RooflineModel out;
    const Accelerator& gpu = job.cluster.accelerator;
    for (std::size_t i = 0; i < arithmetic_count; ++i) {
        const auto a = static_cast<Arithmetic>(i);
        if (!gpu.supports(a))
            continue;
        const bool used = a == job.precision.gemm || a == job.precision.attention || a == job.precision.lm_head;
        out.compute.push_back({fmt::format("{} dense {}", upper(name_of(a)), format(gpu.dense_peak(a))), a, gpu.dense_peak(a), used});
    }
    const auto slope = [&](MemoryLevel level, std::string name, BytesPerSecond bandwidth) {
        if (bandwidth > BytesPerSecond{})
            out.bandwidth.push_back({fmt::format("{} {}", name, format(bandwidth)), level, bandwidth});
    };
    slope(MemoryLevel::hbm, "HBM", gpu.hbm_bandwidth);
    slope(MemoryLevel::nvlink, "NVLink, one way", gpu.nvlink_per_direction);
    const char* fabric = job.cluster.fabric.kind == FabricKind::efa ? "EFA per GPU" : "Network per GPU";
    if (job.cluster.nodes > 1 || job.cluster.node.network_per_accelerator() > BytesPerSecond{})
        slope(MemoryLevel::network, fabric, job.cluster.node.network_per_accelerator());

    Flops flops;
    Bytes hbm, nvlink, network;
    for (std::size_t i = 0; i < estimate.operators.size(); ++i) {
        const Operator& op = estimate.operators[i];
        flops += op.flops * op.count;
        hbm += op.hbm * op.count;
        nvlink += op.nvlink * op.count;
        network += op.network * op.count;
        if (op.flops <= Flops{} || op.hbm <= Bytes{} || op.time.total() <= Seconds{}) {
            ++out.not_plottable;
            continue;
        }
        RooflinePoint p;
        p.operator_index = i;
        p.intensity = op.intensity();
        p.achieved = op.flops / op.time.total();
        p.total_time = op.total_time();
        p.bound = op.time.bound();
        p.of_roof = p.achieved / attainable(gpu.dense_peak(arithmetic_of(op, job.precision)), gpu.hbm_bandwidth, p.intensity);
        out.points.push_back(p);
    }
    // The ridgeline needs all three: computation and its communication per layer kind and phase, and the whole step.
    if (flops > Flops{} && hbm > Bytes{})
        out.ridgeline.push_back(ridgeline_point("Whole step, one GPU", flops, hbm, nvlink, network, job.cluster, estimate.time.total()));
    if (!out.ridgeline.empty())
        out.ridgeline.back().whole_step = true;
    for (Phase phase : {Phase::forward, Phase::recompute, Phase::backward, Phase::prefill, Phase::decode})
        for (std::size_t kind = 0; kind < job.model.kinds.size(); ++kind) {
            Flops f;
            Bytes h, l, n;
            Seconds t;
            for (const Operator& op : estimate.operators)
                if (op.phase == phase && op.layer_kind == kind) {
                    f += op.flops * op.count;
                    h += op.hbm * op.count;
                    l += op.nvlink * op.count;
                    n += op.network * op.count;
                    t += op.total_time();
                }
            if (f > Flops{} && h > Bytes{})
                out.ridgeline.push_back(ridgeline_point(
                    fmt::format("{} layers, {}", job.model.kinds[kind].moe ? "MoE" : "Dense", name_of(phase)), f, h, l, n, job.cluster, t));
        }
    return out;
}

} // namespace ridgepoint
