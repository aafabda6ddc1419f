// GuideLLM's benchmarks.csv, a row a benchmark. Since 0.4 three header lines (group, status and unit, statistic); before, one
// line of names such as "Successful Time to first token ms mean". A distribution takes four columns, the last of which is a
// list: [min, 0.1 %, 1, 5, 10, 25, 75, 90, 95, 99 %, max].

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "model/measured/delimited_text.h"
#include "model/measured/lenient_json.h"
#include "model/measured/serving/other_tools.h"
#include "model/measured/serving/run_reading.h"

namespace ridgepoint {
namespace {

using nlohmann::json;

constexpr std::array list_of = {"p0", "p0.1", "p1", "p5", "p10", "p25", "p75", "p90", "p95", "p99", "p100"};

enum class Figure { none, latency, mean_rate, length, requests, failures, duration, backend, strategy };
struct Column {
    Figure figure = Figure::none;
    std::string name; // plain: "timetofirsttoken", "outputtokenspersecond"
    std::string statistic; // plain: "mean", "median", "stddev"; "list"
    double unit = 1; // seconds, of latencies
};

std::string drop(std::string text, std::string_view end)
{
    if (text.ends_with(end))
        text.resize(text.size() - end.size());
    return text;
}

// A plain name with status, unit and statistic taken off: "successfultimetofirsttokenmsmean".
Column column_of(std::string name, const std::string& statistic)
{
    Column c;
    c.statistic = statistic;
    for (const std::string_view end : {"mean", "median", "stddev"})
        if (statistic.empty() && name.ends_with(end)) {
            c.statistic = end;
            name = drop(name, end);
        }
    if (statistic.empty() && name.ends_with("min0115102575909599max")) { // "[min, 0.1, 1, ...]"
        c.statistic = "list";
        name = drop(name, "min0115102575909599max");
    }
    if (name == "requestcountssuccessful" || name == "successfulrequests") {
        c.figure = Figure::requests;
    } else if (name == "requestcountserrored" || name == "erroredrequests") {
        c.figure = Figure::failures;
    } else if (name == "duration" || name == "timingsduration" || name == "timingsdurationsec") {
        c.figure = Figure::duration;
    } else if (name == "backend" || name == "runinfobackend" || name == "worker") {
        c.figure = Figure::backend;
    } else if (name == "benchmarkstrategy" || name == "args" || name == "runinfoprofile" || name == "profile") {
        c.figure = Figure::strategy;
    } else {
        const auto status = name.find("successful");
        if (status == std::string::npos || c.statistic.empty())
            return c;
        name.erase(status, 10);
        if (name.ends_with("ms")) {
            name = drop(name, "ms");
            c.unit = 1e-3;
        } else if (name == "requestlatencysec") {
            name = "requestlatency";
        }
        const bool latency = name == "requestlatency" || name == "timetofirsttoken" || name == "timeperoutputtoken" || name == "intertokenlatency";
        const bool length = name == "tokenmetricsinputtokens" || name == "tokenmetricsoutputtokens" || name == "prompttokencount" || name == "outputtokencount";
        const bool rate = name == "serverthroughputrequestssec" || name == "requestspersecond" || name == "tokenthroughputoutputtokenssec" || name == "outputtokenspersecond"
            || name == "tokenthroughputtotaltokenssec" || name == "tokenspersecond" || name == "totaltokenspersecond";
        c.figure = latency ? Figure::latency : length ? Figure::length : rate ? Figure::mean_rate : Figure::none;
    }
    c.name = std::move(name);
    return c;
}

bool is_three_lines(const std::vector<std::string>& third) { return std::find(third.begin(), third.end(), "Percentiles") != third.end() && std::find(third.begin(), third.end(), "Mean") != third.end(); }

std::vector<Column> columns_of(DelimitedText& records)
{
    std::vector<std::string> first, second, third;
    records.next(first);
    DelimitedText ahead = records;
    std::vector<Column> columns;
    if (ahead.next(second) && ahead.next(third) && is_three_lines(third) && second.size() == first.size() && third.size() == first.size()) {
        records = ahead;
        for (std::size_t i = 0; i < first.size(); ++i) {
            const std::string statistic = third[i] == "Percentiles" ? "list" : plain_name(third[i]);
            columns.push_back(column_of(plain_name(first[i]) + plain_name(second[i]), statistic == "sec" ? "" : statistic));
        }
    } else {
        for (const std::string& name : first)
            columns.push_back(column_of(plain_name(name), {}));
    }
    return columns;
}

LatencyStatistics& latency_of(ServingRun& run, const std::string& name)
{
    return statistics_of(run, name == "requestlatency" ? Latency::end_to_end : name == "timetofirsttoken" ? Latency::ttft : name == "timeperoutputtoken" ? Latency::tpot : Latency::itl);
}

void put_mean(ServingRun& run, const std::string& name, double v)
{
    if (!(v > 0) || !std::isfinite(v))
        return;
    if (name == "serverthroughputrequestssec" || name == "requestspersecond")
        run.requests_per_second = v;
    else if (name == "tokenthroughputoutputtokenssec" || name == "outputtokenspersecond")
        run.output_per_second = TokensPerSecond{v};
    else if (name == "tokenmetricsinputtokens" || name == "prompttokencount")
        run.input_length = v;
    else if (name == "tokenmetricsoutputtokens" || name == "outputtokencount")
        run.output_length = v;
    else
        run.total_per_second = TokensPerSecond{v};
}

// What configures a run stands in its cell as JSON.
void put_settings(ServingRun& run, const std::string& cell)
{
    const json o = json::parse(cell, nullptr, false);
    if (cell == "synchronous")
        run.max_concurrency = 1;
    else if (cell == "throughput")
        run.request_rate = std::numeric_limits<double>::infinity();
    if (!o.is_object())
        return;
    for (const char* key : {"model", "backend_model"})
        if (run.model.empty())
            run.model = text_at(o, key);
    const auto strategy = o.find("strategy");
    if (strategy == o.end())
        return;
    if (!run.max_concurrency)
        run.max_concurrency = count_at(*strategy, "streams");
    if (const auto rate = number_at(*strategy, "rate"); rate && !run.request_rate)
        run.request_rate = rate;
}

// False: the row does not follow the header, as where another benchmark has statuses that the first had not.
bool put_row(ServingRun& run, const std::vector<Column>& columns, const std::vector<std::string>& row)
{
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const Column& c = columns[i];
        if (c.statistic == "list" && !row[i].empty() && row[i].front() != '[')
            return false;
        if (c.figure == Figure::backend || c.figure == Figure::strategy)
            put_settings(run, row[i]);
        if (c.figure == Figure::latency && c.statistic == "list") {
            const json list = json::parse(row[i], nullptr, false);
            for (std::size_t k = 0; list.is_array() && list.size() == list_of.size() && k < list.size(); ++k)
                if (const auto v = number_of(list[k]))
                    put_statistic(latency_of(run, c.name), list_of[k], *v * c.unit);
        }
        const auto v = number_in(row[i]);
        if (!v)
            continue;
        if (c.figure == Figure::latency)
            put_statistic(latency_of(run, c.name), c.statistic, *v * c.unit);
        else if ((c.figure == Figure::mean_rate || c.figure == Figure::length) && c.statistic == "mean")
            put_mean(run, c.name, *v);
        else if (c.figure == Figure::requests && *v >= 0 && *v < 9e18)
            run.completed = std::llround(*v);
        else if (c.figure == Figure::failures && *v >= 0 && *v < 9e18)
            run.failed = std::llround(*v);
        else if (c.figure == Figure::duration && *v > 0 && std::isfinite(*v))
            run.duration = seconds(*v);
    }
    return true;
}

} // namespace

