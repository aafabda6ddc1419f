#include "model/report/measured_tables.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/measured/metrics/roofline_points.h"
#include "model/units/format.h"

namespace ridgepoint {
namespace {

template <typename T> std::string or_dash(const std::optional<T>& v) { return v ? format(*v) : std::string("-"); }
std::string whole(std::int64_t n) { return group_thousands(static_cast<double>(n)); }
std::string signed_percent(double v) { return fmt::format("{:+.1f} %", 100 * v); }
std::optional<Seconds> typical(const LatencyStatistics& l) { return l.median ? l.median : l.mean; }

std::string tail(const LatencyStatistics& l)
{
    const auto at = l.percentiles.find(99.0);
    return at == l.percentiles.end() ? std::string("-") : format(at->second);
}

struct Tables {
    std::size_t most;

    [[nodiscard]] std::size_t first(std::size_t n) const { return most == 0 ? n : std::min(n, most); }
    void note_cut(ReportTable& t, std::size_t all) const
    {
        if (t.rows.size() < all)
            t.note = fmt::format("{} of {} shown.", t.rows.size(), all);
    }

    std::vector<ReportTable> operator()(const Timeline& t) const { return timeline_tables(t, summarize(t), most); }

    std::vector<ReportTable> operator()(const CollectiveBenchmark& b) const
    {
        std::vector<ReportTable> out;
        for (const CollectiveSweep& s : b.sweeps) {
            ReportTable t;
            t.title = fmt::format("{}{}, {} ranks on {} hosts{}", s.test.empty() ? std::string(name_of(s.type)) : s.test, s.inferred ? " (inferred)" : "", s.ranks > 0 ? std::to_string(s.ranks) : "?",
                s.hosts > 0 ? std::to_string(s.hosts) : "?", b.version.empty() ? "" : ", NCCL " + b.version);
            t.header = {"Size", "Type", "Time", "Algorithm bandwidth", "Bus bandwidth", "In place: time", "Bus bandwidth"};
            for (const CollectiveRow& r : s.rows)
                t.rows.push_back({format(r.size), r.dtype, r.out_of_place ? format(r.out_of_place->time) : "-", r.out_of_place ? format(r.out_of_place->algorithm_bandwidth) : "-",
                    r.out_of_place ? format(r.out_of_place->bus_bandwidth) : "-", r.in_place ? format(r.in_place->time) : "-", r.in_place ? format(r.in_place->bus_bandwidth) : "-"});
            if (s.printed_average)
                t.note = fmt::format("The printed average, {}, is over this range of sizes and says nothing of any one of them.", format(*s.printed_average));
            out.push_back(std::move(t));
        }
        return out;
    }

    std::vector<ReportTable> operator()(const KernelCounters& k) const
    {
        ReportTable t;
        t.title = fmt::format("Kernels with counters, {}{}", k.tool, k.device.empty() ? "" : " on " + k.device);
        t.header = {"Kernel", "Class", "Time", "FLOP/s", "DRAM", "FLOP per byte"};
        for (std::size_t i = 0; i < first(k.kernels.size()); ++i) {
            const CountedKernel& c = k.kernels[i];
            const bool rate = c.time_known && c.time > Seconds{};
            t.rows.push_back({c.name, std::string(name_of(c.kernel_class)), c.time_known ? format(c.time) : "unknown", c.flops && rate ? format(*c.flops / c.time) : "-",
                c.dram_bytes && rate ? format(*c.dram_bytes / c.time) : "-", c.flops && c.dram_bytes && *c.dram_bytes > Bytes{} ? format(*c.flops / *c.dram_bytes) : "-"});
        }
        note_cut(t, k.kernels.size());
        if (!k.missing.empty())
            t.note += (t.note.empty() ? "" : " ") + k.missing;
        return {t};
    }

    std::vector<ReportTable> operator()(const std::vector<MeasuredCeilings>& all) const
    {
        std::vector<ReportTable> out;
        for (const MeasuredCeilings& c : all) {
            ReportTable t;
            t.title = fmt::format("Measured roofs of {}", c.device.empty() ? "a device" : c.device);
            t.header = {"Roof", "Measured"};
            for (const auto& b : c.bandwidths)
                t.rows.push_back({b.level, format(b.rate)});
            for (const auto& p : c.peaks)
                t.rows.push_back({p.name, format(p.rate)});
            out.push_back(std::move(t));
        }
        return out;
    }

