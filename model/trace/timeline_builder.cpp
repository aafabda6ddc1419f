#include "model/trace/timeline_builder.h"

#include <algorithm>
#include <limits>

#include "model/trace/assemble.h"

namespace ridgepoint {
namespace {

// A day: no kernel runs so long, but an end of 0 or an unset clock gives durations of centuries.
constexpr std::int64_t longest_ns = 86'400'000'000'000;
// Differences and sums of two instants stay within 64 bits.
constexpr std::int64_t latest_ns = std::numeric_limits<std::int64_t>::max() / 4;
constexpr std::size_t longest_name = 65536;

} // namespace

bool TimelineBuilder::add(const GpuEvent& e, const std::string& place)
{
    ++m_rows.events;
    if (e.duration_ns < 0) {
        skip("GPU event with a negative duration", place);
        return false;
    }
    if (e.duration_ns > longest_ns) {
        skip("GPU event longer than a day: its times are damaged", place);
        return false;
    }
    if (e.start_ns > latest_ns || e.start_ns < -latest_ns) {
        skip("GPU event at an impossible time", place);
        return false;
    }
    if (e.start_ns == 0 && e.duration_ns == 0) {
        skip("GPU event without times (both are zero)", place);
        return false;
    }
    GpuRow row{};
    row.ts = e.start_ns;
    row.dur = e.duration_ns;
    row.correlation = e.correlation;
    row.external = -1;
    row.name = intern(e.name);
    row.device = small_number(e.device, m_devices);
    row.stream = small_number(e.stream, m_streams);
    row.collective = e.collective;
    row.category = e.category;
    m_rows.gpu.push_back(row);
    return true;
}

void TimelineBuilder::add_launch(std::int64_t correlation, std::int64_t start_ns, bool graph)
{
    if (start_ns > latest_ns || start_ns < -latest_ns)
        return;
    LaunchRow row{};
    row.correlation = correlation;
    row.external = -1;
    row.ts = start_ns;
    row.graph = graph;
    m_rows.launches.push_back(row);
}

void TimelineBuilder::add_step(std::string name, std::int64_t start_ns, std::int64_t duration_ns, bool on_gpu)
{
    if (duration_ns < 0 || duration_ns > longest_ns || start_ns > latest_ns || start_ns < -latest_ns)
        return;
    EventTable::Rows::Step step{};
    step.name = std::move(name);
    step.ts = start_ns;
    step.dur = duration_ns;
    (on_gpu ? m_rows.gpu_steps : m_rows.steps).push_back(std::move(step));
}

std::int32_t TimelineBuilder::collective(const Timeline::Collective& c)
{
    const auto at = std::find(m_rows.collectives.begin(), m_rows.collectives.end(), c);
    if (at != m_rows.collectives.end())
        return static_cast<std::int32_t>(at - m_rows.collectives.begin());
    if (m_rows.collectives.size() >= 4096)
        return -1; // distinct combinations of a real file are few; beyond that the time of the search would grow without bound
    m_rows.collectives.push_back(c);
    return static_cast<std::int32_t>(m_rows.collectives.size() - 1);
}

void TimelineBuilder::skip(const std::string& reason, const std::string& place, std::int64_t count)
{
    const auto at = std::find_if(m_skipped.begin(), m_skipped.end(), [&](const auto& s) { return s.reason == reason; });
    if (at != m_skipped.end())
        at->count += count;
    else
        m_skipped.push_back({reason, count, place});
}

Timeline TimelineBuilder::build(const KernelRules& rules)
{
    Timeline t = std::move(*assemble(std::move(m_rows), rules)); // nobody asks it to stop
    t.skipped.insert(t.skipped.end(), m_skipped.begin(), m_skipped.end());
    return t;
}

std::uint32_t TimelineBuilder::intern(std::string_view name)
{
    name = name.substr(0, longest_name);
    const auto found = m_name_ids.find(name);
    if (found != m_name_ids.end())
        return found->second;
    m_rows.names.emplace_back(name);
    const auto id = static_cast<std::uint32_t>(m_rows.names.size() - 1);
    m_name_ids.emplace(m_rows.names.back(), id);
    return id;
}

// Numbers that fit stay as they are; others are counted from a million up, which no stream number reaches.
std::int32_t TimelineBuilder::small_number(std::int64_t n, std::unordered_map<std::int64_t, std::int32_t>& numbers)
{
    if (n >= 0 && n < 1'000'000)
        return static_cast<std::int32_t>(n);
    return numbers.emplace(n, static_cast<std::int32_t>(1'000'000 + numbers.size())).first->second;
}

} // namespace ridgepoint
