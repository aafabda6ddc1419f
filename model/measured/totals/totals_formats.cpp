// `nsys stats` summaries (CSV, and the tables that `nsys profile --stats=true` prints) and rocprof's *_stats.csv.

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include <fmt/format.h>

#include "model/measured/kernel_totals.h"
#include "model/measured/measured.h"
#include "model/measured/totals/totals_kinds.h"
#include "model/measured/totals/totals_table.h"
#include "model/trace/kernel_rules.h"

namespace ridgepoint {
namespace {

using Kind = TotalsReport::Kind;

Seconds from_ns(std::int64_t ns) { return Seconds{static_cast<double>(ns) * 1e-9}; }
std::int64_t to_ns(Seconds s) { return std::llround(s.value() * 1e9); }

std::string_view name_of(Kind k)
{
    switch (k) {
    case Kind::kernels: return "kernels";
    case Kind::memory_operations: return "memory operations";
    case Kind::host_calls: return "host calls";
    case Kind::ranges: return "ranges";
    }
    return {};
}

bool is_cut(std::string_view name) { return name.ends_with("...") || name.ends_with("\xe2\x80\xa6"); }

struct Reader {
    const KernelRules& rules;
    KernelTotals totals;
    std::vector<Skipped> skipped;
    TableColumns columns;
    bool rocprof = false, means_only = false;
    std::string report_name = {}, repeated = {}; // of the table; of the report that has its kernels already
    Kind table_kind = Kind::kernels;
    std::map<Kind, std::size_t> report_of = {}; // this table's, by kind: one table may mix kernels and copies
    std::set<std::tuple<std::string, std::string>> seen = {}; // category and name: the summary of rocprofv3 repeats those of its domains

    void table(const std::string& name, const TableColumns& header, int)
    {
        columns = header;
        rocprof = rocprof || header.has("totaldurationns") || header.has("domain");
        report_name = name;
        table_kind = totals_kind(name, header);
        report_of.clear();
        repeated.clear();
        // cuda_gpu_sum, cuda_gpu_kern_sum and cuda_gpu_kern_gb_sum of one capture count the same kernels.
        if (!name.empty() && table_kind != Kind::ranges)
            for (const TotalsReport& r : totals.reports) // a report without a name may be that of another capture
                if (r.kind == Kind::kernels && r.name != name && (table_kind == Kind::kernels || header.has("category")))
                    repeated = r.name;
        if (!header.has("category") && !header.has("domain"))
            report(table_kind);
    }

    TotalsReport& report(Kind kind)
    {
        const auto [at, fresh] = report_of.emplace(kind, totals.reports.size());
        if (fresh) {
            TotalsReport& r = totals.reports.emplace_back();
            r.kind = kind;
            r.name = report_name.empty() ? std::string(name_of(kind)) : report_name;
        }
        return totals.reports[at->second];
    }

