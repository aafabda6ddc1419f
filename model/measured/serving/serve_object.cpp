#include "model/measured/serving/serve_object.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "model/measured/lenient_json.h"
#include "model/measured/serving/latency_units.h"

namespace ridgepoint {
namespace {

using nlohmann::json;

std::optional<double> first_number(const json& o, std::initializer_list<const char*> keys)
{
    for (const char* key : keys)
        if (const auto v = number_at(o, key))
            return v;
    return std::nullopt;
}

std::optional<std::int64_t> first_count(const json& o, std::initializer_list<const char*> keys)
{
    for (const char* key : keys)
        if (const auto v = integer_at(o, key); v && *v >= 0)
            return v;
    return std::nullopt;
}

std::string first_text(const json& o, std::initializer_list<const char*> keys)
{
    for (const char* key : keys)
        if (std::string v = text_at(o, key); !v.empty())
            return v;
    return {};
}

std::vector<double> numbers_of(const json& o, const char* key)
{
    std::vector<double> out;
    if (const auto at = o.find(key); at != o.end() && at->is_array())
        for (const json& v : *at)
            out.push_back(number_of(v).value_or(std::nan("")));
    return out;
}

std::string tool_of(const json& o, const std::string& backend)
{
    if (o.contains("tput_per_gpu") || o.contains("infmax_model_prefix"))
        return "InferenceX";
    if (o.contains("total_output_tokens_retokenized") || o.contains("random_range_ratio") || o.contains("sharegpt_output_len"))
        return "SGLang bench_serving";
    const bool bare = o.contains("median_ttft") || o.contains("median_tpot");
    if (bare && o.contains("model_id"))
        return "InferenceX";
    return backend.find("sglang") != std::string::npos && !o.contains("model_id") ? "SGLang bench_serving" : "vLLM bench serve";
}

// Per-request arrays: what the aggregates do not state, and what they contradict.
void read_arrays(const json& o, ServingRun& run, ServeArrays& arrays, std::vector<std::string>& notes)
{
    const std::vector<double> ttfts = numbers_of(o, "ttfts"), out_lengths = numbers_of(o, "output_lens"), in_lengths = numbers_of(o, "input_lens");
    const auto errors = o.find("errors");
    const bool has_errors = errors != o.end() && errors->is_array();
    const auto failed = [&](std::size_t i) { return has_errors && i < errors->size() && (*errors)[i].is_string() && !(*errors)[i].get_ref<const std::string&>().empty(); };
    if (has_errors && !o.contains("failed"))
        for (std::size_t i = 0; i < errors->size(); ++i)
            run.failed += failed(i) ? 1 : 0;
    std::vector<double> good_ttfts, itls, tpots, ends;
    for (std::size_t i = 0; i < ttfts.size(); ++i)
        if (!failed(i) && std::isfinite(ttfts[i]))
            good_ttfts.push_back(ttfts[i]);
    std::int64_t chunked = 0, one_token = 0;
    double chunks = 0, chunk_tokens = 0;
    if (const auto at = o.find("itls"); at != o.end() && at->is_array()) {
        for (std::size_t i = 0; i < at->size(); ++i) {
            const json& entry = (*at)[i];
            if (const auto v = entry.is_array() ? std::nullopt : number_of(entry)) { // a flat list
                itls.push_back(*v);
                continue;
            }
            if (!entry.is_array())
                continue;
            double sum = 0;
            for (const json& gap : entry)
                if (const auto v = number_of(gap)) {
                    itls.push_back(*v);
                    sum += *v;
                }
            if (failed(i) || i >= ttfts.size() || !std::isfinite(ttfts[i]))
                continue;
            ends.push_back(ttfts[i] + sum);
            if (i < out_lengths.size() && out_lengths[i] > 1) {
                tpots.push_back(sum / (out_lengths[i] - 1));
                chunks += static_cast<double>(entry.size());
                chunk_tokens += out_lengths[i] - 1;
                ++chunked;
            }
        }
        arrays.itls = static_cast<std::int64_t>(itls.size());
    }
    for (const double length : out_lengths)
        one_token += length == 1 ? 1 : 0;
    const LatencyStatistics ttft = statistics_of_samples(good_ttfts);
    if (ttft.mean) {
        arrays.mean_ttft = ttft.mean->value();
        if (run.ttft.mean && std::abs(ttft.mean->value() - run.ttft.mean->value()) > 0.01 * ttft.mean->value() + 1e-5)
            run.checks.push_back(fmt::format("mean TTFT is stated as {:.4f} ms, but the array of {} gives {:.4f} ms", in_milliseconds(*run.ttft.mean), good_ttfts.size(), in_milliseconds(*ttft.mean)));
    }
    fill_missing(run.ttft, ttft);
    fill_missing(run.itl, statistics_of_samples(itls));
    fill_missing(run.tpot, statistics_of_samples(tpots));
    if (!run.end_to_end.mean && !ends.empty()) {
        fill_missing(run.end_to_end, statistics_of_samples(ends));
        notes.emplace_back("end-to-end times are the sum of TTFT and the gaps between chunks");
    }
    if (chunked > 0 && chunks > 0 && chunk_tokens > 1.05 * chunks)
        notes.push_back(fmt::format("{:.3g} tokens a chunk on average: ITL is per chunk, not per token (speculative decoding or several steps at once)", chunk_tokens / chunks));
    if (one_token > 0)
        notes.push_back(fmt::format("{} answers of one token: TPOT is not defined for them", one_token));
    const auto sum_of = [](const std::vector<double>& v) { return std::accumulate(v.begin(), v.end(), 0.0, [](double a, double b) { return std::isfinite(b) ? a + b : a; }); };
    if (!run.output_tokens && !out_lengths.empty() && sum_of(out_lengths) < 9e18)
        run.output_tokens = std::llround(sum_of(out_lengths));
    if (!run.input_tokens && !in_lengths.empty() && std::abs(sum_of(in_lengths)) < 9e18)
        run.input_tokens = std::llround(sum_of(in_lengths));
}

// InferenceX states rates per GPU.
void read_per_gpu(const json& o, ServingRun& run, std::vector<std::string>& notes)
{
    const auto total = number_at(o, "tput_per_gpu"), output = number_at(o, "output_tput_per_gpu");
    if (!total && !output)
        return;
    const auto prefill = count_at(o, "num_prefill_gpu"), decode = count_at(o, "num_decode_gpu");
    if (prefill && decode)
        run.gpus = *prefill + *decode;
    else if (run.tp)
        run.gpus = *run.tp * run.pp.value_or(1); // experts are spread over the same GPUs
    if (!run.gpus) {
        notes.emplace_back("throughput per GPU is stated, the number of GPUs is not: the server's throughput is unknown");
        return;
    }
    if (total && std::isfinite(*total) && !run.total_per_second)
        run.total_per_second = TokensPerSecond{*total * *run.gpus};
    if (!output || !std::isfinite(*output) || run.output_per_second)
        return;
    if (!prefill || !decode) {
        run.output_per_second = TokensPerSecond{*output * *run.gpus};
        return;
    }
    // With prompts apart, output was stated per decode GPU at first, and is per GPU of both since "output_tput_per_decode_gpu"
    // stands beside it; without that the sum of input and output tells.
    const auto of_decode = number_at(o, "output_tput_per_decode_gpu"), input = number_at(o, "input_tput_per_gpu");
    const auto fits = [&](double sum) { return total && *total > 0 && std::abs(sum / (*total * *run.gpus) - 1) < 0.02; };
    if (of_decode && std::isfinite(*of_decode))
        run.output_per_second = TokensPerSecond{*of_decode * *decode};
    else if (input && fits(*input * *prefill + *output * *decode))
        run.output_per_second = TokensPerSecond{*output * *decode};
    else if (input && fits((*input + *output) * *run.gpus))
        run.output_per_second = TokensPerSecond{*output * *run.gpus};
    else
        notes.emplace_back("output per GPU is stated, of decode GPUs or of all is not: the server's output rate is unknown");
}

} // namespace

bool is_serve_object(const json& o)
{
    if (!o.is_object())
        return false;
    const bool rate = o.contains("output_throughput") || o.contains("request_throughput") || o.contains("total_token_throughput") || o.contains("output_token_throughput") || o.contains("tput_per_gpu") || o.contains("output_tput_per_gpu");
    if (!rate)
        return false;
    if (o.contains("duration") || o.contains("completed") || o.contains("conc") || o.contains("max_concurrency"))
        return true;
    for (const auto& [key, value] : o.items())
        if (latency_key(key))
            return true;
    return false;
}

ServingRun serve_run(const json& o, ServeArrays& arrays, std::vector<std::string>& notes)
{
    ServingRun run;
    run.backend = first_text(o, {"backend", "endpoint_type", "framework"});
    run.tool = tool_of(o, run.backend);
    run.model = first_text(o, {"model_id", "model", "model_name", "tokenizer_id"});
    run.request_rate = number_at(o, "request_rate");
    for (const char* key : {"max_concurrency", "conc", "concurrency"}) // SGLang's "concurrency" is what was reached, not the limit
        if (!run.max_concurrency && !(run.tool.starts_with("SGLang") && std::string_view(key) == "concurrency"))
            run.max_concurrency = count_at(o, key);
    const json server = o.value("server_info", json());
    for (const json* holder : {&o, &server}) {
        for (const char* key : {"tp", "tp_size", "tensor_parallel_size"})
            if (!run.tp)
                run.tp = count_at(*holder, key);
        for (const char* key : {"pp", "pp_size", "pipeline_parallel_size"})
            if (!run.pp)
                run.pp = count_at(*holder, key);
        for (const char* key : {"ep", "ep_size", "expert_parallel_size"})
            if (!run.ep)
                run.ep = count_at(*holder, key);
    }
    run.requests = first_count(o, {"num_prompts", "num_requests", "num_requests_total"});
    run.completed = first_count(o, {"completed", "successful_requests", "num_requests_successful"}).value_or(0);
    run.failed = first_count(o, {"failed", "failed_requests"}).value_or(0);
    if (o.contains("num_requests_successful") && run.requests && *run.requests > run.completed) // InferenceX's replay of agents
        run.failed = *run.requests - run.completed;
    if (const auto d = first_number(o, {"duration", "duration_seconds"}); d && *d > 0 && std::isfinite(*d))
        run.duration = seconds(*d);
    run.input_tokens = first_count(o, {"total_input_tokens", "total_input"});
    run.output_tokens = first_count(o, {"total_output_tokens", "total_output"});
    if (const auto v = first_number(o, {"request_throughput"}); v && *v >= 0 && std::isfinite(*v))
        run.requests_per_second = *v;
    const auto rate = [&](std::initializer_list<const char*> keys) {
        const auto v = first_number(o, keys);
        return v && *v >= 0 && std::isfinite(*v) ? std::optional(TokensPerSecond{*v}) : std::nullopt;
    };
    run.output_per_second = rate({"output_throughput", "output_token_throughput", "output_tput_tps"});
    run.total_per_second = rate({"total_token_throughput", "total_throughput", "total_tput_tps"});
    read_per_gpu(o, run, notes);

    std::vector<std::pair<LatencyKey, double>> bare;
    for (const auto& [name, value] : o.items()) {
        const auto key = latency_key(name);
        const auto v = key ? number_of(value) : std::nullopt;
        if (!v || !std::isfinite(*v))
            continue;
        if (key->unit)
            put_statistic(statistics_of(run, key->latency), key->statistic, *v * *key->unit);
        else
            bare.emplace_back(*key, *v);
    }
    if (!bare.empty()) {
        ServingRun known = run; // rates that follow from counts help to decide
        complete_and_check(known);
        const UnitDecision decision = decide_unit(bare, known, o);
        if (std::find(notes.begin(), notes.end(), decision.why) == notes.end())
            notes.push_back(decision.why);
        if (decision.unit)
            for (const auto& [key, value] : bare)
                put_statistic(statistics_of(run, key.latency), key.statistic, value * *decision.unit);
    }
    read_arrays(o, run, arrays, notes);
    return run;
}

} // namespace ridgepoint
