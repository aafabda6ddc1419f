#include "app/cli/measured_text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/cli/text_table.h"
#include "model/units/format.h"

namespace ridgepoint::cli {
namespace {

using Json = nlohmann::ordered_json;

template <typename T> std::string or_dash(const std::optional<T>& v) { return v ? format(*v) : std::string("-"); }
template <typename T> Json or_null(const std::optional<T>& v) { return v ? Json(v->value()) : Json(nullptr); }
std::string whole(std::int64_t n) { return group_thousands(static_cast<double>(n)); }
std::size_t first(std::size_t n, int top) { return std::min<std::size_t>(n, static_cast<std::size_t>(top)); }

struct Printer {
    int top;

    void operator()(const Timeline& t) const { print_timeline(t, summarize(t), top); }

    void operator()(const CollectiveBenchmark& b) const
    {
        if (!b.version.empty())
            fmt::print("  NCCL {}\n", b.version);
        for (const CollectiveSweep& s : b.sweeps) {
            fmt::print("  {}{}, {} ranks on {} hosts{}\n", s.test.empty() ? std::string(name_of(s.type)) : s.test, s.inferred ? " (inferred)" : "", s.ranks > 0 ? std::to_string(s.ranks) : "?",
                s.hosts > 0 ? std::to_string(s.hosts) : "?", s.printed_average ? fmt::format("; printed average {}, of this range of sizes", format(*s.printed_average)) : "");
            TextTable t({">size", "type", ">time", ">algorithm", ">bus", ">in place", ">bus"});
            // The largest sizes tell the bandwidth, the smallest the latency.
            for (const CollectiveRow& r : s.rows)
                t.add({format(r.size), r.dtype, r.out_of_place ? format(r.out_of_place->time) : "-", r.out_of_place ? format(r.out_of_place->algorithm_bandwidth) : "-",
                    r.out_of_place ? format(r.out_of_place->bus_bandwidth) : "-", r.in_place ? format(r.in_place->time) : "-", r.in_place ? format(r.in_place->bus_bandwidth) : "-"});
            fmt::print("{}\n", t.text());
        }
    }

    void operator()(const KernelCounters& k) const
    {
        fmt::print("  {} kernels of {}{}\n", k.kernels.size(), k.tool, k.device.empty() ? "" : " on " + k.device);
        TextTable t({"Kernel", "class", ">time", ">FLOP/s", ">DRAM", ">FLOP/B"});
        for (std::size_t i = 0; i < first(k.kernels.size(), top); ++i) {
            const CountedKernel& c = k.kernels[i];
            const bool rate = c.time > Seconds{};
            t.add({shortened(c.name, 70), std::string(name_of(c.kernel_class)), format(c.time), c.flops && rate ? format(*c.flops / c.time) : "-",
                c.dram_bytes && rate ? format(*c.dram_bytes / c.time) : "-", c.flops && c.dram_bytes && *c.dram_bytes > Bytes{} ? format(*c.flops / *c.dram_bytes) : "-"});
        }
        fmt::print("{}", t.text());
        if (!k.missing.empty())
            fmt::print("{}", wrapped(k.missing, "  "));
    }

    void operator()(const std::vector<MeasuredCeilings>& all) const
    {
        for (const MeasuredCeilings& c : all) {
            fmt::print("  {}\n", c.device.empty() ? "device not stated" : c.device);
            TextTable t({"Roof", ">measured"});
            for (const auto& b : c.bandwidths)
                t.add({b.level, format(b.rate)});
            for (const auto& p : c.peaks)
                t.add({p.name, format(p.rate)});
            fmt::print("{}\n", t.text());
        }
    }

    void operator()(const ServingBenchmark& s) const
    {
        TextTable t({"Run", ">rate", ">limit", ">requests", ">output/s", ">TTFT", ">p99", ">TPOT", ">p99", ">end to end"});
        for (std::size_t i = 0; i < first(s.runs.size(), std::max(top, 50)); ++i) {
            const ServingRun& r = s.runs[i];
            const auto typical = [](const LatencyStatistics& l) { return l.median ? l.median : l.mean; };
            const auto p99 = [](const LatencyStatistics& l) {
                const auto at = l.percentiles.find(99.0);
                return at == l.percentiles.end() ? std::string("-") : format(at->second);
            };
            t.add({shortened(r.model.empty() ? r.tool : r.model, 40), r.request_rate ? fmt::format("{:.4g}/s", *r.request_rate) : "-", r.max_concurrency ? std::to_string(*r.max_concurrency) : "-",
                r.failed > 0 ? fmt::format("{} (+{} failed)", whole(r.completed), whole(r.failed)) : whole(r.completed), or_dash(r.output_per_second), or_dash(typical(r.ttft)), p99(r.ttft),
                or_dash(typical(r.tpot)), p99(r.tpot), or_dash(typical(r.end_to_end))});
        }
        fmt::print("{}", t.text());
        for (const ServingRun& r : s.runs)
            for (const std::string& c : r.checks)
                fmt::print("{}", wrapped("Check: " + c, "  "));
    }