    std::vector<ReportTable> operator()(const ServingBenchmark& s) const
    {
        ReportTable t;
        t.title = "Runs";
        t.header = {"Run", "Rate [1/s]", "Concurrency", "Requests", "Failed", "Output tokens/s", "TTFT", "TTFT p99", "TPOT", "TPOT p99", "End to end"};
        for (std::size_t i = 0; i < first(s.runs.size()); ++i) {
            const ServingRun& r = s.runs[i];
            t.rows.push_back({r.model.empty() ? r.tool : r.model, r.request_rate ? (std::isfinite(*r.request_rate) ? format_number(*r.request_rate) : "all at once") : "-",
                r.max_concurrency ? std::to_string(*r.max_concurrency) : r.in_flight() ? fmt::format("{:.1f} in flight", *r.in_flight()) : "-", whole(r.completed), whole(r.failed),
                r.output_per_second ? format_number(r.output_per_second->value(), 4) : "-", or_dash(typical(r.ttft)), tail(r.ttft), or_dash(typical(r.tpot)), tail(r.tpot), or_dash(typical(r.end_to_end))});
        }
        note_cut(t, s.runs.size());
        std::vector<ReportTable> out{t};
        ReportTable checks;
        checks.title = "Figures that contradict each other";
        checks.header = {"Run", "Finding"};
        for (std::size_t i = 0; i < s.runs.size(); ++i)
            for (const std::string& c : s.runs[i].checks)
                checks.rows.push_back({std::to_string(i + 1), c});
        if (!checks.rows.empty())
            out.push_back(std::move(checks));
        return out;
    }

    std::vector<ReportTable> operator()(const TrainingLog& l) const
    {
        const SteadyPart s = steady_part(l);
        ReportTable sum;
        sum.title = "The steady part of the run";
        sum.header = {"Quantity", "Value"};
        sum.rows = {{"Framework", l.framework}, {"Steps in the log", whole(static_cast<std::int64_t>(l.steps.size()))}, {"Global batch", l.global_batch ? whole(*l.global_batch) : "-"},
            {"Step time, median", or_dash(s.step)}, {"Tokens/s per GPU, median", s.tokens_per_second_per_gpu ? format_number(s.tokens_per_second_per_gpu->value(), 4) : "-"},
            {"MFU as stated, median", s.mfu ? format_percent(*s.mfu) : "-"}};
        sum.note = fmt::format("{} steps at the start and {} beyond 1.5 medians are left out.", s.dropped_warm_up, s.dropped_outliers);
        ReportTable t;
        t.title = "Steps";
        t.header = {"Step", "Time", "Tokens/s per GPU", "FLOP/s per GPU", "MFU", "Loss", "Memory"};
        for (std::size_t i = 0; i < first(l.steps.size()); ++i) {
            const TrainingStep& x = l.steps[i];
            t.rows.push_back({std::to_string(x.step), or_dash(x.time), x.tokens_per_second_per_gpu ? format_number(x.tokens_per_second_per_gpu->value(), 4) : "-", or_dash(x.flops_per_gpu),
                x.mfu ? format_percent(*x.mfu) : "-", x.loss ? format_number(*x.loss, 4) : "-", or_dash(x.memory)});
        }
        note_cut(t, l.steps.size());
        return {sum, t};
    }

    std::vector<ReportTable> operator()(const MetricSet& m) const
    {
        ReportTable t;
        t.title = "Series";
        t.header = {"Metric", "Labels", "Samples", "Lowest", "Median", "Highest", "Kind"};
        for (std::size_t i = 0; i < first(m.series.size()); ++i) {
            const MetricSeries& s = m.series[i];
            std::string labels;
            for (const auto& [key, value] : s.labels)
                labels += (labels.empty() ? "" : ", ") + key + "=" + value;
            std::vector<double> v = s.values;
            std::sort(v.begin(), v.end());
            t.rows.push_back({s.name, labels, whole(static_cast<std::int64_t>(v.size())), v.empty() ? "-" : format_number(v.front()), v.empty() ? "-" : format_number(v[v.size() / 2]),
                v.empty() ? "-" : format_number(v.back()), s.counter ? "counter" : "gauge"});
        }
        note_cut(t, m.series.size());
        return {t};
    }

