// run PLAN: a training plan from its step to the finished run.

#include <memory>

#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/text_table.h"
#include "app/cli/today.h"
#include "model/project/run_answer.h"
#include "model/report/run_json.h"
#include "model/units/format.h"

namespace ridgepoint::cli {
namespace {

struct Arguments {
    PlanArguments plan;
    OutputArguments output;
    std::string today;
    bool curve = false;
};

std::string csv_of(const RunAnswer& a)
{
    std::string out = "kind,name,usd,quantity\n";
    if (a.cost)
        for (const CostLine& l : a.cost->expected.lines)
            out += fmt::format("{},\"{}\",{},\"{}\"\n", name_of(l.kind), l.name, l.amount.value(), l.quantity);
    return out;
}

std::string duration(Seconds t) { return t < hours(48) ? format(t) : fmt::format("{:.1f} days", in_days(t)); }

void print_time(const Plan& plan, const RunAnswer& a)
{
    const RunPrediction& r = a.run;
    TextTable t({plan.name, ">", ""});
    t.add({"Time to train", duration(r.time_to_train.at(0.5)), fmt::format("half of such runs; {} nine in ten; {} to {} with failures alone (p10 to p90)", duration(r.time_to_train.at(0.9)),
        duration(r.failures_only.at(0.1)), duration(r.failures_only.at(0.9)))});
    if (a.start)
        t.add({"Ends", a.end_p50->text(), fmt::format("started on {}; {} nine in ten", a.start->text(), a.end_p90->text())});
    t.add({"Goodput", format_percent(r.goodput), fmt::format("of {} expected, {} are steps at full speed", duration(r.wall), duration(r.part(RunPart::steps)))});
    t.add({"Bound by", r.bound, fmt::format("{} of the wall time", format_percent(r.time.share(r.time.bound()), 0))});
    t.add({"Failures", fmt::format("{:.1f}", r.expected_failures), r.mtbf > Seconds{} ? fmt::format("expected: one every {} on {} nodes", format(r.mtbf), r.nodes) : "none: the MTBF is set to never"});
    t.add({"Restart", format(r.restart.total()), fmt::format("detection {}, replacement {}, start-up {}, reading {}, unfinished write {}", format(r.restart.detection), format(r.restart.replacement),
        format(r.restart.startup), format(r.restart.reload), format(r.restart.replay))});
    if (r.spares > 0)
        t.add({"Spares", fmt::format("{}", r.spares), fmt::format("none free at {} of the failures", format_percent(r.restart.no_spare_free, 1))});
    t.add({"Checkpoint", format_decimal(r.checkpoint.size.total), fmt::format("stops training for {} ({}); safe after {} ({})", format(r.checkpoint.blocking), r.checkpoint.blocking_limited_by,
        format(r.checkpoint.write), r.checkpoint.write_limited_by)});
    t.add({"Interval", format(r.interval.used), fmt::format("{:.0f} steps, {}; optimum {}, Daly {}, Young {}", r.interval.used / r.step, r.interval.why, format(r.interval.optimum), format(r.interval.daly), format(r.interval.young))});
    fmt::print("{}\n", t.text());
    TextTable parts({"Wall time, expected", ">", ">share"});
    for (std::size_t i = 0; i < run_part_count; ++i)
        if (r.parts[i] != Seconds{})
            parts.add({std::string(name_of(static_cast<RunPart>(i))), duration(r.parts[i]), format_percent(r.parts[i] / r.wall)});
    parts.rule();
    parts.add({"together", duration(r.wall), "100 %"});
    fmt::print("{}\n", parts.text());
    TextTable storage({"Storage", "tier", ">needed", ">capacity", ">asks", ">gives", "limited by"});
    for (const StorageDemand& d : r.storage)
        storage.add({d.what, d.tier_name, format_decimal(d.needed), format_decimal(d.capacity), format(d.demand), format(d.available), d.limits ? d.limited_by + (d.demand > d.available ? ": training waits" : ": sets the interval") : d.limited_by});
    fmt::print("{}\n", storage.text());
}

void print_cost(const RunAnswer& a)
{
    if (!a.cost) {
        fmt::print("  No price: {}\n\n", a.evaluation.cost.missing);
        return;
    }
    const RunCost& c = *a.cost;
    TextTable t({"Cost, expected", ">", ">share", "quantity", "rate"});
    for (const CostLine& l : c.expected.lines)
        t.add({l.name, format(l.amount), format_percent(l.amount / c.expected.total), l.quantity, l.rate});
    t.rule();
    t.add({"together", format(c.expected.total), "100 %", fmt::format("{} at p50, {} at p90", format(c.p50.total), format(c.p90.total)), {}});
    fmt::print("{}\n", t.text());
    TextTable unit({"Units", ">", ""});
    unit.add({"Per million tokens", format(Dollars{c.per_token.value() * 1e6}), ""});
    unit.add({"Per EFLOP", format(Dollars{c.per_exaflop}), "of model FLOPs"});
    unit.add({"Per month", format(c.per_month), "of 730 h, while it runs"});
    unit.add({"A day of delay", format(c.delay_per_day), fmt::format("p50 to p90: {}", format(c.delay_p90))});
    if (c.list)
        unit.add({"At list price", format(*c.list), "instances, on demand"});
    fmt::print("{}\n", unit.text());
    TextTable terms({"Bought as", ">per GPU-hour", ">instances", ">signed for", "date", ""});
    for (const TermOffer& o : c.terms) {
        std::string note = o.commitment.problems.empty() ? std::string() : o.commitment.problems.front();
        if (o.break_even_share)
            note = fmt::format("cheaper than on demand from {} of the year", format_percent(*o.break_even_share, 0));
        if (o.age.stale)
            note += fmt::format("{}price {} days old", note.empty() ? "" : "; ", *o.age.days);
        terms.add({o.price.term, format(Dollars{o.price.per_gpu.value() * 3600.0}), format(o.run), format(o.commitment.obligation), o.price.date, note});
    }
    fmt::print("{}\n", terms.text());
}

void print_rest(const RunAnswer& a, bool curve)
{
    const EnergyPrediction& e = a.run.energy;
    TextTable t({"Energy", ">", ""});
    t.add({"Run", fmt::format("{} MWh", format_number(e.energy.value() / 3.6e9)), fmt::format("a node {} busy, {} idle; with PUE", format(e.busy), format(e.idle))});
    t.add({"Per million tokens", fmt::format("{} kWh", format_number(e.per_token.value() * 1e6 / 3.6e6)), ""});
    if (a.carbon)
        t.add({"Carbon", fmt::format("{} t CO2e", format_number(*a.carbon_kg / 1000.0)), fmt::format("{:.0f} g/kWh, {} ({}): {}", a.carbon->factor.value() * 3.6e6, a.carbon->source, a.carbon->date, a.carbon->note)});
    fmt::print("{}\n", t.text());
    if (!a.sizing.empty()) {
        TextTable s({"Scaling law", ">loss of the plan", ">best parameters", ">best tokens", ">best loss"});
        for (const SizingAid& aid : a.sizing)
            s.add({aid.law->name, format_number(aid.loss_of_plan, 4), format_si(aid.optimum.parameters, ""), format_si(aid.optimum.tokens, ""), format_number(aid.optimum.loss, 4)});
        fmt::print("{}\n", s.text());
    }
    if (curve) {
        TextTable w({">Interval", ">waste"});
        for (const WastePoint& p : a.run.waste)
            w.add({format(p.interval), format_percent(p.waste, 2)});
        fmt::print("{}\n", w.text());
        TextTable n({">Spare nodes", ">goodput", ">none free"});
        for (const SparePoint& p : a.run.by_spares)
            n.add({fmt::format("{}", p.spares), format_percent(p.goodput, 2), format_percent(p.no_spare_free, 2)});
        fmt::print("{}\n", n.text());
    }
    fmt::print("  Planning figures, not a quote.\n");
    for (const std::string& note : a.notes)
        fmt::print("{}", wrapped("Note: " + note, "  "));
}

int run(const Arguments& a)
{
    const Expected<Date> today = today_or(a.today);
    if (!today)
        return fail(today.error(), a.output.json);
    const Expected<LoadedPlan> loaded = load(a.plan);
    if (!loaded)
        return fail(loaded.error(), a.output.json);
    const Expected<RunAnswer> answer = evaluate_run(loaded->plan, loaded->specs, *today);
    if (!answer)
        return fail(located(answer.error(), a.plan), a.output.json);
    return give(a.output,
        {[&] { return csv_of(*answer); }, [&] { return run_to_json(loaded->plan, *answer); },
            [&] {
                print_time(loaded->plan, *answer);
                print_cost(*answer);
                print_rest(*answer, a.curve);
            }},
        answer->evaluation.estimate.feasible() ? done : not_feasible);
}

} // namespace

void add_run_command(CLI::App& app, int& status)
{
    CLI::App* command = app.add_subcommand("run", "A training plan from its step to the finished run: time at p50 and p90, failures, checkpoints, storage, cost, energy");
    auto arguments = std::make_shared<Arguments>();
    add_plan_arguments(*command, arguments->plan);
    command->add_option("--today", arguments->today, "The day that prices are judged on; else this machine's date")->type_name("YYYY-MM-DD");
    command->add_flag("--curve", arguments->curve, "Print the waste against the checkpoint interval and the goodput against spare nodes too");
    command->add_flag("--json", arguments->output.json, "Print JSON (specs/schema/run-output.schema.json)");
    command->add_option("--csv", arguments->output.csv, "Write the cost lines as CSV to a file, or - for standard output")->type_name("FILE");
    command->footer("Exit status 1 if the plan does not fit in memory or the run never ends. The fields are those under /run and /price.");
    command->callback([arguments, &status] { status = run(*arguments); });
}

} // namespace ridgepoint::cli
