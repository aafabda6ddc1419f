#include "model/search/collect.h"

#include <algorithm>
#include <cmath>

namespace ridgepoint {
namespace {

bool better(const FoundPlan& a, const FoundPlan& b, Objective o)
{
    const double x = a.score(o);
    const double y = b.score(o);
    return x != y ? x < y : a.point.index < b.point.index;
}

// At least as good in all three; of equals the lower index stands for both.
bool dominates(const FoundPlan& a, const FoundPlan& b)
{
    const double at = a.tokens_per_second.value(), bt = b.tokens_per_second.value();
    const double ac = a.score(Objective::cost_per_token), bc = b.score(Objective::cost_per_token);
    const double ah = a.headroom.value(), bh = b.headroom.value();
    if (at < bt || ac > bc || ah < bh)
        return false;
    return at > bt || ac < bc || ah > bh || a.point.index < b.point.index;
}

} // namespace

void Collector::keep(const FoundPlan& plan)
{
    ++m_result.feasible;
    keep_best(plan);
    keep_pareto(plan);
}

void Collector::keep_best(const FoundPlan& plan)
{
    std::vector<FoundPlan>& best = m_result.best;
    const auto before = [o = m_options.objective](const FoundPlan& a, const FoundPlan& b) { return better(a, b, o); };
    if (m_options.keep == 0 || (best.size() >= m_options.keep && !before(plan, best.back())) || std::isinf(plan.score(m_options.objective)))
        return;
    best.insert(std::upper_bound(best.begin(), best.end(), plan, before), plan);
    if (best.size() > m_options.keep)
        best.pop_back();
}

void Collector::keep_pareto(const FoundPlan& plan)
{
    std::vector<FoundPlan>& front = m_result.pareto;
    for (std::size_t i = 0; i < front.size(); ++i)
        if (dominates(front[i], plan)) {
            if (i > 0)
                std::swap(front[i], front[i / 2]); // who dominates one point dominates its neighbours too: look there first
            return;
        }
    std::erase_if(front, [&](const FoundPlan& other) { return dominates(plan, other); });
    front.push_back(plan);
}

void Collector::count(RejectionCount& c, const SearchPoint& point)
{
    ++c.points;
    if (!c.example || point.index < c.example->index)
        c.example = point;
}

void Collector::broken(LayoutRule rule, const SearchPoint& point) { count(m_result.broken_rules[static_cast<std::size_t>(rule)], point); }

void Collector::rejected(Rejection why, const FoundPlan& plan, Bytes wanted)
{
    RejectionCount& c = m_result.rejected[static_cast<std::size_t>(why)];
    if (why != Rejection::memory)
        return count(c, plan.point);
    ++c.points;
    const Bytes shortfall = wanted - plan.headroom;
    if (!c.example || shortfall < c.shortfall || (shortfall == c.shortfall && plan.point.index < c.example->index)) {
        c.example = plan.point;
        c.shortfall = shortfall;
    }
}

void Collector::add(const SearchResult& other)
{
    m_result.points += other.points;
    m_result.alike += other.alike;
    m_result.estimated += other.estimated;
    m_result.feasible += other.feasible;
    m_result.stopped = m_result.stopped || other.stopped;
    m_result.elapsed = std::max(m_result.elapsed, other.elapsed);
    for (const FoundPlan& p : other.best)
        keep_best(p);
    for (const FoundPlan& p : other.pareto)
        keep_pareto(p);
    const auto merge_counts = [](RejectionCount& to, const RejectionCount& from, bool nearest) {
        to.points += from.points;
        if (!from.example)
            return;
        const bool closer = nearest && to.example && from.shortfall != to.shortfall ? from.shortfall < to.shortfall : to.example && from.example->index < to.example->index;
        if (!to.example || closer) {
            to.example = from.example;
            to.shortfall = from.shortfall;
        }
    };
    for (std::size_t i = 0; i < layout_rule_count; ++i)
        merge_counts(m_result.broken_rules[i], other.broken_rules[i], false);
    for (std::size_t i = 0; i < rejection_count; ++i)
        merge_counts(m_result.rejected[i], other.rejected[i], static_cast<Rejection>(i) == Rejection::memory);
}

void sort_pareto(SearchResult& result)
{
    std::sort(result.pareto.begin(), result.pareto.end(), [](const FoundPlan& a, const FoundPlan& b) {
        return a.tokens_per_second != b.tokens_per_second ? a.tokens_per_second > b.tokens_per_second : a.point.index < b.point.index;
    });
}

} // namespace ridgepoint
