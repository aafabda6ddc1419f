#pragma once
// What the exports of AIPerf and GenAI-Perf have in common: their metrics by name, in JSON, CSV and the printed table.

#include <optional>
#include <string_view>

#include <nlohmann/json.hpp>

#include "model/measured/serving/run_reading.h"

namespace ridgepoint {

inline constexpr std::string_view perf_itl_note = "ITL is the mean gap of each request, averaged over requests; gaps of single chunks are another metric";

// The latency that a metric is, by its plain name ("timetofirsttoken"); none: another metric.
std::optional<Latency> perf_latency_of(std::string_view plain);
// Single figures: throughput, counts, lengths; `unit` in seconds where it is a time.
void put_perf_figure(ServingRun& run, std::string_view plain, double v, std::optional<double> unit);
void put_perf_facts(nlohmann::json& facts, const ServingRun& run);

} // namespace ridgepoint
