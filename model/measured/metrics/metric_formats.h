#pragma once
// What the readers of metrics share, and the readers themselves.

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/measured/measured.h"

namespace ridgepoint {

// DCGM writes "no value" as numbers: int64 0x7ffffffffffffff0..f3, int32 0x7ffffff0..f3, double 140737488355328..331
// (dcgm_structs.h: blank, not found, not supported, not permitted).
bool is_blank_sentinel(std::string_view metric, double value);

// A metric that rises for ever, by its name, where the source states no type.
bool is_counter_name(std::string_view metric);

// Seconds since 1970 of an epoch number (s, ms, us or ns by its size) or a date: "2025-09-04T15:33:20.123Z",
// "2025-09-04 15:33:20", "2025/09/04 15:33:20.123", with or without an offset. Without one it is taken as UTC.
std::optional<double> unix_seconds(std::string_view text);

// Collects samples into series of a name and labels; a sample of a time that the series has already is a duplicate.
class SeriesBuilder {
public:
    enum class Outcome { kept, blank, missing, duplicate };
    Outcome add(const std::string& name, const std::map<std::string, std::string>& labels, std::optional<double> time, double value);
    MetricSeries& series(const std::string& name, const std::map<std::string, std::string>& labels); // made if new
    [[nodiscard]] MetricSet take(); // in order of appearance, samples by time

private:
    std::vector<MetricSeries> m_series;
    std::unordered_map<std::string, std::size_t> m_index;
};

// Facts that any set has: n_series, n_samples, n_metrics, metrics, labels, first and last time, sums of EFA counters.
nlohmann::json metric_facts(const MetricSet& set);

Measured metrics_of(std::string_view format, const std::string& file, MetricSet set, std::vector<Skipped> skipped, std::vector<std::string> notes, const nlohmann::json& own_facts = nlohmann::json::object());

// name{label="value",...} as Prometheus writes it; false: not one. `rest` is what follows.
bool take_metric_name(std::string_view& rest, std::string& name, std::map<std::string, std::string>& labels);

TextFormat prometheus_answer_format(); // HTTP API
TextFormat prometheus_export_format(); // JSON lines of a series each
TextFormat exposition_format();
TextFormat series_csv_format(); // Grafana
TextFormat gpu_telemetry_format(); // AIPerf
TextFormat counter_list_format(); // dcgm-exporter's fields
std::vector<TextFormat> nvidia_smi_formats();

} // namespace ridgepoint
