// GPU figures outside of Prometheus: AIPerf's telemetry lines and the field lists of dcgm-exporter.

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "model/measured/lenient_json.h"
#include "model/measured/metrics/metric_formats.h"
#include "model/measured/metrics/text_lines.h"

namespace ridgepoint {
namespace {

using Json = nlohmann::json;

bool has(std::string_view text, std::string_view what) { return text.find(what) != std::string_view::npos; }

// ---- AIPerf gpu_telemetry_export.jsonl

struct TelemetryUnit {
    std::string_view key;
    double factor;
    std::string_view unit;
};
// AIPerf scales DCGM's fields: energy mJ to MJ, memory MiB to GB; clocks stay MHz, utilisations %.
constexpr std::array telemetry_units{TelemetryUnit{"gpu_power_usage", 1, "W"}, TelemetryUnit{"power_management_limit", 1, "W"}, TelemetryUnit{"energy_consumption", 1e6, "J"}, TelemetryUnit{"gpu_utilization", 0.01, "ratio"},
    TelemetryUnit{"memory_copy_utilization", 0.01, "ratio"}, TelemetryUnit{"gpu_memory_used", 1e9, "B"}, TelemetryUnit{"gpu_memory_free", 1e9, "B"}, TelemetryUnit{"gpu_memory_total", 1e9, "B"},
    TelemetryUnit{"sm_clock_frequency", 1e6, "Hz"}, TelemetryUnit{"memory_clock_frequency", 1e6, "Hz"}, TelemetryUnit{"sm_utilization", 0.01, "ratio"}, TelemetryUnit{"encoder_utilization", 0.01, "ratio"}, TelemetryUnit{"decoder_utilization", 0.01, "ratio"}};

bool is_telemetry(std::string_view text)
{
    const std::string_view head = trimmed(text.substr(0, 65536));
    return head.starts_with('{') && has(head, "\"telemetry_data\"") && has(head, "\"gpu_uuid\"");
}

Expected<Measured> read_telemetry(std::string_view text, const std::string& file)
{
    std::vector<Skipped> skipped;
    SeriesBuilder builder;
    std::set<std::string> urls, uuids;
    std::map<std::string, std::string> source; // of each GPU: the first endpoint that reports it
    std::int64_t records = 0, repeated = 0;
    std::optional<double> power;
    for (const Json& r : lenient_json_lines(text, skipped)) {
        const auto data = r.is_object() ? r.find("telemetry_data") : r.cend();
        if (!r.is_object() || data == r.cend() || !data->is_object()) {
            skip(skipped, "line that is no record of telemetry", {});
            continue;
        }
        ++records;
        const std::string url = text_at(r, "dcgm_url").empty() ? text_at(r, "source") : text_at(r, "dcgm_url");
        const std::string uuid = text_at(r, "gpu_uuid");
        urls.insert(url);
        uuids.insert(uuid);
        if (const auto w = number_at(*data, "gpu_power_usage"); w && !is_blank_sentinel("DCGM_", *w))
            power = power ? std::max(*power, *w) : *w;
        if (source.emplace(uuid, url).first->second != url) {
            ++repeated;
            skip(skipped, "record of a GPU that another endpoint reports already", url);
            continue;
        }
        const auto ns = number_at(r, "timestamp_ns");
        if (!ns || *ns <= 0) {
            skip(skipped, "record without a time", {});
            continue;
        }
        const std::map<std::string, std::string> labels{{"UUID", uuid}, {"gpu", fmt::format("{}", integer_at(r, "gpu_index").value_or(0))}, {"modelName", text_at(r, "gpu_model_name")}, {"Hostname", text_at(r, "hostname")}};
        for (const auto& item : data->items()) {
            const std::string& key = item.key(); // no structured binding: the lambda below could not name it in every compiler
            const nlohmann::json& value = item.value();
            const auto v = number_of(value);
            if (!v || is_blank_sentinel("DCGM_", *v)) {
                skip(skipped, "value that is blank or no number", key);
                continue;
            }
            const auto unit = std::find_if(telemetry_units.begin(), telemetry_units.end(), [&](const TelemetryUnit& u) { return u.key == key; });
            builder.add(key, labels, *ns * 1e-9, unit == telemetry_units.end() ? *v : *v * unit->factor);
            MetricSeries& s = builder.series(key, labels);
            s.counter = key == "energy_consumption";
            if (unit != telemetry_units.end())
                s.unit = std::string(unit->unit);
        }
    }
    if (records == 0)
        return bad_input("no record of telemetry", Place{file, 0, {}}, {}, "lines with telemetry_data");
    std::vector<std::string> notes;
    if (repeated > 0)
        notes.push_back(fmt::format("{} endpoints report the same GPUs; one of them is counted.", urls.size()));
    const Json own = {{"n", records}, {"urls", urls}, {"uuids", uuids.size()}, {"max_power_w", power ? Json(*power) : Json(nullptr)}, {"n_repeated", repeated}};
    return metrics_of("AIPerf GPU telemetry", file, builder.take(), std::move(skipped), std::move(notes), own);
}

// ---- dcgm-exporter's lists of fields: "DCGM_FI_DEV_SM_CLOCK, gauge, SM clock frequency (in MHz)."

struct CounterRow {
    std::string_view field, type, help;
};
std::optional<CounterRow> counter_row(std::string_view line)
{
    const std::size_t first = line.find(','), second = first == std::string_view::npos ? first : line.find(',', first + 1);
    if (second == std::string_view::npos)
        return std::nullopt;
    CounterRow row{trimmed(line.substr(0, first)), trimmed(line.substr(first + 1, second - first - 1)), trimmed(line.substr(second + 1))};
    const bool type = row.type == "gauge" || row.type == "counter" || row.type == "label" || row.type == "histogram" || row.type == "summary" || row.type == "untyped";
    return type && (row.field.starts_with("DCGM_") || row.field.starts_with("DCP_")) ? std::optional(row) : std::nullopt;
}

bool is_counter_list(std::string_view text)
{
    bool found = false;
    each_line(text.substr(0, 65536), [&](std::string_view line, std::int64_t) {
        if (line.empty() || line.starts_with('#'))
            return true;
        found = counter_row(line).has_value();
        return false;
    });
    return found;
}

Expected<Measured> read_counter_list(std::string_view text, const std::string& file)
{
    std::vector<Skipped> skipped;
    SeriesBuilder builder;
    Json fields = Json::object();
    std::int64_t labels = 0;
    each_line(text, [&](std::string_view line, std::int64_t n) {
        if (line.empty() || line.starts_with('#'))
            return true;
        const auto row = counter_row(line);
        if (!row) {
            skip(skipped, "line that is no field", fmt::format("line {}", n));
            return true;
        }
        fields[std::string(row->field)] = std::string(row->type);
        if (row->type == "label")
            ++labels;
        else
            builder.series(std::string(row->field), {}).counter = row->type == "counter";
        return true;
    });
    const Json own = {{"n_fields", fields.size()}, {"fields", fields}, {"n_label_fields", labels}};
    return metrics_of("dcgm-exporter field list", file, builder.take(), std::move(skipped), {"This lists the fields that an exporter collects and whether each is a gauge or a counter; it holds no samples."}, own);
}

} // namespace

TextFormat gpu_telemetry_format() { return {"AIPerf GPU telemetry", is_telemetry, read_telemetry}; }
TextFormat counter_list_format() { return {"dcgm-exporter field list", is_counter_list, read_counter_list}; }

} // namespace ridgepoint
