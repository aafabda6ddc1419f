#include "model/trace/difference.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "model/trace/queries.h"

namespace ridgepoint {
namespace {

struct Sum {
    std::int64_t count = 0;
    std::int64_t ns = 0;
};
using Sums = std::map<std::pair<std::string, KernelClass>, Sum>;

// Of all events, or of those in steps only.
Sums sums_of(const Timeline& t, bool in_steps)
{
    const std::vector<std::int32_t> step = in_steps ? steps_of_events(t) : std::vector<std::int32_t>(t.size(), 0);
    std::map<std::pair<std::uint32_t, KernelClass>, Sum> by_id;
    for (std::size_t i = 0; i < t.size(); ++i)
        if (step[i] >= 0) {
            Sum& s = by_id[{t.name[i], t.kernel_class[i]}];
            ++s.count;
            s.ns += t.duration_ns[i];
        }
    Sums out;
    for (const auto& [key, s] : by_id)
        out.emplace(std::pair{t.names[key.first], key.second}, s);
    return out;
}

struct Unions {
    Seconds busy, idle, compute, collective, exposed_collective;
};

Unions unions_of(const Timeline& t, const std::vector<TracedStep>& steps, bool per_step)
{
    Unions u;
    if (!per_step) {
        const TimelineSummary s = summarize(t);
        return {s.busy, s.idle, s.compute_union, s.collective_union, s.exposed_collective};
    }
    for (const TracedStep& b : steps) {
        u.busy += b.busy;
        u.idle += b.idle;
        u.compute += b.compute;
        u.collective += b.collective;
        u.exposed_collective += b.exposed_collective;
    }
    return u;
}

void most_changed_first(std::vector<TimelineChange>& list)
{
    std::ranges::stable_sort(list, [](const TimelineChange& a, const TimelineChange& b) { return std::abs(a.by().value()) > std::abs(b.by().value()); });
}

} // namespace

TimelineDifference difference(const Timeline& before, const Timeline& after)
{
    const std::vector<TracedStep> before_steps = step_breakdowns(before);
    const std::vector<TracedStep> after_steps = step_breakdowns(after);
    // A step that launched nothing, as at the edge of a capture, would thin the means out.
    const auto working = [](const std::vector<TracedStep>& steps) { return static_cast<int>(std::ranges::count_if(steps, [](const auto& s) { return s.events > 0; })); };
    TimelineDifference d;
    d.steps_before = working(before_steps);
    d.steps_after = working(after_steps);
    d.per_step = d.steps_before > 0 && d.steps_after > 0;
    const double n_before = d.per_step ? d.steps_before : 1;
    const double n_after = d.per_step ? d.steps_after : 1;

    const Unions ub = unions_of(before, before_steps, d.per_step);
    const Unions ua = unions_of(after, after_steps, d.per_step);
    const auto change = [&](const char* name, Seconds Unions::* what) {
        return TimelineChange{name, KernelClass::other, 1, 1, ub.*what / n_before, ua.*what / n_after};
    };
    d.busy = change("busy", &Unions::busy);
    d.idle = change("idle", &Unions::idle);
    d.compute = change("compute", &Unions::compute);
    d.collective = change("collective", &Unions::collective);
    d.exposed_collective = change("exposed collective", &Unions::exposed_collective);

    std::map<std::pair<std::string, KernelClass>, TimelineChange> kernels;
    std::map<KernelClass, TimelineChange> classes;
    const auto take = [&](const Sums& sums, double n, double TimelineChange::* count, Seconds TimelineChange::* time) {
        for (const auto& [key, s] : sums) {
            const Seconds seconds{static_cast<double>(s.ns) * 1e-9 / n};
            TimelineChange& kernel = kernels[key];
            kernel.name = key.first;
            TimelineChange& of_class = classes[key.second];
            of_class.name = name_of(key.second);
            for (TimelineChange* c : {&kernel, &of_class}) {
                c->kernel_class = key.second;
                c->*count += static_cast<double>(s.count) / n;
                c->*time += seconds;
            }
        }
    };
    take(sums_of(before, d.per_step), n_before, &TimelineChange::count_before, &TimelineChange::before);
    take(sums_of(after, d.per_step), n_after, &TimelineChange::count_after, &TimelineChange::after);
    for (auto& [key, c] : kernels)
        d.kernels.push_back(std::move(c));
    for (auto& [key, c] : classes)
        d.classes.push_back(std::move(c));
    most_changed_first(d.kernels);
    most_changed_first(d.classes);
    return d;
}

} // namespace ridgepoint
