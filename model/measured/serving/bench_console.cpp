// The block of figures that bench_serving (vLLM, SGLang) and SGLang's bench_offline_throughput print at their end, as it
// stands in a log: with stamps of time, tags of a launcher or comment marks in front of every line.

#include <algorithm>
#include <array>
#include <cmath>

#include "model/measured/delimited_text.h"
#include "model/measured/serving/latency_units.h"
#include "model/measured/serving/other_tools.h"
#include "model/measured/serving/run_reading.h"
#include "model/measured/training/log_lines.h"

namespace ridgepoint {
namespace {

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

enum class Field { request_rate, concurrency, successful, failed, duration, input_tokens, output_tokens, request_rate_reached, output_rate, total_rate };
struct Label {
    std::string_view plain;
    Field field;
};
constexpr std::array labels{Label{"trafficrequestrate", Field::request_rate}, Label{"requestrateconfiguredrps", Field::request_rate}, Label{"maxrequestconcurrency", Field::concurrency},
    Label{"maximumrequestconcurrency", Field::concurrency}, Label{"successfulrequests", Field::successful}, Label{"failedrequests", Field::failed}, Label{"benchmarkdurations", Field::duration},
    Label{"totalinputtokens", Field::input_tokens}, Label{"totalgeneratedtokens", Field::output_tokens}, Label{"requestthroughputreqs", Field::request_rate_reached},
    Label{"outputtokenthroughputtoks", Field::output_rate}, Label{"totaltokenthroughputtoks", Field::total_rate}, Label{"totalthroughputtoks", Field::total_rate}};

// What stands in front of the label does not matter, except that a peak is another figure.
std::optional<Field> field_of(const std::string& plain)
{
    for (const Label& l : labels)
        if (plain.ends_with(l.plain) && !std::string_view(plain).substr(0, plain.size() - l.plain.size()).ends_with("peak"))
            return l.field;
    return std::nullopt;
}

void put_field(ServingRun& run, Field field, double v)
{
    const auto whole = [&]() { return v >= 0 && v < 9e18 ? std::optional<std::int64_t>(std::llround(v)) : std::nullopt; };
    switch (field) {
    case Field::request_rate: run.request_rate = v; break;
    case Field::concurrency:
        if (v >= 1 && v <= 1e6)
            run.max_concurrency = static_cast<int>(v);
        break;
    case Field::successful: run.completed = whole().value_or(0); break;
    case Field::failed: run.failed = whole().value_or(0); break;
    case Field::duration:
        if (v > 0 && std::isfinite(v))
            run.duration = seconds(v);
        break;
    case Field::input_tokens: run.input_tokens = whole(); break;
    case Field::output_tokens: run.output_tokens = whole(); break;
    case Field::request_rate_reached: run.requests_per_second = v; break;
    case Field::output_rate: run.output_per_second = TokensPerSecond{v}; break;
    case Field::total_rate: run.total_per_second = TokensPerSecond{v}; break;
    }
}

// "... Mean E2E Latency (ms)" -> mean_e2e_latency_ms, from the last word on that may name a statistic.
void put_latency(ServingRun& run, std::string_view name, double ms)
{
    const auto words = words_of(name.substr(0, name.size() - 4));
    for (std::size_t from = words.size(); from-- > 0;) {
        std::string key;
        for (std::size_t i = from; i < words.size(); ++i)
            key += (key.empty() ? "" : "_") + std::string(words[i]);
        std::transform(key.begin(), key.end(), key.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        if (const auto k = latency_key(key + "_ms")) {
            put_statistic(statistics_of(run, k->latency), k->statistic, ms * 1e-3);
            return;
        }
    }
}

} // namespace

bool is_serve_console(std::string_view text) { return has(text, "Serving Benchmark Result") || has(text, "Offline Throughput Benchmark Result"); }

Expected<Measured> read_serve_console(std::string_view text, const std::string& file)
{
    std::vector<ServingRun> runs;
    bool inside = false;
    LogLines lines(text);
    LogLine line;
    while (lines.next(line)) {
        const bool offline = has(line.text, "Offline Throughput Benchmark Result");
        if (offline || has(line.text, "Serving Benchmark Result")) {
            inside = runs.size() < 100000;
            if (inside)
                runs.emplace_back().tool = offline ? "SGLang bench_offline_throughput" : "bench_serving";
            continue;
        }
        const std::string_view t = trimmed(line.text);
        if (!inside || t.empty())
            continue;
        if (t.ends_with("====================")) { // the end of the block
            inside = false;
            continue;
        }
        const auto colon = t.rfind(':');
        if (colon == std::string_view::npos || colon == 0)
            continue;
        const std::string_view name = trimmed(t.substr(0, colon)), value = trimmed(t.substr(colon + 1));
        if (name.ends_with("Backend"))
            runs.back().backend = value;
        const auto v = number_in(value);
        if (!v)
            continue;
        if (name.ends_with("(ms)"))
            put_latency(runs.back(), name, *v);
        else if (const auto field = field_of(plain_name(name)))
            put_field(runs.back(), *field, *v);
    }
    std::erase_if(runs, [](const ServingRun& r) { return r.completed == 0 && !r.output_per_second && !r.ttft.mean; });
    nlohmann::json facts = {{"n_runs", runs.size()}};
    return serving_measured(std::move(runs), std::move(facts), file, "serving benchmark's console output", {}, {"figures are rounded to two decimals in this output"});
}

} // namespace ridgepoint
