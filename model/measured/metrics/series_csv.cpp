// CSV of time series, as Grafana exports panels: "series joined by time" (a column a series), or one row a sample
// (Series;Time;Value). Cells are raw numbers or formatted ("28.1%", "1.57 kW"), empty or "undefined" where there is none.

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "model/measured/metrics/local_dates.h"
#include "model/measured/metrics/metric_formats.h"
#include "model/measured/tables/csv.h"

namespace ridgepoint {
namespace {

std::string lower(std::string_view text)
{
    std::string out;
    for (const char c : text)
        out += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    return out;
}

constexpr std::size_t none = static_cast<std::size_t>(-1);

struct Layout {
    std::size_t time = none, series = none, value = none; // series: one row a sample
};

Layout layout_of(const std::vector<std::string>& header)
{
    Layout l;
    for (std::size_t i = 0; i < header.size(); ++i) {
        const std::string name = lower(header[i]);
        if (l.time == none && (name == "time" || name == "timestamp" || name == "date" || name == "datetime" || name == "date_time"))
            l.time = i;
        else if (name == "series" || name == "metric" || name == "field")
            l.series = i;
        else if (name == "value")
            l.value = i;
    }
    if (l.value == none)
        l.series = none;
    return l;
}

std::vector<std::optional<double>> times_of(const MeasuredTable& table, std::size_t column)
{
    std::vector<std::string> cells;
    cells.reserve(table.rows.size());
    for (const auto& row : table.rows)
        cells.push_back(row[column]);
    return column_times(cells);
}

bool recognises(std::string_view text)
{
    if (!looks_like_csv(text))
        return false;
    const auto header = csv_header(text);
    const Layout l = layout_of(header);
    // A column of steps makes it a training table, nvidia-smi's names its own.
    const bool another = std::any_of(header.begin(), header.end(), [](const std::string& column) {
        const std::string name = lower(column);
        return name == "step" || name == "_step" || name == "iteration" || name == "global_step" || name.starts_with("utilization.") || name.starts_with("power.draw") || name.starts_with("memory.used") || name.starts_with("clocks.");
    });
    if (l.time == none || another)
        return false;
    std::vector<Skipped> ignored;
    const std::size_t end = text.size() > 16384 ? text.rfind('\n', 16384) : text.size();
    const auto head = csv_table(text.substr(0, end == std::string_view::npos ? 16384 : end), ignored);
    if (!head)
        return false;
    // Times of a cluster's clock, not "12.5 us" of a benchmark.
    const auto times = times_of(*head, l.time);
    const auto timed = std::count_if(times.begin(), times.end(), [](const std::optional<double>& t) { return t && *t > 5e8; });
    return timed > 0 && 2 * static_cast<std::size_t>(timed) >= head->rows.size();
}

bool is_absent(const std::string& word) { return word.empty() || word == "undefined" || word == "null" || word == "nan" || word == "n/a" || word == "-" || word == "no data" || word == "inf" || word == "+inf"; }

// Which columns tell apart series whose rows stand below each other: those of words, and where a time comes more than once,
// those of numbers that count devices.
std::vector<bool> label_columns(const MeasuredTable& table, const Layout& l)
{
    std::vector<bool> is_label(table.columns.size(), false);
    if (l.series != none)
        return is_label;
    std::set<std::string> times;
    bool repeated = false;
    for (const auto& row : table.rows)
        repeated = !times.insert(row[l.time]).second || repeated;
    for (std::size_t c = 0; c < is_label.size(); ++c) {
        std::size_t words = 0, cells = 0;
        for (const auto& row : table.rows)
            if (!is_absent(lower(row[c]))) {
                ++cells;
                words += cell_number(row[c]) ? 0 : 1;
            }
        constexpr std::string_view counting[]{"gpu", "gpu_id", "index", "device", "rank", "local_rank", "minor_number", "gpu_i_id", "port", "node"};
        const bool counts = repeated && std::find(std::begin(counting), std::end(counting), lower(table.columns[c])) != std::end(counting);
        is_label[c] = c != l.time && (counts || 2 * words > cells);
    }
    return is_label;
}

std::string base_unit(std::string_view unit)
{
    if (unit == "%")
        return "ratio";
    for (const std::string_view base : {"B/s", "bps", "b/s", "Bps", "Hz", "W", "J"})
        if (unit.ends_with(base))
            return base == "bps" || base == "b/s" || base == "Bps" ? "B/s" : std::string(base);
    if (unit.ends_with("B") || unit == "bytes")
        return "B";
    return unit == "s" || unit == "ms" || unit == "us" || unit == "ns" ? "s" : std::string(unit);
}

Expected<Measured> read(std::string_view text, const std::string& file)
{
    std::vector<Skipped> skipped;
    const auto table = csv_table(text, skipped);
    if (!table)
        return bad_input("not a table", Place{file, 0, {}}, {}, "rows of as many cells as the header has");
    const Layout l = layout_of(table->columns);
    if (l.time == none)
        return bad_input("no column of times", Place{file, 0, {}}, table->columns.front(), "a column named Time");
    SeriesBuilder builder;
    struct Target {
        std::string name;
        std::map<std::string, std::string> labels;
    };
    const auto target_of = [](const std::string& column) {
        Target t;
        std::string_view rest = column;
        if (column.starts_with('{')) { // without a legend, Grafana names a series by all its labels
            const std::string named = "_" + column;
            std::string_view all = named;
            if (take_metric_name(all, t.name, t.labels) && all.empty()) {
                const auto own = t.labels.find("__name__");
                t.name = own == t.labels.end() ? std::string() : own->second;
                t.labels.erase("__name__");
                return t;
            }
        }
        if (!take_metric_name(rest, t.name, t.labels) || !rest.empty()) {
            t.name = column; // a legend
            t.labels.clear();
        }
        return t;
    };
    std::vector<Target> targets(table->columns.size());
    for (std::size_t c = 0; c < targets.size(); ++c)
        targets[c] = target_of(table->columns[c]);
    const std::vector<bool> is_label = label_columns(*table, l);
    const auto times = times_of(*table, l.time);
    std::int64_t missing = 0, samples = 0, formatted = 0;
    const auto store = [&](const Target& t, double time, const std::string& cell, const std::string& place) -> std::optional<CellNumber> {
        const auto v = cell_number(cell);
        if (!v) {
            ++missing;
            if (!is_absent(lower(cell)))
                skip(skipped, "cell that is no number", place);
            return std::nullopt;
        }
        switch (builder.add(t.name, t.labels, time, v->value)) {
        case SeriesBuilder::Outcome::kept:
            ++samples;
            formatted += v->unit.empty() ? 0 : 1;
            break;
        case SeriesBuilder::Outcome::blank:
            skip(skipped, "blank of DCGM (not supported, not permitted, not found)", place);
            break;
        default:
            skip(skipped, "second sample of the same series and time", place);
        }
        return v;
    };
    for (std::size_t r = 0; r < table->rows.size(); ++r) {
        const auto& row = table->rows[r];
        const std::string place = fmt::format("row {}", r + 1);
        const auto time = times[r];
        if (!time) {
            skip(skipped, "row without a time", place);
            continue;
        }
        if (l.series != none) {
            Target t = target_of(row[l.series]);
            for (std::size_t c = 0; c < row.size(); ++c)
                if (c != l.time && c != l.series && c != l.value && !row[c].empty())
                    t.labels[table->columns[c]] = row[c];
            if (const auto v = store(t, *time, row[l.value], place); v && !v->unit.empty())
                builder.series(t.name, t.labels).unit = base_unit(v->unit);
            continue;
        }
        std::map<std::string, std::string> labels;
        for (std::size_t c = 0; c < row.size(); ++c)
            if (is_label[c] && !row[c].empty())
                labels[table->columns[c]] = row[c];
        for (std::size_t c = 0; c < row.size(); ++c) {
            if (c == l.time || is_label[c])
                continue;
            Target t = targets[c];
            t.labels.insert(labels.begin(), labels.end());
            if (const auto v = store(t, *time, row[c], place); v && !v->unit.empty())
                builder.series(t.name, t.labels).unit = base_unit(v->unit);
        }
    }
    MetricSet set = builder.take();
    if (samples == 0)
        return bad_input("a table of times without one number", Place{file, 0, {}}, {}, "a column of times and columns of numbers");
    std::vector<std::string> notes;
    if (formatted > 0)
        notes.emplace_back("Values were exported as formatted text, rounded to what the panel shows; an export of raw data is exact.");
    const auto first = times.front();
    const std::string& stamp = table->rows.front()[l.time];
    if (first && stamp.find(':') != std::string::npos && stamp.find('Z') == std::string::npos && stamp.find('+') == std::string::npos)
        notes.emplace_back("Times have no time zone and are taken as UTC.");
    const nlohmann::json own = {{"n_rows", table->rows.size()}, {"n_missing", missing}};
    return metrics_of(series_table_name, file, std::move(set), std::move(skipped), std::move(notes), own);
}

} // namespace

TextFormat series_csv_format() { return {series_table_name, recognises, read}; }

} // namespace ridgepoint
