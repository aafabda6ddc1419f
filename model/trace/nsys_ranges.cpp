#include "model/trace/nsys_ranges.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace ridgepoint {
namespace {

constexpr std::array<std::string_view, 5> words{"step", "iter", "batch", "execute_model", "epoch"};
constexpr std::size_t most_groups = 4096, most_steps = 1'000'000, longest_name = 512;

} // namespace

void StepRanges::add(std::string_view name, std::int64_t start_ns, std::int64_t duration_ns, std::int64_t thread)
{
    if (name.empty() || duration_ns < 0)
        return;
    name = name.substr(0, longest_name);
    std::string form;
    for (const char c : name)
        if (!std::isdigit(static_cast<unsigned char>(c)))
            form += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (std::none_of(words.begin(), words.end(), [&](std::string_view w) { return form.find(w) != std::string::npos; }))
        return;
    auto at = m_groups.find({thread, form});
    if (at == m_groups.end()) {
        if (m_groups.size() >= most_groups)
            return;
        at = m_groups.emplace(std::pair{thread, std::move(form)}, Group{}).first;
    }
    Group& group = at->second;
    if (group.steps.size() >= most_steps || __builtin_add_overflow(group.total, duration_ns, &group.total))
        return;
    group.steps.push_back({std::string(name), start_ns, duration_ns});
}

std::vector<Timeline::Step> StepRanges::take()
{
    Group* best = nullptr;
    for (auto& [key, group] : m_groups)
        if (group.steps.size() >= 2 && (!best || group.total > best->total))
            best = &group;
    return best ? std::move(best->steps) : std::vector<Timeline::Step>();
}

} // namespace ridgepoint
