#pragma once
// Latencies under names without a unit ("median_ttft"): InferenceX writes seconds, early SGLang milliseconds, and forks
// either. Decided from the file's other figures, never silently.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "model/measured/serving/run_reading.h"

namespace ridgepoint {

struct LatencyKey { // "p99_ttft_ms": which statistic of which latency, in which unit
    std::string statistic;
    Latency latency = Latency::ttft;
    std::optional<double> unit; // in seconds; none: the name has none
};
std::optional<LatencyKey> latency_key(std::string_view key);

struct UnitDecision {
    std::optional<double> unit; // in seconds; none: nothing tells
    std::string why;
};
// `run` holds what is known with its unit: duration, rates, concurrency, latencies with a suffix.
UnitDecision decide_unit(const std::vector<std::pair<LatencyKey, double>>& bare, const ServingRun& run, const nlohmann::json& object);

} // namespace ridgepoint
