// What vLLM's offline benchmarks print: one line of throughput, or the latency of a batch and its percentiles.

#include <fmt/format.h>

#include "model/measured/serving/other_tools.h"
#include "model/measured/serving/run_reading.h"
#include "model/measured/training/log_lines.h"

namespace ridgepoint {
namespace {

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// The number in front of a word: "4656.00" of "4656.00 total tokens/s".
std::optional<double> number_before(std::string_view line, std::string_view word)
{
    const auto at = line.find(word);
    if (at == std::string_view::npos)
        return std::nullopt;
    const std::string_view before = trimmed(line.substr(0, at));
    std::string_view rest;
    return leading_number(before.substr(before.find_last_of(" ,:") + 1), rest);
}

std::optional<double> number_behind(std::string_view line, std::string_view word)
{
    const auto at = line.find(word);
    std::string_view rest;
    return at == std::string_view::npos ? std::nullopt : leading_number(trimmed(line.substr(at + word.size())), rest);
}

bool is_throughput(std::string_view line) { return has(line, "Throughput: ") && has(line, " requests/s, ") && has(line, "tokens/s"); }

void put_throughput(ServingRun& run, std::string_view line)
{
    run.tool = "vLLM bench throughput";
    run.requests_per_second = number_before(line, "requests/s");
    auto total = number_before(line, "total tokens/s");
    if (!total) // before the output was told apart
        total = number_before(line, "tokens/s");
    if (total)
        run.total_per_second = TokensPerSecond{*total};
    if (const auto out = number_before(line, "output tokens/s"))
        run.output_per_second = TokensPerSecond{*out};
}

} // namespace

bool is_vllm_console(std::string_view text) { return is_throughput(text) || (has(text, "Avg latency: ") && has(text, "% percentile latency: ")); }

Expected<Measured> read_vllm_console(std::string_view text, const std::string& file)
{
    std::vector<ServingRun> runs;
    LogLines lines(text);
    LogLine line;
    while (lines.next(line) && runs.size() < 100'000) {
        if (is_throughput(line.text)) {
            put_throughput(runs.emplace_back(), line.text);
        } else if (const auto mean = number_behind(line.text, "Avg latency: ")) {
            runs.emplace_back().tool = "vLLM bench latency";
            put_statistic(runs.back().end_to_end, "mean", *mean);
        } else if (runs.empty()) {
            continue;
        } else if (const auto percentile = number_behind(line.text, "% percentile latency: ")) {
            if (const auto percent = number_before(line.text, "% percentile latency: "))
                put_statistic(runs.back().end_to_end, fmt::format("p{:g}", *percent), *percentile);
        } else if (const auto in = number_behind(line.text, "Total num prompt tokens:"); in && *in >= 0 && *in < 9e18) {
            runs.back().input_tokens = static_cast<std::int64_t>(*in);
        } else if (const auto out = number_behind(line.text, "Total num output tokens:"); out && *out >= 0 && *out < 9e18) {
            runs.back().output_tokens = static_cast<std::int64_t>(*out);
        }
    }
    std::vector<std::string> notes{"figures are rounded in this output"};
    if (!runs.empty() && runs.front().end_to_end.mean)
        notes.emplace_back("latencies are of whole batches: prefill and all output tokens of every sequence");
    nlohmann::json facts = {{"n_runs", runs.size()}};
    return serving_measured(std::move(runs), std::move(facts), file, "vLLM offline benchmark's console output", {}, std::move(notes));
}

} // namespace ridgepoint
