#include <algorithm>

#include <fmt/format.h>

#include "model/report/measured_tables.h"
#include "model/trace/queries.h"
#include "model/units/format.h"

namespace ridgepoint {
namespace {

std::string whole(std::int64_t n) { return group_thousands(static_cast<double>(n)); }

ReportTable summary_table(const Timeline& t, const TimelineSummary& s)
{
    ReportTable out;
    out.title = "Where the window goes";
    out.header = {"Quantity", "Value", "Remark"};
    const auto of_window = [&](Seconds x) { return s.span > Seconds{} ? format_percent(x / s.span) + " of the window" : std::string(); };
    out.rows.push_back({"Device", t.device_name.empty() ? "not stated" : t.device_name, t.rank >= 0 ? fmt::format("rank {}{}", t.rank, t.world_size > 0 ? fmt::format(" of {}", t.world_size) : "") : ""});
    out.rows.push_back({"Window", format(s.span), fmt::format("{} GPU events, {} of them kernels; {} events in the file", whole(s.gpu_events), whole(s.kernels), whole(t.events_in_file))});
    for (const auto& [name, time] : {std::pair{"Busy", s.busy}, {"Computing", s.compute_union}, {"Communicating", s.collective_union}, {"Exposed communication", s.exposed_collective}, {"Copies and fills", s.memory_union},
             {"Idle", s.idle}, {"Idle: next kernel not launched yet (host)", s.idle_causes.host}, {"Idle: gaps up to 3 us (launch)", s.idle_causes.launch_latency},
             {"Idle: waiting for an event, stream or copy", s.idle_causes.dependency}, {"Idle: launch not in the file", s.idle_causes.unknown}})
        if (time > Seconds{} || std::string_view(name).find(':') == std::string_view::npos)
            out.rows.push_back({name, format(time), of_window(time)});
    out.rows.push_back({"Overlap", format(s.overlap), "of computing and communicating"});
    out.rows.push_back({"Known work", whole(s.with_work), fmt::format("events with FLOPs and bytes from shapes; {} without", whole(s.without_work))});
    out.note = "Busy, computing and communicating are lengths of unions over all streams; exposed is communication while nothing computes.";
    if (t.truncated)
        out.note += " The file ends early; the complete events before its end are counted.";
    return out;
}

} // namespace

std::vector<ReportTable> timeline_tables(const Timeline& t, const TimelineSummary& s, std::size_t most)
{
    const auto first = [most](std::size_t n) { return most == 0 ? n : std::min(n, most); };
    std::vector<ReportTable> out{summary_table(t, s)};
    ReportTable classes;
    classes.title = "Classes of kernels";
    classes.header = {"Class", "Events", "Time", "Share of the kernels' time"};
    for (const ClassTotal& c : s.classes)
        classes.rows.push_back({std::string(name_of(c.kernel_class)), whole(c.count), format(c.sum), s.kernel_sum > Seconds{} ? format_percent(c.sum / s.kernel_sum) : "-"});
    out.push_back(std::move(classes));

    const std::vector<NamedKernel> by_time = top_kernels(t);
    ReportTable kernels;
    kernels.title = "Kernels by time";
    kernels.header = {"Kernel", "Class", "Count", "Time", "Mean", "FLOP/s"};
    for (std::size_t i = 0; i < first(by_time.size()); ++i) {
        const NamedKernel& k = by_time[i];
        kernels.rows.push_back({k.name, std::string(name_of(k.kernel_class)), whole(k.count), format(k.total), format(k.mean), k.flops > Flops{} ? format(k.achieved()) : "-"});
    }
    kernels.note = fmt::format("{} distinct kernels, {} shown.", by_time.size(), kernels.rows.size());
    out.push_back(std::move(kernels));

    const std::vector<CollectiveTotal> calls = collective_totals(t);
    ReportTable collectives;
    collectives.title = "Collectives";
    collectives.header = {"Collective", "Size", "Ranks", "Count", "Time", "Mean", "Fastest", "Bus bandwidth, fastest"};
    for (std::size_t i = 0; i < first(calls.size()); ++i) {
        const CollectiveTotal& c = calls[i];
        collectives.rows.push_back({std::string(name_of(c.type)), c.size > Bytes{} ? format(c.size) : "-", c.group_size > 0 ? std::to_string(c.group_size) : "-", whole(c.count), format(c.total), format(c.mean), format(c.fastest),
            c.best_bus_bandwidth > BytesPerSecond{} ? format(c.best_bus_bandwidth) : "-"});
    }
    collectives.note = "A collective's time holds the wait for its last rank; the fastest is closest to the transfer.";
    if (!collectives.rows.empty())
        out.push_back(std::move(collectives));

    const std::vector<TracedStep> steps = step_breakdowns(t);
    ReportTable step_table;
    step_table.title = "Steps";
    step_table.header = {"Step", "On the host", "On the GPU", "Computing", "Communicating", "Exposed", "Copies", "Idle"};
    for (std::size_t i = 0; i < first(steps.size()); ++i) {
        const TracedStep& x = steps[i];
        step_table.rows.push_back({x.name, format(x.duration), format(x.period), format(x.compute), format(x.collective), format(x.exposed_collective), format(x.memory), format(x.idle)});
    }
    if (!step_table.rows.empty())
        out.push_back(std::move(step_table));
    return out;
}

} // namespace ridgepoint
