#pragma once
// What all readers of serving benchmarks share: statistics, checks of figures against each other, facts.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "model/measured/measured.h"

namespace ridgepoint {

enum class Latency { ttft, tpot, itl, end_to_end };
LatencyStatistics& statistics_of(ServingRun& run, Latency which);

// Puts one statistic under the name that a tool has for it: mean, avg, median, p99, p99.9, std, stddev, min (0), max (100).
// False: no such name, or the value is negative or not finite.
bool put_statistic(LatencyStatistics& statistics, std::string_view name, double seconds);

// Of samples in seconds; percentiles between neighbours, as NumPy's default. Empty: nothing.
LatencyStatistics statistics_of_samples(std::vector<double> seconds);
// What `into` does not state.
void fill_missing(LatencyStatistics& into, const LatencyStatistics& from);

// Derives what follows by definition (rates from counts and the duration, lengths from tokens), then holds stated figures
// against each other: sentences into run.checks.
void complete_and_check(ServingRun& run);

// Seconds of a unit's name; none: no unit of time.
std::optional<double> seconds_of_unit(std::string_view unit);
std::optional<int> count_at(const nlohmann::json& object, std::string_view key); // 1 to 1e6

// A run under names of our own, in ms, tokens per second: the same for every tool.
nlohmann::json facts_of_run(const ServingRun& run);

// Completes and checks every run; `facts` gets "runs" besides what it has. Errors: no run.
Expected<Measured> serving_measured(std::vector<ServingRun> runs, nlohmann::json facts, const std::string& file, std::string format, std::vector<Skipped> skipped, std::vector<std::string> notes = {});

} // namespace ridgepoint
