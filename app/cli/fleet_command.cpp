// fleet PLAN: instances, money and energy for a demand that swings over the day and grows.

#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/text_table.h"
#include "model/report/operation_json.h"
#include "model/units/format.h"

namespace ridgepoint::cli {
namespace {

struct Arguments {
    PlanArguments plan;
    OutputArguments output;
};

std::string rate(double v) { return format_number(v) + " 1/s"; }

std::string csv_of(const FleetPrediction& f)
{
    std::string out = "month,mean_requests_per_second,peak_requests_per_second,instances,instance_hours,cost_usd,energy_kwh,input_tokens,output_tokens\n";
    for (const FleetMonth& m : f.months)
        out += fmt::format("{},{},{},{},{},{},{},{},{}\n", m.month, m.mean_rate, m.peak_rate, m.instances, m.instance_hours,
            m.cost ? fmt::format("{}", m.cost->value()) : std::string(), m.energy.value() / 3.6e6, m.input_tokens, m.output_tokens);
    return out;
}

std::string money(const std::optional<DollarsPerToken>& per_token) { return per_token ? format(Dollars{per_token->value() * 1e6}) : std::string("-"); }

void print_head(const Plan& plan, const FleetAnswer& a)
{
    const FleetPrediction& f = a.fleet;
    const int spare = plan.fleet.spare_instances;
    fmt::print("{}\n\n", plan.name);
    TextTable t({"", ">", ""});
    t.add({"One replica", rate(f.rate_per_replica), fmt::format("within the limits (bound by {}), {} planned", a.load.limited_by, rate(f.planned_rate_per_replica))});
    t.add({"Instance", a.evaluation.job.cluster.node.id, f.replicas_per_instance > 0 ? fmt::format("replicas of {} GPU{}: {}", a.load.gpus_per_replica, a.load.gpus_per_replica == 1 ? "" : "s", f.replicas_per_instance)
                                                                                     : fmt::format("{} to a replica", f.instances_per_replica)});
    t.add({"First month", fmt::format("{}", f.months.front().instances), fmt::format("instances at the peak hour, {} of them spare", spare)});
    t.add({"Last month", fmt::format("{}", f.months.back().instances), fmt::format("at a mean of {} and a peak of {}", rate(f.months.back().mean_rate), rate(f.months.back().peak_rate))});
    if (f.cost) {
        t.add({"Cost", format(*f.cost), fmt::format("over {} months", f.months.size())});
        t.add({"Input", money(f.per_input_token), fmt::format("per million tokens: {} of the replicas' busy time is prefill", format_percent(f.prefill_share, 0))});
        t.add({"Output", money(f.per_output_token), "per million tokens"});
    } else {
        t.add({"Cost", "-", a.evaluation.cost.missing});
    }
    t.add({"Energy", format_number(f.energy_per_token.value() * 1e6 / 3.6e6) + " kWh", "per million tokens, input and output alike, cooling included"});
    if (f.api_cost)
        t.add({"API", format(*f.api_cost), "for the same tokens"});
    if (f.api_cost && f.cost)
        t.add({"Break-even", f.break_even_rate ? rate(*f.break_even_rate) : "none", f.break_even_rate ? "mean demand from which the fleet is cheaper" : "the API is cheaper at any demand"});
    fmt::print("{}\n", t.text());
}

void print_tables(const FleetAnswer& a)
{
    TextTable day({">Hour", ">demand", ">instances", ">utilization", ">power"});
    for (std::size_t h = 0; h < a.fleet.day.size(); ++h)
        day.add({fmt::format("{}", h), rate(a.fleet.day[h].rate), fmt::format("{}", a.fleet.day[h].instances), format_percent(a.fleet.day[h].utilization, 0), format(a.fleet.day[h].power)});
    fmt::print("{}\n", day.text());
    TextTable months({">Month", ">mean", ">peak", ">instances", ">cost", ">energy"});
    for (const FleetMonth& m : a.fleet.months)
        months.add({fmt::format("{}", m.month + 1), rate(m.mean_rate), rate(m.peak_rate), fmt::format("{}", m.instances), m.cost ? format(*m.cost) : "-", format_number(m.energy.value() / 3.6e6) + " kWh"});
    fmt::print("{}\n", months.text());
    TextTable front({"Interactivity against throughput (front)", ">TP", ">concurrency", ">per user", ">per GPU", ">TTFT", ">output per Mtoken"});
    for (const ParetoPoint& p : a.pareto)
        if (p.front)
            front.add({"", fmt::format("{}", p.tp), fmt::format("{}", p.concurrency), format(p.per_user), format(p.per_gpu), format(p.ttft), money(p.per_output_token)});
    fmt::print("{}  Planning figures, not a quote.\n", front.text());
    for (const std::string& note : a.fleet.notes)
        fmt::print("{}", wrapped("Note: " + note, "  "));
}

int run(const Arguments& a)
{
    Expected<LoadedPlan> loaded = load(a.plan);
    if (!loaded)
        return fail(loaded.error(), a.output.json);
    const Expected<FleetAnswer> answer = evaluate_fleet(loaded->plan, loaded->specs, std::filesystem::path(a.plan.file).parent_path().string());
    if (!answer)
        return fail(located(answer.error(), a.plan), a.output.json);
    return give(a.output,
        {[&] { return csv_of(answer->fleet); }, [&] { return fleet_to_json(loaded->plan, *answer); },
            [&] {
                print_head(loaded->plan, *answer);
                print_tables(*answer);
            }},
        done);
}

} // namespace

void add_fleet_command(CLI::App& app, int& status)
{
    CLI::App* command = app.add_subcommand("fleet", "Size a serving fleet: instances by hour and month, cost and energy per million tokens, break-even with an API");
    auto arguments = std::make_shared<Arguments>();
    add_plan_arguments(*command, arguments->plan);
    command->add_flag("--json", arguments->output.json, "Print JSON (specs/schema/fleet-output.schema.json)");
    command->add_option("--csv", arguments->output.csv, "Write the months as CSV to a file, or - for standard output")->type_name("FILE");
    command->footer("Exit status 1 if even an idle replica breaks a limit. The fields are those under /load and /fleet.");
    command->callback([arguments, &status] { status = run(*arguments); });
}

} // namespace ridgepoint::cli
