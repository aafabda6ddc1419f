#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "model/capacity/capacity.h"
#include "model/hardware/read.h"
#include "model/units/format.h"

namespace ridgepoint {
namespace {

constexpr int requests_while_choosing = 600; // simulated, for the degrees of parallelism; the best one is simulated in full

Plan variant(const Plan& plan, const std::string& instance, const Node& node, int tp)
{
    Plan p = plan;
    p.instance = instance;
    p.nodes = std::max(1, (tp + node.accelerators - 1) / node.accelerators);
    p.gpus = 0;
    p.layout.tp = tp;
    p.layout.ep = std::min(p.layout.ep, tp);
    p.layout.dp = 0;
    return p;
}

// What a fleet costs: money, or GPUs times hours where there is no price.
double cost_of_fleet(const FleetAnswer& a)
{
    if (a.fleet.cost)
        return a.fleet.cost->value();
    double sum = 0.0;
    for (const FleetMonth& m : a.fleet.months)
        sum += m.instance_hours * a.evaluation.job.cluster.node.accelerators;
    return sum;
}

Expected<ServingAlternative> best_of(const Plan& plan, const std::string& instance, const SpecStore& specs, const std::string& folder, const Progress& progress)
{
    const Expected<Node> node = read_node(specs, instance);
    if (!node)
        return node.error();
    ServingAlternative out;
    out.instance = instance;
    out.binding = Binding::layout;
    out.why = "no tensor parallelism runs";
    const Progress inner{{}, progress.stop}; // its fraction is of one simulation
    double least = 0.0;
    for (int tp = 1; tp <= node->nvlink_domain && !progress.stopped(); tp *= 2) {
        Plan p = variant(plan, instance, *node, tp);
        p.load.requests = std::min(p.load.requests, requests_while_choosing);
        Expected<FleetAnswer> answer = evaluate_fleet(p, specs, folder, inner);
        if (progress.stopped())
            return out;
        if (!answer) {
            if (answer.error().kind != ErrorKind::infeasible)
                return answer.error();
            if (out.tp == 0) {
                out.why = answer.error().message;
                out.binding = out.why.starts_with("Does not fit") ? Binding::memory : out.why.find("limit") != std::string::npos ? Binding::limits : Binding::layout;
            }
            continue;
        }
        const double cost = cost_of_fleet(*answer);
        if (out.tp == 0 || cost < least) {
            least = cost;
            out.tp = tp;
            out.binding = Binding::none;
        }
    }
    if (out.tp == 0 || progress.stopped())
        return out;
    Plan best = variant(plan, instance, *node, out.tp);
    Expected<FleetAnswer> answer = evaluate_fleet(best, specs, folder, inner);
    if (!answer) { // or stopped, which the caller looks at
        out.binding = Binding::limits;
        out.why = answer.error().message;
        return out;
    }
    out.why = fmt::format("a replica is bound by {}", answer->load.limited_by);
    out.answer = std::move(*answer);
    out.plan = std::move(best);
    return out;
}

} // namespace

Expected<ServeAnswer> answer_serve(const Plan& plan, std::optional<Dollars> budget, const SpecStore& specs, const CapacityOptions& options, const std::string& folder)
{
    const auto* serving = std::get_if<Serving>(&plan.workload);
    if (serving == nullptr || serving->phase != ServingPhase::serving)
        return bad_input("the question is of a serving plan", Place{{}, 0, "/workload/kind"}, {}, "serving");
    const Expected<std::vector<std::string>> instances = instances_of(specs, options);
    if (!instances)
        return instances.error();
    ServeAnswer out;
    for (std::size_t i = 0; i < instances->size() && !options.progress.stopped(); ++i) {
        Expected<ServingAlternative> a = best_of(plan, (*instances)[i], specs, folder, options.progress);
        if (!a)
            return a.error();
        if (options.progress.stopped())
            break;
        if (a->answer && budget) {
            const FleetPrediction& f = a->answer->fleet;
            if (!f.cost) {
                a->binding = Binding::price;
                a->why = a->answer->evaluation.cost.missing;
            } else if (const auto worst = std::ranges::max_element(f.months, {}, [](const FleetMonth& m) { return m.cost->value(); }); *worst->cost > *budget) {
                a->binding = Binding::budget;
                a->why = fmt::format("{} in month {}, {} over the budget", format(*worst->cost), worst->month + 1, format(*worst->cost - *budget));
            }
        }
        out.alternatives.push_back(std::move(*a));
        options.progress.at(static_cast<double>(i + 1) / static_cast<double>(instances->size()));
    }
    std::ranges::stable_sort(out.alternatives, {}, [](const ServingAlternative& a) {
        return std::tuple(!a.does(), !(a.answer && a.answer->fleet.cost), a.answer ? cost_of_fleet(*a.answer) : 0.0);
    });
    out.notes = {"For each instance the tensor parallelism in powers of two that costs least; batch, precision and engine as in the plan"};
    if (options.progress.stopped())
        out.notes.emplace_back(stopped_note);
    return out;
}

} // namespace ridgepoint
