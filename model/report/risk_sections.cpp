// What the answer hangs on, what can go wrong, and what measurements say of it.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/calibration/compare.h"
#include "model/calibration/observations.h"
#include "model/report/measured_tables.h"
#include "model/report/run_figures.h"
#include "model/report/sections.h"
#include "model/report/texts.h"
#include "model/units/format.h"
#include "model/whatif/sensitivity.h"

namespace ridgepoint {
namespace {

std::string signed_percent(double v) { return fmt::format("{:+.1f} %", 100 * v); }

void add_run_risks(const RunAnswer& run, ReportTable& t)
{
    const RunPrediction& r = run.run;
    if (r.mtbf > Seconds{} && r.expected_failures >= 0.5)
        t.rows.push_back({"Nodes fail", fmt::format("about {} times; {} of the wall time is lost or spent on restarts", format_number(r.expected_failures, 2),
            format_percent((r.part(RunPart::lost) + r.part(RunPart::restarts) + r.part(RunPart::checkpoints)) / r.wall)), "Spare nodes, fast checkpoints, health checks before the start"});
    const Seconds p50 = r.time_to_train.at(0.5), p90 = r.time_to_train.at(0.9);
    t.rows.push_back({"The run takes longer", fmt::format("one in ten runs takes more than {} beyond the median{}", format(p90 - p50),
        run.cost ? fmt::format(" and costs {} more", format(run.cost->delay_p90)) : ""), "Contract for the 90th percentile"});
    for (const StorageDemand& d : r.storage)
        if (d.limits)
            t.rows.push_back({"Storage limits training", fmt::format("{} asks for {}, {} gives {}", d.what, format(d.demand), d.tier_name, format(d.available)), "A faster tier, or more of it"});
    if (!run.cost)
        return;
    const RunCost& c = *run.cost;
    if (c.age.days)
        t.rows.push_back({c.age.stale ? "The price is old" : "Prices move", fmt::format("list of {}, {} days before this report", c.price.date, *c.age.days), "Ask for a quote before signing"});
    for (const std::string& p : c.expected.commitment.problems)
        t.rows.push_back({"Not to be had like this", p, "Another term, or fewer instances for longer"});
}

} // namespace

ReportSection sensitivity_section(const ReportInput& in)
{
    ReportSection s;
    s.title = "Sensitivity";
    const Expected<WhatIf> base = WhatIf::make(in.plan, in.specs);
    if (!base || !in.evaluation.estimate.feasible()) {
        s.paragraphs.push_back("Not looked at: the plan does not fit.");
        return s;
    }
    const std::vector<Swing> swings = tornado(*base);
    s.svg = tornado_svg(swings);
    ReportTable t;
    t.title = "What if a figure is 10 % lower or higher, or an assumption half or twice its value";
    t.header = {"Figure", "Low", "High", "Time at low", "Time at high", "Cost at low", "Cost at high"};
    for (const Swing& w : swings)
        if (t.rows.size() < 12)
            t.rows.push_back({w.knob.label, fmt::format("{:.4g} {}", w.low, w.knob.unit), fmt::format("{:.4g} {}", w.high, w.knob.unit), signed_percent(w.down), signed_percent(w.up), signed_percent(w.cost_down),
                signed_percent(w.cost_up)});
    s.tables.push_back(std::move(t));
    return s;
}

ReportSection risks_section(const ReportInput& in)
{
    const Estimate& e = in.evaluation.estimate;
    ReportSection s;
    s.title = "Risks";
    ReportTable t;
    t.title = "What can go wrong";
    t.header = {"Risk", "How large", "What helps"};
    if (e.relative_error > 0)
        t.rows.push_back({"The prediction is off", fmt::format("{} of the time: {}", error_bar_text(e), error_bar_meaning(e)), "A short run on a few nodes, then `ridgepoint-cli calibrate`"});
    else
        t.rows.push_back({"The prediction is off", "no error bar: the constants of this GPU carry no residual", "A short run on a few nodes, then `ridgepoint-cli calibrate`"});
    const double room = e.memory.capacity > Bytes{} ? e.memory.headroom() / e.memory.capacity : 0;
    if (room < 0.05)
        t.rows.push_back({"Memory runs out", fmt::format("{} of {} stay free", format(e.memory.headroom()), format(e.memory.capacity)), "More recomputation, sharding or GPUs"});
    if (in.run)
        add_run_risks(*in.run, t);
    else if (in.evaluation.cost.price)
        t.rows.push_back({"Prices move", fmt::format("list of {}", in.evaluation.cost.price->date), "Ask for a quote before signing"});
    for (const std::string& note : e.notes)
        t.rows.push_back({"Beyond what was measured", note, ""});
    if (in.run)
        for (const std::string& note : in.run->notes)
            if (std::find(e.notes.begin(), e.notes.end(), note) == e.notes.end())
                t.rows.push_back({"To know", note, ""});
    s.tables.push_back(std::move(t));
    return s;
}

ReportSection measured_section(const ReportInput& in)
{
    ReportSection s;
    s.title = "Measured";
    const Observations o = observe(*in.options.measured, in.evaluation.job);
    const std::vector<ObservedResidual> all = residuals(o, in.evaluation.job);
    if (all.empty())
        s.paragraphs.push_back("Nothing in the loaded files can be set against this plan.");
    else
        s.tables.push_back(residual_table(all, 40));
    for (const Measured& m : *in.options.measured)
        if (const auto* t = std::get_if<Timeline>(&m.content)) {
            const Comparison c = compare(*t, in.evaluation.estimate);
            ReportTable table;
            table.title = fmt::format("The step of {}, most lost time first", m.file.substr(m.file.rfind('/') + 1));
            table.header = {"Part", "Measured", "Predicted", "Likely cause of the difference"};
            for (const ComparisonRow& r : by_lost_time(c))
                table.rows.push_back({r.label, format(r.measured), format(r.predicted), r.cause});
            table.note = fmt::format("Per step: {}.", c.step_source);
            s.tables.push_back(std::move(table));
        }
    for (const std::string& n : o.notes)
        s.paragraphs.push_back("Note: " + n);
    if (in.evaluation.job.measured.any())
        s.paragraphs.push_back(fmt::format("The plan is calibrated: {}.", in.evaluation.job.measured.source));
    return s;
}

} // namespace ridgepoint