    std::vector<ReportTable> operator()(const ExecutionGraph& g) const
    {
        std::vector<ReportTable> out(1);
        out[0].title = fmt::format("{} nodes, schema {}", whole(g.nodes), g.schema.empty() ? "not stated" : g.schema);
        out[0].header = {"Operator", "Count", "Duration", "FLOP"};
        for (std::size_t i = 0; i < first(g.operators.size()); ++i) {
            const ExecutionGraph::Operator& o = g.operators[i];
            out[0].rows.push_back({o.name, whole(o.count), o.duration > Seconds{} ? format(o.duration) : "-", o.flops > Flops{} ? format(o.flops) : "-"});
        }
        note_cut(out[0], g.operators.size());
        out[0].note += fmt::format("{}An execution graph tells what runs, not when; {} dependencies.", out[0].note.empty() ? "" : " ", whole(g.dependencies));
        ReportTable calls;
        calls.title = "Communication";
        calls.header = {"Collective", "Name", "Size", "Ranks", "Count", "Duration"};
        for (std::size_t i = 0; i < first(g.communications.size()); ++i) {
            const ExecutionGraph::Communication& c = g.communications[i];
            calls.rows.push_back({std::string(name_of(c.type)), c.name, c.size > Bytes{} ? format(c.size) : "-", c.group_size > 0 ? std::to_string(c.group_size) : "-", whole(c.count),
                c.duration > Seconds{} ? format(c.duration) : "-"});
        }
        note_cut(calls, g.communications.size());
        if (!calls.rows.empty())
            out.push_back(std::move(calls));
        return out;
    }

    std::vector<ReportTable> operator()(const KernelTotals& k) const
    {
        std::vector<ReportTable> out;
        for (const TotalsReport& r : k.reports) {
            ReportTable t;
            t.title = fmt::format("{}, {}", r.name, k.tool);
            t.header = {"Name", "Class", "Count", "Time", "Share", "Mean", "Shortest", "Longest"};
            const bool classed = r.kind == TotalsReport::Kind::kernels || r.kind == TotalsReport::Kind::memory_operations;
            for (std::size_t i = 0; i < first(r.rows.size()); ++i) {
                const NamedTotal& n = r.rows[i];
                t.rows.push_back({n.name, classed ? std::string(name_of(n.kernel_class)) : "-", whole(n.count), format(n.total), r.total() > Seconds{} ? format_percent(n.total / r.total()) : "-", or_dash(n.mean), or_dash(n.shortest),
                    or_dash(n.longest)});
            }
            note_cut(t, r.rows.size());
            if (k.names_cut)
                t.note += " The tool cut long names; classes may be missed.";
            out.push_back(std::move(t));
        }
        return out;
    }

