#include "model/measured/serving/latency_units.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "model/measured/delimited_text.h"
#include "model/measured/lenient_json.h"

namespace ridgepoint {
namespace {

struct Alias {
    std::string_view name;
    Latency latency;
};
constexpr std::array aliases{Alias{"ttft", Latency::ttft}, Alias{"time_to_first_token", Latency::ttft}, Alias{"tpot", Latency::tpot}, Alias{"time_per_output_token", Latency::tpot}, Alias{"itl", Latency::itl},
    Alias{"inter_token_latency", Latency::itl}, Alias{"e2el", Latency::end_to_end}, Alias{"e2e", Latency::end_to_end}, Alias{"e2e_latency", Latency::end_to_end}, Alias{"e2e_lat", Latency::end_to_end},
    Alias{"end_to_end_latency", Latency::end_to_end}, Alias{"request_latency", Latency::end_to_end}, Alias{"ttlt", Latency::end_to_end}, Alias{"latency", Latency::end_to_end}};

bool is_statistic(std::string_view s)
{
    if (s == "mean" || s == "avg" || s == "average" || s == "median" || s == "std" || s == "stddev" || s == "min" || s == "max")
        return true;
    return s.size() > 1 && (s.front() == 'p' || s.front() == 'P') && number_in(s.substr(1));
}

std::optional<double> typical(const std::vector<std::pair<LatencyKey, double>>& bare, Latency which)
{
    for (const char* statistic : {"mean", "avg", "median", "p50"})
        for (const auto& [key, value] : bare)
            if (key.latency == which && key.statistic == statistic)
                return value;
    return std::nullopt;
}

std::optional<double> known(const LatencyStatistics& s)
{
    if (s.mean)
        return s.mean->value();
    return s.median ? std::optional(s.median->value()) : std::nullopt;
}

// Evidence against a reading; the first that is found is told.
struct Against {
    std::string seconds, milliseconds;
};

void weigh_duration(Against& against, const std::vector<std::pair<LatencyKey, double>>& bare, const ServingRun& run)
{
    if (!run.duration)
        return;
    for (const auto& [key, value] : bare)
        if (key.statistic != "std" && key.statistic != "stddev" && value > 1.05 * run.duration->value() && against.seconds.empty())
            against.seconds = fmt::format("{:.6g} s would be longer than the whole run of {:.4g} s", value, run.duration->value());
}

void weigh_concurrency(Against& against, const std::vector<std::pair<LatencyKey, double>>& bare, const ServingRun& run)
{
    // Little's law: requests in flight are their rate times the time of one, decode streams are tokens per second times TPOT.
    const auto end_to_end = typical(bare, Latency::end_to_end);
    auto token = typical(bare, Latency::tpot);
    if (!token)
        token = typical(bare, Latency::itl);
    std::optional<double> flight;
    if (end_to_end && run.requests_per_second)
        flight = *run.requests_per_second * *end_to_end;
    else if (token && run.output_per_second)
        flight = run.output_per_second->value() * *token;
    if (!flight || !(*flight > 0))
        return;
    if (run.max_concurrency) {
        if (*flight > 1.5 * *run.max_concurrency + 1 && against.seconds.empty())
            against.seconds = fmt::format("{:.4g} requests would be in flight, above the limit of {}", *flight, *run.max_concurrency);
        const bool saturated = !run.request_rate || !std::isfinite(*run.request_rate);
        if (saturated && *flight / 1000 < 0.05 * *run.max_concurrency && against.milliseconds.empty())
            against.milliseconds = fmt::format("in milliseconds only {:.3g} requests would be in flight of a concurrency of {}", *flight / 1000, *run.max_concurrency);
    } else if (run.requests && *flight > 2.0 * static_cast<double>(*run.requests) + 1 && against.seconds.empty()) {
        against.seconds = fmt::format("{:.4g} requests would be in flight of {} in all", *flight, *run.requests);
    }
}

void weigh_other_latencies(Against& against, const std::vector<std::pair<LatencyKey, double>>& bare, const ServingRun& run, const nlohmann::json& object)
{
    ServingRun copy = run;
    const auto whole = known(copy.end_to_end);
    const auto first = typical(bare, Latency::ttft);
    if (whole && first && *first > 1.05 * *whole && against.seconds.empty())
        against.seconds = fmt::format("a first token after {:.4g} s would come later than the whole answer of {:.4g} s", *first, *whole);
    const auto token = typical(bare, Latency::tpot);
    auto interactivity = number_at(object, "median_intvty");
    if (!interactivity)
        interactivity = number_at(object, "mean_intvty");
    if (token && interactivity) { // tokens per second of a user, the reciprocal
        const double product = *token * *interactivity;
        if (product > 0.3 && product < 3)
            against.milliseconds = "the stated interactivity in tokens/s is the reciprocal of the TPOT in seconds";
        else if (product > 300 && product < 3000)
            against.seconds = "the stated interactivity in tokens/s is the reciprocal of the TPOT in milliseconds";
    }
}

} // namespace

std::optional<LatencyKey> latency_key(std::string_view key)
{
    const auto mark = key.find('_');
    if (mark == std::string_view::npos || !is_statistic(key.substr(0, mark)))
        return std::nullopt;
    LatencyKey out;
    for (const char c : key.substr(0, mark))
        out.statistic += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    std::string_view name = key.substr(mark + 1);
    struct Suffix {
        std::string_view text;
        double unit;
    };
    for (const Suffix& s : {Suffix{"_ms", 1e-3}, {"_s", 1}, {"_sec", 1}, {"_secs", 1}, {"_seconds", 1}, {"_us", 1e-6}})
        if (name.ends_with(s.text)) {
            out.unit = s.unit;
            name.remove_suffix(s.text.size());
            break;
        }
    const auto at = std::find_if(aliases.begin(), aliases.end(), [&](const Alias& a) { return a.name == name; });
    if (at == aliases.end())
        return std::nullopt;
    out.latency = at->latency;
    return out;
}

UnitDecision decide_unit(const std::vector<std::pair<LatencyKey, double>>& bare, const ServingRun& run, const nlohmann::json& object)
{
    Against against;
    weigh_other_latencies(against, bare, run, object);
    weigh_duration(against, bare, run);
    weigh_concurrency(against, bare, run);
    if (!against.seconds.empty() && against.milliseconds.empty())
        return {1e-3, fmt::format("latencies without a unit are read as milliseconds: as seconds, {}", against.seconds)};
    if (!against.milliseconds.empty() && against.seconds.empty())
        return {1.0, fmt::format("latencies without a unit are read as seconds: {}", against.milliseconds)};
    if (!against.seconds.empty())
        return {std::nullopt, fmt::format("latencies without a unit are left out, for neither unit fits: {}; {}", against.seconds, against.milliseconds)};
    if (run.backend.find("sglang") != std::string::npos || object.contains("total_output_tokens_retokenized"))
        return {1e-3, "latencies without a unit are read as milliseconds: early versions of SGLang's bench_serving wrote them so; the file's other figures do not contradict"};
    if (object.contains("tput_per_gpu") || object.contains("infmax_model_prefix") || object.contains("median_intvty"))
        return {1.0, "latencies without a unit are read as seconds: InferenceX writes them so; the file's other figures do not contradict"};
    return {std::nullopt, "latencies without a unit are left out: nothing in the file tells seconds from milliseconds"};
}

} // namespace ridgepoint
