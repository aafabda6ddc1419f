// capacity PLAN: from a question to machines. One of --finish-by, --budget, --nodes with --days, --serve.

#include <algorithm>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "app/cli/text_table.h"
#include "app/cli/today.h"
#include "model/capacity/capacity.h"
#include "model/report/run_json.h"
#include "model/units/format.h"

namespace ridgepoint::cli {
namespace {

struct Arguments {
    PlanArguments plan;
    OutputArguments output;
    std::string today, finish_by;
    double budget = 0, days = 0, search_seconds = 2;
    unsigned threads = 0;
    bool serve = false;
    std::vector<std::string> instances, models;
    std::vector<int> nodes;
};

std::string text_of_layout(const FoundLayout& f)
{
    if (!f.plan)
        return "-";
    const Layout& l = f.plan->layout;
    std::string out = fmt::format("tp {} pp {}", l.tp, l.pp);
    if (l.vpp > 1)
        out += fmt::format(" vpp {}", l.vpp);
    if (l.ep > 1)
        out += fmt::format(" ep {}", l.ep);
    return out + fmt::format(" mb {}", l.micro_batch);
}

std::string money(const std::optional<Dollars>& d) { return d ? format(*d) : "-"; }

void print_notes(const std::vector<std::string>& notes)
{
    fmt::print("  Planning figures, not a quote.\n");
    for (const std::string& note : notes)
        fmt::print("{}", wrapped("Note: " + note, "  "));
}

void print_finish(const Plan& plan, const FinishAnswer& a)
{
    fmt::print("{}\n\n  From {}{}{}\n\n", plan.name, a.question.today.text(), a.question.deadline ? ", to end by " + a.question.deadline->text() : std::string(),
        a.question.budget ? ", within " + format(*a.question.budget) : std::string());
    TextTable t({"Instance", ">nodes", "does", ">days p50", ">p90", ">goodput", ">cost p50", ">p90", "latest start", "layout", "why"});
    for (const TrainingAlternative& x : a.alternatives) {
        if (!x.answer) {
            t.add({x.instance, x.nodes > 0 ? fmt::format("{}", x.nodes) : "-", "no", "-", "-", "-", "-", "-", "-", "-", x.why});
            continue;
        }
        const RunPrediction& r = x.answer->run;
        std::string why = x.why;
        if (x.even_rate && x.does())
            why = fmt::format("as cheap as the first at {} per GPU-hour", format(*x.even_rate));
        t.add({x.instance, fmt::format("{}", x.nodes), x.does() ? "yes" : fmt::format("no: {}", name_of(x.binding)), fmt::format("{:.1f}", in_days(r.time_to_train.at(0.5))),
            fmt::format("{:.1f}", in_days(r.time_to_train.at(0.9))), format_percent(r.goodput, 0), x.answer->cost ? format(x.answer->cost->p50.total) : "-", money(x.cost_p90()),
            x.latest_start ? x.latest_start->text() : "-", text_of_layout(x.layout), why});
    }
    fmt::print("{}\n", t.text());
    print_notes(a.notes);
}

void print_machines(const Plan& plan, const MachinesAnswer& a)
{
    fmt::print("{}\n\n  {} x {} for {:.4g} days\n\n", plan.name, a.question.nodes, a.question.instance, in_days(a.question.time));
    TextTable t({"Model", ">tokens p50", ">tokens p90", ">per parameter", ">step", ">goodput", ">cost", "layout", "why"});
    for (const TrainableModel& m : a.models) {
        if (!m.answer)
            t.add({m.model, "-", "-", "-", "-", "-", "-", "-", fmt::format("{}: {}", name_of(m.binding), m.why)});
        else
            t.add({m.model, format_si(m.tokens_median.value(), ""), format_si(m.tokens.value(), ""), format_number(m.tokens_per_parameter), format(m.answer->run.step), format_percent(m.answer->run.goodput, 0),
                m.answer->cost ? format(m.answer->cost->expected.total) : "-", text_of_layout(m.layout), m.why});
    }
    fmt::print("{}\n", t.text());
    if (!a.optimum.empty()) {
        TextTable s({"Best for these FLOPs", ">parameters", ">tokens", ">loss", ">loss of the first model"});
        for (const SizingAid& aid : a.optimum)
            s.add({aid.law->name, format_si(aid.optimum.parameters, ""), format_si(aid.optimum.tokens, ""), format_number(aid.optimum.loss, 4), format_number(aid.loss_of_plan, 4)});
        fmt::print("{}\n", s.text());
    }
    print_notes(a.notes);
}

void print_serve(const Plan& plan, const ServeAnswer& a)
{
    fmt::print("{}\n\n", plan.name);
    TextTable t({"Instance", ">tp", "does", ">peak, month 1", ">last month", fmt::format(">cost, {} months", plan.fleet.months), ">per Mtoken out", "why"});
    for (const ServingAlternative& s : a.alternatives) {
        if (!s.answer) {
            t.add({s.instance, "-", fmt::format("no: {}", name_of(s.binding)), "-", "-", "-", "-", s.why});
            continue;
        }
        const FleetPrediction& f = s.answer->fleet;
        t.add({s.instance, fmt::format("{}", s.tp), s.does() ? "yes" : fmt::format("no: {}", name_of(s.binding)), fmt::format("{}", f.months.front().instances), fmt::format("{}", f.months.back().instances),
            money(f.cost), f.per_output_token ? format(Dollars{f.per_output_token->value() * 1e6}) : "-", s.why});
    }
    fmt::print("{}\n", t.text());
    if (!a.alternatives.empty() && a.alternatives.front().answer) {
        const FleetPrediction& f = a.alternatives.front().answer->fleet;
        std::vector<int> day;
        for (const FleetHour& h : f.day)
            day.push_back(h.instances);
        fmt::print("  {} by the hour of the first month: {}\n\n", a.alternatives.front().instance, fmt::join(day, " "));
    }
    print_notes(a.notes);
}

int give_finish(const Arguments& a, const LoadedPlan& loaded, const CapacityOptions& options, Date today)
{
    FinishQuestion q;
    q.today = today;
    if (!a.finish_by.empty()) {
        const Expected<Date> deadline = parse_date(a.finish_by);
        if (!deadline) {
            Error e = deadline.error();
            e.place.file = "--finish-by";
            return fail(e, a.output.json);
        }
        q.deadline = *deadline;
    }
    if (a.budget > 0)
        q.budget = Dollars{a.budget};
    const Expected<FinishAnswer> answer = answer_finish(loaded.plan, q, loaded.specs, options);
    if (!answer)
        return fail(located(answer.error(), a.plan), a.output.json);
    const bool any = !answer->alternatives.empty() && answer->alternatives.front().does();
    return give(a.output, {[] { return std::string(); }, [&] { return finish_to_json(loaded.plan, *answer); }, [&] { print_finish(loaded.plan, *answer); }}, any ? done : not_feasible);
}

int give_machines(const Arguments& a, const LoadedPlan& loaded, const CapacityOptions& options, Date today)
{
    const MachinesQuestion q{a.instances.empty() ? loaded.plan.instance : a.instances.front(), a.nodes.empty() ? loaded.plan.nodes : a.nodes.front(), days(a.days), a.models, today};
    const Expected<MachinesAnswer> answer = answer_machines(loaded.plan, q, loaded.specs, options);
    if (!answer)
        return fail(located(answer.error(), a.plan), a.output.json);
    const bool any = std::ranges::any_of(answer->models, [](const TrainableModel& m) { return m.binding == Binding::none; });
    return give(a.output, {[] { return std::string(); }, [&] { return machines_to_json(loaded.plan, *answer); }, [&] { print_machines(loaded.plan, *answer); }}, any ? done : not_feasible);
}

int give_serve(const Arguments& a, const LoadedPlan& loaded, const CapacityOptions& options)
{
    const Expected<ServeAnswer> answer = answer_serve(loaded.plan, a.budget > 0 ? std::optional(Dollars{a.budget}) : std::nullopt, loaded.specs, options,
        std::filesystem::path(a.plan.file).parent_path().string());
    if (!answer)
        return fail(located(answer.error(), a.plan), a.output.json);
    const bool any = !answer->alternatives.empty() && answer->alternatives.front().does();
    return give(a.output, {[] { return std::string(); }, [&] { return serve_to_json(loaded.plan, *answer); }, [&] { print_serve(loaded.plan, *answer); }}, any ? done : not_feasible);
}

int run(const Arguments& a)
{
    const int questions = (a.days > 0 ? 1 : 0) + (a.serve ? 1 : 0) + (!a.finish_by.empty() || (a.budget > 0 && !a.serve && a.days <= 0) ? 1 : 0);
    if (questions != 1)
        return fail(bad_input("one question at a time", {}, {}, "--finish-by DATE and/or --budget USD, or --days D, or --serve"), a.output.json);
    const Expected<Date> today = today_or(a.today);
    if (!today)
        return fail(today.error(), a.output.json);
    const Expected<LoadedPlan> loaded = load(a.plan);
    if (!loaded)
        return fail(loaded.error(), a.output.json);
    const Interrupt interrupt;
    CapacityOptions options;
    options.instances = a.instances;
    options.nodes = a.nodes;
    options.search_limit = Seconds{a.search_seconds};
    options.threads = a.threads;
    options.progress.stop = interrupt.token();
    return a.serve ? give_serve(a, *loaded, options) : a.days > 0 ? give_machines(a, *loaded, options, *today) : give_finish(a, *loaded, options, *today);
}

} // namespace

void add_capacity_command(CLI::App& app, int& status)
{
    CLI::App* c = app.add_subcommand("capacity", "From a question to machines: finish a run by a date within a budget, serve a load, or use machines for some days");
    auto a = std::make_shared<Arguments>();
    add_plan_arguments(*c, a->plan);
    c->add_option("--finish-by", a->finish_by, "Finish the plan's run by this day, nine times in ten")->type_name("YYYY-MM-DD");
    c->add_option("--budget", a->budget, "Largest bill of the run [USD]; with --serve of a month")->check(CLI::PositiveNumber);
    c->add_option("--days", a->days, "What the machines can train in so many days")->check(CLI::Range(0.01, 100'000.0));
    c->add_flag("--serve", a->serve, "Serve the load of the plan's sections load and fleet within its limits");
    c->add_option("--instance", a->instances, "Instance types to look at; repeatable; else all of AWS")->type_name("ID");
    c->add_option("--nodes", a->nodes, "Numbers of instances to look at; else powers of two that make sense")->delimiter(',')->check(CLI::Range(1, 100'000));
    c->add_option("--model", a->models, "With --days: models to look at; repeatable; else the plan's")->type_name("ID");
    c->add_option("--today", a->today, "The day to count from; else this machine's date")->type_name("YYYY-MM-DD");
    c->add_option("--search-seconds", a->search_seconds, "Longest search for the layout of one cluster")->check(CLI::Range(0.05, 3600.0))->capture_default_str();
    c->add_option("--threads", a->threads, "Threads; 0: as many as the machine has")->check(CLI::Range(0, 1024))->capture_default_str();
    c->add_flag("--json", a->output.json, "Print JSON (specs/schema/capacity-output.schema.json)");
    c->footer("Exit status 1 if no alternative does; the list says what binds each: deadline, budget, memory, availability, price, layout or limits.");
    c->callback([a, &status] { status = run(*a); });
}

} // namespace ridgepoint::cli
