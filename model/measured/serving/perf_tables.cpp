// Tables of AIPerf and GenAI-Perf: the CSV export, and the table that they print on the console.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/measured/delimited_text.h"
#include "model/measured/serving/perf_exports.h"
#include "model/measured/serving/perf_metrics.h"
#include "model/measured/training/log_lines.h"

namespace ridgepoint {
namespace {

using nlohmann::json;

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// A row is a metric: its name with the unit in brackets, then a cell for each statistic of the header. False: nothing of use.
bool put_row(ServingRun& run, const std::vector<std::string>& header, const std::vector<std::string>& row, const std::string& place, std::vector<Skipped>& skipped)
{
    std::string name = row[0], unit_name;
    if (const auto open = name.rfind(" ("); open != std::string::npos && name.ends_with(')')) {
        unit_name = name.substr(open + 2, name.size() - open - 3);
        name.resize(open);
    }
    const std::string plain = plain_name(name);
    const auto unit = seconds_of_unit(unit_name);
    if (plain == "benchmarkduration" || plain == "totalisl")
        run.tool = "AIPerf";
    bool any = false;
    if (const auto which = perf_latency_of(plain)) {
        if (!unit) {
            skip(skipped, "latency in an unknown unit", place);
            return false;
        }
        for (std::size_t i = 1; i < std::min(header.size(), row.size()); ++i)
            if (const auto v = number_in(row[i])) {
                put_statistic(statistics_of(run, *which), header[i], *v * *unit);
                any = true;
            }
    } else if (const auto v = row.size() > 1 ? number_in(row[1]) : std::nullopt) {
        put_perf_figure(run, plain, *v, unit);
        any = true;
    }
    return any;
}

Expected<Measured> measured_of(const ServingRun& run, bool any, std::string_view kind, const std::string& file, std::vector<Skipped> skipped)
{
    if (!any)
        return bad_input("an export of AIPerf or GenAI-Perf without a metric", Place{file, 0, {}}, {}, "rows behind \"Metric,avg\" or \"Metric,Value\"");
    json facts = json::object();
    put_perf_facts(facts, run);
    std::vector<ServingRun> runs{run};
    return serving_measured(std::move(runs), std::move(facts), file, fmt::format("{} {}", run.tool, kind), std::move(skipped), {std::string(perf_itl_note), "figures are rounded to two decimals in this file"});
}

// The bars that divide a table's cells: of a box, or of Markdown.
std::vector<std::string> cells_of(std::string_view line)
{
    std::vector<std::string> cells;
    std::string cell;
    bool open = false;
    for (std::size_t i = 0; i < line.size();) {
        std::size_t bar = 0;
        for (const std::string_view b : {"\u2502", "\u2503", "|"})
            if (line.substr(i).starts_with(b))
                bar = b.size();
        if (bar == 0) {
            cell += line[i++];
            continue;
        }
        if (open)
            cells.emplace_back(trimmed(cell));
        open = true;
        cell.clear();
        i += bar;
    }
    return cells;
}

bool is_heading(const std::vector<std::string>& cells)
{
    return cells.size() > 2 && (cells[0] == "Metric" || cells[0] == "Statistic" || cells[0] == "Metrics") && std::find(cells.begin(), cells.end(), "avg") != cells.end();
}

} // namespace

bool is_perf_csv(std::string_view text)
{
    const std::string_view start = text.substr(0, 4096);
    const auto at = start.find("Metric,");
    if (at == std::string_view::npos)
        return false;
    const auto before = start.substr(0, at).find_last_not_of(" \t");
    return (before == std::string_view::npos || start[before] == '\n') && (has(start.substr(at), "avg") || has(start.substr(at), "Value")) && (has(text, "Token") || has(text, "Request Latency") || has(text, "Request Throughput"));
}

Expected<Measured> read_perf_csv(std::string_view text, const std::string& file)
{
    std::vector<Skipped> skipped;
    DelimitedText records(text);
    std::vector<std::string> header, record;
    ServingRun run;
    run.tool = "GenAI-Perf";
    bool any = false, other_block = true;
    while (records.next(record)) {
        if (records.after_blank() || record[0] == "Metric" || record[0] == "Endpoint") {
            // Blocks start with their header; those of GPUs have more columns in front.
            const bool starts = record[0] == "Metric" && record.size() >= 2 && (record[1] == "avg" || record[1] == "Value");
            other_block = !starts;
            header = record;
            if (starts && std::find(header.begin(), header.end(), "std") != header.end())
                run.tool = "AIPerf";
            continue;
        }
        const std::string place = fmt::format("line {}", records.line());
        if (other_block)
            continue;
        if (record.size() != header.size())
            skip(skipped, "record without the fields of its header", place);
        else
            any = put_row(run, header, record, place, skipped) || any;
    }
    return measured_of(run, any, "CSV", file, std::move(skipped));
}

bool is_perf_table(std::string_view text)
{
    if (!has(text, "\u2502") && !has(text, "\u2503") && !has(text, "|"))
        return false;
    const bool named = has(text, "AIPerf |") || has(text, "GenAI-Perf |"); // names of metrics may be broken over lines
    return has(text, "avg") && (has(text, "Time to first token (ms)") || has(text, "Time to First Token (ms)") || has(text, "Time To First Token (ms)") || has(text, "Request latency (ms)") || has(text, "Request Latency (ms)") || (named && has(text, "Metric") && has(text, "Latency")));
}

Expected<Measured> read_perf_table(std::string_view text, const std::string& file)
{
    std::vector<ServingRun> runs;
    std::vector<Skipped> skipped;
    std::vector<std::string> header, row; // a row that the next lines may continue, whose name did not fit its column
    std::int64_t row_line = 0;
    bool aiperf = false;
    const auto close_row = [&] {
        if (!row.empty() && !runs.empty())
            put_row(runs.back(), header, row, fmt::format("line {}", row_line), skipped);
        row.clear();
    };
    LogLines lines(text);
    LogLine line;
    while (lines.next(line) && runs.size() < 10000) {
        aiperf = has(line.text, "AIPerf") || (aiperf && !has(line.text, "GenAI-Perf"));
        std::vector<std::string> cells = cells_of(line.text);
        if (is_heading(cells)) {
            close_row();
            header = std::move(cells);
            runs.emplace_back().tool = aiperf || std::find(header.begin(), header.end(), "std") != header.end() ? "AIPerf" : "GenAI-Perf";
        } else if (!runs.empty() && cells.size() == header.size() && !cells[0].empty()) {
            // A name ends with its unit.
            const bool goes_on = !row.empty() && !row[0].ends_with(')') && std::all_of(cells.begin() + 1, cells.end(), [](const std::string& c) { return c.empty(); });
            if (goes_on && row[0].size() < 200) {
                row[0] += " " + cells[0];
            } else if (!goes_on) {
                close_row();
                row = std::move(cells);
                row_line = line.number;
            }
        } else {
            close_row();
            const std::string_view duration = "Benchmark Duration: ", t = trimmed(line.text);
            std::string_view rest;
            if (!runs.empty() && !runs.back().duration && t.starts_with(duration))
                if (const auto v = leading_number(t.substr(duration.size()), rest); v && *v > 0 && trimmed(rest) == "sec")
                    runs.back().duration = seconds(*v);
        }
    }
    close_row();
    std::erase_if(runs, [](const ServingRun& r) { return !r.end_to_end.mean && !r.ttft.mean && !r.output_per_second && !r.requests_per_second; });
    json facts = {{"n_tables", runs.size()}};
    if (!runs.empty())
        put_perf_facts(facts, runs.front());
    const std::string tool = runs.empty() ? "GenAI-Perf" : runs.front().tool;
    return serving_measured(std::move(runs), std::move(facts), file, tool + " console output", std::move(skipped), {std::string(perf_itl_note), "figures are rounded to two decimals in this output"});
}

} // namespace ridgepoint