bool is_guidellm_csv(std::string_view text)
{
    const std::string_view start = text.substr(0, 65536);
    const auto has = [&](std::string_view part) { return start.find(part) != std::string_view::npos; };
    return !start.starts_with('{') && ((has("Time to First Token") && has("Successful ms") && has("Percentiles")) || (has("Successful Time to first token ms mean") && has("Successful Request latency mean")));
}

Expected<Measured> read_guidellm_csv(std::string_view text, const std::string& file)
{
    const std::size_t header = std::min(text.find("Time to First Token"), text.find("Successful Time to first token ms mean"));
    if (const std::size_t before = header == std::string_view::npos ? header : text.rfind('\n', header); before != std::string_view::npos)
        text.remove_prefix(before + 1); // lines of a log
    DelimitedText records(text);
    const std::vector<Column> columns = columns_of(records);
    std::vector<ServingRun> runs;
    std::vector<Skipped> skipped;
    std::vector<std::string> row;
    while (records.next(row) && runs.size() < 100'000) {
        const std::string place = fmt::format("line {}", records.line());
        ServingRun run;
        run.tpot_counts_first = true;
        run.tool = "GuideLLM";
        if (row.size() != columns.size() || !put_row(run, columns, row))
            skip(skipped, "row whose columns are not those of the header", place);
        else if (run.completed == 0 && !run.end_to_end.mean && !run.requests_per_second)
            skip(skipped, "benchmark without a successful request", place);
        else
            runs.push_back(std::move(run));
    }
    json facts = {{"n_benchmarks", runs.size()}};
    return serving_measured(std::move(runs), std::move(facts), file, "GuideLLM CSV", std::move(skipped), {"statistics are of successful requests", "GuideLLM's TPOT holds the time to the first token; its ITL does not"});
}

} // namespace ridgepoint
