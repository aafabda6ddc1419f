#include "model/trace/intervals.h"

#include <algorithm>

namespace ridgepoint {

Intervals united(const Intervals& sorted)
{
    Intervals out;
    for (const Interval& i : sorted)
        if (!out.empty() && i.begin <= out.back().end)
            out.back().end = std::max(out.back().end, i.end);
        else
            out.push_back(i);
    return out;
}

std::int64_t total(const Intervals& disjoint)
{
    std::int64_t sum = 0;
    for (const Interval& i : disjoint)
        sum += i.end - i.begin;
    return sum;
}

std::int64_t common(const Intervals& a, const Intervals& b)
{
    std::int64_t sum = 0;
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        sum += std::max<std::int64_t>(0, std::min(a[i].end, b[j].end) - std::max(a[i].begin, b[j].begin));
        a[i].end < b[j].end ? ++i : ++j;
    }
    return sum;
}

} // namespace ridgepoint
