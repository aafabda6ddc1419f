// A profiler trace as JSON.

#include <algorithm>

#include "app/cli/measured_text.h"
#include "model/trace/queries.h"

namespace ridgepoint::cli {
namespace {

using Json = nlohmann::ordered_json;

Seconds from_ns(std::int64_t ns) { return Seconds{static_cast<double>(ns) * 1e-9}; }

} // namespace

nlohmann::ordered_json timeline_json(const Timeline& t, const TimelineSummary& s, int top)
{
    Json classes = Json::array(), kernels = Json::array(), steps = Json::array(), collectives = Json::array();
    const auto first = [top](std::size_t n) { return std::min<std::size_t>(n, static_cast<std::size_t>(top)); };
    for (const ClassTotal& c : s.classes)
        classes.push_back({{"class", name_of(c.kernel_class)}, {"events", c.count}, {"time_s", c.sum.value()}});
    const std::vector<NamedKernel> by_time = top_kernels(t);
    for (std::size_t i = 0; i < first(by_time.size()); ++i) {
        const NamedKernel& k = by_time[i];
        kernels.push_back({{"name", k.name}, {"class", name_of(k.kernel_class)}, {"precision", name_of(k.precision)}, {"events", k.count}, {"time_s", k.total.value()},
            {"events_with_work", k.with_work}, {"time_with_work_s", k.time_with_work.value()}, {"flops", k.flops.value()}, {"bytes", k.bytes.value()}});
    }
    const std::vector<CollectiveTotal> calls = collective_totals(t);
    for (std::size_t i = 0; i < first(calls.size()); ++i) {
        const CollectiveTotal& c = calls[i];
        collectives.push_back({{"type", name_of(c.type)}, {"dtype", c.dtype}, {"size_bytes", c.size.value()}, {"ranks", c.group_size}, {"events", c.count}, {"time_s", c.total.value()},
            {"fastest_s", c.fastest.value()}, {"bus_bytes_per_s", c.bus_bandwidth.value()}, {"best_bus_bytes_per_s", c.best_bus_bandwidth.value()}});
    }
    for (const Timeline::Step& step : t.steps)
        steps.push_back({{"name", step.name}, {"start_s", from_ns(step.start_ns).value()}, {"duration_s", from_ns(step.duration_ns).value()}});
    Json step_parts = Json::array();
    for (const TracedStep& x : step_breakdowns(t))
        step_parts.push_back({{"name", x.name}, {"period_s", x.period.value()}, {"busy_s", x.busy.value()}, {"compute_s", x.compute.value()}, {"collective_s", x.collective.value()},
            {"exposed_collective_s", x.exposed_collective.value()}, {"memory_s", x.memory.value()}, {"idle_s", x.idle.value()}});
    return {{"device", t.device_name}, {"rank", t.rank}, {"world_size", t.world_size}, {"events_in_file", t.events_in_file},
        {"gpu_events", s.gpu_events}, {"kernels", s.kernels}, {"distinct_kernels", by_time.size()}, {"span_s", s.span.value()}, {"busy_s", s.busy.value()},
        {"idle_s", s.idle.value()}, {"idle_host_s", s.idle_causes.host.value()}, {"idle_launch_s", s.idle_causes.launch_latency.value()},
        {"idle_dependency_s", s.idle_causes.dependency.value()}, {"idle_unknown_s", s.idle_causes.unknown.value()}, {"kernel_sum_s", s.kernel_sum.value()},
        {"compute_union_s", s.compute_union.value()}, {"collective_union_s", s.collective_union.value()}, {"overlap_s", s.overlap.value()},
        {"exposed_collective_s", s.exposed_collective.value()}, {"same_stream_overlaps", s.same_stream_overlaps}, {"events_with_work", s.with_work},
        {"events_without_work", s.without_work}, {"truncated", t.truncated}, {"steps", steps}, {"step_parts", step_parts}, {"classes", classes},
        {"top_kernels", kernels}, {"collectives", collectives}};
}

} // namespace ridgepoint::cli
