#include "model/measured/serving/perf_exports.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "model/measured/delimited_text.h"
#include "model/measured/lenient_json.h"
#include "model/measured/serving/perf_metrics.h"
#include "model/measured/serving/run_reading.h"

namespace ridgepoint {
namespace {

using nlohmann::json;

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::string first_name(const json& value)
{
    const json& name = value.is_array() && !value.empty() ? value[0] : value;
    return name.is_string() ? name.get<std::string>() : text_at(name, "name");
}

// Since 0.10 AIPerf states a list of phases, warm-ups among them.
const json& measured_phase(const json& config)
{
    const json& phases = member(config, "phases");
    if (phases.is_array())
        for (const json& phase : phases)
            if (phase.is_object() && phase.value("exclude_from_results", json(false)) != true && text_at(phase, "kind") != "warmup" && text_at(phase, "name") != "warmup")
                return phase;
    return member(phases, "profiling");
}

void read_config(const json& config, ServingRun& run)
{
    const json &endpoint = member(config, "endpoint"), &phase = measured_phase(config), &stimulus = member(member(config, "perf_analyzer"), "stimulus");
    for (const json* name : {&member(endpoint, "model_names"), &member(config, "model_names"), &member(member(config, "models"), "items"), &member(config, "model"), &member(config, "formatted_model_name")})
        if (run.model.empty())
            run.model = first_name(*name);
    for (const json* holder : {&member(config, "loadgen"), &phase, &stimulus, &config}) {
        if (!run.max_concurrency)
            run.max_concurrency = count_at(*holder, "concurrency");
        for (const char* key : {"request_rate", "rate"})
            if (!run.request_rate)
                run.request_rate = number_at(*holder, key);
    }
    run.backend = text_at(endpoint, "type");
    if (run.backend.empty())
        run.backend = text_at(config, "backend");
}

// Metrics by name, each with its unit. False: none.
bool read_metrics(const json& metrics, const std::string& place, ServingRun& run, std::vector<Skipped>& skipped)
{
    bool any = false;
    for (const auto& [key, value] : metrics.items()) {
        if (!value.is_object() || !value.contains("unit"))
            continue;
        const std::string plain = plain_name(key);
        const auto unit = seconds_of_unit(text_at(value, "unit"));
        if (const auto which = perf_latency_of(plain)) {
            if (!unit) {
                skip(skipped, "latency in an unknown unit", place + "/" + key);
                continue;
            }
            for (const auto& [statistic, v] : value.items())
                if (const auto n = number_of(v)) {
                    put_statistic(statistics_of(run, *which), statistic, *n * *unit);
                    any = true;
                }
        } else if (const auto v = number_at(value, "avg")) {
            put_perf_figure(run, plain, *v, unit);
            any = true;
        }
    }
    return any;
}

// profile_export_aiperf_aggregate.json: "time_to_first_token_p99" with the mean over repeated runs.
json metrics_of_repeats(const json& metrics)
{
    json out = json::object();
    for (const auto& [key, value] : metrics.items()) {
        const auto mean = number_at(value, "mean");
        if (!mean)
            continue;
        const auto mark = key.rfind('_');
        const std::string statistic = mark == std::string::npos ? std::string() : key.substr(mark + 1);
        LatencyStatistics ignored;
        const bool named = put_statistic(ignored, statistic, 0);
        json& metric = out[named ? key.substr(0, mark) : key];
        metric["unit"] = text_at(value, "unit");
        metric[named ? statistic : "avg"] = *mean;
    }
    return out;
}

// Without streaming the answer comes at once: what is stated as time to the first token is the time of all of them.
void drop_unstreamed(const json& config, ServingRun& run, std::vector<std::string>& notes)
{
    for (const json* holder : {&member(config, "endpoint"), &config})
        if (member(*holder, "streaming") == false && run.ttft.mean) {
            run.ttft = {};
            notes.emplace_back("the run did not stream: the time to the first token that is stated is the time of the whole answer, and is left out");
        }
}

} // namespace

bool is_perf_json(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || text[first] != '{' || !has(text, "\"unit\""))
        return false;
    if (has(text, "\"aggregation_type\"") && has(text, "\"ci_low\"") && (has(text, "\"request_latency") || has(text, "\"request_throughput") || has(text, "\"time_to_first_token") || has(text, "\"output_token_throughput")))
        return true;
    return has(text, "\"avg\"") && (has(text, "\"input_config\"") || has(text, "\"request_latency\"") || has(text, "\"time_to_first_token\"")) && has(text, "\"request_throughput\"");
}

