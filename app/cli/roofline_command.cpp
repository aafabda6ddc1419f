// roofline PLAN: what one GPU executes, and what bounds each operator.

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/text_table.h"
#include "model/calibration/csv.h"
#include "model/project/resolve.h"
#include "model/report/evaluation_json.h"
#include "model/roofline/roofline.h"
#include "model/units/format.h"

namespace ridgepoint::cli {
namespace {

struct Arguments {
    PlanArguments plan;
    OutputArguments output;
};

std::string layer_of(const Operator& op, const Transformer& model)
{
    if (op.layer_kind == outside_layers)
        return "";
    const LayerKind& k = model.kinds[std::min<std::size_t>(op.layer_kind, model.kinds.size() - 1)];
    std::string out = k.moe ? "MoE" : "dense";
    if (k.window > 0)
        out += fmt::format(" w{}", k.window);
    return out;
}

double of_roof(const RooflineModel& r, std::size_t index)
{
    for (const RooflinePoint& p : r.points)
        if (p.operator_index == index && p.level == MemoryLevel::hbm)
            return p.of_roof;
    return 0.0;
}

std::string csv_of(const Evaluation& v, const RooflineModel& r)
{
    std::string out = "operator,class,phase,layer,count,m,n,k,flop,model_flop,hbm_byte,nvlink_byte,network_byte,intensity_flop_per_byte,"
                      "time_s,total_time_s,hidden_share,achieved_flop_per_s,of_roof,bound\n";
    for (std::size_t i = 0; i < v.estimate.operators.size(); ++i) {
        const Operator& op = v.estimate.operators[i];
        const double time = op.time.total().value();
        out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(name_of(op.kind)), name_of(class_of(op.kind)),
            name_of(op.phase), layer_of(op, v.job.model), op.count, op.m, op.n, op.k, op.flops.value(), op.model_flops.value(), op.hbm.value(),
            op.nvlink.value(), op.network.value(), op.intensity().value(), time, op.total_time().value(), op.hidden,
            time > 0 ? op.flops.value() / time : 0.0, of_roof(r, i), name_of(op.time.bound()));
    }
    return out;
}

void print_table(const Plan& plan, const Evaluation& v, const RooflineModel& r)
{
    fmt::print("{}: what one GPU of the deciding stage executes in a step\n\n", plan.name);
    TextTable ceilings({"Ceiling", ">peak", ">ridge point with HBM", ""});
    const BytesPerSecond hbm = v.job.cluster.accelerator.hbm_bandwidth;
    for (const ComputeCeiling& c : r.compute)
        ceilings.add({c.label, format(c.peak), format(ridge_point(c.peak, hbm)), c.used ? "used by the plan" : ""});
    for (const BandwidthCeiling& b : r.bandwidth)
        ceilings.add({b.label, format(b.bandwidth), "", ""});
    fmt::print("{}\n", ceilings.text());

    const double all = v.estimate.time.total().value();
    TextTable t({"Operator", "phase", "layer", ">count", ">FLOP", ">HBM", ">NVLink", ">network", ">FLOP/B", ">time", ">all", ">of time", ">of roof", "bound"});
    std::vector<std::size_t> order(v.estimate.operators.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return v.estimate.operators[a].total_time() > v.estimate.operators[b].total_time(); });
    const auto si = [](double x, const char* unit) { return x > 0 ? format_si(x, unit) : std::string("-"); };
    for (const std::size_t i : order) {
        const Operator& op = v.estimate.operators[i];
        const double roof = of_roof(r, i);
        t.add({std::string(name_of(op.kind)), std::string(name_of(op.phase)), layer_of(op, v.job.model), format_number(op.count), si(op.flops.value(), "FLOP"),
            si(op.hbm.value(), "B"), si(op.nvlink.value(), "B"), si(op.network.value(), "B"), op.intensity().value() > 0 ? format_number(op.intensity().value()) : "-",
            format(op.time.total()), format(op.total_time()), format_percent(op.total_time().value() * (1.0 - op.hidden) / all),
            roof > 0 ? format_percent(roof, 0) : "-", std::string(name_of(op.time.bound())) + (op.hidden > 0.995 ? " (hidden)" : op.hidden > 0.005 ? fmt::format(" ({} hidden)", format_percent(op.hidden, 0)) : "")});
    }
    fmt::print("{}\n", t.text());
    fmt::print("  {} operators move data only and have no place on the roofline. Time of the step or token: {}.\n", r.not_plottable, format(v.estimate.time.total()));
}

int run(const Arguments& a)
{
    Expected<LoadedPlan> loaded = load(a.plan);
    if (!loaded)
        return fail(loaded.error(), a.output.json);
    Expected<Evaluation> v = evaluate_only(loaded->plan, loaded->specs);
    if (!v)
        return fail(located(v.error(), a.plan), a.output.json);
    const RooflineModel r = roofline_of(v->estimate, v->job);
    const int status = v->estimate.feasible() ? done : not_feasible;
    return give(a.output,
        {[&] { return csv_of(*v, r); }, [&] { return roofline_to_json(loaded->plan, *v, r); },
            [&] { print_table(loaded->plan, *v, r); }},
        status);
}

} // namespace

void add_roofline_command(CLI::App& app, int& status)
{
    CLI::App* command = app.add_subcommand("roofline", "List operators with FLOPs, bytes, intensity, time and bound");
    auto arguments = std::make_shared<Arguments>();
    add_plan_arguments(*command, arguments->plan);
    command->add_flag("--json", arguments->output.json, "Print JSON (specs/schema/roofline-output.schema.json)");
    command->add_option("--csv", arguments->output.csv, "Write the operators as CSV to a file, or - for standard output")->type_name("FILE");
    command->callback([arguments, &status] { status = run(*arguments); });
}

} // namespace ridgepoint::cli
