// nvidia-smi: tables of --query-gpu=... --format=csv, and the text of dmon.

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "model/measured/metrics/metric_formats.h"
#include "model/measured/metrics/text_lines.h"
#include "model/measured/tables/csv.h"

namespace ridgepoint {
namespace {

using Json = nlohmann::json;

bool has(std::string_view text, std::string_view what) { return text.find(what) != std::string_view::npos; }

// ---- nvidia-smi --query-gpu=... --format=csv[,nounits]

struct SmiUnit {
    std::string_view text;
    double factor;
    std::string_view unit;
};
constexpr std::array smi_units{SmiUnit{"%", 0.01, "ratio"}, SmiUnit{"MiB", 1048576.0, "B"}, SmiUnit{"W", 1, "W"}, SmiUnit{"MHz", 1e6, "Hz"}, SmiUnit{"KB/s", 1e3, "B/s"}, SmiUnit{"MB/s", 1e6, "B/s"}};

std::string_view unit_in_brackets(std::string_view column)
{
    const std::size_t open = column.rfind(" [");
    return open == std::string_view::npos || !column.ends_with(']') ? std::string_view() : column.substr(open + 2, column.size() - open - 3);
}

bool is_query(std::string_view text)
{
    text.remove_prefix(std::min(text.find_first_not_of(" \r\n"), text.size()));
    const std::string_view head = text.substr(0, std::min(text.find('\n'), std::size_t{65536}));
    if (!has(head, ",") || has(head, "{"))
        return false;
    for (const std::string_view word : {"utilization.gpu", "utilization.memory", "power.draw", "memory.used", "clocks.sm", "clocks.current.sm", "temperature.gpu"})
        if (has(head, word))
            return true;
    return false;
}

Expected<Measured> read_query(std::string_view text, const std::string& file)
{
    std::vector<Skipped> skipped;
    const auto table = csv_table(text, skipped);
    if (!table)
        return bad_input("not a table of nvidia-smi", Place{file, 0, {}}, {}, "rows of as many cells as the header has");
    SeriesBuilder builder;
    std::int64_t rows = 0, missing = 0;
    std::map<std::string, double> gpus; // and how many samples each has so far
    const bool clock = std::find(table->columns.begin(), table->columns.end(), "timestamp") != table->columns.end();
    const auto gpu_of = [&](const std::vector<std::string>& row) {
        std::string gpu;
        for (const std::string_view key : {"uuid", "gpu_uuid", "index", "pci.bus_id", "gpu_bus_id"})
            if (const auto c = std::find(table->columns.begin(), table->columns.end(), key); c != table->columns.end() && gpu.empty())
                gpu = row[static_cast<std::size_t>(c - table->columns.begin())];
        return gpu;
    };
    bool repeated = false; // nvidia-smi -l: one sample after the other
    {
        std::set<std::string> once;
        for (const auto& row : table->rows)
            repeated = repeated || (!clock && row != table->columns && !once.insert(gpu_of(row)).second);
    }
    for (std::size_t r = 0; r < table->rows.size(); ++r) {
        const auto& row = table->rows[r];
        if (row == table->columns)
            continue; // the header again, of a second run
        ++rows;
        std::map<std::string, std::string> labels;
        std::optional<double> time;
        for (std::size_t c = 0; c < row.size(); ++c) {
            const std::string& name = table->columns[c];
            if (name == "timestamp")
                time = unix_seconds(row[c]);
            else if (name == "index" || name == "uuid" || name == "name" || name == "gpu_name" || name == "pci.bus_id" || name == "gpu_bus_id" || name == "serial" || name == "gpu_uuid")
                labels[name == "uuid" || name == "gpu_uuid" ? "UUID" : name == "index" ? "gpu" : name] = row[c];
        }
        const double order = gpus[gpu_of(row)]++;
        if (repeated)
            time = order;
        for (std::size_t c = 0; c < row.size(); ++c) {
            const std::string& column = table->columns[c];
            if (column == "timestamp" || labels.contains(column) || column == "index" || column == "uuid" || column == "gpu_uuid")
                continue;
            const std::string_view stated = unit_in_brackets(column);
            const std::string name(column.substr(0, stated.empty() ? column.size() : column.size() - stated.size() - 3));
            auto v = row[c].starts_with('[') ? std::nullopt : cell_number(row[c]);
            if (!v) {
                ++missing;
                continue;
            }
            // The number with or without its unit; the header's unit tells what it is.
            const auto u = std::find_if(smi_units.begin(), smi_units.end(), [&](const SmiUnit& x) { return x.text == stated || (stated.empty() && x.text == v->unit); });
            if (v->unit.empty() && u != smi_units.end())
                v->value *= u->factor;
            switch (builder.add(name, labels, time, v->value)) {
            case SeriesBuilder::Outcome::kept:
                if (u != smi_units.end())
                    builder.series(name, labels).unit = std::string(u->unit);
                break;
            default:
                skip(skipped, "second sample of the same GPU and time", fmt::format("row {}", r + 1));
            }
        }
    }
    MetricSet set = builder.take();
    if (set.series.empty())
        return bad_input("a table of nvidia-smi without one number", Place{file, 0, {}}, {}, "columns as utilization.gpu [%]");
    const Json own = {{"n_rows", rows}, {"n_gpus", gpus.size()}, {"n_missing", missing}};
    std::vector<std::string> notes{"utilization.gpu is the share of time in which any kernel was resident, not how busy the GPU was."};
    if (repeated)
        notes.emplace_back("No clock was queried (--query-gpu=timestamp,...); the time of a sample is its number, one a second unless -l or -lms said otherwise.");
    return metrics_of("nvidia-smi query", file, std::move(set), std::move(skipped), std::move(notes), own);
}

// ---- nvidia-smi dmon: "# gpu    pwr  gtemp ..." and "# Idx      W      C ..."

std::vector<std::string> words_of(std::string_view line)
{
    std::vector<std::string> out;
    line = trimmed(line);
    while (line.starts_with('#'))
        line = trimmed(line.substr(1));
    while (!line.empty() && out.size() < 200) {
        const std::size_t end = std::min(line.find_first_of(" \t,"), line.size());
        if (end > 0)
            out.emplace_back(line.substr(0, end));
        line = trimmed(line.substr(std::min(end + 1, line.size())));
    }
    return out;
}

bool is_dmon(std::string_view text)
{
    const std::string_view head = text.substr(0, 65536);
    return has(head, "gpu") && has(head, "Idx") && head.find('#') != std::string_view::npos && (has(head, "pwr") || has(head, " sm ") || has(head, "fb"));
}

Expected<Measured> read_dmon(std::string_view text, const std::string& file)
{
    std::vector<std::string> columns, units;
    std::vector<Skipped> skipped;
    SeriesBuilder builder;
    std::map<std::string, double> rows; // of a GPU, where no clock is printed
    std::int64_t samples = 0;
    bool clock = false;
    each_line(text, [&](std::string_view line, std::int64_t n) {
        if (line.empty())
            return true;
        const auto words = words_of(line);
        if (line.starts_with('#')) {
            if (std::find(words.begin(), words.end(), "Idx") != words.end() || std::find(words.begin(), words.end(), "id") != words.end())
                units = words;
            else if (std::find(words.begin(), words.end(), "gpu") != words.end())
                columns = words;
            return true;
        }
        const auto gpu = std::find(columns.begin(), columns.end(), "gpu");
        if (gpu == columns.end() || words.size() != columns.size() || units.size() != columns.size()) {
            skip(skipped, "line of another width than its heading", fmt::format("line {}", n));
            return true;
        }
        std::optional<double> time;
        std::string date, hour;
        const std::string& index = words[static_cast<std::size_t>(gpu - columns.begin())];
        for (std::size_t c = 0; c < words.size(); ++c) {
            if (columns[c] == "Date" && words[c].size() == 8)
                date = words[c].substr(0, 4) + "-" + words[c].substr(4, 2) + "-" + words[c].substr(6);
            else if (columns[c] == "Time")
                hour = words[c];
        }
        if (!date.empty() && !hour.empty())
            time = unix_seconds(date + " " + hour);
        clock |= time.has_value();
        const double order = rows[index]++;
        ++samples;
        for (std::size_t c = 0; c < words.size(); ++c) {
            if (columns[c] == "gpu" || columns[c] == "Date" || columns[c] == "Time")
                continue;
            const auto v = cell_number(words[c]);
            if (!v)
                continue; // "-": not supported
            const std::string_view unit = units[c] == "MB" ? "MiB" : std::string_view(units[c]);
            const auto u = std::find_if(smi_units.begin(), smi_units.end(), [&](const SmiUnit& x) { return x.text == unit; });
            const std::map<std::string, std::string> labels{{"gpu", index}};
            builder.add(columns[c], labels, time ? *time : order, u == smi_units.end() ? v->value : v->value * u->factor);
            if (u != smi_units.end())
                builder.series(columns[c], labels).unit = std::string(u->unit);
        }
        return true;
    });
    if (samples == 0)
        return bad_input("a heading of nvidia-smi dmon without rows", Place{file, 0, {}}, {}, "rows below \"# gpu ...\" and \"# Idx ...\"");
    std::vector<std::string> notes;
    if (!clock)
        notes.emplace_back("No clock is printed (dmon -o DT prints it); the time of a sample is its number, one a second unless dmon was told otherwise.");
    const Json own = {{"n_rows", samples}, {"n_gpus", rows.size()}};
    return metrics_of("nvidia-smi dmon", file, builder.take(), std::move(skipped), std::move(notes), own);
}

} // namespace

std::vector<TextFormat> nvidia_smi_formats() { return {{"nvidia-smi query", is_query, read_query}, {"nvidia-smi dmon", is_dmon, read_dmon}}; }

} // namespace ridgepoint
