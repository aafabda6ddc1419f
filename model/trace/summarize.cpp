// Definitions, shown to the user as well:
//   busy      union of all GPU events (kernels, copies, fills) over all streams and devices of the file
//   span      first start to last end; idle = span - busy
//   compute   union of the kernels that are not communication; copies and fills are neither, but they are busy
//   overlap   time in which a collective and a computing kernel both run; exposed = collective union - overlap
//   same-stream overlap   an event that starts before the one before it on its stream has ended

#include <algorithm>
#include <array>
#include <map>

#include "model/trace/intervals.h"
#include "model/trace/timeline.h"

namespace ridgepoint {
namespace {

constexpr std::int64_t launch_latency_ns = 3000;

Seconds in_seconds(std::int64_t ns) { return Seconds{static_cast<double>(ns) * 1e-9}; }

bool is_memory(KernelClass c) { return c == KernelClass::memcpy || c == KernelClass::memset; }

IdleCauses idle_causes(const Timeline& t)
{
    IdleCauses out;
    std::int64_t busy_until = t.size() ? t.start_ns[0] : 0;
    for (std::size_t i = 0; i < t.size(); ++i) {
        const std::int64_t gap = t.start_ns[i] - busy_until;
        if (gap > 0) {
            const std::int64_t launch = i < t.launch_ns.size() ? t.launch_ns[i] : Timeline::no_launch;
            Seconds& cause = launch == Timeline::no_launch ? out.unknown
                : launch > busy_until                      ? out.host
                : gap <= launch_latency_ns                 ? out.launch_latency
                                                           : out.dependency;
            cause += in_seconds(gap);
        }
        busy_until = std::max(busy_until, t.start_ns[i] + t.duration_ns[i]);
    }
    return out;
}

std::int64_t same_stream_overlaps(const Timeline& t)
{
    std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t> ends;
    std::int64_t count = 0;
    for (std::size_t i = 0; i < t.size(); ++i) {
        const std::int64_t end = t.start_ns[i] + t.duration_ns[i];
        const auto [at, first] = ends.try_emplace({t.device[i], t.stream[i]}, end);
        if (first)
            continue;
        count += t.start_ns[i] < at->second;
        at->second = end; // the previous event's, not the latest end: one long event below many counts once
    }
    return count;
}

} // namespace

TimelineSummary summarize(const Timeline& t)
{
    TimelineSummary s;
    s.gpu_events = static_cast<std::int64_t>(t.size());
    for (const Timeline::Step& step : t.steps)
        s.step_durations.push_back(in_seconds(step.duration_ns));
    if (t.size() == 0)
        return s;

    Intervals all, compute, collective, memory;
    std::array<std::int64_t, kernel_class_count> count{};
    std::array<std::int64_t, kernel_class_count> sum{};
    std::int64_t kernel_sum = 0;
    std::int64_t end = t.start_ns[0];
    for (std::size_t i = 0; i < t.size(); ++i) {
        const KernelClass c = t.kernel_class[i];
        const Interval at{t.start_ns[i], t.start_ns[i] + t.duration_ns[i]};
        all.push_back(at);
        (is_memory(c) ? memory : c == KernelClass::collective ? collective : compute).push_back(at);
        ++count[static_cast<std::size_t>(c)];
        sum[static_cast<std::size_t>(c)] += t.duration_ns[i];
        if (!is_memory(c)) {
            ++s.kernels;
            kernel_sum += t.duration_ns[i];
            if (c != KernelClass::collective)
                ++(i < t.work.size() && t.work[i].known ? s.with_work : s.without_work);
        }
        s.zero_durations += t.duration_ns[i] == 0;
        s.without_launch += i < t.launch_ns.size() && t.launch_ns[i] == Timeline::no_launch;
        end = std::max(end, at.end);
    }
    const std::int64_t busy = total(united(all));
    const Intervals compute_union = united(compute);
    const Intervals collective_union = united(collective);
    const std::int64_t overlap = common(compute_union, collective_union);
    s.span = in_seconds(end - t.start_ns[0]);
    s.busy = in_seconds(busy);
    s.idle = in_seconds(end - t.start_ns[0] - busy);
    s.kernel_sum = in_seconds(kernel_sum);
    s.compute_union = in_seconds(total(compute_union));
    s.collective_union = in_seconds(total(collective_union));
    s.memory_union = in_seconds(total(united(memory)));
    s.overlap = in_seconds(overlap);
    s.exposed_collective = in_seconds(total(collective_union) - overlap);
    s.same_stream_overlaps = same_stream_overlaps(t);
    s.idle_causes = idle_causes(t);
    for (std::size_t c = 0; c < kernel_class_count; ++c)
        if (count[c] > 0)
            s.classes.push_back({static_cast<KernelClass>(c), count[c], in_seconds(sum[c])});
    std::stable_sort(s.classes.begin(), s.classes.end(), [](const ClassTotal& a, const ClassTotal& b) { return a.sum > b.sum; });
    return s;
}

} // namespace ridgepoint
