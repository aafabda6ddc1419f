#include "model/trace/xla_timeline.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "model/trace/table_events.h"

namespace ridgepoint {
namespace {

constexpr std::int64_t latest_ps = std::int64_t{1} << 61;

double microseconds(std::int64_t ps) { return std::round(static_cast<double>(ps) / 1e3) / 1e3; }

bool contains(std::string_view name, std::string_view what) { return name.find(what) != std::string_view::npos; }

// XLA names copies "MemcpyD2D", "MemcpyH2D", "MemcpyP2P" and fills "Memset32"; events have no category.
EventCategory category_of(std::string_view name)
{
    if (name.starts_with("Memcpy") || name.starts_with("MEMORY_COPY_") || contains(name, "[CUDA memcpy"))
        return EventCategory::gpu_copy;
    if (name.starts_with("Memset") || contains(name, "[CUDA memset"))
        return EventCategory::gpu_fill;
    return EventCategory::kernel;
}

} // namespace

int gpu_number(std::string_view plane)
{
    const auto at = plane.find("/device:GPU:");
    if (at == std::string_view::npos)
        return -1;
    const std::string_view rest = plane.substr(at + 12, 8); // a name may follow the number
    const auto n = scaled_whole(rest.substr(0, rest.find_first_not_of("0123456789")), 1);
    return n && *n >= 0 && *n < 100'000 ? static_cast<int>(*n) : -1;
}

bool is_stream_line(std::string_view line) { return line.starts_with("Stream #") || line.starts_with("stream #"); }

void XlaTimeline::add(const std::string& device, const std::string& line, std::string_view name, std::int64_t start_ps, std::int64_t duration_ps, std::int64_t correlation,
    const std::string& place)
{
    if (start_ps > latest_ps || start_ps < -latest_ps || duration_ps > latest_ps) {
        m_builder.pass();
        m_builder.skip("event at an impossible time", place);
        return;
    }
    GpuEvent e;
    e.category = category_of(name);
    e.name = name.empty() ? "(event without a name)" : name;
    e.start_ns = start_ps / 1000;
    e.duration_ns = duration_ps < 0 ? -1 : (duration_ps + 500) / 1000;
    e.device = gpu_number(device);
    e.stream = scaled_whole(line.substr(std::min<std::size_t>(8, line.size()), line.find_first_not_of("0123456789", 8) - 8), 1).value_or(0);
    e.correlation = correlation;
    if (!m_builder.add(e, place))
        return;
    Device& d = m_devices[device];
    if (std::find(d.lines.begin(), d.lines.end(), line) == d.lines.end())
        d.lines.push_back(line);
    d.intervals.emplace_back(start_ps, start_ps + duration_ps);
    d.sum_ps += duration_ps;
    if (d.names.find(name) == d.names.end())
        d.names.emplace(name, true);
}

Timeline XlaTimeline::build(const KernelRules& rules, nlohmann::json facts)
{
    facts["gpus"] = nlohmann::json::object();
    for (auto& [name, d] : m_devices) {
        std::sort(d.intervals.begin(), d.intervals.end());
        std::int64_t busy = 0, end = d.intervals.front().first;
        for (const auto& [from, to] : d.intervals) {
            busy += std::max<std::int64_t>(0, to - std::max(from, end));
            end = std::max(end, to);
        }
        facts["gpus"][name] = {{"lines", d.lines}, {"n_events", d.intervals.size()}, {"sum_us", microseconds(d.sum_ps)}, {"busy_union_us", microseconds(busy)},
            {"span_us", microseconds(end - d.intervals.front().first)}, {"distinct_names", d.names.size()}};
    }
    Timeline t = m_builder.build(rules);
    if (m_devices.empty())
        t.notes.push_back("No GPU stream has events: profile on a machine with GPUs, with the device tracer on.");
    t.own_facts = std::make_shared<const nlohmann::json>(std::move(facts));
    return t;
}

} // namespace ridgepoint
