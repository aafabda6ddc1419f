#include "model/trace/event_table.h"

#include <algorithm>

#include <fmt/format.h>

#include "model/trace/number_text.h"
#include "model/trace/op_arguments.h"

namespace ridgepoint {
namespace {

constexpr std::int64_t latest_ns = std::int64_t{1} << 62; // the year 2116
constexpr std::int64_t earliest_ns = -(std::int64_t{1} << 61); // differences of any two times in between still fit
constexpr std::int64_t longest_ns = std::int64_t{86'400} * 1'000'000'000; // no kernel runs for a day: the end wrapped
constexpr std::size_t most_open = 4096;
constexpr std::size_t most_collectives = 1U << 20;

std::int64_t number_or(std::string_view token, std::int64_t otherwise)
{
    return token.empty() ? otherwise : whole_number(token).value_or(otherwise);
}

std::int32_t small_number_or(std::string_view token, std::int32_t otherwise)
{
    const std::int64_t n = number_or(token, otherwise);
    return n < std::numeric_limits<std::int32_t>::min() || n > std::numeric_limits<std::int32_t>::max() ? otherwise : static_cast<std::int32_t>(n);
}

std::uint32_t thread_key(const EventFields& e)
{
    const std::hash<std::string_view> h;
    return static_cast<std::uint32_t>((h(inside(e.pid)) * 0x9e3779b97f4a7c15U + h(inside(e.tid))) >> 32);
}

template <typename T> void make_room_for(RowTable<T>& rows, double fraction)
{
    if (rows.size() > 1000 && rows.size() * 4 > rows.capacity() * 3) // pages that are never touched cost nothing
        rows.reserve(static_cast<std::size_t>(static_cast<double>(rows.size()) * std::clamp(1.2 / fraction, 1.5, 100.0)));
}

bool possible(std::int64_t ts) { return ts >= earliest_ns && ts <= latest_ns; }

bool is_step(std::string_view raw) { return raw.starts_with("ProfilerStep"); }

} // namespace

void EventTable::skip(std::string_view reason, std::uint64_t place, bool count_event)
{
    m_rows.events += count_event;
    for (Timeline::Skipped& s : m_rows.skipped)
        if (s.reason == reason) {
            ++s.count;
            return;
        }
    m_rows.skipped.push_back({std::string(reason), 1, fmt::format("event {}, byte {}", m_rows.events, place)});
}

void EventTable::make_room(double fraction)
{
    if (fraction < 0.01)
        return;
    make_room_for(m_rows.gpu, fraction);
    make_room_for(m_rows.launches, fraction);
    make_room_for(m_rows.ops, fraction);
}

EventTable::Mark EventTable::mark() const
{
    return {m_rows.gpu.size(), m_rows.launches.size(), m_rows.ops.size(), m_rows.steps.size(), m_rows.gpu_steps.size(), m_rows.events,
        m_rows.skipped, m_open, m_phase_counts, m_category_counts};
}

void EventTable::rewind(const Mark& m)
{
    m_rows.gpu.resize(m.gpu);
    m_rows.launches.resize(m.launches);
    m_rows.ops.resize(m.ops);
    m_rows.steps.resize(m.steps);
    m_rows.gpu_steps.resize(m.gpu_steps);
    m_rows.events = m.events;
    m_rows.skipped = m.skipped;
    m_open = m.open;
    m_phase_counts = m.phases;
    std::copy(m.categories.begin(), m.categories.end(), m_category_counts.begin());
    std::fill(m_category_counts.begin() + static_cast<std::ptrdiff_t>(m.categories.size()), m_category_counts.end(), 0);
}

std::optional<std::int64_t> EventTable::time(std::string_view text) const
{
    if (m_unpadded)
        return nanoseconds_from_unpadded(text);
    return nanoseconds_from_microseconds(text);
}

std::uint32_t EventTable::intern(std::string_view raw)
{
    const auto found = m_name_ids.find(raw);
    if (found != m_name_ids.end())
        return found->second;
    const auto id = static_cast<std::uint32_t>(m_rows.names.size());
    m_rows.names.emplace_back(raw);
    m_name_ids.emplace(m_rows.names.back(), id);
    return id;
}

std::int32_t EventTable::collective_of(const EventFields& e)
{
    if (e.collective.empty() || m_rows.collectives.size() >= most_collectives)
        return -1;
    Timeline::Collective c;
    c.name = plain_text(e.collective);
    c.dtype = plain_text(e.dtype);
    c.in_elements = std::max<std::int64_t>(0, number_or(e.in_elements, 0));
    c.out_elements = std::max<std::int64_t>(0, number_or(e.out_elements, 0));
    c.group_size = std::max(0, small_number_or(e.group_size, 0));
    c.process_group = plain_text(e.process_group);
    c.group_description = plain_text(e.group_description);
    c.group_ranks = plain_text(e.group_ranks);
    c.size = bytes(static_cast<double>(std::max(c.in_elements, c.out_elements)) * bytes_of_dtype(c.dtype));
    // Few distinct ones: look from the last, which repeats most often.
    for (std::size_t i = m_rows.collectives.size(); i-- > 0;)
        if (m_rows.collectives[i] == c)
            return static_cast<std::int32_t>(i);
    m_rows.collectives.push_back(std::move(c));
    return static_cast<std::int32_t>(m_rows.collectives.size() - 1);
}

void EventTable::add(const EventFields& e, std::uint64_t place)
{
    const std::string_view ph = inside(e.ph);
    count(e);
    if (ph == "X" || (ph.empty() && !e.dur.empty())) { // scripts that write traces leave the phase out
        add_complete(e, place);
        return;
    }
    ++m_rows.events;
    if (ph == "B") {
        // Other producers write a begin and an end; the end need not repeat the name.
        GpuRow r{};
        const EventCategory c = category_of(e.cat);
        const auto ts = time(e.ts);
        if (!ts || m_open.size() >= most_open) {
            skip("begin event without a start", place, false);
            return;
        }
        const bool gpu = c == EventCategory::kernel || c == EventCategory::gpu_copy || c == EventCategory::gpu_fill;
        r = {*ts, 0, number_or(e.correlation, -1), number_or(e.external_id, -1), gpu ? intern(inside(e.name)) : 0,
            small_number_or(e.device.empty() ? e.pid : e.device, -1), small_number_or(e.stream.empty() ? e.tid : e.stream, -1),
            collective_of(e), gpu ? c : EventCategory::none};
        m_open.emplace_back(thread_key(e), r);
    } else if (ph == "E") {
        const std::uint32_t key = thread_key(e);
        const auto open = std::find_if(m_open.rbegin(), m_open.rend(), [&](const auto& o) { return o.first == key; });
        const auto ts = time(e.ts);
        if (open == m_open.rend() || !ts) {
            skip("end event without its begin", place, false);
            return;
        }
        GpuRow r = open->second;
        m_open.erase(std::next(open).base());
        if (__builtin_sub_overflow(*ts, r.ts, &r.dur))
            r.dur = -1;
        if (r.category != EventCategory::none && check_times(r, place))
            m_rows.gpu.push_back(r);
    }
}

void EventTable::add_complete(const EventFields& e, std::uint64_t place)
{
    ++m_rows.events;
    const EventCategory c = category_of(e.cat);
    switch (c) {
    case EventCategory::none: return;
    case EventCategory::kernel:
    case EventCategory::gpu_copy:
    case EventCategory::gpu_fill: add_gpu(e, c, place); return;
    case EventCategory::launch: {
        const auto ts = time(e.ts);
        const std::int64_t correlation = number_or(e.correlation, -1);
        if (!ts || correlation < 0 || !possible(*ts))
            return;
        m_rows.launches.push_back({correlation, number_or(e.external_id, -1), *ts, thread_key(e), e.name.find("raphLaunch") != std::string_view::npos});
        return;
    }
    case EventCategory::annotation:
    case EventCategory::gpu_annotation:
        if (const std::string_view name = inside(e.name); is_step(name))
            add_step(e, c, name);
        return;
    case EventCategory::op: {
        const std::string_view name = inside(e.name);
        if (is_step(name)) {
            add_step(e, c, name);
            return;
        }
        const OpRule* rule = rule_of(name);
        const bool comms = !rule && name == "record_param_comms";
        if (!rule && !comms)
            return;
        const auto ts = time(e.ts);
        const auto dur = time(e.dur);
        if (!ts || !dur || !possible(*ts) || *dur < 0 || *dur > longest_ns)
            return;
        OpRow r{number_or(e.external_id, -1), *ts, *dur, thread_key(e), {}, KernelClass::collective, -1};
        if (rule) {
            r.work = work_of(*rule, e.input_dims, e.input_types, e.concrete_inputs);
            r.target = kernel_class_of(*rule);
        } else if ((r.collective = collective_of(e)) < 0) {
            return;
        }
        m_rows.ops.push_back(r);
    }
    }
}

void EventTable::add_step(const EventFields& e, EventCategory c, std::string_view name)
{
    const auto ts = time(e.ts);
    const auto dur = time(e.dur);
    if (!ts || !dur || !possible(*ts) || *dur < 0 || *dur > longest_ns)
        return;
    auto& steps = c == EventCategory::gpu_annotation ? m_rows.gpu_steps : m_rows.steps;
    steps.push_back({plain_text(name), *ts, *dur, c == EventCategory::op});
}

bool EventTable::check_times(const GpuRow& r, std::uint64_t place)
{
    const char* reason = nullptr;
    if (r.ts == 0 && r.dur == 0)
        reason = "GPU event without times (start and duration are 0)";
    else if (r.dur < 0)
        reason = "GPU event with a negative duration";
    else if (r.dur > longest_ns)
        reason = "GPU event longer than a day";
    else if (!possible(r.ts))
        reason = "GPU event at an impossible time";
    if (reason)
        skip(reason, place, false);
    return !reason;
}

void EventTable::add_gpu(const EventFields& e, EventCategory c, std::uint64_t place)
{
    const auto ts = time(e.ts);
    if (!ts) {
        skip(e.ts.empty() ? "GPU event without a start" : "GPU event whose start is not a number of 64 bits", place, false);
        return;
    }
    const auto dur = time(e.dur);
    if (!dur) {
        skip(e.dur.empty() ? "GPU event without a duration" : "GPU event whose duration is not a number of 64 bits", place, false);
        return;
    }
    GpuRow r{*ts, *dur, number_or(e.correlation, -1), number_or(e.external_id, -1), 0,
        small_number_or(e.device.empty() ? e.pid : e.device, -1), small_number_or(e.stream.empty() ? e.tid : e.stream, -1), -1, c};
    if (!check_times(r, place))
        return;
    r.name = intern(inside(e.name));
    r.collective = collective_of(e);
    m_rows.gpu.push_back(r);
}

EventTable::Rows EventTable::take()
{
    for (const auto& [key, row] : m_open)
        if (row.category != EventCategory::none)
            skip("GPU event that begins and never ends", 0, false);
    m_open.clear();
    m_name_ids.clear();
    for (std::size_t i = 0; i < m_phase_counts.size(); ++i)
        if (m_phase_counts[i] > 0)
            m_rows.phases.emplace_back(std::string(1, static_cast<char>(i)), m_phase_counts[i]);
    for (std::size_t i = 0; i < m_category_counts.size(); ++i)
        if (m_category_counts[i] > 0)
            m_rows.categories.emplace_back(plain_text(m_categories[i].first), m_category_counts[i]);
    return std::move(m_rows);
}

} // namespace ridgepoint
