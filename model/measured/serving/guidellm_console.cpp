// The tables that GuideLLM prints at its end, a row a benchmark: "Benchmarks Info" and "Benchmarks Stats" until 0.3 (a line of
// groups, a line of names), then "Run Summary Info", "Request Latency Statistics" and "Server Throughput Statistics" (a third
// line for statistics). A group spans its columns: the bars behind it stand together.

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "model/measured/delimited_text.h"
#include "model/measured/serving/other_tools.h"
#include "model/measured/serving/run_reading.h"
#include "model/measured/training/log_lines.h"

namespace ridgepoint {
namespace {

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::string_view without_mark(std::string_view line)
{
    line = trimmed(line);
    return line.starts_with("# ") ? trimmed(line.substr(2)) : line; // kept as a comment
}

std::vector<std::string> cells_of(std::string_view line)
{
    line = without_mark(line);
    if (line.starts_with('|')) { // closed at both ends
        line.remove_prefix(1);
        if (line.ends_with('|'))
            line.remove_suffix(1);
    }
    std::vector<std::string> cells;
    for (std::size_t bar = line.find('|'); cells.size() < 200; bar = line.find('|')) {
        cells.emplace_back(trimmed(line.substr(0, bar)));
        if (bar == std::string_view::npos)
            break;
        line.remove_prefix(bar + 1);
    }
    return cells;
}

bool is_rule(std::string_view line)
{
    line = without_mark(line);
    return line.size() > 10 && line.find_first_not_of("-=|+") == std::string_view::npos;
}

// "requestlatency/sec/mdn", "ttftms/median": of each column, plain.
std::vector<std::string> columns_of(const std::vector<std::vector<std::string>>& header)
{
    std::vector<std::string> columns(header.back().size());
    for (std::size_t row = 0; row < header.size(); ++row) {
        std::string last;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const std::string cell = i < header[row].size() ? plain_name(header[row][i]) : std::string();
            last = cell.empty() && row + 1 < header.size() ? last : cell;
            columns[i] += (row > 0 ? "/" : "") + last;
        }
    }
    return columns;
}

struct Split {
    std::string group, name, statistic;
};
Split split(const std::string& column)
{
    const std::size_t first = column.find('/'), last = column.rfind('/');
    return {column.substr(0, first), column.substr(std::min(first, column.size() - 1) + 1, last > first ? last - first - 1 : std::string::npos), column.substr(last + 1)};
}

void put_cell(ServingRun& run, const Split& c, double v)
{
    const std::string statistic = c.statistic == "mdn" ? "median" : c.statistic;
    const auto count = [&] { return v >= 0 && v < 9e18 ? std::llround(v) : 0; };
    // The early tables name requests' latencies "(ms)", but state seconds as later ones.
    if (c.group.starts_with("reqlatency") || c.group == "requestlatency")
        put_statistic(run.end_to_end, statistic, v);
    else if (c.group == "ttft" || c.group == "ttftms")
        put_statistic(run.ttft, statistic, v * 1e-3);
    else if (c.group == "itl" || c.group == "itlms")
        put_statistic(run.itl, statistic, v * 1e-3);
    else if (c.group == "tpot" || c.group == "tpotms")
        put_statistic(run.tpot, statistic, v * 1e-3);
    else if (c.name == "durations" || (c.name == "dur" && c.group == "timings"))
        run.duration = v > 0 ? std::optional(seconds(v)) : std::nullopt;
    else if (c.group == "requestsmade" && c.name == "comp")
        run.completed = count();
    else if (c.group == "requestsmade" && c.name == "err")
        run.failed = count();
    else if ((c.group == "prompttoktotal" || c.group == "inputtokens") && c.name == "comp")
        run.input_tokens = count();
    else if ((c.group == "outputtoktotal" || c.group == "outputtokens") && c.name == "comp")
        run.output_tokens = count();
    else if (c.group == "prompttokreq" && c.name == "comp" && v > 0)
        run.input_length = v;
    else if (c.group == "outputtokreq" && c.name == "comp" && v > 0)
        run.output_length = v;
    else if ((c.group == "requeststats" && c.name == "persecond") || (c.group == "requests" && c.name == "persec" && statistic == "mean"))
        run.requests_per_second = v;
    else if (c.group == "outtoksec" || (c.group == "outputtokens" && c.name == "persec" && statistic == "mean"))
        run.output_per_second = TokensPerSecond{v};
    else if (c.group == "tottoksec" || (c.group == "totaltokens" && c.name == "persec" && statistic == "mean"))
        run.total_per_second = TokensPerSecond{v};
}

// "constant@2.24", "concurrent@5", "synchronous", "throughput".
void put_strategy(ServingRun& run, std::string_view strategy)
{
    const std::size_t at = strategy.find('@');
    if (strategy == "synchronous")
        run.max_concurrency = 1;
    else if (strategy.starts_with("throughput"))
        run.request_rate = std::numeric_limits<double>::infinity();
    if (at == std::string_view::npos)
        return;
    const double v = number_in(strategy.substr(at + 1)).value_or(0);
    if (strategy.starts_with("concurrent") && v >= 1 && v <= 1e6)
        run.max_concurrency = static_cast<int>(v);
    else if (!strategy.starts_with("concurrent") && v > 0 && std::isfinite(v))
        run.request_rate = v;
}

class Tables {
public:
    void take(std::string_view line, std::int64_t number)
    {
        if (is_rule(line)) {
            if (has(line, "-") && m_header.size() > 1)
                begin();
            else if (has(line, "="))
                m_header.clear();
            return;
        }
        if (!has(line, "|")) {
            m_header.clear();
            m_columns.clear();
            return;
        }
        std::vector<std::string> cells = cells_of(line);
        if (m_columns.empty() || !m_header.empty() || cells.front() == "Metadata" || cells.front() == "Benchmark") {
            m_columns.clear();
            m_header.push_back(std::move(cells));
        } else if (cells.size() != m_columns.size()) {
            skip(m_skipped, "row whose cells are not those of its header (a narrow terminal breaks lines)", fmt::format("line {}", number));
        } else {
            row(cells);
        }
        if (m_header.size() > 3)
            m_header.erase(m_header.begin());
    }