    std::vector<ReportTable> operator()(const MeasuredTable& m) const
    {
        ReportTable t;
        t.title = "A table of no known tool";
        t.header = m.columns;
        for (std::size_t i = 0; i < first(m.rows.size()); ++i)
            t.rows.push_back(m.rows[i]);
        note_cut(t, m.rows.size());
        return {t};
    }
};

} // namespace

std::vector<ReportTable> measured_tables(const Measured& m, std::size_t most) { return std::visit(Tables{most}, m.content); }

std::vector<ReportTable> metric_tables(const MetricSet& metrics, const Job& job)
{
    const Accelerator& gpu = job.cluster.accelerator;
    const FlopPerSecond peak = gpu.dense_peak(job.precision.gemm);
    std::vector<ReportTable> out;
    ReportTable points;
    points.title = fmt::format("GPUs on the roofline of {}", gpu.name);
    points.header = {"GPU", "Model", "FLOP/s, median", "Of the dense peak", "DRAM, median", "Of the bandwidth", "FLOP per byte", "Power", "NVLink sent", "Samples"};
    for (const GpuOnRoofline& p : roofline_points(metrics, {peak, gpu.hbm_bandwidth, gpu.clock_of_peaks}))
        points.rows.push_back({p.gpu, p.model.empty() ? "-" : p.model, format(p.flops), peak > FlopPerSecond{} ? format_percent(p.flops / peak) : "-", format(p.bytes), format_percent(p.bytes / gpu.hbm_bandwidth),
            p.intensity ? format(*p.intensity) : "-", or_dash(p.power), or_dash(p.nvlink_sent), whole(static_cast<std::int64_t>(p.samples.size()))});
    points.note = fmt::format("FLOP/s are those of active tensor pipes at the dense {} peak: 0 to {} above the truth. Averages over time mix phases.", name_of(job.precision.gemm), format_percent(tensor_active_bias, 0));
    if (!points.rows.empty())
        out.push_back(std::move(points));
    ReportTable traffic;
    traffic.title = "Traffic of nodes over the network";
    traffic.header = {"Node", "Ports", "Sent, median", "Of the plan's rate", "Received, median", "Intervals"};
    const BytesPerSecond rate = job.cluster.node.network_per_node();
    for (const NodeTraffic& n : node_traffic(metrics))
        if (!n.samples.empty())
            traffic.rows.push_back({n.node.empty() ? "not labelled" : n.node, std::to_string(n.devices), format(n.sent), rate > BytesPerSecond{} ? format_percent(n.sent / rate) : "-", format(n.received),
                whole(static_cast<std::int64_t>(n.samples.size()))});
    if (!traffic.rows.empty())
        out.push_back(std::move(traffic));
    return out;
}

ReportTable residual_table(const std::vector<ObservedResidual>& all, std::size_t most)
{
    ReportTable t;
    t.title = "Measured against predicted, worst first";
    t.header = {"Measured", "File", "Time", "Predicted", "Error"};
    for (std::size_t i = 0; i < (most == 0 ? all.size() : std::min(all.size(), most)); ++i) {
        const ObservedResidual& r = all[i];
        t.rows.push_back({r.observation.what, r.observation.file.substr(r.observation.file.rfind('/') + 1), format(r.observation.measured), format(r.predicted), signed_percent(r.error())});
    }
    std::vector<double> errors;
    for (const ObservedResidual& r : all)
        errors.push_back(std::abs(r.error()));
    std::sort(errors.begin(), errors.end());
    if (!errors.empty())
        t.note = fmt::format("{} measurements, {} shown; median of the absolute error {}.", all.size(), t.rows.size(), format_percent(errors[errors.size() / 2]));
    return t;
}

ReportTable factor_table(const CalibrationResult& r)
{
    ReportTable t;
    t.title = "Factors on the times that the laws give";
    t.header = {"Time of", "Before", "After", "80 % interval", "Measured"};
    for (const CalibratedFactor& f : r.moved) {
        const auto value = [&](double v) { return f.part == MeasuredPart::step ? format(Seconds{v}) : fmt::format("{:.3f}", v); };
        t.rows.push_back({std::string(label_of(f.part)), value(f.before), value(f.after), f.determined ? fmt::format("{} to {}", value(f.low), value(f.high)) : "-", f.determined ? "yes" : "no"});
    }
    t.note = fmt::format("Error of the prediction before and after: median {} and {}, 90th percentile {} and {}, bias {} and {}. 1 leaves a law as it is.", format_percent(r.before.median), format_percent(r.after.median),
        format_percent(r.before.p90), format_percent(r.after.p90), signed_percent(r.before.bias), signed_percent(r.after.bias));
    return t;
}

ReportTable calibration_rows(const CalibrationResult& r)
{
    ReportTable t;
    t.title = "What was measured, before and after";
    t.header = {"Measured", "File", "Time", "Error before", "Error after"};
    const auto error = [](Seconds predicted, Seconds measured) { return signed_percent((predicted - measured) / measured); };
    for (const CalibrationResult::Row& x : r.rows)
        t.rows.push_back({x.observation.what, x.observation.file.substr(x.observation.file.rfind('/') + 1), format(x.observation.measured), error(x.before, x.observation.measured), error(x.after, x.observation.measured)});
    return t;
}

} // namespace ridgepoint
