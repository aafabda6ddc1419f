#include "model/measured/counters/ncu_csv.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "model/measured/counters/ncu_metrics.h"
#include "model/measured/delimited_text.h"

namespace ridgepoint {
namespace {

constexpr std::size_t most_launches = 2'000'000;

int column_of(const std::vector<std::string>& header, std::string_view name)
{
    const auto at = std::find(header.begin(), header.end(), name);
    return at == header.end() ? -1 : static_cast<int>(at - header.begin());
}

// --print-summary per-kernel has no launches but averages over invocations.
bool is_summary(const std::vector<std::string>& fields) { return column_of(fields, "Invocations") >= 0 && column_of(fields, "Metric Name") >= 0 && column_of(fields, "Average") >= 0; }

bool is_header(const std::vector<std::string>& fields) { return column_of(fields, "Kernel Name") >= 0 && (column_of(fields, "ID") >= 0 || is_summary(fields)); }

// The header's first character, from a line that names the kernel column; npos: none.
std::size_t find_header(std::string_view text)
{
    constexpr std::size_t longest_header = std::size_t{4} << 20;
    for (auto at = text.find("Kernel Name"); at != std::string_view::npos;) {
        const std::size_t near = at > 4096 ? at - 4096 : 0;
        const auto before = text.substr(near, at - near).rfind('\n');
        const auto end = std::min(text.size(), text.find('\n', at));
        if (before != std::string_view::npos || near == 0) {
            const std::size_t start = before == std::string_view::npos ? 0 : near + before + 1;
            const std::string_view line = text.substr(start, std::min(end - start, longest_header));
            std::vector<std::string> fields;
            DelimitedText(line, separator_of(line)).next(fields);
            if (is_header(fields))
                return start;
        }
        at = text.find("Kernel Name", end);
    }
    return std::string_view::npos;
}

// "void at::native::gemm<32>(float*)" -> "at::native::gemm".
std::string short_name(std::string_view name)
{
    if (name.starts_with("void "))
        name.remove_prefix(5);
    std::string out;
    for (std::size_t i = 0; i < name.size(); ++i) {
        constexpr std::string_view nameless = "(anonymous namespace)";
        if (name.substr(i, nameless.size()) == nameless) {
            out += nameless;
            i += nameless.size() - 1;
            continue;
        }
        if (name[i] == '<' || name[i] == '(')
            break;
        out += name[i];
    }
    return out.empty() ? std::string(name) : out;
}

// "12 (1; 2; 3)": instances behind the value.
std::optional<double> value_in(std::string_view text, DecimalMark mark)
{
    if (const auto v = number_in(text, mark))
        return v;
    const auto open = text.find(" (");
    return open == std::string_view::npos ? std::nullopt : number_in(text.substr(0, open), mark);
}

struct Reader {
    std::string_view text;
    char separator = ',';
    bool any_wide = false, any_long = false, units_stated = true, summaries = false;
    std::size_t columns = 0;
    std::int64_t metric_rows = 0;
    std::string time_unit;
    std::vector<NcuLaunch> launches;
    std::vector<Skipped> skipped;
    DecimalMark mark = DecimalMark::point;