    void row(const std::vector<std::string>& cells, int line)
    {
        const std::string place = fmt::format("line {}", line);
        NamedTotal r;
        r.name = columns.cell(cells, {"name", "operation", "range", "kernel name", "kernelname"});
        auto total = columns.time(cells, {"total time", "totaldurationns", "total proj time", "duration"});
        const auto count = columns.whole(cells, {"instances", "num calls", "calls", "range instances", "kern inst", "count", "operations"});
        // cuda_kern_exec_sum has no totals.
        std::int64_t product = 0;
        if (const auto mean = columns.time(cells, {"kavg"}); !total && mean && count && !__builtin_mul_overflow(*mean, *count, &product)) {
            total = product;
            means_only = true;
        }
        if (r.name.empty() || !total || *total < 0 || !count || *count < 0) {
            skip(skipped, "row of a summary without a name, a count or a total", place);
            return;
        }
        const std::string category(columns.cell(cells, {"category", "domain"}));
        const auto kind = totals_row_kind(table_kind, category, r.name, rocprof);
        if (!kind)
            return skip(skipped, "sum of a whole domain of rocprofv3", place);
        if (!repeated.empty() && (*kind == Kind::kernels || *kind == Kind::memory_operations))
            return skip(skipped, fmt::format("row of {}: it counts again what {} has", report_name, repeated), place);
        if (columns.has("domain") && !seen.emplace(category, r.name).second)
            return;
        r.count = *count;
        r.total = from_ns(*total);
        const auto statistic = [&](std::initializer_list<std::string_view> names) -> std::optional<Seconds> {
            const auto ns = columns.time(cells, names);
            return ns ? std::optional(from_ns(*ns)) : std::nullopt;
        };
        r.mean = statistic({"avg", "average", "averagens", "kavg", "proj avg"});
        r.median = statistic({"med", "median", "kmed", "proj med"});
        r.shortest = statistic({"min", "minimum", "minns", "kmin", "proj min"});
        r.longest = statistic({"max", "maximum", "maxns", "kmax", "proj max"});
        totals.names_cut = totals.names_cut || is_cut(r.name);
        if (*kind == Kind::kernels || *kind == Kind::memory_operations) {
            const bool copy = r.name.find("memcpy") != std::string::npos || r.name.find("MEMORY_COPY") != std::string::npos, fill = r.name.find("memset") != std::string::npos;
            r.kernel_class = copy ? KernelClass::memcpy : fill ? KernelClass::memset : rules.kernel_class(r.name);
        }
        report(*kind).rows.push_back(std::move(r));
    }
};

nlohmann::json facts(const KernelTotals& totals)
{
    nlohmann::json reports = nlohmann::json::array(), classes = nlohmann::json::object();
    std::int64_t kernels = 0, sum = 0;
    std::map<std::string, bool> names;
    for (const TotalsReport& r : totals.reports) {
        reports.push_back({{"report", r.name}, {"kind", name_of(r.kind)}, {"rows", r.rows.size()}, {"count", r.count()}, {"total_ns", to_ns(r.total())}});
        if (r.kind == Kind::kernels) {
            kernels += r.count();
            sum += to_ns(r.total());
            for (const NamedTotal& k : r.rows)
                names.emplace(k.name, true);
        }
    }
    for (const ClassTotal& c : class_totals(totals))
        classes[std::string(name_of(c.kernel_class))] = {{"count", c.count}, {"sum_ns", to_ns(c.sum)}};
    return {{"n_kernels", kernels}, {"sum_ns", sum}, {"distinct", names.size()}, {"reports", reports}, {"per_class", classes}};
}

Expected<Measured> read_totals(std::string_view text, const std::string& file)
{
    const auto rules = KernelRules::load_default();
    if (!rules)
        return rules.error();
    Reader reader{**rules, {}, {}, {}};
    visit_totals_tables(text, {[&](const std::string& name, const TableColumns& columns, int line) { reader.table(name, columns, line); },
                                  [&](const std::vector<std::string>& row, int line) { reader.row(row, line); }});
    Measured m;
    m.file = file;
    m.format = reader.rocprof ? "rocprof statistics" : "Nsight Systems statistics";
    m.skipped = std::move(reader.skipped);
    for (std::size_t at = text.find("SKIPPED: "); at != std::string_view::npos; at = text.find("SKIPPED: ", at + 1)) {
        const std::string_view line = text.substr(at + 9, std::min(text.find('\n', at), text.size()) - at - 9);
        const auto why = line.find("does not contain");
        skip(m.skipped, fmt::format("report without data: the profile {}", why == std::string_view::npos ? "has nothing for it" : line.substr(why, 120)), {});
    }
    if (reader.totals.reports.empty() && m.skipped.empty())
        return bad_input("nsys wrote this, but no summary with times by name is in it", Place{file, 0, {}}, {}, "`nsys stats --report cuda_gpu_kern_sum --format csv`");
    reader.totals.tool = reader.rocprof ? "rocprof" : "Nsight Systems";
    if (reader.totals.names_cut)
        m.notes.push_back("Names end in \"...\" where the tool cut them: kernels that differ behind the cut are one row here, and a class may be missed. `--format csv` writes them whole.");
    m.notes.push_back(fmt::format("These are sums over the whole capture: busy time, idle time and overlap need the events themselves ({}).",
        reader.rocprof ? "`rocprofv3 --kernel-trace`" : "`nsys stats --report cuda_gpu_trace`, or the SQLite export"));
    if (reader.means_only)
        m.notes.push_back("Totals are means times counts: the report has no totals, and its means are rounded.");
    std::erase_if(reader.totals.reports, [](const TotalsReport& r) { return r.rows.empty(); });
    m.facts = facts(reader.totals);
    m.content = std::move(reader.totals);
    return m;
}

bool recognises_totals(std::string_view text)
{
    text = text.substr(0, std::size_t{4} << 20); // a long program output may stand in front
    const auto has = [&](std::string_view what) { return text.find(what) != std::string_view::npos; };
    if (has("does not contain CUDA kernel data") && has("SKIPPED: "))
        return true;
    if (!has("Total Time (") && !has("TotalDurationNs") && !has("Total Proj Time (") && !has("KAvg (") && !has("ROCPROFV3 "))
        return false;
    bool found = false;
    visit_totals_tables(text, {[&](const std::string&, const TableColumns&, int) { found = true; }, [](const std::vector<std::string>&, int) {}});
    return found;
}

bool is_projected(const TableColumns& c) { return c.has("name") && c.has("projected start") && c.has("projected duration"); }

// nvtx_pushpop_trace, nvtx_startend_trace, nvtx_gpu_proj_trace: a row per range. By name, they become totals.
bool is_range_header(const TableColumns& c) { return is_projected(c) || (c.has("start") && c.has("end") && c.has("duration") && c.has("name") && (c.has("lvl") || c.has("rangeid") || c.has("nametree") || c.has("range"))); }

bool recognises_ranges(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && text[first] != '{' && find_header(text.substr(0, 65536), is_range_header).has_value();
}

Expected<Measured> read_ranges(std::string_view text, const std::string& file)
{
    const auto source = bytes_of(text);
    CsvStream csv(*source);
    std::vector<std::string> row;
    TableColumns columns;
    Measured m;
    TotalsReport report;
    report.kind = Kind::ranges;
    std::unordered_map<std::string, std::size_t> index;
    std::int64_t ranges = 0, first = 0, last = 0, top_level = 0;
    while (csv.next(row)) {
        if (columns.size() == 0) {
            if (TableColumns maybe(row); is_range_header(maybe))
                columns = std::move(maybe);
            continue;
        }
        const auto start = columns.time(row, {"start", "projected start"}), duration = columns.time(row, {"duration", "projected duration"});
        std::int64_t end = 0;
        if (!start || !duration || *duration < 0 || __builtin_add_overflow(*start, *duration, &end)) {
            skip(m.skipped, "range without a start or a duration", fmt::format("line {}", csv.line()));
            continue;
        }
        const std::string name(columns.cell(row, {"name"}));
        const auto [at, fresh] = index.emplace(name, report.rows.size());
        if (fresh) {
            report.rows.emplace_back();
            report.rows.back().name = name;
        }
        NamedTotal& r = report.rows[at->second];
        const Seconds time = from_ns(*duration);
        ++r.count;
        r.total += time;
        r.shortest = std::min(r.shortest.value_or(time), time);
        r.longest = std::max(r.longest.value_or(time), time);
        first = ranges == 0 ? *start : std::min(first, *start);
        last = ranges == 0 ? end : std::max(last, end);
        ++ranges;
        top_level += columns.whole(row, {"lvl"}).value_or(-1) == 0 ? 1 : 0;
    }
    for (NamedTotal& r : report.rows)
        r.mean = r.total / static_cast<double>(r.count);
    std::stable_sort(report.rows.begin(), report.rows.end(), [](const NamedTotal& a, const NamedTotal& b) { return a.total > b.total; });
    m.file = file;
    m.format = "Nsight Systems NVTX ranges (CSV)";
    const bool projected = is_projected(columns);
    report.name = projected ? "nvtx_gpu_proj_trace" : "nvtx_pushpop_trace";
    m.notes.push_back(fmt::format("Ranges are nested: a total includes those of the ranges inside, so totals do not add up. They are {}.",
        projected ? "GPU time, from a range's first operation to its last, with the gaps between" : "host time, not GPU time"));
    m.facts = {{"n_ranges", ranges}, {"distinct", report.rows.size()}, {"top_level", top_level}, {"span_ns", last - first}};
    KernelTotals totals;
    totals.tool = "Nsight Systems";
    totals.reports.push_back(std::move(report));
    m.content = std::move(totals);
    return m;
}

} // namespace

std::vector<TextFormat> totals_formats()
{
    return {{"Nsight Systems statistics", recognises_totals, read_totals}, {"Nsight Systems NVTX ranges (CSV)", recognises_ranges, read_ranges}};
}

} // namespace ridgepoint
