#pragma once
// Unions of intervals of time, in nanoseconds.

#include <cstdint>
#include <vector>

namespace ridgepoint {

struct Interval {
    std::int64_t begin = 0;
    std::int64_t end = 0;
};
using Intervals = std::vector<Interval>;

// Disjoint, not touching, sorted. The input is sorted by begin.
Intervals united(const Intervals& sorted);
std::int64_t total(const Intervals& disjoint);
// Time common to two unions.
std::int64_t common(const Intervals& a, const Intervals& b);

} // namespace ridgepoint