Expected<Measured> read_perf_json(std::string_view text, const std::string& file)
{
    std::vector<Skipped> skipped;
    const auto doc = lenient_json(text, file, skipped);
    if (!doc)
        return doc.error();
    const json &config = member(*doc, "input_config"), &slices = member(*doc, "timeslices"), &metadata = member(*doc, "metadata");
    const bool repeats = metadata.contains("aggregation_type"), sliced = slices.is_array();
    const bool aiperf = repeats || sliced || doc->contains("records") || doc->contains("benchmark_duration") || doc->contains("aiperf_version") || doc->contains("was_cancelled") || config.contains("loadgen");
    ServingRun load;
    load.tool = aiperf ? "AIPerf" : "GenAI-Perf";
    read_config(config, load);
    std::vector<std::string> notes{std::string(perf_itl_note)};
    std::vector<ServingRun> runs;
    const auto take = [&](const json& metrics, const std::string& place) {
        ServingRun run = load;
        if (read_metrics(metrics, place, run, skipped)) {
            drop_unstreamed(config, run, notes);
            runs.push_back(std::move(run));
        }
    };
    if (sliced) {
        for (std::size_t i = 0; i < slices.size(); ++i)
            take(slices[i], fmt::format("/timeslices/{}", i));
        notes.emplace_back("each run is a slice of time of one benchmark");
    } else if (repeats) {
        take(metrics_of_repeats(member(*doc, "metrics")), "/metrics");
        notes.push_back(fmt::format("figures are means over {} runs of the same benchmark", integer_at(metadata, "num_successful_runs").value_or(integer_at(metadata, "num_profile_runs").value_or(1))));
        for (auto& run : runs)
            if (!run.max_concurrency)
                run.max_concurrency = count_at(member(metadata, "variation_values"), "phases.profiling.concurrency");
    } else {
        const json& records = member(*doc, "records"); // early AIPerf
        take(records.is_object() ? records : *doc, {});
    }
    if (runs.empty())
        return bad_input("an export of AIPerf or GenAI-Perf without a metric", Place{file, 0, {}}, {}, "objects with unit and avg");
    ServingRun& run = runs.front();
    if (const json& errors = member(*doc, "error_summary"); errors.is_array() && run.failed == 0)
        for (const json& error : errors) // the metric of failed requests may be null beside it
            if (const auto n = integer_at(error, "count"); n && *n > 0 && *n < std::int64_t{1} << 50)
                run.failed += *n;
    if (member(*doc, "was_cancelled") == true)
        notes.emplace_back("the run was cancelled before its end");
    json facts = json::object();
    put_perf_facts(facts, run);
    return serving_measured(std::move(runs), std::move(facts), file, load.tool + " export", std::move(skipped), std::move(notes));
}

bool is_perf_records(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && text[first] == '{' && has(text, "\"request_start_ns\"") && has(text, "\"metrics\"") && has(text, "\"value\"");
}

Expected<Measured> read_perf_records(std::string_view text, const std::string& file)
{
    std::vector<Skipped> skipped;
    const std::vector<json> records = lenient_json_lines(text, skipped);
    ServingRun run;
    run.tool = "AIPerf";
    std::vector<double> samples[4];
    double first = std::numeric_limits<double>::infinity(), last = -first, out_tokens = 0, in_tokens = 0;
    std::int64_t count = 0, warm_up = 0;
    std::int64_t origin = 0;
    for (const json& r : records) {
        if (!r.is_object() || !r.contains("metrics")) {
            skip(skipped, "record without metrics", {});
            continue;
        }
        json metadata = r.value("metadata", json::object());
        if (!metadata.is_object())
            metadata = json::object();
        if (text_at(metadata, "benchmark_phase") == "warmup") {
            ++warm_up;
            continue;
        }
        ++count;
        const auto start = metadata.contains("request_start_ns") ? integer_at(metadata, "request_start_ns") : integer_at(r, "request_start_ns");
        const auto end = metadata.contains("request_end_ns") ? integer_at(metadata, "request_end_ns") : integer_at(r, "request_end_ns");
        if (start && end && *start > 0 && *end > 0) { // against the first: doubles hold nanoseconds since 1970 to 256 ns
            if (origin == 0)
                origin = *start;
            first = std::min(first, static_cast<double>(*start - origin));
            last = std::max(last, static_cast<double>(*end - origin));
        }
        const bool failed = (r.contains("error") && !r["error"].is_null()) || metadata.value("was_cancelled", json(false)) == true;
        if (failed) {
            ++run.failed;
            continue;
        }
        ++run.completed;
        const json& metrics = r["metrics"];
        if (!metrics.is_object())
            continue;
        for (const auto& [key, value] : metrics.items()) {
            const auto v = number_at(value, "value");
            if (!v || !std::isfinite(*v))
                continue;
            if (const auto which = perf_latency_of(plain_name(key))) {
                if (const auto unit = seconds_of_unit(text_at(value, "unit")))
                    samples[static_cast<std::size_t>(*which)].push_back(*v * *unit);
            } else if (key == "output_sequence_length" || (key == "output_token_count" && !metrics.contains("output_sequence_length"))) {
                out_tokens += *v;
            } else if (key == "input_sequence_length") {
                in_tokens += *v;
            }
        }
    }
    if (count == 0)
        return bad_input("records of AIPerf without a single request", Place{file, 0, {}}, {}, "an object with metrics a line");
    for (const Latency which : {Latency::ttft, Latency::tpot, Latency::itl, Latency::end_to_end})
        statistics_of(run, which) = statistics_of_samples(samples[static_cast<std::size_t>(which)]);
    if (last > first)
        run.duration = seconds((last - first) * 1e-9);
    if (out_tokens > 0 && out_tokens < 9e18)
        run.output_tokens = std::llround(out_tokens);
    if (in_tokens > 0 && in_tokens < 9e18)
        run.input_tokens = std::llround(in_tokens);
    json facts = {{"n_records", count}};
    if (run.ttft.mean)
        facts["mean_ttft_ms"] = in_milliseconds(*run.ttft.mean);
    if (run.itl.mean)
        facts["mean_itl_ms"] = in_milliseconds(*run.itl.mean);
    if (run.duration)
        facts["span_s"] = run.duration->value();
    if (run.output_tokens)
        facts["out_tokens"] = *run.output_tokens;
    std::vector<std::string> notes{std::string(perf_itl_note)};
    if (warm_up > 0)
        notes.push_back(fmt::format("{} requests of the warm-up are left out", warm_up));
    std::vector<ServingRun> runs{run};
    return serving_measured(std::move(runs), std::move(facts), file, "AIPerf records", std::move(skipped), std::move(notes));
}

} // namespace ridgepoint
