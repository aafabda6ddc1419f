// trtllm-bench's sections as it prints them, and its --report_json.

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

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

template<typename Line>
void for_lines(std::string_view text, Line line)
{
    while (!text.empty()) {
        const auto end = std::min(text.size(), text.find('\n'));
        line(text.substr(0, std::min(end, std::size_t{4096})));
        text.remove_prefix(std::min(text.size(), end + 1));
    }
}

// "Total Latency (ms):\t\t266855.7100" -> name and value; the name may hold colons no further than its unit.
std::pair<std::string, std::string> labelled(std::string_view line)
{
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0 || colon > 120)
        return {};
    return {std::string(trimmed(line.substr(0, colon))), std::string(trimmed(line.substr(colon + 1)))};
}

std::optional<double> finite(std::string_view text)
{
    const auto v = number_in(text);
    return v && std::isfinite(*v) && *v >= 0 ? v : std::nullopt;
}

// A rate of 1e13 requests a second means that all were there at once.
double offered(double rate) { return rate > 1e6 ? std::numeric_limits<double>::infinity() : rate; }

void put_trtllm(ServingRun& run, const std::string& name, const std::string& value, std::optional<double>& token_rate)
{
    const auto v = finite(value);
    const auto whole = [&]() { return v && *v >= 1 && *v <= 1e6 ? std::optional(static_cast<int>(*v)) : std::nullopt; };
    if (name == "Model")
        run.model = value;
    else if (name == "TensorRT-LLM Version" || name == "TensorRT LLM Version")
        run.backend = "TensorRT-LLM " + value;
    else if (name == "TP Size")
        run.tp = whole();
    else if (name == "PP Size")
        run.pp = whole();
    else if (name == "EP Size")
        run.ep = whole();
    else if (!v)
        return;
    else if (name == "Issue Rate (req/sec)")
        run.request_rate = offered(*v);
    else if (name == "Number of requests" && *v < 9e18)
        run.completed = std::llround(*v);
    else if (name == "Average Input Length (tokens)")
        run.input_length = *v;
    else if (name == "Average Output Length (tokens)")
        run.output_length = *v;
    else if (name == "Request Throughput (req/sec)")
        run.requests_per_second = *v;
    else if (name == "Total Output Throughput (tokens/sec)")
        run.output_per_second = TokensPerSecond{*v};
    else if (name == "Token Throughput (tokens/sec)" || name == "Total Token Throughput (tokens/sec)")
        token_rate = *v;
    else if (name == "Total Latency (ms)" && *v > 0)
        run.duration = milliseconds(*v);
    else if (name == "Average request latency (ms)")
        put_statistic(run.end_to_end, "mean", *v * 1e-3);
    else if (name == "Average time-to-first-token [TTFT] (ms)")
        put_statistic(run.ttft, "mean", *v * 1e-3);
    else if (name == "Average time-per-output-token [TPOT] (ms)")
        put_statistic(run.tpot, "mean", *v * 1e-3);
    else if (name.starts_with("[Latency]"))
        put_statistic(run.end_to_end, trimmed(std::string_view(name).substr(9)), *v * 1e-3);
    else if (name.starts_with("[TTFT]"))
        put_statistic(run.ttft, trimmed(std::string_view(name).substr(6)), *v * 1e-3);
    else if (name.starts_with("[TPOT]"))
        put_statistic(run.tpot, trimmed(std::string_view(name).substr(6)), *v * 1e-3);
}

// "Token Throughput" counts output tokens in some versions and all tokens in others: the requests tell.
void settle_token_rate(ServingRun& run, const std::optional<double>& rate, std::vector<std::string>& notes)
{
    if (run.tp)
        run.gpus = *run.tp * run.pp.value_or(1);
    if (!rate)
        return;
    if (run.output_per_second) {
        run.total_per_second = TokensPerSecond{*rate};
        return;
    }
    const double requests = run.requests_per_second.value_or(0), out = requests * run.output_length.value_or(0), all = out + requests * run.input_length.value_or(0);
    if (out > 0 && std::abs(*rate / out - 1) < 0.02)
        run.output_per_second = TokensPerSecond{*rate};
    else if (all > 0 && std::abs(*rate / all - 1) < 0.02)
        run.total_per_second = TokensPerSecond{*rate};
    else {
        run.output_per_second = TokensPerSecond{*rate};
        notes.emplace_back("whether \"Token Throughput\" counts output tokens alone cannot be checked; it is taken so");
        return;
    }
    notes.push_back(fmt::format("\"Token Throughput\" counts {}: it is requests per second times their length", run.output_per_second ? "output tokens alone" : "input and output tokens"));
}

void put_percentiles(LatencyStatistics& into, const json& p)
{
    if (p.is_object())
        for (const auto& [key, value] : p.items())
            if (const auto v = number_of(value))
                put_statistic(into, key, *v * 1e-3);
}

} // namespace

bool is_trtllm_json(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && (text[first] == '{' || text[first] == '[') && has(text, "\"world_info\"") && has(text, "\"performance\"");
}

