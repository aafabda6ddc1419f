#include "app/cli/measured_text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/cli/text_table.h"
#include "model/report/measured_tables.h"

namespace ridgepoint::cli {
namespace {

using Json = nlohmann::ordered_json;

template <typename T> Json or_null(const std::optional<T>& v) { return v ? Json(v->value()) : Json(nullptr); }
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
            kernels.push_back({{"name", c.name}, {"class", name_of(c.kernel_class)}, {"time_s", c.time_known ? Json(c.time.value()) : Json(nullptr)}, {"flops", or_null(c.flops)}, {"dram_bytes", or_null(c.dram_bytes)},
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
    Json operator()(const KernelTotals& k) const
    {
        Json reports = Json::array();
        for (const TotalsReport& r : k.reports) {
            Json rows = Json::array();
            for (const NamedTotal& n : r.rows)
                rows.push_back({{"name", n.name}, {"class", name_of(n.kernel_class)}, {"count", n.count}, {"time_s", n.total.value()}});
            reports.push_back({{"name", r.name}, {"time_s", r.total().value()}, {"count", r.count()}, {"rows", rows}});
        }
        return {{"tool", k.tool}, {"reports", reports}};
    }
    Json operator()(const MeasuredTable& m) const { return {{"columns", m.columns}, {"rows", m.rows.size()}}; }
};

} // namespace

void print_table(const ReportTable& t)
{
    const std::vector<bool> numbers = number_columns(t);
    std::vector<std::string> header = t.header;
    for (std::size_t c = 0; c < header.size(); ++c)
        if (numbers[c])
            header[c] = ">" + header[c];
    TextTable out(std::move(header));
    for (const auto& row : t.rows) {
        std::vector<std::string> cells;
        for (const std::string& cell : row)
            cells.push_back(shortened(cell, 80));
        out.add(std::move(cells));
    }
    fmt::print("  {}\n{}", t.title, out.text());
    if (!t.note.empty())
        fmt::print("{}", wrapped(t.note, "  "));
    fmt::print("\n");
}

void print_measured(const Measured& m, int top)
{
    fmt::print("{}\n  {}\n\n", m.file, m.format);
    for (const ReportTable& t : measured_tables(m, static_cast<std::size_t>(std::max(1, top))))
        print_table(t);
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
