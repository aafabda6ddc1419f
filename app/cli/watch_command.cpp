// watch PLAN: rules and a dashboard that hold a running job against its plan.

#include <memory>

#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/text_table.h"
#include "model/launch/watch.h"

namespace ridgepoint::cli {
namespace {

struct Arguments {
    PlanArguments plan;
    std::string grafana;
    std::string rules;
    std::vector<std::string> labels;
    std::string step_metric;
};

void print(const std::vector<Watched>& all)
{
    TextTable t({"Meter", ">expected", ">from", ">to", "as"});
    for (const Watched& w : all)
        t.add({w.level.title, fmt::format("{:.4g}", w.level.expected), fmt::format("{:.4g}", w.level.low), fmt::format("{:.4g}", w.level.high), w.expression});
    fmt::print("{}", t.text());
}

int run(const Arguments& a)
{
    WatchRequest request;
    request.step_metric = a.step_metric;
    for (const std::string& label : a.labels) {
        const std::size_t equals = label.find('=');
        if (equals == std::string::npos)
            return fail(bad_input("a label is a name and its value", Place{"--label", 0, {}}, label, "for example cluster=train-7"));
        request.labels.emplace_back(label.substr(0, equals), label.substr(equals + 1));
    }
    Expected<LoadedPlan> loaded = load(a.plan);
    if (!loaded)
        return fail(loaded.error());
    const Expected<Evaluation> v = evaluate_only(loaded->plan, loaded->specs);
    if (!v)
        return fail(located(v.error(), a.plan));
    const Expected<std::vector<Watched>> all = watched(*v, request);
    if (!all)
        return fail(all.error());
    if (!a.rules.empty())
        if (Status s = write_output(a.rules, *prometheus_rules(loaded->plan, *v, request)); !s)
            return fail(s.error());
    if (!a.grafana.empty())
        if (Status s = write_output(a.grafana, *grafana_dashboard(loaded->plan, *v, request)); !s)
            return fail(s.error());
    if (a.rules != "-" && a.grafana != "-")
        print(*all);
    return v->estimate.feasible() ? done : not_feasible;
}

} // namespace

void add_watch_command(CLI::App& app, int& status)
{
    CLI::App* command = app.add_subcommand("watch", "Write rules of Prometheus and a dashboard of Grafana that hold a run against the plan");
    auto arguments = std::make_shared<Arguments>();
    add_plan_arguments(*command, arguments->plan);
    command->add_option("--grafana", arguments->grafana, "Dashboard (JSON) to write")->type_name("FILE");
    command->add_option("--rules", arguments->rules, "Recording and alerting rules (YAML) to write")->type_name("FILE");
    command->add_option("--label", arguments->labels, "Label of the job's series; repeatable")->type_name("NAME=VALUE");
    command->add_option("--step-metric", arguments->step_metric, "Gauge of the step's time in seconds; without it, what the engine exports, or training_step_seconds")->type_name("METRIC");
    command->callback([arguments, &status] { status = run(*arguments); });
}

} // namespace ridgepoint::cli
