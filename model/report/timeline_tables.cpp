#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/report/measured_tables.h"
#include "model/trace/difference.h"
#include "model/trace/queries.h"
#include "model/trace/ranks.h"
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

std::vector<ReportTable> rank_tables(const std::vector<std::shared_ptr<const Measured>>& measured)
{
    std::vector<const Timeline*> timelines;
    for (const auto& m : measured)
        if (const auto* t = std::get_if<Timeline>(&m->content))
            timelines.push_back(t);
    if (timelines.size() < 2)
        return {};
    const Expected<JobTimelines> job = compare_ranks(timelines);
    if (!job)
        return {};
    ReportTable ranks;
    ranks.title = "Ranks";
    ranks.header = {"Rank", "File", "Known from", "Step", "Computing", "Communicating", "Exposed", "Transfer", "Waited", "Made others wait", "Came last"};
    for (const JobRank& r : job->ranks)
        ranks.rows.push_back({std::to_string(r.rank), r.file.substr(r.file.rfind('/') + 1), std::string(name_of(r.source)), r.step > Seconds{} ? format(r.step) : "-", format(r.compute), format(r.collective),
            format(r.exposed_collective), format(r.transfer), format(r.wait), format(r.wait_caused), whole(r.came_last)});
    std::string stragglers;
    for (std::size_t i = 0; i < job->stragglers.size() && i < 5; ++i)
        stragglers += (i > 0 ? ", " : "") + std::to_string(job->stragglers[i]);
    ranks.note = fmt::format("{}The longest rank computes {} more than the mean. A collective's transfer is its shortest time over the ranks; what a rank spends beyond is its wait. {} collectives matched, {} kernels without a "
                             "counterpart, {} sends and receives left out.",
        stragglers.empty() ? "" : fmt::format("Others wait most for rank {}. ", stragglers), format_percent(job->compute_imbalance), whole(job->matched), whole(job->unmatched), whole(job->point_to_point));
    for (const std::string& n : job->notes)
        ranks.note += " " + n;
    ReportTable collectives;
    collectives.title = "Collectives over all ranks";
    collectives.header = {"Collective", "Size", "Ranks", "Group", "Count", "Transfer", "Wait of all ranks", "Bus bandwidth"};
    for (const JobCollective& c : job->collectives)
        collectives.rows.push_back({std::string(name_of(c.type)), c.size > Bytes{} ? format(c.size) : "-", std::to_string(c.group_size), c.process_group, whole(c.count), format(c.transfer), format(c.wait),
            c.bus_bandwidth > BytesPerSecond{} ? format(c.bus_bandwidth) : "-"});
    std::vector<ReportTable> out{std::move(ranks)};
    if (!collectives.rows.empty())
        out.push_back(std::move(collectives));
    return out;
}

std::vector<ReportTable> difference_tables(const Timeline& before, const Timeline& after, std::size_t most)
{
    const TimelineDifference d = difference(before, after);
    const auto row = [](const std::string& name, const TimelineChange& c) {
        return std::vector<std::string>{name, format(c.before), format(c.after), fmt::format("{}{}", c.by() < Seconds{} ? "-" : "+", format(Seconds{std::abs(c.by().value())})),
            c.appeared() ? "new" : c.gone() ? "gone" : fmt::format("{:+.1f} %", 100 * (c.by() / c.before))};
    };
    ReportTable sums;
    sums.title = fmt::format("Before and after, {}", d.per_step ? fmt::format("per step ({} and {} steps)", d.steps_before, d.steps_after) : "whole files");
    sums.header = {"Part", "Before", "After", "Change", "Relative"};
    for (const auto& [name, change] : {std::pair{"Busy", &d.busy}, {"Computing", &d.compute}, {"Communicating", &d.collective}, {"Exposed communication", &d.exposed_collective}, {"Idle", &d.idle}})
        sums.rows.push_back(row(name, *change));
    for (const TimelineChange& c : d.classes)
        sums.rows.push_back(row("Class: " + c.name, c));
    sums.note = "Busy, computing and communicating are unions over streams; classes are sums of durations.";
    ReportTable kernels;
    kernels.title = "Kernels that changed most";
    kernels.header = {"Kernel", "Before", "After", "Change", "Relative"};
    for (std::size_t i = 0; i < (most == 0 ? d.kernels.size() : std::min(most, d.kernels.size())); ++i)
        kernels.rows.push_back(row(d.kernels[i].name, d.kernels[i]));
    return {sums, kernels};
}

} // namespace ridgepoint
