// Any bytes as metrics or as a table: series are in order of time and finite, mappings that are guessed can be written and read back.

#include <algorithm>
#include <cmath>

#include "model/measured/metrics/roofline_points.h"
#include "model/measured/tables/mapping_check.h"
#include "tests/fuzz/measured_fuzz.h"

using namespace ridgepoint;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const auto formats = [] {
        auto all = metric_formats();
        for (const TextFormat& f : table_formats())
            all.push_back(f);
        return all;
    }();
    fuzz_formats(formats, {reinterpret_cast<const char*>(data), size}, [](const Measured& m) {
        if (const auto* set = std::get_if<MetricSet>(&m.content)) {
            for (const MetricSeries& s : set->series)
                if (!std::is_sorted(s.times.begin(), s.times.end()) || std::any_of(s.values.begin(), s.values.end(), [](double v) { return !std::isfinite(v); }))
                    std::abort();
            roofline_points(*set, {FlopPerSecond{1e15}, BytesPerSecond{3e12}, Hertz{1.8e9}});
            node_traffic(*set);
        } else if (const auto* table = std::get_if<MeasuredTable>(&m.content)) {
            for (const ColumnMapping& mapping : guess_mappings(*table)) {
                if (!read_mapping(write_mapping(mapping), "fuzz"))
                    std::abort();
                const MappingCheck check = check_mapping(*table, mapping, 10);
                if (check.problems.size() > 10 || check.rows_checked > static_cast<std::int64_t>(table->rows.size()))
                    std::abort();
                const auto applied = apply_mapping(*table, mapping, "fuzz");
                if (!applied && applied.error().message.empty())
                    std::abort();
            }
        } else {
            std::abort();
        }
        m.facts.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    });
    return 0;
}
