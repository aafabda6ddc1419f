// inference-perf (kubernetes-sigs), in seconds: lifecycle metrics of a stage or of the whole run, the server's own metrics over
// Prometheus, and the list of single requests.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/measured/lenient_json.h"
#include "model/measured/serving/other_tools.h"
#include "model/measured/serving/run_reading.h"

namespace ridgepoint {
namespace {

using nlohmann::json;

std::optional<TokensPerSecond> rate(const std::optional<double>& v) { return v ? std::optional(TokensPerSecond{*v}) : std::nullopt; }

void put_distribution(LatencyStatistics& into, const json& d)
{
    if (d.is_object())
        for (const auto& [key, value] : d.items())
            if (const auto v = number_of(value))
                put_statistic(into, key, *v);
}

void put_latencies(ServingRun& run, const json& latency)
{
    put_distribution(run.ttft, member(latency, "time_to_first_token"));
    put_distribution(run.tpot, member(latency, "time_per_output_token"));
    put_distribution(run.itl, member(latency, "inter_token_latency"));
    put_distribution(run.end_to_end, member(latency, "request_latency"));
}

// "prompt_len" until 2025, then the tokens that the server counted.
std::optional<double> mean_length(const json& successes, std::initializer_list<const char*> keys)
{
    for (const char* key : keys)
        if (const auto v = positive_at(member(successes, key), "mean"))
            return v;
    return std::nullopt;
}

ServingRun run_of_lifecycle(const json& doc)
{
    const json &load = member(doc, "load_summary"), &successes = member(doc, "successes"), &throughput = member(successes, "throughput");
    ServingRun run;
    put_latencies(run, member(successes, "latency"));
    run.completed = std::max<std::int64_t>(0, integer_at(successes, "count").value_or(0));
    run.failed = std::max<std::int64_t>(0, integer_at(member(doc, "failures"), "count").value_or(0));
    run.requests = integer_at(load, "count");
    run.request_rate = number_at(load, "requested_rate");
    run.max_concurrency = count_at(load, "concurrency");
    if (const auto v = positive_at(doc, "benchmark_time_seconds"))
        run.duration = seconds(*v);
    run.requests_per_second = positive_at(throughput, "requests_per_sec");
    run.output_per_second = rate(positive_at(throughput, "output_tokens_per_sec"));
    run.total_per_second = rate(positive_at(throughput, "total_tokens_per_sec"));
    run.input_length = mean_length(successes, {"prompt_len", "prompt_tokens"});
    run.output_length = mean_length(successes, {"output_len", "output_tokens"});
    if (const auto total = positive_at(member(successes, "prompt_tokens"), "total"); total && *total < 9e18)
        run.input_tokens = std::llround(*total);
    return run;
}

// stage_N_prometheus_metrics.json: distributions directly under "successes". Means of lengths there are not per request.
ServingRun run_of_prometheus(const json& successes)
{
    ServingRun run;
    put_latencies(run, successes);
    run.completed = std::max<std::int64_t>(0, integer_at(successes, "count").value_or(0));
    run.requests_per_second = positive_at(successes, "rate");
    const auto in = positive_at(member(successes, "prompt_len"), "rate"), out = positive_at(member(successes, "output_len"), "rate");
    run.output_per_second = rate(out);
    if (in && out)
        run.total_per_second = TokensPerSecond{*in + *out};
    if (run.requests_per_second && in)
        run.input_length = *in / *run.requests_per_second;
    if (run.requests_per_second && out)
        run.output_length = *out / *run.requests_per_second;
    return run;
}

// A request: stamps of its start, its end and of every token, on a clock that starts anywhere.
class Requests {
public:
    bool take(const json& r)
    {
        const auto start = number_at(r, "start_time"), end = number_at(r, "end_time");
        if (!start || !end || !std::isfinite(*end - *start) || *end < *start)
            return false;
        if (!member(r, "error").is_null()) {
            ++m_run.failed;
            return true;
        }
        ++m_run.completed;
        m_first = std::min(m_first, *start);
        m_last = std::max(m_last, *end);
        m_ends.push_back(*end - *start);
        const json &info = member(r, "info"), &response = member(info, "response_metrics"), &computed = member(r, "computed_metrics");
        m_in += first_of({&computed, &info, &member(member(info, "request_metrics"), "text")}, "input_tokens");
        const double tokens = first_of({&computed, &response, &info}, "output_tokens");
        m_out += tokens;
        const json& stamps = response.contains("output_token_times") ? response["output_token_times"] : member(info, "output_token_times");
        std::vector<double> times;
        if (stamps.is_array())
            for (const json& t : stamps)
                if (const auto v = number_of(t))
                    times.push_back(*v);
        if (times.size() < 2) // inference-perf itself states no time to the first token for these
            return true;
        m_ttfts.push_back(times.front() - *start);
        for (std::size_t i = 1; i < times.size(); ++i)
            m_gaps.push_back(times[i] - times[i - 1]);
        if (tokens > 1)
            m_tpots.push_back((times.back() - times.front()) / (tokens - 1));
        return true;
    }

