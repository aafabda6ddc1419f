#include "model/measured/serving/run_reading.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "model/measured/delimited_text.h"
#include "model/measured/lenient_json.h"

namespace ridgepoint {
namespace {

using nlohmann::json;

bool near(double a, double b, double share) { return std::abs(a - b) <= share * std::max(std::abs(a), std::abs(b)); }

// NumPy's linear interpolation between the two neighbours.
double percentile_of(const std::vector<double>& sorted, double percent)
{
    const double position = percent / 100 * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const auto above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

void put_facts(json& facts, const std::string& name, const LatencyStatistics& s)
{
    const auto put = [&](const std::string& key, const std::optional<Seconds>& v) {
        if (v)
            facts[key + "_" + name + "_ms"] = in_milliseconds(*v);
    };
    put("mean", s.mean);
    put("median", s.median);
    put("std", s.deviation);
    for (const auto& [percent, v] : s.percentiles)
        facts[fmt::format("p{:g}_{}_ms", percent, name)] = in_milliseconds(v);
}

void check_rate(ServingRun& run, const char* name, const std::optional<double>& stated, const std::optional<double>& recomputed, const char* from)
{
    if (stated && recomputed && std::isfinite(*stated) && !near(*stated, *recomputed, 0.01) && std::abs(*stated - *recomputed) > 0.005)
        run.checks.push_back(fmt::format("{} is stated as {:.6g}, but {} gives {:.6g}", name, *stated, from, *recomputed));
}

void drop_zeros(ServingRun& run)
{
    struct Named {
        const char* name;
        Latency which;
    };
    for (const auto& [name, which] : {Named{"TTFT", Latency::ttft}, {"TPOT", Latency::tpot}, {"ITL", Latency::itl}, {"end-to-end time", Latency::end_to_end}}) {
        LatencyStatistics& s = statistics_of(run, which);
        const bool stated = s.mean || s.median;
        const bool zero = (!s.mean || s.mean->value() == 0) && (!s.median || s.median->value() == 0) && std::all_of(s.percentiles.begin(), s.percentiles.end(), [](const auto& p) { return p.second.value() == 0; });
        if (!stated || !zero)
            continue;
        if (run.completed > 0)
            run.checks.push_back(fmt::format("{} is 0 throughout: it was not measured (no streaming?), not instantaneous", name));
        s = {};
    }
}

} // namespace

LatencyStatistics& statistics_of(ServingRun& run, Latency which)
{
    switch (which) {
    case Latency::ttft: return run.ttft;
    case Latency::tpot: return run.tpot;
    case Latency::itl: return run.itl;
    default: return run.end_to_end;
    }
}

bool put_statistic(LatencyStatistics& statistics, std::string_view name, double seconds_value)
{
    if (!std::isfinite(seconds_value) || seconds_value < -1e-3 || seconds_value > 1e9) // a clock that steps back a little is real
        return false;
    const Seconds v = seconds(std::max(0.0, seconds_value));
    std::string n;
    for (const char c : name)
        n += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (n == "mean" || n == "avg" || n == "average")
        statistics.mean = v;
    else if (n == "median" || n == "p50") {
        statistics.median = v;
        statistics.percentiles[50] = v;
    } else if (n == "std" || n == "stdev" || n == "stddev" || n == "std_dev")
        statistics.deviation = v;
    else if (n == "min" || n == "minimum")
        statistics.percentiles[0] = v;
    else if (n == "max" || n == "maximum")
        statistics.percentiles[100] = v;
    else if (n.size() > 1 && n.front() == 'p') {
        const auto percent = number_in(std::string_view(n).substr(1));
        if (!percent || *percent < 0 || *percent > 100)
            return false;
        statistics.percentiles[*percent] = v;
    } else
        return false;
    return true;
}

LatencyStatistics statistics_of_samples(std::vector<double> samples)
{
    LatencyStatistics s;
    std::erase_if(samples, [](double v) { return !std::isfinite(v) || v < 0; });
    if (samples.empty())
        return s;
    std::sort(samples.begin(), samples.end());
    const double n = static_cast<double>(samples.size());
    const double mean = std::accumulate(samples.begin(), samples.end(), 0.0) / n;
    double squares = 0;
    for (const double v : samples)
        squares += (v - mean) * (v - mean);
    s.mean = seconds(mean);
    s.deviation = seconds(std::sqrt(squares / n));
    for (const double p : {0.0, 1.0, 5.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 100.0})
        s.percentiles[p] = seconds(percentile_of(samples, p));
    s.median = s.percentiles[50];
    return s;
}

void fill_missing(LatencyStatistics& into, const LatencyStatistics& from)
{
    if (!into.mean)
        into.mean = from.mean;
    if (!into.median)
        into.median = from.median;
    if (!into.deviation)
        into.deviation = from.deviation;
    for (const auto& [percent, v] : from.percentiles)
        into.percentiles.try_emplace(percent, v);
}

void complete_and_check(ServingRun& run)
{
    drop_zeros(run);
    const bool timed = run.duration && run.duration->value() > 0;
    const auto per_second = [&](const std::optional<std::int64_t>& n) { return timed && n ? std::optional(static_cast<double>(*n) / run.duration->value()) : std::nullopt; };
    const auto value_of = [](const std::optional<TokensPerSecond>& v) { return v ? std::optional(v->value()) : std::nullopt; };
    const auto requests = per_second(run.completed > 0 ? std::optional(run.completed) : std::nullopt), output = per_second(run.output_tokens);
    const auto total = per_second(run.input_tokens && run.output_tokens ? std::optional(*run.input_tokens + *run.output_tokens) : std::nullopt);
    check_rate(run, "output throughput (tokens/s)", value_of(run.output_per_second), output, "output tokens / duration");
    check_rate(run, "total throughput (tokens/s)", value_of(run.total_per_second), total, "(input + output tokens) / duration");
    check_rate(run, "request throughput (requests/s)", run.requests_per_second, requests, "completed requests / duration");
    if (!run.requests_per_second)
        run.requests_per_second = requests;
    if (!run.output_per_second && output)
        run.output_per_second = TokensPerSecond{*output};
    if (!run.total_per_second && total)
        run.total_per_second = TokensPerSecond{*total};
    if (run.completed > 0) {
        if (run.input_tokens && !run.input_length)
            run.input_length = static_cast<double>(*run.input_tokens) / static_cast<double>(run.completed);
        if (run.output_tokens && !run.output_length)
            run.output_length = static_cast<double>(*run.output_tokens) / static_cast<double>(run.completed);
    }
    if (run.requests && run.completed > 0 && run.completed + run.failed != *run.requests)
        run.checks.push_back(fmt::format("{} completed and {} failed requests are not the {} that were asked for", run.completed, run.failed, *run.requests));
    if (!run.tpot_counts_first && !run.itl_counts_first && run.tpot.mean && run.itl.mean && run.itl.mean->value() > 0 && run.tpot.mean->value() > 1.5 * run.itl.mean->value())
        run.checks.push_back(fmt::format("mean TPOT of {:.4g} ms is far above mean ITL of {:.4g} ms: answers of few tokens distort it, prefer the ITL", in_milliseconds(*run.tpot.mean), in_milliseconds(*run.itl.mean)));
    if (run.ttft.mean && run.end_to_end.mean && run.ttft.mean->value() > 1.001 * run.end_to_end.mean->value())
        run.checks.push_back(fmt::format("mean TTFT of {:.4g} ms is above the mean end-to-end time of {:.4g} ms", in_milliseconds(*run.ttft.mean), in_milliseconds(*run.end_to_end.mean)));
    if (const auto flight = run.in_flight(); flight && run.max_concurrency && *flight > 1.1 * *run.max_concurrency + 1)
        run.checks.push_back(fmt::format("requests per second times the mean end-to-end time gives {:.4g} requests in flight, above the limit of {}", *flight, *run.max_concurrency));
}

std::optional<double> seconds_of_unit(std::string_view unit)
{
    const std::string u = plain_name(unit);
    if (u == "ms" || u == "millisecond" || u == "milliseconds" || u == "msec")
        return 1e-3;
    if (u == "s" || u == "sec" || u == "secs" || u == "second" || u == "seconds")
        return 1;
    if (u == "us" || u == "microsecond" || u == "microseconds" || u == "usec")
        return 1e-6;
    if (u == "ns" || u == "nanosecond" || u == "nanoseconds" || u == "nsec")
        return 1e-9;
    return std::nullopt;
}

std::optional<int> count_at(const json& object, std::string_view key)
{
    const auto v = integer_at(object, key);
    return v && *v >= 1 && *v <= 1'000'000 ? std::optional(static_cast<int>(*v)) : std::nullopt;
}

json facts_of_run(const ServingRun& run)
{
    json f = {{"tool", run.tool}, {"completed", run.completed}, {"failed", run.failed}};
    if (!run.model.empty())
        f["model"] = run.model;
    if (!run.backend.empty())
        f["backend"] = run.backend;
    if (run.request_rate)
        f["request_rate"] = std::isfinite(*run.request_rate) ? json(*run.request_rate) : json("inf");
    const auto put = [&](const char* key, const auto& v) {
        if (v)
            f[key] = *v;
    };
    put("max_concurrency", run.max_concurrency);
    put("tp", run.tp);
    put("pp", run.pp);
    put("ep", run.ep);
    put("gpus", run.gpus);
    put("requests", run.requests);
    put("input_tokens", run.input_tokens);
    put("output_tokens", run.output_tokens);
    put("mean_input_tokens", run.input_length);
    put("mean_output_tokens", run.output_length);
    put("requests_per_s", run.requests_per_second);
    if (run.duration)
        f["duration_s"] = run.duration->value();
    if (run.output_per_second)
        f["output_tok_s"] = run.output_per_second->value();
    if (run.total_per_second)
        f["total_tok_s"] = run.total_per_second->value();
    put("in_flight", run.in_flight());
    put_facts(f, "ttft", run.ttft);
    put_facts(f, "tpot", run.tpot);
    put_facts(f, "itl", run.itl);
    put_facts(f, "e2el", run.end_to_end);
    f["checks"] = run.checks;
    return f;
}

Expected<Measured> serving_measured(std::vector<ServingRun> runs, json facts, const std::string& file, std::string format, std::vector<Skipped> skipped, std::vector<std::string> notes)
{
    if (runs.empty())
        return bad_input("a serving benchmark without a single run", Place{file, 0, {}}, {}, "throughput or latencies");
    Measured m;
    m.file = file;
    m.format = std::move(format);
    m.facts = std::move(facts);
    m.facts["runs"] = json::array();
    for (ServingRun& run : runs) {
        complete_and_check(run);
        m.facts["runs"].push_back(facts_of_run(run));
    }
    m.skipped = std::move(skipped);
    m.notes = std::move(notes);
    m.content = ServingBenchmark{std::move(runs)};
    return m;
}

} // namespace ridgepoint
