#pragma once
// Sorting of millions of rows that whoever waits can stop within milliseconds.

#include <algorithm>
#include <cstddef>

#include "model/base/progress.h"

namespace ridgepoint {

// Sorts a vector of rows stably. False: it was stopped, and the order is arbitrary.
template <typename Rows, typename Less> bool sort_stoppably(Rows& rows, Less less, const Progress& progress)
{
    constexpr std::ptrdiff_t run = 1 << 16; // rows between two looks at the request to stop
    const auto begin = rows.begin();
    const auto n = static_cast<std::ptrdiff_t>(rows.size());
    for (std::ptrdiff_t at = 0; at < n; at += run) {
        if (progress.stopped())
            return false;
        const auto from = begin + at;
        const auto to = begin + std::min(at + run, n);
        if (!std::is_sorted(from, to, less)) // traces mostly are
            std::stable_sort(from, to, less);
    }
    for (std::ptrdiff_t width = run; width < n; width *= 2)
        for (std::ptrdiff_t at = 0; at + width < n; at += 2 * width) {
            if (progress.stopped())
                return false;
            const auto middle = begin + at + width;
            if (less(*middle, *(middle - 1)))
                std::inplace_merge(begin + at, middle, begin + std::min(at + 2 * width, n), less);
        }
    return true;
}

} // namespace ridgepoint