Expected<Measured> read_trtllm_json(std::string_view text, const std::string& file)
{
    std::vector<Skipped> skipped;
    const auto doc = lenient_json(text, file, skipped);
    if (!doc)
        return doc.error();
    std::vector<ServingRun> runs;
    json facts = json::object();
    for (const json& report : doc->is_array() ? *doc : json::array({*doc})) {
        if (!report.is_object() || !report.contains("performance"))
            continue;
        const json engine = report.value("engine", json()), world = report.value("world_info", json()), requests = report.value("request_info", json()), performance = report["performance"], streaming = report.value("streaming_metrics", json());
        ServingRun run;
        run.tool = "trtllm-bench";
        run.model = text_at(engine, "model");
        run.backend = "TensorRT-LLM " + text_at(engine, "version");
        run.tp = count_at(world, "tp_size");
        run.pp = count_at(world, "pp_size");
        run.ep = count_at(world, "ep_size");
        run.gpus = count_at(world, "world_size");
        if (!run.gpus && run.tp)
            run.gpus = *run.tp * run.pp.value_or(1);
        if (const auto rate = number_at(world, "issue_rate"))
            run.request_rate = offered(*rate);
        run.completed = std::max<std::int64_t>(0, integer_at(requests, "num_requests").value_or(0));
        run.input_length = number_at(requests, "avg_input_length");
        run.output_length = number_at(requests, "avg_output_length");
        run.requests_per_second = number_at(performance, "request_throughput_req_s");
        if (const auto v = number_at(performance, "system_output_throughput_tok_s"))
            run.output_per_second = TokensPerSecond{*v};
        if (const auto v = number_at(performance, "system_total_throughput_tok_s"))
            run.total_per_second = TokensPerSecond{*v};
        if (const auto v = number_at(performance, "total_latency_ms"); v && *v > 0 && std::isfinite(*v))
            run.duration = milliseconds(*v);
        if (const auto v = number_at(performance, "avg_request_latency_ms"))
            put_statistic(run.end_to_end, "mean", *v * 1e-3);
        put_percentiles(run.end_to_end, performance.is_object() ? performance.value("request_latency_percentiles_ms", json()) : json());
        if (const auto v = number_at(streaming, "avg_ttft_ms"))
            put_statistic(run.ttft, "mean", *v * 1e-3);
        if (const auto v = number_at(streaming, "avg_tpot_ms"))
            put_statistic(run.tpot, "mean", *v * 1e-3);
        if (streaming.is_object()) {
            put_percentiles(run.ttft, streaming.value("ttft_percentiles", json()));
            put_percentiles(run.tpot, streaming.value("tpot_percentiles", json()));
        }
        if (facts.empty())
            for (const json* section : {&world, &requests, &performance})
                if (section->is_object())
                    for (const auto& [key, value] : section->items())
                        if (value.is_number())
                            facts[key] = value;
        runs.push_back(std::move(run));
    }
    return serving_measured(std::move(runs), std::move(facts), file, "trtllm-bench report", std::move(skipped));
}

bool is_trtllm_text(std::string_view text) { return (has(text, "PERFORMANCE OVERVIEW") || has(text, "= REQUEST DETAILS") || has(text, "= WORLD + RUNTIME")) && has(text, "(req/sec)"); }

Expected<Measured> read_trtllm_text(std::string_view text, const std::string& file)
{
    std::vector<ServingRun> runs;
    std::vector<std::string> notes;
    json facts = json::object();
    ServingRun run;
    std::optional<double> token_rate;
    bool inside = false, filled = false;
    const auto finish = [&] {
        if (filled) {
            run.tool = "trtllm-bench";
            std::vector<std::string> own;
            settle_token_rate(run, token_rate, own);
            if (runs.empty())
                notes = std::move(own);
            if (runs.size() < 10000)
                runs.push_back(run);
        }
        run = {};
        token_rate.reset();
        filled = false;
    };
    for_lines(text, [&](std::string_view line) {
        const std::string_view t = trimmed(line);
        if (t.starts_with("= ")) {
            // Sections of one report precede its overview, but for what was decoded and the data; logs may keep overviews alone.
            if (has(t, "ENGINE DETAILS") || has(t, "PYTORCH BACKEND") || (filled && !has(t, "DECODING STATISTICS") && !has(t, "DATASET")))
                finish();
            inside = true;
            return;
        }
        if (!inside || t.starts_with("="))
            return;
        const auto [name, value] = labelled(t);
        if (name.empty() || value.empty() || name.find("TensorRT-LLM][") != std::string::npos || name.starts_with("[0") || name.starts_with("[1"))
            return;
        if (runs.empty() && facts.size() < 200)
            facts.emplace(name, value);
        filled = filled || (name == "Request Throughput (req/sec)" && finite(value));
        put_trtllm(run, name, value, token_rate);
    });
    finish();
    return serving_measured(std::move(runs), std::move(facts), file, "trtllm-bench output", {}, std::move(notes));
}

} // namespace ridgepoint
