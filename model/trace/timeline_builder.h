#pragma once
// From events in whatever form a format has them to a Timeline: names interned, absurd times left out and counted,
// streams numbered. What Kineto's reader does for text, for formats that are tables.

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "model/trace/event_table.h"
#include "model/trace/kernel_rules.h"

namespace ridgepoint {

struct GpuEvent {
    EventCategory category = EventCategory::kernel; // kernel, gpu_copy or gpu_fill
    std::string_view name;
    std::int64_t start_ns = 0, duration_ns = 0;
    std::int64_t device = 0, stream = 0; // any numbers: a queue may be an address
    std::int64_t correlation = -1; // of the launch; -1: not known
    std::int32_t collective = -1; // from TimelineBuilder::collective
};

class TimelineBuilder {
public:
    // `place` says where in the file for the user. False: left out, and counted.
    bool add(const GpuEvent& event, const std::string& place);
    // The host's call that launched the events of this correlation. `graph`: it replays a whole graph.
    void add_launch(std::int64_t correlation, std::int64_t start_ns, bool graph = false);
    void add_step(std::string name, std::int64_t start_ns, std::int64_t duration_ns, bool on_gpu = false);
    std::int32_t collective(const Timeline::Collective& c); // its index; equal ones share one
    void pass(std::int64_t events = 1) { m_rows.events += events; } // events of no interest
    void skip(const std::string& reason, const std::string& place, std::int64_t count = 1);
    [[nodiscard]] std::size_t size() const { return m_rows.gpu.size(); }

    // Ends the building. Without work: these formats have no tensor shapes.
    Timeline build(const KernelRules& rules);

private:
    std::uint32_t intern(std::string_view name);
    std::int32_t small_number(std::int64_t n, std::unordered_map<std::int64_t, std::int32_t>& numbers);

    EventTable::Rows m_rows;
    std::unordered_map<std::string_view, std::uint32_t> m_name_ids;
    std::unordered_map<std::int64_t, std::int32_t> m_streams, m_devices; // of numbers that are too large
    std::vector<Timeline::Skipped> m_skipped;
};

} // namespace ridgepoint
