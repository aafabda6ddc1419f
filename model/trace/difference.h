#pragma once
// Two timelines of the same work, before and after a change: what became faster and what slower.

#include <string>
#include <vector>

#include "model/trace/timeline.h"

namespace ridgepoint {

struct TimelineChange {
    std::string name; // a kernel's name, or a class
    KernelClass kernel_class = KernelClass::other;
    double count_before = 0, count_after = 0; // per step where the comparison is
    Seconds before, after;
    [[nodiscard]] Seconds by() const { return after - before; }
    [[nodiscard]] bool appeared() const { return count_before == 0; }
    [[nodiscard]] bool gone() const { return count_after == 0; }
};

struct TimelineDifference {
    // Both timelines have steps: all figures are means over the events of the steps. Else they are of the whole files.
    bool per_step = false;
    int steps_before = 0, steps_after = 0;
    TimelineChange busy, idle, compute, collective, exposed_collective; // unions, so they do not add up
    std::vector<TimelineChange> kernels; // sums by name and class, what changed most first; copies and fills included
    std::vector<TimelineChange> classes; // the same by class; they add up to the kernels
};

TimelineDifference difference(const Timeline& before, const Timeline& after);

} // namespace ridgepoint