    ServingRun run()
    {
        m_run.ttft = statistics_of_samples(m_ttfts);
        m_run.tpot = statistics_of_samples(m_tpots);
        m_run.itl = statistics_of_samples(m_gaps);
        m_run.end_to_end = statistics_of_samples(m_ends);
        if (m_last > m_first)
            m_run.duration = seconds(m_last - m_first);
        if (m_in > 0 && m_in < 9e18)
            m_run.input_tokens = std::llround(m_in);
        if (m_out > 0 && m_out < 9e18)
            m_run.output_tokens = std::llround(m_out);
        return m_run;
    }

private:
    static double first_of(std::initializer_list<const json*> holders, std::string_view key)
    {
        for (const json* holder : holders)
            if (const auto v = positive_at(*holder, key))
                return *v;
        return 0;
    }

    ServingRun m_run;
    std::vector<double> m_ttfts, m_tpots, m_gaps, m_ends;
    double m_first = std::numeric_limits<double>::infinity(), m_last = -std::numeric_limits<double>::infinity(), m_in = 0, m_out = 0;
};

Expected<Measured> measured_of(ServingRun run, json facts, const std::string& format, const std::string& file, std::vector<Skipped> skipped, std::vector<std::string> notes)
{
    run.tool = "inference-perf";
    if (run.completed == 0 && !run.end_to_end.mean)
        return bad_input("results of inference-perf without a successful request", Place{file, 0, "/successes"}, {}, "a count and latencies");
    facts["count"] = run.completed;
    if (run.request_rate)
        facts["requested_rate"] = *run.request_rate;
    if (run.ttft.mean)
        facts["ttft_mean_s"] = run.ttft.mean->value();
    if (run.tpot.mean)
        facts["tpot_mean_s"] = run.tpot.mean->value();
    std::vector<ServingRun> runs{std::move(run)};
    return serving_measured(std::move(runs), std::move(facts), file, format, std::move(skipped), std::move(notes));
}

} // namespace

bool is_inference_perf(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos)
        return false;
    const auto has = [&](std::string_view part) { return text.find(part) != std::string_view::npos; };
    if (text[first] == '[')
        return has("\"start_time\"") && has("\"end_time\"") && has("\"info\"") && (has("\"output_token_times\"") || has("\"response_metrics\"") || has("\"computed_metrics\""));
    return text[first] == '{' && has("\"successes\"") && (has("\"load_summary\"") || (has("\"request_latency\"") && has("\"requests_per_sec\"")));
}

Expected<Measured> read_inference_perf(std::string_view text, const std::string& file)
{
    std::vector<Skipped> skipped;
    const auto doc = lenient_json(text, file, skipped);
    if (!doc)
        return doc.error();
    if (doc->is_array()) {
        Requests requests;
        std::size_t index = 0;
        for (const json& r : *doc) {
            if (!requests.take(r))
                skip(skipped, "request without stamps of its start and end", fmt::format("/{}", index));
            ++index;
        }
        return measured_of(requests.run(), {{"n_records", index}}, "inference-perf requests", file, std::move(skipped), {"figures are computed from the stamps of requests and tokens"});
    }
    const json& successes = member(*doc, "successes");
    if (!member(successes, "latency").is_object() && (successes.contains("rate") || member(successes, "request_latency").is_object()))
        return measured_of(run_of_prometheus(successes), json::object(), "inference-perf server metrics", file, std::move(skipped), {"the server's own metrics: percentiles are read between the bounds of histogram buckets"});
    const json& throughput = member(successes, "throughput");
    return measured_of(run_of_lifecycle(*doc), {{"throughput", throughput.is_object() ? throughput : json::object()}}, "inference-perf results", file, std::move(skipped), {});
}

} // namespace ridgepoint
