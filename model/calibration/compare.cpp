#include "model/calibration/compare.h"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "model/calibration/causes.h"
#include "model/calibration/kernel_operators.h"
#include "model/measured/metrics/roofline_points.h"

namespace ridgepoint {
namespace {

Seconds nanoseconds(std::int64_t ns) { return Seconds{static_cast<double>(ns) * 1e-9}; }

Seconds predicted_of(const Estimate& e, OperatorClass c)
{
    Seconds sum;
    for (const Operator& op : e.operators)
        if (class_of(op.kind) == c && op.kind != OperatorKind::optimizer)
            sum += op.total_time();
    return sum;
}

// Kernels that execute operators of the class. An optimizer's are a row of their own.
Seconds measured_of(const TimelineSummary& s, OperatorClass c)
{
    Seconds sum;
    for (const ClassTotal& t : s.classes)
        if (compared_class_of(t.kernel_class) == c && t.kernel_class != KernelClass::optimizer)
            sum += t.sum;
    return sum;
}

Seconds measured_of(const TimelineSummary& s, std::initializer_list<KernelClass> classes)
{
    Seconds sum;
    for (const ClassTotal& t : s.classes)
        if (std::ranges::find(classes, t.kernel_class) != classes.end())
            sum += t.sum;
    return sum;
}

bool computes(KernelClass c) { return c != KernelClass::collective && c != KernelClass::memcpy && c != KernelClass::memset; }

} // namespace

Comparison compare(const Timeline& timeline, const Estimate& e)
{
    const TimelineSummary s = summarize(timeline);
    Comparison out;
    out.steps = std::max<int>(1, static_cast<int>(s.step_durations.size()));
    out.step_source = s.step_durations.empty() ? "no step markers: the window counts as one step"
                                               : fmt::format("{} step annotation{}", out.steps, out.steps == 1 ? "" : "s");
    const double per_step = 1.0 / out.steps;
    const auto row = [&](ComparedPart part, std::string label, Seconds measured, Seconds predicted) {
        measured = measured * per_step;
        if (measured > Seconds{} || predicted > Seconds{})
            out.rows.push_back({std::move(label), measured, predicted, likely_cause(part, measured, predicted, timeline, s, e)});
    };
    Seconds hidden, collective;
    for (const Operator& op : e.operators)
        if (class_of(op.kind) == OperatorClass::collective) {
            collective += op.total_time();
            hidden += op.hidden * op.total_time();
        }
    row(ComparedPart::products, "Matrix products", measured_of(s, OperatorClass::gemm), predicted_of(e, OperatorClass::gemm));
    row(ComparedPart::attention, "Attention", measured_of(s, OperatorClass::attention), predicted_of(e, OperatorClass::attention));
    row(ComparedPart::memory, "Norms, activations and other memory-bound kernels", measured_of(s, OperatorClass::memory),
        predicted_of(e, OperatorClass::memory));
    row(ComparedPart::optimizer, "Optimizer", measured_of(s, {KernelClass::optimizer}), e.breakdown[StepPart::optimizer].total());
    row(ComparedPart::copies, "Memory copies and fills", measured_of(s, {KernelClass::memcpy, KernelClass::memset}), {});
    row(ComparedPart::communication, "Communication, all", s.collective_union, collective);
    row(ComparedPart::exposed, "Communication, exposed", s.exposed_collective, collective - hidden);
    row(ComparedPart::idle, "Idle", s.idle, e.breakdown[StepPart::bubble].total() + e.breakdown[StepPart::host].total());

    Seconds steps;
    for (Seconds d : s.step_durations)
        steps += d;
    row(ComparedPart::step, "Step", s.step_durations.empty() ? s.span : steps, e.time.total());
    if (s.step_durations.empty())
        out.caveats.push_back("The trace marks no steps, so its whole window is set against one predicted step.");
    if (s.same_stream_overlaps > 0)
        out.caveats.push_back("Kernels overlap on one stream (programmatic dependent launch): class sums exceed busy time.");
    if (timeline.truncated)
        out.caveats.push_back("The file ends early: later steps are missing.");
    if (timeline.world_size > 0 && e.training)
        out.caveats.push_back(fmt::format("The trace is one rank of {}; the prediction is for the slowest pipeline stage.", timeline.world_size));
    return out;
}

std::vector<ComparisonRow> by_lost_time(const Comparison& comparison)
{
    std::vector<ComparisonRow> out = comparison.rows;
    std::erase_if(out, [](const ComparisonRow& r) { return r.label == "Step"; });
    std::stable_sort(out.begin(), out.end(), [](const ComparisonRow& a, const ComparisonRow& b) { return a.lost() > b.lost(); });
    return out;
}

PlacedKernels place_kernels(const Timeline& t, const Estimate* estimate)
{
    struct Group {
        double flops = 0, bytes = 0;
        std::int64_t ns = 0, count = 0;
        KernelClass kernel_class = KernelClass::other;
    };
    PlacedKernels out;
    std::map<std::uint32_t, Group> by_name;
    std::array<Group, 16> unknown{};
    for (std::size_t i = 0; i < t.size(); ++i) {
        const KernelClass c = t.kernel_class[i];
        if (!computes(c))
            continue;
        Group& g = t.work[i].known ? by_name[t.name[i]] : unknown[static_cast<std::size_t>(c)];
        g.kernel_class = c;
        g.flops += t.work[i].known ? t.work[i].flops : 0.0;
        g.bytes += t.work[i].known ? t.work[i].bytes : 0.0;
        g.ns += std::max<std::int64_t>(t.duration_ns[i], 0);
        ++g.count;
    }
    const auto add = [&](std::string name, const Group& g, bool from_plan) {
        const Seconds total = nanoseconds(g.ns);
        if (g.flops <= 0 || g.bytes <= 0 || total <= Seconds{})
            return false;
        out.points.push_back({std::move(name), g.kernel_class, FlopPerByte{g.flops / g.bytes}, FlopPerSecond{g.flops / total.value()}, total, g.count, from_plan});
        return true;
    };
    for (const auto& [name, g] : by_name) {
        if (add(t.names[name], g, false)) {
            out.placed_by_shape += g.count;
        } else {
            out.not_placed += g.count;
            out.not_placed_time += nanoseconds(g.ns);
        }
    }
    const TimelineSummary s = summarize(t);
    const double steps = std::max<double>(1.0, static_cast<double>(s.step_durations.size()));
    for (std::size_t c = 0; c < unknown.size(); ++c) {
        Group g = unknown[c];
        if (g.count == 0)
            continue;
        // Only a class that the trace leaves wholly without shapes is matched whole; a mixture would count work twice.
        const bool mixed = std::ranges::any_of(by_name, [&](const auto& n) { return n.second.kernel_class == g.kernel_class; });
        // Convolutions are no kernels of a plan's network, so its products are not theirs.
        if (estimate != nullptr && !mixed && (g.kernel_class == KernelClass::gemm || g.kernel_class == KernelClass::attention))
            for (const Operator& op : estimate->operators)
                if (class_of(op.kind) == operator_class_of(g.kernel_class)) {
                    g.flops += op.flops.value() * op.count * steps;
                    g.bytes += op.hbm.value() * op.count * steps;
                }
        if (add(fmt::format("all {} kernels, work from the plan", name_of(g.kernel_class)), g, true)) {
            out.placed_by_plan += g.count;
        } else {
            out.not_placed += g.count;
            out.not_placed_time += nanoseconds(g.ns);
        }
    }
    std::ranges::sort(out.points, [](const MeasuredPoint& a, const MeasuredPoint& b) { return a.total > b.total; });
    return out;
}

PlacedKernels place_measured(const Measured& measured, const Job& job)
{
    PlacedKernels out;
    if (const auto* counters = std::get_if<KernelCounters>(&measured.content)) {
        struct Sum {
            Flops flops;
            Bytes bytes;
            Seconds time;
            std::int64_t count = 0;
            KernelClass kernel_class = KernelClass::other;
        };
        std::map<std::string, Sum> by_name;
        for (const CountedKernel& k : counters->kernels) {
            if (!k.time_known || !k.flops || !k.dram_bytes || *k.dram_bytes <= Bytes{} || k.time <= Seconds{}) {
                ++out.not_placed;
                out.not_placed_time += k.time_known ? k.time : Seconds{};
                continue;
            }
            Sum& s = by_name[k.name];
            s.flops += *k.flops;
            s.bytes += *k.dram_bytes;
            s.time += k.time;
            ++s.count;
            s.kernel_class = k.kernel_class;
        }
        for (const auto& [name, s] : by_name) {
            out.placed_by_shape += s.count;
            if (s.flops > Flops{})
                out.points.push_back({name, s.kernel_class, s.flops / s.bytes, s.flops / s.time, s.time, s.count, false});
        }
    } else if (const auto* metrics = std::get_if<MetricSet>(&measured.content)) {
        const Accelerator& gpu = job.cluster.accelerator;
        for (const GpuOnRoofline& p : roofline_points(*metrics, {gpu.dense_peak(job.precision.gemm), gpu.hbm_bandwidth, gpu.clock_of_peaks}))
            if (p.intensity && p.flops > FlopPerSecond{})
                out.points.push_back({p.gpu, KernelClass::other, *p.intensity, p.flops, Seconds{1.0}, static_cast<std::int64_t>(p.samples.size()), false});
    }
    return out;
}

} // namespace ridgepoint