    void read(std::string_view table);
    void read_long(DelimitedText& records, const std::vector<std::string>& header, std::vector<std::string>& next);
    void read_wide(DelimitedText& records, const std::vector<std::string>& header, std::vector<std::string>& next);
    void put(NcuLaunch& launch, const std::string& metric, const std::string& unit, const std::string& value) const;
};

void Reader::put(NcuLaunch& launch, const std::string& metric, const std::string& unit, const std::string& value) const
{
    if (metric == "device__attribute_display_name" && !value.empty())
        launch.device_name = value;
    auto v = value_in(value, mark);
    if (!v || !std::isfinite(*v))
        return;
    // The details page names two metrics alike: a share of the peak and a rate.
    const bool rate = unit.find('/') != std::string::npos && metric == "Memory Throughput";
    launch.metrics.try_emplace(rate ? metric + "/second" : metric, *v * ncu_unit_scale(unit));
}

void Reader::read_long(DelimitedText& records, const std::vector<std::string>& header, std::vector<std::string>& record)
{
    any_long = true;
    const bool summary = is_summary(header);
    summaries = summaries || summary;
    const int id = column_of(header, summary ? "Invocations" : "ID"), process = column_of(header, "Process ID"), kernel = column_of(header, "Kernel Name"), cc = column_of(header, "CC");
    const int metric = column_of(header, "Metric Name"), unit = column_of(header, "Metric Unit"), value = column_of(header, summary ? "Average" : "Metric Value");
    const int block = summary ? column_of(header, "Block Size") : -1, grid = summary ? column_of(header, "Grid Size") : -1;
    std::map<std::string, std::size_t> by_id;
    while (records.next(record)) {
        if (is_header(record))
            return;
        if (record.size() != header.size() || !number_in(record[static_cast<std::size_t>(id)])) {
            skip(skipped, "line that is no record of the table", fmt::format("line {}", records.line()));
            continue;
        }
        const auto text_of = [&](int c) -> const std::string& {
            static const std::string nothing;
            return c < 0 ? nothing : record[static_cast<std::size_t>(c)];
        };
        const std::string key = text_of(process) + '\x1f' + text_of(id) + '\x1f' + text_of(kernel) + '\x1f' + text_of(block) + '\x1f' + text_of(grid);
        const auto [at, is_new] = by_id.try_emplace(key, launches.size());
        if (is_new) {
            if (launches.size() >= most_launches)
                return;
            const double times = summary ? *number_in(text_of(id)) : 1;
            launches.push_back({text_of(kernel), {}, text_of(cc), {}, times >= 1 && times < 1e9 ? static_cast<std::size_t>(times) : 1});
        }
        if (text_of(metric).empty())
            continue; // a rule's advice
        ++metric_rows;
        if ((text_of(metric).find("time_duration") != std::string::npos || text_of(metric) == "Duration") && time_unit.empty())
            time_unit = text_of(unit);
        put(launches[at->second], text_of(metric), text_of(unit), text_of(value));
    }
    record.clear();
}

void Reader::read_wide(DelimitedText& records, const std::vector<std::string>& header, std::vector<std::string>& record)
{
    any_wide = true;
    columns = std::max(columns, header.size());
    const auto id = static_cast<std::size_t>(column_of(header, "ID")), kernel = static_cast<std::size_t>(column_of(header, "Kernel Name"));
    const int cc = column_of(header, "CC");
    std::vector<std::string> units(header.size());
    bool first = true;
    while (records.next(record)) {
        if (is_header(record))
            return;
        if (record.size() != header.size()) {
            skip(skipped, "line that is no record of the table", fmt::format("line {}", records.line()));
            continue;
        }
        if (first && record[id].empty()) {
            units = record;
            first = false;
            if (const int time = column_of(header, "gpu__time_duration.sum"); time >= 0)
                time_unit = units[static_cast<std::size_t>(time)];
            continue;
        }
        units_stated = units_stated && !first;
        if (!number_in(record[id])) {
            skip(skipped, "line that is no record of the table", fmt::format("line {}", records.line()));
            continue;
        }
        if (launches.size() >= most_launches)
            return;
        NcuLaunch& launch = launches.emplace_back();
        launch.name = record[kernel];
        if (cc >= 0)
            launch.compute_capability = record[static_cast<std::size_t>(cc)];
        for (std::size_t c = 0; c < header.size(); ++c)
            if (header[c].find("__") != std::string::npos && !header[c].starts_with("launch__") && (!header[c].starts_with("device__attribute") || header[c] == "device__attribute_display_name")) {
                // Without a row of units the base ones hold (--print-units base): nanoseconds for times.
                const std::string& unit = units[c].empty() && header[c].starts_with("gpu__time") ? std::string("ns") : units[c];
                put(launch, header[c], units[c].empty() && header[c].find(".pct") != std::string::npos ? "%" : unit, record[c]);
            }
    }
    record.clear();
}

void Reader::read(std::string_view table)
{
    separator = separator_of(table.substr(0, table.find('\n')));
    { // the decimal mark, from the first records
        DelimitedText sample(table.substr(0, std::size_t{4} << 20), separator);
        std::vector<std::string> names, record, values;
        sample.next(names);
        const bool summary = is_summary(names);
        for (int i = 0; i < 2000 && sample.next(record); ++i)
            for (std::size_t c = 0; c < record.size() && record.size() == names.size(); ++c)
                if (names[c] == (summary ? "Average" : "Metric Value") || names[c].find("__") != std::string::npos)
                    values.push_back(record[c]);
        mark = decimal_mark_of(values);
    }
    DelimitedText records(table, separator);
    std::vector<std::string> record;
    records.next(record);
    while (!record.empty() && launches.size() < most_launches) {
        const std::vector<std::string> header = record;
        if (column_of(header, "Metric Name") >= 0)
            read_long(records, header, record);
        else
            read_wide(records, header, record);
    }
}

nlohmann::json facts_of_kernels(const Reader& r, const KernelCounters& counters, const NcuCounted& counted)
{
    nlohmann::json f = {{"layout", r.any_wide ? "wide" : "long"}, {"n_kernels", counters.kernels.size()}, {"has_flop_counters", counted.flops}};
    if (r.any_wide)
        f["n_columns"] = r.columns;
    else
        f["n_metric_rows"] = r.metric_rows;
    f["time_unit"] = r.time_unit;
    double sum = 0;
    std::map<std::string, std::pair<std::int64_t, double>> by_name;
    for (const CountedKernel& k : counters.kernels) {
        auto& [count, time] = by_name[short_name(k.name)];
        ++count;
        time += k.time_known ? k.time.value() * 1e9 : 0;
        sum += k.time_known ? k.time.value() * 1e9 : 0;
    }
    if (counted.time)
        f["total_time_ns"] = sum;
    f["per_kernel"] = nlohmann::json::object();
    for (const auto& [name, entry] : by_name)
        f["per_kernel"][name] = {{"count", entry.first}, {"sum_ns", counted.time ? nlohmann::json(entry.second) : nlohmann::json(nullptr)}};
    const CountedKernel& k = counters.kernels.front();
    f["kernel"] = k.name;
    f["cc"] = r.launches.front().compute_capability;
    f["first_row"] = nlohmann::json::object();
    if (k.time_known)
        f["time_ns"] = k.time.value() * 1e9;
    if (k.dram_bytes) {
        f["dram_bytes"] = k.dram_bytes->value();
        f["first_row"]["dram_bytes"] = k.dram_bytes->value();
        if (k.time_known)
            f["dram_GBps"] = k.dram_bytes->value() / k.time.value() / 1e9;
    }
    if (k.flops) {
        f["flops"] = k.flops->value();
        f["first_row"]["flops"] = k.flops->value();
    }
    return f;
}

std::string what_is_missing(const NcuCounted& c)
{
    std::vector<std::string> parts;
    if (!c.time)
        parts.emplace_back("durations (--metrics gpu__time_duration.sum)");
    if (!c.flops)
        parts.emplace_back("floating-point operations (ncu --set roofline, or --section SpeedOfLight_RooflineChart; for tensor cores --section SpeedOfLight_HierarchicalTensorRooflineChart)");
    else if (c.unattributed)
        parts.emplace_back("operations of tensor cores, which some kernels used (--section SpeedOfLight_HierarchicalTensorRooflineChart)");
    if (!c.bytes)
        parts.emplace_back("DRAM bytes (ncu --set roofline, or --metrics dram__bytes.sum)");
    std::string out;
    for (const std::string& p : parts)
        out += (out.empty() ? "the file has no counters of " : "; nor of ") + p;
    return out;
}

} // namespace

bool is_ncu_csv(std::string_view text) { return find_header(text) != std::string_view::npos; }

Expected<Measured> read_ncu_csv(std::string_view text, const std::string& file)
{
    Reader r;
    r.read(text.substr(find_header(text)));
    if (r.launches.empty())
        return bad_input("Nsight Compute CSV without a single kernel", Place{file, 0, {}}, {}, "records behind the header");
    KernelCounters counters;
    counters.tool = "Nsight Compute";
    NcuCounted counted;
    for (const NcuLaunch& launch : r.launches) {
        const std::size_t times = std::min(launch.invocations, most_launches - std::min(most_launches, counters.kernels.size()));
        counters.kernels.insert(counters.kernels.end(), times, counted_kernel(launch, counted));
        if (counters.device.empty())
            counters.device = launch.device_name;
    }
    if (counters.device.empty() && !r.launches.front().compute_capability.empty())
        counters.device = "compute capability " + r.launches.front().compute_capability;
    counters.missing = what_is_missing(counted);
    Measured m;
    m.file = file;
    m.format = "Nsight Compute CSV";
    m.facts = facts_of_kernels(r, counters, counted);
    m.skipped = std::move(r.skipped);
    m.notes.emplace_back("Nsight Compute locks clocks to base unless told otherwise: compare shares of the peak, not absolute times");
    if (r.summaries)
        m.notes.emplace_back("a summary per kernel: each invocation stands with the averages of its kernel and shape");
    if (r.mark == DecimalMark::comma)
        m.notes.emplace_back("numbers are read with a decimal comma");
    if (r.any_wide && !r.units_stated)
        m.notes.emplace_back("the file has no row of units: nanoseconds and bytes are assumed, as --print-units base writes");
    if (counted.partial_flops)
        m.notes.emplace_back("FLOPs are a lower bound: additions, multiplications or fused operations of a precision are not counted");
    if (counted.integer_tensor)
        m.notes.emplace_back("integer operations of tensor cores are not counted as FLOPs");
    if (counted.flops && !counted.tensor)
        m.notes.emplace_back("FLOPs are those of scalar instructions: the file does not count operations of tensor cores");
    if (counted.rate_based)
        m.notes.emplace_back("some totals are a rate of the file times the duration");
    if (!counters.missing.empty())
        m.notes.push_back(counters.missing);
    m.content = std::move(counters);
    return m;
}

} // namespace ridgepoint