    void operator()(const TrainingLog& l) const
    {
        const SteadyPart s = steady_part(l);
        TextTable t({"", ">"});
        t.add({"Steps in the log", whole(static_cast<std::int64_t>(l.steps.size()))});
        if (l.global_batch)
            t.add({"Global batch", whole(*l.global_batch)});
        t.add({"Step time, median", or_dash(s.step)});
        t.add({"Tokens/s and GPU, median", s.tokens_per_second_per_gpu ? format_number(s.tokens_per_second_per_gpu->value(), 4) : "-"});
        t.add({"MFU as stated, median", s.mfu ? format_percent(*s.mfu) : "-"});
        fmt::print("{}  Of {} steps: {} at the start and {} beyond 1.5 medians left out.\n", t.text(), l.steps.size(), s.dropped_warm_up, s.dropped_outliers);
    }

    void operator()(const MetricSet& m) const
    {
        TextTable t({"Metric", "labels", ">samples", ">lowest", ">median", ">highest", ""});
        for (std::size_t i = 0; i < first(m.series.size(), top); ++i) {
            const MetricSeries& s = m.series[i];
            std::string labels;
            for (const auto& [key, value] : s.labels)
                labels += (labels.empty() ? "" : ", ") + key + "=" + value;
            std::vector<double> v = s.values;
            std::sort(v.begin(), v.end());
            t.add({s.name, shortened(labels, 40), whole(static_cast<std::int64_t>(v.size())), v.empty() ? "-" : format_number(v.front()), v.empty() ? "-" : format_number(v[v.size() / 2]),
                v.empty() ? "-" : format_number(v.back()), s.counter ? "counter" : ""});
        }
        fmt::print("{}  {} series\n", t.text(), m.series.size());
    }

    void operator()(const ExecutionGraph& g) const
    {
        fmt::print("  {} nodes, schema {}; this tells what runs, not when\n", whole(g.nodes), g.schema.empty() ? "not stated" : g.schema);
        std::vector<std::pair<std::string, std::int64_t>> types(g.types.begin(), g.types.end());
        std::stable_sort(types.begin(), types.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
        TextTable t({"Node", ">count"});
        for (std::size_t i = 0; i < first(types.size(), top); ++i)
            t.add({shortened(types[i].first, 60), whole(types[i].second)});
        fmt::print("{}", t.text());
    }

    void operator()(const MeasuredTable& m) const
    {
        fmt::print("  {} columns, {} rows: ", m.columns.size(), m.rows.size());
        std::string columns;
        for (const std::string& c : m.columns)
            columns += (columns.empty() ? "" : ", ") + c;
        fmt::print("{}\n", shortened(columns, 400));
    }
};

struct AsJson {
    int top;

