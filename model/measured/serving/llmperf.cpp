// LLMPerf's summary (flattened keys, seconds) and its individual responses.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/measured/delimited_text.h"
#include "model/measured/lenient_json.h"
#include "model/measured/serving/other_tools.h"
#include "model/measured/serving/run_reading.h"

namespace ridgepoint {
namespace {

using nlohmann::json;

bool is_json_with(std::string_view text, std::initializer_list<std::string_view> parts)
{
    const auto first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && (text[first] == '{' || text[first] == '[') && std::all_of(parts.begin(), parts.end(), [&](std::string_view p) { return text.find(p) != std::string_view::npos; });
}

void put_flattened(const json& o, const std::string& prefix, LatencyStatistics& into)
{
    for (const auto& [key, value] : o.items())
        if (key.starts_with(prefix)) {
            std::string_view name = std::string_view(key).substr(prefix.size());
            if (name.starts_with("quantiles_"))
                name.remove_prefix(10);
            if (const auto v = number_of(value))
                put_statistic(into, name, *v);
        }
}

Expected<Measured> llmperf_summary(const json& o, const std::string& file, std::vector<Skipped> skipped)
{
    ServingRun run;
    run.tool = "LLMPerf";
    run.model = text_at(o, "model");
    run.backend = text_at(o, "framework");
    run.max_concurrency = count_at(o, "num_concurrent_requests");
    put_flattened(o, "results_ttft_s_", run.ttft);
    put_flattened(o, "results_inter_token_latency_s_", run.itl);
    run.itl_counts_first = true;
    put_flattened(o, "results_end_to_end_latency_s_", run.end_to_end);
    run.requests = integer_at(o, "results_num_requests_started");
    run.completed = std::max<std::int64_t>(0, integer_at(o, "results_num_completed_requests").value_or(0));
    run.failed = std::max<std::int64_t>(0, integer_at(o, "results_number_errors").value_or(0));
    if (const auto v = positive_at(o, "results_num_completed_requests_per_min"))
        run.requests_per_second = *v / 60;
    if (const auto v = positive_at(o, "results_mean_output_throughput_token_per_s"))
        run.output_per_second = TokensPerSecond{*v};
    run.input_length = positive_at(o, "results_number_input_tokens_mean");
    run.output_length = positive_at(o, "results_number_output_tokens_mean");
    json facts = json::object();
    if (run.ttft.mean)
        facts["ttft_s_mean"] = run.ttft.mean->value();
    if (run.itl.mean)
        facts["itl_s_mean"] = run.itl.mean->value();
    if (run.max_concurrency)
        facts["concurrency"] = *run.max_concurrency;
    std::vector<std::string> notes;
    if (run.itl.mean && run.end_to_end.mean && run.output_length && std::abs(run.itl.mean->value() * *run.output_length / run.end_to_end.mean->value() - 1) < 0.05)
        notes.emplace_back("LLMPerf's inter-token latency is end-to-end time / tokens: it includes the time to the first token");
    std::vector<ServingRun> runs{run};
    return serving_measured(std::move(runs), std::move(facts), file, "LLMPerf summary", std::move(skipped), std::move(notes));
}

Expected<Measured> llmperf_individual(const json& list, const std::string& file, std::vector<Skipped> skipped)
{
    ServingRun run;
    run.tool = "LLMPerf";
    std::vector<double> ttfts, gaps, ends;
    double in = 0, out = 0;
    std::size_t index = 0;
    for (const json& r : list) {
        const std::string place = fmt::format("/{}", index++);
        if (!r.is_object()) {
            skip(skipped, "response that is no object", place);
            continue;
        }
        if (r.contains("error_code") && !r["error_code"].is_null() && r["error_code"] != "" && r["error_code"] != -1) {
            ++run.failed;
            continue;
        }
        ++run.completed;
        for (const auto& [key, samples] : {std::pair<const char*, std::vector<double>*>{"ttft_s", &ttfts}, {"inter_token_latency_s", &gaps}, {"end_to_end_latency_s", &ends}})
            if (const auto v = number_at(r, key))
                samples->push_back(*v);
        in += positive_at(r, "number_input_tokens").value_or(0);
        out += positive_at(r, "number_output_tokens").value_or(0);
    }
    run.ttft = statistics_of_samples(ttfts);
    run.itl = statistics_of_samples(gaps);
    run.itl_counts_first = true;
    run.end_to_end = statistics_of_samples(ends);
    if (!run.ttft.mean && !run.end_to_end.mean)
        return bad_input("responses of LLMPerf without a latency", Place{file, 0, {}}, {}, "ttft_s or end_to_end_latency_s");
    if (in > 0 && in < 9e18)
        run.input_tokens = std::llround(in);
    if (out > 0 && out < 9e18)
        run.output_tokens = std::llround(out);
    json facts = {{"n_records", list.size()}};
    if (run.ttft.mean)
        facts["ttft_s_mean"] = run.ttft.mean->value();
    if (run.itl.mean)
        facts["itl_s_mean"] = run.itl.mean->value();
    std::vector<ServingRun> runs{run};
    return serving_measured(std::move(runs), std::move(facts), file, "LLMPerf responses", std::move(skipped), {"single responses without a clock: throughput is not known"});
}

} // namespace

bool is_llmperf(std::string_view text) { return is_json_with(text, {"\"results_ttft_s"}) || is_json_with(text, {"\"results_inter_token_latency_s"}) || is_json_with(text, {"\"inter_token_latency_s\"", "\"ttft_s\""}); }

Expected<Measured> read_llmperf(std::string_view text, const std::string& file)
{
    std::vector<Skipped> skipped;
    const auto doc = lenient_json(text, file, skipped);
    if (!doc)
        return doc.error();
    if (doc->is_array())
        return llmperf_individual(*doc, file, std::move(skipped));
    if (!doc->is_object())
        return bad_input("no results of LLMPerf", Place{file, 0, {}}, {}, "a summary or a list of responses");
    if (member(*doc, "results").is_object()) // early versions nest what was flattened later
        return llmperf_summary((*doc)["results"], file, std::move(skipped));
    return llmperf_summary(*doc, file, std::move(skipped));
}

} // namespace ridgepoint
