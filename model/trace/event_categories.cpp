// What kind of event a category names, how many there are of each, and which are worth reading to the end.

#include <algorithm>
#include <cctype>

#include "model/trace/event_table.h"

namespace ridgepoint {
namespace {

EventCategory known_category(std::string_view name)
{
    std::string s(name);
    std::transform(s.begin(), s.end(), s.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (s == "kernel")
        return EventCategory::kernel;
    if (s == "gpu_memcpy" || s == "memcpy")
        return EventCategory::gpu_copy;
    if (s == "gpu_memset" || s == "memset")
        return EventCategory::gpu_fill;
    if (s == "cpu_op" || s == "operator")
        return EventCategory::op;
    if (s == "user_annotation")
        return EventCategory::annotation;
    if (s == "gpu_user_annotation")
        return EventCategory::gpu_annotation;
    if (s == "runtime" || s == "cuda_runtime" || s == "cuda_driver" || s == "hip_runtime" || s == "xpu_runtime" || s == "xpu_driver"
        || s == "privateuse1_runtime" || s == "privateuse1_driver" || s == "mtia_runtime")
        return EventCategory::launch;
    return EventCategory::none;
}

} // namespace

EventCategory EventTable::category_of(std::string_view quoted)
{
    const std::size_t i = category_index(quoted);
    return i < m_categories.size() ? m_categories[i].second : known_category(inside(quoted));
}

std::size_t EventTable::category_index(std::string_view quoted)
{
    constexpr std::size_t most = 256;
    if (m_last_category < m_categories.size() && m_categories[m_last_category].first == quoted)
        return m_last_category;
    for (m_last_category = 0; m_last_category < m_categories.size(); ++m_last_category)
        if (m_categories[m_last_category].first == quoted)
            return m_last_category;
    if (m_categories.size() < most) {
        m_categories.emplace_back(quoted, known_category(inside(quoted)));
        m_category_counts.push_back(0);
    }
    return m_last_category;
}

void EventTable::count(const EventFields& e)
{
    const std::string_view ph = inside(e.ph);
    if (ph.size() != 1)
        return;
    ++m_phase_counts[static_cast<unsigned char>(ph.front()) % m_phase_counts.size()];
    if (ph.front() != 'X' || e.cat.empty())
        return;
    if (const std::size_t i = category_index(e.cat); i < m_category_counts.size())
        ++m_category_counts[i];
}

const OpRule* EventTable::rule_of(std::string_view raw)
{
    const auto found = m_op_rules.find(raw);
    if (found != m_op_rules.end())
        return found->second;
    const OpRule* rule = op_rule(raw);
    if (m_op_rules.size() < (1U << 18)) {
        m_op_names.emplace_back(raw);
        m_op_rules.emplace(m_op_names.back(), rule);
    }
    return rule;
}

bool EventTable::wants_args(EventCategory c, std::string_view quoted_name)
{
    switch (c) {
    case EventCategory::kernel:
    case EventCategory::gpu_copy:
    case EventCategory::gpu_fill:
    case EventCategory::launch: return true;
    case EventCategory::op: {
        const std::string_view name = inside(quoted_name);
        return rule_of(name) != nullptr || name == "record_param_comms";
    }
    default: return false;
    }
}

} // namespace ridgepoint