    Json operator()(const Timeline& t) const { return timeline_json(t, summarize(t), top); }
    Json operator()(const CollectiveBenchmark& b) const
    {
        Json sweeps = Json::array();
        for (const CollectiveSweep& s : b.sweeps) {
            Json rows = Json::array();
            const auto timing = [](const std::optional<CollectiveTiming>& x) {
                return x ? Json{{"time_s", x->time.value()}, {"algorithm_bytes_per_s", x->algorithm_bandwidth.value()}, {"bus_bytes_per_s", x->bus_bandwidth.value()},
                               {"wrong", x->wrong ? Json(*x->wrong) : Json(nullptr)}}
                         : Json(nullptr);
            };
            for (const CollectiveRow& r : s.rows)
                rows.push_back({{"size_bytes", r.size.value()}, {"elements", r.elements}, {"dtype", r.dtype}, {"reduction", r.reduction}, {"out_of_place", timing(r.out_of_place)},
                    {"in_place", timing(r.in_place)}});
            sweeps.push_back({{"collective", name_of(s.type)}, {"test", s.test}, {"inferred", s.inferred}, {"ranks", s.ranks}, {"hosts", s.hosts}, {"rows", rows}});
        }
        return {{"nccl_version", b.version}, {"devices", b.devices}, {"sweeps", sweeps}};
    }
    Json operator()(const KernelCounters& k) const
    {
        Json kernels = Json::array();
        for (const CountedKernel& c : k.kernels)
            kernels.push_back({{"name", c.name}, {"class", name_of(c.kernel_class)}, {"time_s", c.time.value()}, {"flops", or_null(c.flops)}, {"dram_bytes", or_null(c.dram_bytes)},
                {"l2_bytes", or_null(c.l2_bytes)}, {"l1_bytes", or_null(c.l1_bytes)}});
        return {{"tool", k.tool}, {"device", k.device}, {"missing", k.missing}, {"kernels", kernels}};
    }
    Json operator()(const std::vector<MeasuredCeilings>& all) const
    {
        Json devices = Json::array();
        for (const MeasuredCeilings& c : all) {
            Json bandwidths = Json::array(), peaks = Json::array();
            for (const auto& b : c.bandwidths)
                bandwidths.push_back({{"level", b.level}, {"bytes_per_s", b.rate.value()}});
            for (const auto& p : c.peaks)
                peaks.push_back({{"name", p.name}, {"flop_per_s", p.rate.value()}});
            devices.push_back({{"device", c.device}, {"bandwidths", bandwidths}, {"peaks", peaks}});
        }
        return {{"ceilings", devices}};
    }
    Json operator()(const ServingBenchmark& s) const
    {
        Json runs = Json::array();
        const auto latency = [](const LatencyStatistics& l) {
            Json p = Json::object();
            for (const auto& [at, value] : l.percentiles)
                p[fmt::format("p{:g}", at)] = value.value();
            return Json{{"mean_s", or_null(l.mean)}, {"median_s", or_null(l.median)}, {"percentiles_s", p}};
        };
        for (const ServingRun& r : s.runs)
            runs.push_back({{"tool", r.tool}, {"model", r.model}, {"backend", r.backend},
                {"request_rate", r.request_rate ? (std::isfinite(*r.request_rate) ? Json(*r.request_rate) : Json("inf")) : Json(nullptr)},
                {"max_concurrency", r.max_concurrency ? Json(*r.max_concurrency) : Json(nullptr)}, {"completed", r.completed}, {"failed", r.failed}, {"duration_s", or_null(r.duration)},
                {"input_tokens", r.input_tokens ? Json(*r.input_tokens) : Json(nullptr)}, {"output_tokens", r.output_tokens ? Json(*r.output_tokens) : Json(nullptr)},
                {"output_tokens_per_s", or_null(r.output_per_second)}, {"in_flight", r.in_flight() ? Json(*r.in_flight()) : Json(nullptr)}, {"ttft", latency(r.ttft)}, {"tpot", latency(r.tpot)},
                {"itl", latency(r.itl)}, {"end_to_end", latency(r.end_to_end)}, {"checks", r.checks}});
        return {{"runs", runs}};
    }
    Json operator()(const TrainingLog& l) const
    {
        const SteadyPart s = steady_part(l);
        Json steps = Json::array();
        for (const TrainingStep& x : l.steps)
            steps.push_back({{"step", x.step}, {"time_s", or_null(x.time)}, {"tokens_per_s_per_gpu", or_null(x.tokens_per_second_per_gpu)}, {"flop_per_s_per_gpu", or_null(x.flops_per_gpu)},
                {"mfu", x.mfu ? Json(*x.mfu) : Json(nullptr)}, {"loss", x.loss ? Json(*x.loss) : Json(nullptr)}});
        return {{"framework", l.framework}, {"global_batch", l.global_batch ? Json(*l.global_batch) : Json(nullptr)}, {"steady_step_s", or_null(s.step)}, {"steady_steps", s.used},
            {"dropped_warm_up", s.dropped_warm_up}, {"dropped_outliers", s.dropped_outliers}, {"steps", steps}};
    }
    Json operator()(const MetricSet& m) const
    {
        Json series = Json::array();
        for (const MetricSeries& s : m.series)
            series.push_back({{"name", s.name}, {"labels", s.labels}, {"counter", s.counter}, {"samples", s.values.size()}});
        return {{"series", series}};
    }
    Json operator()(const ExecutionGraph& g) const
    {
        return {{"schema", g.schema}, {"nodes", g.nodes}, {"types", g.types}, {"flops", g.compute.value()}, {"communicated_bytes", g.communicated.value()}, {"duration_s", g.duration.value()}};
    }
    Json operator()(const MeasuredTable& m) const { return {{"columns", m.columns}, {"rows", m.rows.size()}}; }
};

} // namespace

void print_measured(const Measured& m, int top)
{
    fmt::print("{}\n  {}\n\n", m.file, m.format);
    std::visit(Printer{top}, m.content);
    for (const Skipped& s : m.skipped)
        fmt::print("  Left out or mended: {} x {}{}\n", s.count, s.reason, s.first_place.empty() ? "" : ", first at " + s.first_place);
    for (const std::string& n : m.notes)
        fmt::print("{}", wrapped("Note: " + n, "  "));
}

nlohmann::ordered_json measured_json(const Measured& m, int top)
{
    Json out = {{"file", m.file}, {"format", m.format}};
    out.update(std::visit(AsJson{top}, m.content));
    Json skipped = Json::array();
    for (const Skipped& s : m.skipped)
        skipped.push_back({{"reason", s.reason}, {"count", s.count}, {"first_place", s.first_place}});
    out["skipped"] = skipped;
    out["notes"] = m.notes;
    out["facts"] = Json::parse(facts_of(m).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    return out;
}

} // namespace ridgepoint::cli
