#pragma once
// What a measured file holds, whatever tool wrote it. A file may hold several things (a job log with nccl-tests tables and
// training lines): each is a Measured of its own. Recognised by content, never by name.

#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "model/base/error.h"
#include "model/base/progress.h"
#include "model/measured/collective_benchmark.h"
#include "model/measured/execution_graph.h"
#include "model/measured/kernel_counters.h"
#include "model/measured/kernel_totals.h"
#include "model/measured/measured_ceilings.h"
#include "model/measured/metric_series.h"
#include "model/measured/serving_benchmark.h"
#include "model/measured/skipped.h"
#include "model/measured/training_log.h"
#include "model/trace/timeline.h"

namespace ridgepoint {

struct MeasuredTable { // a CSV of no known tool, for a column mapping
    std::vector<std::string> columns;
    std::vector<std::vector<std::string>> rows;
};

using MeasuredContent = std::variant<Timeline, CollectiveBenchmark, KernelCounters, std::vector<MeasuredCeilings>, ServingBenchmark, TrainingLog, MetricSet, ExecutionGraph, KernelTotals, MeasuredTable>;

struct Measured {
    std::string file;
    std::string format; // "nccl-tests output"
    MeasuredContent content;
    std::vector<Skipped> skipped;
    std::vector<std::string> notes; // definitions and doubts that the user must see
    nlohmann::json facts = nlohmann::json::object(); // under the names of the published reference facts; a Timeline's come from facts_of
};

// A format that is small enough to be read whole: everything but profiler timelines.
struct TextFormat {
    std::string_view name;
    bool (*recognises)(std::string_view text); // the whole text, gzip and BOM removed; must be quick to say no
    Expected<Measured> (*read)(std::string_view text, const std::string& file);
};

// The families, in the order in which they are asked. Documents (JSON, binary) are of exactly one format, the first that
// recognises them; logs (text) are given to every format that does.
std::vector<TextFormat> collective_formats(); // collectives/
std::vector<TextFormat> counter_formats(); // counters/
std::vector<TextFormat> totals_formats(); // totals/
std::vector<TextFormat> serving_formats(); // serving/
std::vector<TextFormat> training_formats(); // training/
std::vector<TextFormat> metric_formats(); // metrics/
std::vector<TextFormat> graph_formats(); // graphs/
std::vector<TextFormat> table_formats(); // metrics/: any CSV; the last resort
inline constexpr std::string_view series_table_name = "table of time series"; // in metrics/; only if no other format knows the table

inline constexpr std::size_t largest_text = std::size_t{1} << 30; // bytes of a file that is read whole, after gzip

// Errors: unreadable, empty, of no known format (says what it seems to be and what is read), larger than bounds; cancelled.
Expected<std::vector<Measured>> read_measured(const std::string& file, const Progress& progress = {});
Expected<std::vector<Measured>> read_measured_text(std::string_view text, const std::string& file, const Progress& progress = {});

std::vector<std::string> measured_formats(); // names of all that is read, timelines first

nlohmann::json facts_of(const Measured& measured);

} // namespace ridgepoint
