// What was asked, and what becomes of it over weeks: a run with its failures and storage, a fleet over its months.

#include <algorithm>

#include <fmt/format.h>

#include "model/project/fields.h"
#include "model/report/run_figures.h"
#include "model/report/sections.h"
#include "model/report/texts.h"
#include "model/units/format.h"

namespace ridgepoint {
namespace {

std::string long_time(Seconds t) { return t < hours(48) ? format(t) : fmt::format("{:.1f} days", t.value() / 86400.0); }

} // namespace

ReportSection requirement_section(const ReportInput& in)
{
    ReportSection s;
    s.title = "Requirement";
    ReportTable t;
    t.title = "What was asked";
    t.header = {"Asked", "Value"};
    const Job& job = in.evaluation.job;
    t.rows.push_back({"Model", fmt::format("{} ({})", job.model.name, in.plan.model)});
    t.rows.push_back({"Work", workload_text(job)});
    t.rows.push_back({"Precision", precision_text(in.plan, job)});
    t.rows.push_back({"Machines", cluster_text(job)});
    t.rows.push_back({"Bought as", fmt::format("{} in {}{}", in.plan.price.term, in.plan.price.region,
        in.plan.price.custom_dollars_per_gpu_hour ? fmt::format(", own rate {} per GPU-hour", format(Dollars{*in.plan.price.custom_dollars_per_gpu_hour})) : "")});
    // Of the sections about time and users, what differs from the default was asked by somebody.
    for (const PlanField& f : plan_fields())
        if ((f.group == "Run" || f.group == "Load" || f.group == "Fleet" || f.group == "Post-training") && applies(f, in.plan) && field_value(in.plan, f.path) != field_default(in.plan, f.path))
            t.rows.push_back({fmt::format("{}: {}", f.group, f.label), field_value(in.plan, f.path) + (f.unit.empty() ? "" : " " + f.unit)});
    s.tables.push_back(std::move(t));
    return s;
}

ReportSection run_section(const ReportInput& in)
{
    ReportSection s;
    s.title = "Time and failures";
    if (!in.run) {
        s.paragraphs.push_back("The run cannot be predicted: " + in.no_run);
        return s;
    }
    const RunPrediction& r = in.run->run;
    s.paragraphs.push_back(fmt::format("Half of such runs end within {}, nine in ten within {}; the spread holds the error bar of the step, the range of the failure rate and chance. Goodput {}: steps at full speed over the "
                                       "expected {}. Bound by {}.",
        long_time(r.time_to_train.at(0.5)), long_time(r.time_to_train.at(0.9)), format_percent(r.goodput), long_time(r.wall), r.bound));
    s.svg = run_svg(r);
    ReportTable parts;
    parts.title = "Where the expected wall time goes";
    parts.header = {"Part", "Time", "Share"};
    for (std::size_t i = 0; i < run_part_count; ++i)
        if (r.parts[i] != Seconds{})
            parts.rows.push_back({std::string(name_of(static_cast<RunPart>(i))), long_time(r.parts[i]), format_percent(r.parts[i] / r.wall)});
    parts.rows.push_back({"Together", long_time(r.wall), "100.0 %"});
    s.tables.push_back(std::move(parts));

    ReportTable t;
    t.title = "Checkpoints and failures";
    t.header = {"Quantity", "Value", "How"};
    if (r.mtbf > Seconds{})
        t.rows.push_back({"Expected failures", format_number(r.expected_failures), fmt::format("one every {} on {} nodes", format(r.mtbf), group_thousands(r.nodes))});
    t.rows.push_back({"Checkpoint", format_decimal(r.checkpoint.size.total), fmt::format("stops training for {} ({}), safe after {} ({})", format(r.checkpoint.blocking), r.checkpoint.blocking_limited_by,
        format(r.checkpoint.write), r.checkpoint.write_limited_by)});
    t.rows.push_back({"Interval", format(r.interval.used), fmt::format("{}; optimum {}, Daly {}, Young {}", r.interval.why, format(r.interval.optimum), format(r.interval.daly), format(r.interval.young))});
    t.rows.push_back({"Restart", format(r.restart.total()), fmt::format("detection {}, replacement {}, start-up {}, reading {}", format(r.restart.detection), format(r.restart.replacement), format(r.restart.startup),
        format(r.restart.reload))});
    if (r.spares > 0)
        t.rows.push_back({"Spare nodes", group_thousands(r.spares), fmt::format("none free at {} of the failures", format_percent(r.restart.no_spare_free))});
    s.tables.push_back(std::move(t));

    ReportTable storage;
    storage.title = "What storage must give";
    storage.header = {"For", "Tier", "Needed", "Capacity", "Asked", "Given", "Limited by"};
    for (const StorageDemand& d : r.storage)
        storage.rows.push_back({d.what, d.tier_name, format_decimal(d.needed), format_decimal(d.capacity), format(d.demand), format(d.available), d.limits ? d.limited_by + ": training waits" : d.limited_by});
    if (!storage.rows.empty())
        s.tables.push_back(std::move(storage));
    return s;
}

ReportSection fleet_section(const ReportInput& in)
{
    const FleetPrediction& f = in.fleet->fleet;
    ReportSection s;
    s.title = "Fleet";
    s.paragraphs.push_back(fmt::format("A replica carries {} requests per second within the limits, {} with the headroom; {}.", format_number(f.rate_per_replica), format_number(f.planned_rate_per_replica),
        f.replicas_per_instance > 0 ? fmt::format("{} replica{} on an instance", f.replicas_per_instance, f.replicas_per_instance == 1 ? "" : "s") : fmt::format("{} instances for a replica", f.instances_per_replica)));
    ReportTable months;
    months.title = "Instances and money by month";
    months.header = {"Month", "Mean requests/s", "Peak requests/s", "Instances", "Cost", "Energy [MWh]"};
    for (const FleetMonth& m : f.months)
        months.rows.push_back({std::to_string(m.month + 1), format_number(m.mean_rate), format_number(m.peak_rate), group_thousands(m.instances), m.cost ? format(*m.cost) : "-", format_number(m.energy.value() / 3.6e9)});
    s.tables.push_back(std::move(months));
    ReportTable unit;
    unit.title = "Per million tokens";
    unit.header = {"Quantity", "Value"};
    if (f.per_input_token)
        unit.rows.push_back({"Input", format(Dollars{f.per_input_token->value() * 1e6})});
    if (f.per_output_token)
        unit.rows.push_back({"Output", format(Dollars{f.per_output_token->value() * 1e6})});
    unit.rows.push_back({"Energy", fmt::format("{} kWh", format_number(f.energy_per_token.value() * 1e6 / 3.6e6))});
    if (f.api_cost)
        unit.rows.push_back({"The same tokens from the API", format(*f.api_cost) + " in all"});
    if (f.break_even_rate)
        unit.rows.push_back({"Cheaper than the API from", format_number(*f.break_even_rate) + " requests per second"});
    s.tables.push_back(std::move(unit));
    for (const std::string& n : f.notes)
        s.paragraphs.push_back("Note: " + n);
    return s;
}

} // namespace ridgepoint
