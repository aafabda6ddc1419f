// A profiler trace as tables and as JSON.

#include <algorithm>

#include <fmt/format.h>

#include "app/cli/measured_text.h"
#include "app/cli/text_table.h"
#include "model/trace/queries.h"
#include "model/units/format.h"

namespace ridgepoint::cli {
namespace {

using Json = nlohmann::ordered_json;

Seconds from_ns(std::int64_t ns) { return Seconds{static_cast<double>(ns) * 1e-9}; }

void print_collectives(const Timeline& t, int top)
{
    const std::vector<CollectiveTotal> all = collective_totals(t);
    if (all.empty())
        return;
    TextTable table({"Collective", ">size", ">ranks", ">count", ">time", ">mean", ">fastest", ">bus, fastest"});
    for (std::size_t i = 0; i < all.size() && i < static_cast<std::size_t>(top); ++i) {
        const CollectiveTotal& c = all[i];
        table.add({std::string(name_of(c.type)), c.size > Bytes{} ? format(c.size) : "-", c.group_size > 0 ? std::to_string(c.group_size) : "-", group_thousands(static_cast<double>(c.count)),
            format(c.total), format(c.mean), format(c.fastest), c.best_bus_bandwidth > BytesPerSecond{} ? format(c.best_bus_bandwidth) : "-"});
    }
    fmt::print("{}\n", table.text());
}

void print_steps(const Timeline& t, int top)
{
    const std::vector<TracedStep> steps = step_breakdowns(t);
    if (steps.empty())
        return;
    TextTable table({"Step", ">on the host", ">on the GPU", ">computing", ">communicating", ">exposed", ">copies", ">idle"});
    for (std::size_t i = 0; i < steps.size() && i < static_cast<std::size_t>(top); ++i) {
        const TracedStep& x = steps[i];
        table.add({x.name, format(x.duration), format(x.period), format(x.compute), format(x.collective), format(x.exposed_collective), format(x.memory), format(x.idle)});
    }
    fmt::print("{}\n", table.text());
}

} // namespace

void print_timeline(const Timeline& t, const TimelineSummary& s, int top)
{
    fmt::print("{}\n\n", t.file);
    TextTable head({"", ">", ""});
    const auto of_span = [&](Seconds x) { return s.span > Seconds{} ? format_percent(x / s.span) + " of the window" : std::string(); };
    head.add({"Device", t.device_name.empty() ? "not stated" : t.device_name, t.rank >= 0 ? fmt::format("rank {}{}", t.rank, t.world_size > 0 ? fmt::format(" of {}", t.world_size) : "") : ""});
    head.add({"Window", format(s.span), fmt::format("{} GPU events, {} of them kernels; {} events in the file", group_thousands(static_cast<double>(s.gpu_events)),
        group_thousands(static_cast<double>(s.kernels)), group_thousands(static_cast<double>(t.events_in_file)))});
    head.add({"Busy", format(s.busy), of_span(s.busy)});
    head.add({"Idle", format(s.idle), of_span(s.idle)});
    for (const auto& [cause, time] : {std::pair{"  host: not launched yet", s.idle_causes.host}, {"  launch: gaps up to 3 us", s.idle_causes.launch_latency},
             {"  waiting for another stream", s.idle_causes.dependency}, {"  launch not in the file", s.idle_causes.unknown}})
        if (time > Seconds{})
            head.add({cause, format(time), of_span(time)});
    head.add({"Computing", format(s.compute_union), of_span(s.compute_union)});
    head.add({"Communicating", format(s.collective_union), of_span(s.collective_union)});
    head.add({"Overlap", format(s.overlap), "of computing and communicating"});
    head.add({"Exposed communication", format(s.exposed_collective), of_span(s.exposed_collective)});
    head.add({"Known work", group_thousands(static_cast<double>(s.with_work)), fmt::format("events with FLOPs and bytes from shapes; {} without", group_thousands(static_cast<double>(s.without_work)))});
    fmt::print("{}\n", head.text());

    TextTable classes({"Class", ">events", ">time", ">of kernel time"});
    for (const ClassTotal& c : s.classes)
        if (c.count > 0)
            classes.add({std::string(name_of(c.kernel_class)), group_thousands(static_cast<double>(c.count)), format(c.sum), s.kernel_sum > Seconds{} ? format_percent(c.sum / s.kernel_sum) : ""});
    fmt::print("{}\n", classes.text());

    TextTable kernels({"Kernel", "class", ">count", ">time", ">mean", ">FLOP/s"});
    const std::vector<NamedKernel> by_time = top_kernels(t);
    for (std::size_t i = 0; i < by_time.size() && i < static_cast<std::size_t>(top); ++i) {
        const NamedKernel& k = by_time[i];
        kernels.add({shortened(k.name, 80), std::string(name_of(k.kernel_class)), group_thousands(static_cast<double>(k.count)), format(k.total), format(k.mean),
            k.flops > Flops{} ? format(k.achieved()) : "-"});
    }
    fmt::print("{}", kernels.text());
    fmt::print("  {} distinct kernels, {} shown\n\n", by_time.size(), std::min<std::size_t>(by_time.size(), static_cast<std::size_t>(top)));
    print_collectives(t, top);
    print_steps(t, top);
    if (t.truncated)
        fmt::print("  The file ends early; the complete events before its end are counted.\n");
}

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