    std::vector<ServingRun> runs() { return std::move(m_runs); }
    std::vector<Skipped> skipped() { return std::move(m_skipped); }

private:
    void begin()
    {
        m_columns = columns_of(m_header);
        m_header.clear();
        m_row = 0;
        // The tables of a report differ; the first that comes again belongs to the next report.
        std::string all;
        for (const std::string& c : m_columns)
            all += c + "|";
        if (!m_seen.insert(all).second) {
            m_seen = {all};
            m_first = m_runs.size();
        }
    }

    void row(const std::vector<std::string>& cells)
    {
        if (m_runs.size() > 100'000)
            return;
        const std::size_t index = m_first + m_row++;
        if (index >= m_runs.size()) {
            m_runs.emplace_back().tool = "GuideLLM";
            m_runs.back().tpot_counts_first = true;
        }
        put_strategy(m_runs[index], cells.front());
        for (std::size_t i = 1; i < cells.size(); ++i)
            if (const auto v = number_in(cells[i]); v && std::isfinite(*v))
                put_cell(m_runs[index], split(m_columns[i]), *v);
    }

    std::vector<std::vector<std::string>> m_header; // lines since the last rule
    std::vector<std::string> m_columns; // of the table whose rows are being read; empty: none
    std::set<std::string> m_seen;
    std::vector<ServingRun> m_runs;
    std::vector<Skipped> m_skipped;
    std::size_t m_first = 0, m_row = 0;
};

} // namespace

bool is_guidellm_console(std::string_view text)
{
    return (has(text, "Benchmarks Stats") && has(text, "Req Latency") && has(text, "Out Tok/sec")) || (has(text, "Request Latency Statistics") && has(text, "| Benchmark ") && has(text, "| Strategy ")) || (has(text, "Server Throughput Statistics") && has(text, "| Strategy "));
}

Expected<Measured> read_guidellm_console(std::string_view text, const std::string& file)
{
    Tables tables;
    LogLines lines(text);
    LogLine line;
    while (lines.next(line))
        tables.take(line.text, line.number);
    std::vector<ServingRun> runs = tables.runs();
    std::erase_if(runs, [](const ServingRun& r) { return !r.end_to_end.mean && !r.end_to_end.median && !r.ttft.mean && !r.ttft.median && !r.output_per_second && !r.requests_per_second; });
    nlohmann::json facts = {{"n_benchmarks", runs.size()}};
    return serving_measured(std::move(runs), std::move(facts), file, "GuideLLM console output", tables.skipped(), {"figures are rounded in this output; latencies of requests are seconds, whatever their heading says", "GuideLLM's TPOT holds the time to the first token; its ITL does not"});
}

} // namespace ridgepoint
