// Money and energy, line by line.

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/report/run_figures.h"
#include "model/report/sections.h"
#include "model/report/texts.h"
#include "model/units/format.h"

namespace ridgepoint {
namespace {

// The bill of the whole run, and the other ways to buy the same machines.
void add_bill(const RunAnswer& run, ReportSection& s)
{
    const RunCost& c = *run.cost;
    s.svg = bill_svg(c.expected);
    ReportTable bill;
    bill.title = "The bill of the expected run";
    bill.header = {"Line", "Amount", "Share", "Quantity", "Rate"};
    std::vector<std::string> sources;
    for (const CostLine& l : c.expected.lines) {
        bill.rows.push_back({l.name, format(l.amount), format_percent(l.amount / c.expected.total), l.quantity, l.rate});
        if (std::find(sources.begin(), sources.end(), l.source) == sources.end())
            sources.push_back(l.source);
    }
    bill.rows.push_back({"Together", format(c.expected.total), "100.0 %", "", ""});
    bill.note = fmt::format("{} at the median, {} at the 90th percentile of the time. Prices: {}.", format(c.p50.total), format(c.p90.total), fmt::join(sources, "; "));
    s.tables.push_back(std::move(bill));
    ReportTable unit;
    unit.title = "Per unit";
    unit.header = {"Quantity", "Amount"};
    unit.rows.push_back({"One million trained tokens", format(Dollars{c.per_token.value() * 1e6})});
    unit.rows.push_back({"One EFLOP of model FLOPs", format(Dollars{c.per_exaflop})});
    unit.rows.push_back({"One month of 730 h, while it runs", format(c.per_month)});
    unit.rows.push_back({"A day of delay", format(c.delay_per_day)});
    if (c.list)
        unit.rows.push_back({"The instances at list price, on demand", format(*c.list)});
    s.tables.push_back(std::move(unit));
    ReportTable terms;
    terms.title = "Other ways to buy the same machines";
    terms.header = {"Term", "Per GPU-hour", "Instances for the run", "Signed for", "Price of", "Remark"};
    for (const TermOffer& o : c.terms) {
        std::string remark = o.commitment.problems.empty() ? std::string() : "not like this: " + o.commitment.problems.front();
        if (remark.empty() && o.break_even_share)
            remark = *o.break_even_share > 1 ? "never cheaper than on demand" : fmt::format("cheaper than on demand from {} of the year", format_percent(*o.break_even_share, 0));
        if (o.age.stale)
            remark += fmt::format("{}price {} days old", remark.empty() ? "" : "; ", *o.age.days);
        terms.rows.push_back({o.price.term, format(Dollars{o.price.per_gpu.value() * 3600.0}), format(o.run), format(o.commitment.obligation), o.price.date, remark});
    }
    if (!terms.rows.empty())
        s.tables.push_back(std::move(terms));
    if (run.carbon && run.carbon_kg)
        s.paragraphs.push_back(fmt::format("Energy of the expected run: {} MWh with cooling, {} t CO2e at {:.0f} g/kWh ({}, {}).", format_number(run.run.energy.energy.value() / 3.6e9),
            format_number(*run.carbon_kg / 1000.0), run.carbon->factor.value() * 3.6e6, run.carbon->source, run.carbon->date));
}

} // namespace

ReportSection cost_section(const ReportInput& in)
{
    const Cost& c = in.evaluation.cost;
    const Cluster& cluster = in.evaluation.job.cluster;
    ReportSection s;
    s.title = "Cost";
    ReportTable t;
    t.title = "How the cost is built up";
    t.header = {"Step", "Amount", "From"};
    if (c.price) {
        const double rented = static_cast<double>(cluster.nodes) * cluster.node.accelerators;
        const std::string where = c.price->region.empty() ? c.price->term : fmt::format("{}, {}, list of {}", c.price->term, c.price->region, c.price->date);
        t.rows.push_back({"One GPU, one hour", format(Dollars{c.price->per_gpu.value() * 3600.0}), fmt::format("{} ({})", where, c.price->source)});
        t.rows.push_back({"Cluster, one hour", format(Dollars{c.cluster.value() * 3600.0}), fmt::format("x {} GPUs rented ({} work)", group_thousands(rented), group_thousands(cluster.gpus))});
        t.rows.push_back({"Cluster, one month", format(c.per_month), "x 730 h"});
        if (c.run)
            t.rows.push_back({"The run", format(*c.run), fmt::format("{} GPU-hours at {} utilization{}", group_thousands(c.gpu_hours), format_percent(in.plan.price.utilization, 0),
                in.evaluation.estimate.relative_error > 0 ? "; " + spread_text(*c.run, in.evaluation.estimate) + " within the error bar" : "")});
        if (c.per_token)
            t.rows.push_back({in.evaluation.estimate.serving ? "One million output tokens" : "One million trained tokens", format(Dollars{c.per_token->value() * 1e6}),
                in.evaluation.estimate.serving ? "share of the time that decoding takes" : "cluster price over useful tokens per second"});
        if (c.per_input_token)
            t.rows.push_back({"One million input tokens", format(Dollars{c.per_input_token->value() * 1e6}), "share of the time that prefill takes"});
        if (c.per_output_token_all)
            t.rows.push_back({"One million output tokens, all in", format(Dollars{c.per_output_token_all->value() * 1e6}), "the whole bill over the output tokens"});
        if (!c.price->note.empty())
            t.note = c.price->note + ". ";
    } else {
        s.paragraphs.push_back("No money is stated: " + c.missing + ".");
    }
    if (c.power > Watts{}) {
        t.rows.push_back({"Power of the cluster", format(c.power), "with cooling; average over paid hours"});
        if (c.energy_per_token.value() > 0)
            t.rows.push_back({"Energy of a token", format_number(c.energy_per_token.value()) + " J", "power over useful tokens per second"});
    }
    t.note += in.run && in.run->cost ? "Planning figures, not a quote: prices change." : "Planning figures, not a quote: prices change, and storage, network egress, support and taxes are not in them.";
    s.tables.push_back(std::move(t));
    if (in.run && in.run->cost)
        add_bill(*in.run, s);
    return s;
}

} // namespace ridgepoint
