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

void read_config(const json& config, ServingRun& run)
{
    if (!config.is_object())
        return;
    const json endpoint = config.value("endpoint", json::object()), load = config.value("loadgen", json::object());
    for (const auto& [holder, key] : {std::pair<const json*, const char*>{&endpoint, "model_names"}, {&config, "model_names"}, {&config, "model"}, {&config, "formatted_model_name"}}) {
        if (!run.model.empty() || !holder->is_object() || !holder->contains(key))
            continue;
        const json& model = (*holder)[key];
        const json& name = model.is_array() && !model.empty() ? model[0] : model;
        if (name.is_string())
            run.model = name.get<std::string>();
    }
    run.max_concurrency = count_at(load, "concurrency");
    if (load.is_object() && load.contains("request_rate"))
        run.request_rate = number_at(load, "request_rate");
    const json analyzer = config.value("perf_analyzer", json::object());
    const json stimulus = analyzer.is_object() ? analyzer.value("stimulus", json::object()) : json::object();
    if (!run.max_concurrency)
        run.max_concurrency = count_at(stimulus, "concurrency");
    if (!run.max_concurrency)
        run.max_concurrency = count_at(config, "concurrency");
    if (!run.request_rate && stimulus.is_object() && stimulus.contains("request_rate"))
        run.request_rate = number_at(stimulus, "request_rate");
    run.backend = text_at(endpoint, "type");
    if (run.backend.empty())
        run.backend = text_at(config, "backend");
}

} // namespace

bool is_perf_json(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && text[first] == '{' && has(text, "\"unit\"") && has(text, "\"avg\"") && (has(text, "\"input_config\"") || has(text, "\"request_latency\"") || has(text, "\"time_to_first_token\"")) && has(text, "\"request_throughput\"");
}

Expected<Measured> read_perf_json(std::string_view text, const std::string& file)
{
    std::vector<Skipped> skipped;
    const auto doc = lenient_json(text, file, skipped);
    if (!doc)
        return doc.error();
    if (!doc->is_object())
        return bad_input("no export of AIPerf or GenAI-Perf", Place{file, 0, {}}, {}, "an object of metrics");
    ServingRun run;
    const json& metrics = doc->contains("records") && (*doc)["records"].is_object() ? (*doc)["records"] : *doc; // early AIPerf
    const json config = doc->value("input_config", json::object());
    const bool aiperf = doc->contains("records") || doc->contains("benchmark_duration") || doc->contains("aiperf_version") || doc->contains("was_cancelled") || (config.is_object() && config.contains("loadgen"));
    run.tool = aiperf ? "AIPerf" : "GenAI-Perf";
    read_config(config, run);
    bool any = false;
    for (const auto& [key, value] : metrics.items()) {
        if (!value.is_object() || !value.contains("unit"))
            continue;
        const std::string plain = plain_name(key), unit_name = text_at(value, "unit");
        const auto unit = seconds_of_unit(unit_name);
        if (const auto which = perf_latency_of(plain)) {
            if (!unit) {
                skip(skipped, "latency in an unknown unit", "/" + key);
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
    if (!any)
        return bad_input("an export of AIPerf or GenAI-Perf without a metric", Place{file, 0, {}}, {}, "objects with unit and avg");
    if (const auto errors = doc->find("error_summary"); errors != doc->end() && errors->is_array() && run.failed == 0)
        for (const json& error : *errors) // the metric of failed requests may be null beside it
            if (const auto n = integer_at(error, "count"); n && *n > 0 && *n < std::int64_t{1} << 50)
                run.failed += *n;
    std::vector<std::string> notes{std::string(perf_itl_note)};
    if (doc->value("was_cancelled", json(false)) == true)
        notes.emplace_back("the run was cancelled before its end");
    json facts = json::object();
    put_perf_facts(facts, run);
    std::vector<ServingRun> runs{run};
    return serving_measured(std::move(runs), std::move(facts), file, run.tool + " export", std::move(skipped), std::move(notes));
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
