// GuideLLM. Since 0.2: benchmarks[].metrics.X.{successful, errored, incomplete, total}.{mean, median, std_dev, percentiles};
// names end in _ms where milliseconds are meant, request_latency is in seconds. 0.1: benchmarks[].results, a request each.

#include <algorithm>
#include <cmath>
#include <tuple>

#include <fmt/format.h>

#include "model/measured/block_yaml.h"
#include "model/measured/lenient_json.h"
#include "model/measured/serving/other_tools.h"
#include "model/measured/serving/run_reading.h"

namespace ridgepoint {
namespace {

using nlohmann::json;

const json& successful(const json& metrics, std::string_view key)
{
    const json& metric = member(metrics, key);
    if (metric.is_object() && metric.contains("successful")) // null: no request succeeded, and the total is of failed ones
        return metric["successful"];
    return member(metric, "total").is_object() ? member(metric, "total") : metric;
}

void put_distribution(LatencyStatistics& into, const json& d, double unit)
{
    if (!d.is_object() || (number_at(d, "count").value_or(1) == 0))
        return;
    for (const auto& [key, value] : d.items())
        if (const auto v = number_of(value))
            put_statistic(into, key, *v * unit);
    const json& percentiles = member(d, "percentiles");
    if (percentiles.is_object())
        for (const auto& [key, value] : percentiles.items())
            if (const auto v = number_of(value)) // p001 is 0.1 %, p999 99.9 %; p01 and p05 are 1 and 5
                put_statistic(into, key == "p001" ? "p0.1" : key == "p999" ? "p99.9" : key, *v * unit);
}

void read_load(const json& benchmark, ServingRun& run)
{
    for (const json* holder : {&member(benchmark, "args"), &member(benchmark, "config"), &member(benchmark, "scheduler"), &benchmark}) {
        const json& strategy = member(*holder, "strategy");
        if (!strategy.is_object())
            continue;
        if (const auto rate = number_at(strategy, "rate"); rate && !run.request_rate)
            run.request_rate = rate;
        for (const char* key : {"streams", "max_concurrency"})
            if (!run.max_concurrency)
                run.max_concurrency = count_at(strategy, key);
        if (text_at(strategy, "type_") == "throughput")
            run.request_rate = std::numeric_limits<double>::infinity();
        if (text_at(strategy, "type_") == "synchronous")
            run.max_concurrency = 1;
    }
}

std::string model_of(const json& doc, const json& benchmark)
{
    const json &args = member(doc, "args"), &spec = member(member(doc, "config"), "spec"); // since 0.7 the scenario stands under "config"
    for (const json* holder : {&args, &member(benchmark, "worker"), &member(benchmark, "benchmarker"), &member(member(benchmark, "config"), "backend"), &member(args, "backend"), &member(args, "backend_kwargs"), &member(spec, "backend"), &member(benchmark, "args")})
        for (const char* key : {"model", "backend_model"})
            if (std::string m = text_at(*holder, key); !m.empty())
                return m;
    return {};
}

// 0.2 and later.
void read_metrics(const json& benchmark, ServingRun& run)
{
    const json& metrics = member(benchmark, "metrics");
    put_distribution(run.ttft, successful(metrics, "time_to_first_token_ms"), 1e-3);
    put_distribution(run.tpot, successful(metrics, "time_per_output_token_ms"), 1e-3);
    run.tpot_counts_first = true;
    put_distribution(run.itl, successful(metrics, "inter_token_latency_ms"), 1e-3);
    put_distribution(run.end_to_end, successful(metrics, "request_latency"), 1);
    const auto mean = [&](std::string_view key) {
        const auto v = number_at(successful(metrics, key), "mean");
        return v && *v > 0 && std::isfinite(*v) ? v : std::nullopt;
    };
    run.requests_per_second = mean("requests_per_second");
    if (const auto v = mean("output_tokens_per_second"))
        run.output_per_second = TokensPerSecond{*v};
    if (const auto v = mean("tokens_per_second"))
        run.total_per_second = TokensPerSecond{*v};
    run.input_length = mean("prompt_token_count");
    run.output_length = mean("output_token_count");
    for (const json* totals : {&member(metrics, "request_totals"), &member(benchmark, "request_totals"), &member(benchmark, "run_stats"), &member(member(benchmark, "scheduler_metrics"), "requests_made")}) {
        if (!totals->is_object() || !totals->contains("successful") || run.completed > 0)
            continue;
        run.completed = std::max<std::int64_t>(0, integer_at(*totals, "successful").value_or(0));
        run.failed = std::max<std::int64_t>(0, integer_at(*totals, "errored").value_or(0));
    }
    if (run.completed == 0) {
        run.completed = std::max<std::int64_t>(0, integer_at(successful(metrics, "request_latency"), "count").value_or(0));
        run.failed = std::max<std::int64_t>(0, integer_at(member(benchmark, "scheduler_state"), "errored_requests").value_or(0));
    }
    auto duration = number_at(benchmark, "duration");
    for (const auto& [holder, from, to] : {std::tuple{&benchmark, "start_time", "end_time"}, {&member(benchmark, "scheduler_metrics"), "measure_start_time", "measure_end_time"}})
        if (const auto start = number_at(*holder, from), end = number_at(*holder, to); !duration && start && end)
            duration = *end - *start;
    if (duration && *duration > 0 && std::isfinite(*duration))
        run.duration = seconds(*duration);
    if (const auto sum = number_at(successful(metrics, "output_token_count"), "total_sum"); sum && *sum > 0 && *sum < 9e18)
        run.output_tokens = std::llround(*sum);
    if (const auto sum = number_at(successful(metrics, "prompt_token_count"), "total_sum"); sum && *sum > 0 && *sum < 9e18)
        run.input_tokens = std::llround(*sum);
}

// 0.1: times of each request on the client's clock.
void read_requests(const json& benchmark, ServingRun& run)
{
    std::vector<double> ttfts, ends, gaps;
    double first = std::numeric_limits<double>::infinity(), last = -first, in = 0, out = 0;
    for (const json& r : member(benchmark, "results")) {
        const auto start = number_at(r, "start_time"), end = number_at(r, "end_time");
        if (!start || !end || !(*end >= *start) || !std::isfinite(*end - *start))
            continue;
        ++run.completed;
        first = std::min(first, *start);
        last = std::max(last, *end);
        ends.push_back(*end - *start);
        const double tokens = number_at(r, "output_token_count").value_or(0);
        out += tokens;
        in += number_at(r, "prompt_token_count").value_or(0);
        if (auto token = number_at(r, "first_token_time")) {
            if (*token >= *start)
                *token -= *start; // a stamp instead of a time
            ttfts.push_back(*token);
            if (tokens > 1)
                gaps.push_back((*end - *start - *token) / (tokens - 1));
        }
    }
    const json& errors = member(benchmark, "errors");
    run.failed = errors.is_array() ? static_cast<std::int64_t>(errors.size()) : 0;
    run.ttft = statistics_of_samples(ttfts);
    run.itl = statistics_of_samples(gaps);
    run.end_to_end = statistics_of_samples(ends);
    if (last > first)
        run.duration = seconds(last - first);
    if (out > 0 && out < 9e18)
        run.output_tokens = std::llround(out);
    if (in > 0 && in < 9e18)
        run.input_tokens = std::llround(in);
    if (const auto rate = number_at(benchmark, "rate"))
        run.request_rate = rate;
}

Expected<Measured> report_of(const json& doc, const std::string& file, std::vector<Skipped> skipped)
{
    const json& benchmarks = member(doc, "benchmarks");
    if (!benchmarks.is_array())
        return bad_input("a GuideLLM report without benchmarks", Place{file, 0, "/benchmarks"}, {}, "a list");
    std::vector<ServingRun> runs;
    std::size_t index = 0;
    for (const json& b : benchmarks) {
        const std::string place = fmt::format("/benchmarks/{}", index++);
        ServingRun run;
        run.tool = "GuideLLM";
        run.model = model_of(doc, b);
        read_load(b, run);
        if (member(b, "metrics").is_object())
            read_metrics(b, run);
        else if (member(b, "results").is_array())
            read_requests(b, run);
        if (run.completed == 0 && !run.ttft.mean && !run.end_to_end.mean && !run.requests_per_second)
            skip(skipped, "benchmark without a successful request", place);
        else
            runs.push_back(std::move(run));
    }
    json facts = {{"n_benchmarks", benchmarks.size()}};
    return serving_measured(std::move(runs), std::move(facts), file, "GuideLLM report", std::move(skipped), {"statistics are of successful requests", "GuideLLM's TPOT holds the time to the first token; its ITL does not"});
}

} // namespace

bool is_guidellm(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t\r\n");
    const auto has = [&](std::string_view part) { return text.find(part) != std::string_view::npos; };
    return first != std::string_view::npos && text[first] == '{' && has("\"benchmarks\"") && ((has("\"metrics\"") && (has("\"time_to_first_token_ms\"") || has("\"request_latency\""))) || (has("\"results\"") && has("\"first_token_time\"")));
}

// The same tree in block style, as `--output-path benchmarks.yaml` writes it.
bool is_guidellm_yaml(std::string_view text)
{
    const auto has = [&](std::string_view part) { return text.find(part) != std::string_view::npos; };
    return (text.starts_with("benchmarks:") || has("\nbenchmarks:")) && (has("time_to_first_token_ms:") || has("request_latency:") || has("first_token_time:"));
}

Expected<Measured> read_guidellm_yaml(std::string_view text, const std::string& file)
{
    std::vector<Skipped> skipped;
    const auto doc = block_yaml(text, file, skipped);
    return doc ? report_of(*doc, file, std::move(skipped)) : Expected<Measured>(doc.error());
}

Expected<Measured> read_guidellm(std::string_view text, const std::string& file)
{
    std::vector<Skipped> skipped;
    const auto doc = lenient_json(text, file, skipped);
    return doc ? report_of(*doc, file, std::move(skipped)) : Expected<Measured>(doc.error());
}

} // namespace ridgepoint
