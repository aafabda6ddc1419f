// SGLang's benchmarks that run one batch at a time (bench_one_batch, bench_one_batch_server) or all requests at once without
// a server (bench_offline_throughput). Their result files grow by an object a run; times are in seconds.

#include <cmath>

#include <fmt/format.h>

#include "model/measured/json_objects.h"
#include "model/measured/lenient_json.h"
#include "model/measured/serving/other_tools.h"
#include "model/measured/serving/run_reading.h"

namespace ridgepoint {
namespace {

using nlohmann::json;

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::optional<TokensPerSecond> rate(const json& o, std::string_view key)
{
    const auto v = positive_at(o, key);
    return v ? std::optional(TokensPerSecond{*v}) : std::nullopt;
}

void put_mean(LatencyStatistics& into, const std::optional<double>& seconds_value)
{
    if (seconds_value)
        put_statistic(into, "mean", *seconds_value);
}

ServingRun offline_run(const json& o)
{
    ServingRun run;
    run.tool = "SGLang bench_offline_throughput";
    run.backend = text_at(o, "backend");
    run.completed = std::max<std::int64_t>(0, integer_at(o, "successful_requests").value_or(0));
    if (const auto v = positive_at(o, "total_latency"))
        run.duration = seconds(*v);
    for (const auto& [key, member] : {std::pair{"total_input_tokens", &ServingRun::input_tokens}, {"total_output_tokens", &ServingRun::output_tokens}})
        if (const auto v = integer_at(o, key); v && *v >= 0)
            run.*member = v;
    run.requests_per_second = positive_at(o, "request_throughput");
    run.output_per_second = rate(o, "output_throughput");
    run.total_per_second = rate(o, "total_throughput");
    return run;
}

// All sequences of the batch start together: latency is that of every one of them, and the batch is the concurrency.
std::optional<ServingRun> batch_run(const json& o, bool& rate_of_decode)
{
    const auto batch = count_at(o, "batch_size");
    const auto in = positive_at(o, "input_len"), out = positive_at(o, "output_len");
    const bool server = o.contains("latency");
    const auto latency = positive_at(o, server ? "latency" : "total_latency");
    if (!batch || !latency || !out)
        return std::nullopt;
    ServingRun run;
    run.tool = server ? "SGLang bench_one_batch_server" : "SGLang bench_one_batch";
    run.model = text_at(o, "model_path");
    run.max_concurrency = batch;
    run.requests = run.completed = *batch;
    run.duration = seconds(*latency);
    run.input_length = in;
    run.output_length = out;
    if (in && *batch * *in < 9e18)
        run.input_tokens = std::llround(*batch * *in);
    if (*batch * *out < 9e18)
        run.output_tokens = std::llround(*batch * *out);
    put_mean(run.end_to_end, latency);
    put_mean(run.ttft, positive_at(o, "prefill_latency"));
    const auto last = positive_at(o, "last_ttft"); // of the request that got its first token last
    if (last)
        put_statistic(run.ttft, "max", *last);
    if (const auto step = positive_at(o, "median_decode_latency"))
        put_statistic(run.tpot, "median", *step);
    else if (last && *out > 1 && *latency > *last)
        put_mean(run.tpot, (*latency - *last) / (*out - 1));
    run.total_per_second = rate(o, "overall_throughput");
    // The server's variant divides by the time behind the first token; ours, as everywhere, is over the whole batch.
    const auto stated = positive_at(o, "output_throughput");
    rate_of_decode = rate_of_decode || (stated && *stated > 1.01 * *batch * *out / *latency);
    return run;
}

} // namespace

bool is_sglang_batches(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || (text[first] != '{' && text[first] != '['))
        return false;
    const bool batch = has(text, "\"batch_size\"") && has(text, "\"input_len\"") && has(text, "\"output_len\"") && has(text, "\"overall_throughput\"");
    return batch || (has(text, "\"total_latency\"") && has(text, "\"successful_requests\"") && has(text, "\"input_throughput\"") && has(text, "\"output_throughput\""));
}

Expected<Measured> read_sglang_batches(std::string_view text, const std::string& file)
{
    std::vector<Skipped> skipped;
    std::vector<ServingRun> runs;
    bool rate_of_decode = false, batches = false, decode_times = false;
    std::size_t index = 0;
    json facts = json::object();
    for (const json& o : json_objects(text, skipped)) {
        const std::string place = fmt::format("record {}", index++);
        const std::size_t before = runs.size();
        if (o.contains("successful_requests") && o.contains("total_latency")) {
            runs.push_back(offline_run(o));
        } else if (auto run = batch_run(o, rate_of_decode)) {
            batches = true;
            decode_times = decode_times || (run->tpot.mean && !run->tpot.median);
            runs.push_back(std::move(*run));
        } else {
            skip(skipped, "record that is no result of a batch", place);
        }
        if (before == 0 && runs.size() == 1)
            for (const auto& [key, value] : o.items())
                if (value.is_number())
                    facts[key] = value;
    }
    std::vector<std::string> notes;
    if (batches)
        notes.emplace_back("one batch at a time: all sequences start together, so the batch is the concurrency and its time is that of every request");
    if (rate_of_decode)
        notes.emplace_back("\"output_throughput\" is stated over the time behind the first token; output tokens per second are given over the whole batch");
    if (decode_times)
        notes.emplace_back("TPOT is (time of the batch - time to the last request's first token) / (output tokens - 1)");
    const std::string format = runs.empty() ? "SGLang results" : runs.front().tool;
    facts["n_records"] = runs.size();
    return serving_measured(std::move(runs), std::move(facts), file, format, std::move(skipped), std::move(notes));
}

} // namespace ridgepoint
