#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/capacity/capacity.h"
#include "model/hardware/read.h"
#include "model/units/format.h"

namespace ridgepoint {
namespace {

constexpr int most_nodes = 16384;
constexpr double expected_mfu = 0.35; // only to choose the sizes worth searching
constexpr std::size_t most_sizes = 6;

// Powers of two around what the deadline asks for at a usual MFU; without a deadline around the plan's own size.
std::vector<int> sizes_of(const Plan& plan, const Job& job, const FinishQuestion& q, const CapacityOptions& options)
{
    if (!options.nodes.empty())
        return options.nodes;
    const auto& training = std::get<Training>(plan.workload);
    double around = plan.nodes;
    const Arithmetic arithmetic = job.precision.gemm;
    const double flops = 6.0 * count_parameters(job.model).active * training.tokens.value();
    const double node = job.cluster.accelerator.dense_peak(arithmetic).value() * job.cluster.node.accelerators * expected_mfu;
    if (q.deadline && node > 0.0)
        around = flops / node / std::max(days(1), days(*q.deadline - q.today)).value();
    std::vector<int> out;
    const int first = static_cast<int>(std::floor(std::log2(std::max(around, 1.0)))) - 1;
    for (int e = std::max(0, first); out.size() < most_sizes && e < 30 && (1 << e) <= most_nodes; ++e) {
        if (job.cluster.node.fabric_id.empty() && e > 0)
            break; // no network: one node
        if (e > first + 4)
            break;
        out.push_back(1 << e);
    }
    return out;
}

void judge(TrainingAlternative& a, const FinishQuestion& q)
{
    const RunAnswer& r = *a.answer;
    const Seconds p90 = r.run.time_to_train.at(0.9);
    a.earliest_end = q.today.plus(p90);
    if (q.deadline)
        a.latest_start = q.deadline->minus(p90);
    const auto binds = [&](Binding b, std::string why) {
        if (a.binding != Binding::none)
            return;
        a.binding = b;
        a.why = std::move(why);
    };
    if (!r.evaluation.estimate.feasible())
        binds(Binding::memory, "the layout found does not fit");
    if (q.deadline && *a.latest_start < q.today)
        binds(Binding::deadline, fmt::format("would have to start on {}, {} days ago: {} at p90", a.latest_start->text(), q.today - *a.latest_start, format(p90)));
    if (!r.cost) {
        if (q.budget)
            binds(Binding::price, r.evaluation.cost.missing);
        a.notes.push_back("No price: " + r.evaluation.cost.missing);
        return;
    }
    if (q.budget && r.cost->p90.total > *q.budget)
        binds(Binding::budget, fmt::format("{} at p90, {} over the budget", format(r.cost->p90.total), format(r.cost->p90.total - *q.budget)));
    const std::vector<std::string>& problems = r.cost->p90.commitment.problems;
    if (!problems.empty())
        binds(Binding::availability, problems.front());
}

std::vector<std::string> notes_of(const Plan& plan, const FinishQuestion& q, const std::vector<TrainingAlternative>& all)
{
    std::vector<std::string> out = {"Each cluster runs the best layout found with the plan's software, batch and sequence",
        "Times are those that nine runs in ten keep, with the error bar of the estimate and the range of the failure rate; the budget is held against the bill of that time"};
    if (plan.price.term == "on_demand")
        out.push_back("Whether so many on-demand instances can be had at all is not known; Capacity Blocks have stated limits");
    if (plan.price.term == "capacity_block" && q.deadline)
        out.push_back("Capacity Blocks are booked at most eight weeks ahead");
    if (std::ranges::any_of(all, [](const TrainingAlternative& a) { return a.layout.stopped; }))
        out.push_back("Some searches ended at their time limit: another run may find other layouts");
    return out;
}

} // namespace

std::optional<Dollars> TrainingAlternative::cost_p90() const
{
    return answer && answer->cost ? std::optional(answer->cost->p90.total) : std::nullopt;
}

Expected<FinishAnswer> answer_finish(const Plan& plan, const FinishQuestion& q, const SpecStore& specs, const CapacityOptions& options)
{
    const auto* training = std::get_if<Training>(&plan.workload);
    if (training == nullptr || training->tokens <= Tokens{})
        return bad_input("the question is of a training plan that names its tokens", Place{{}, 0, training ? "/workload/tokens" : "/workload/kind"});
    if (q.deadline && *q.deadline <= q.today)
        return bad_input("the deadline has passed", {}, q.deadline->text(), fmt::format("a day after {}", q.today.text()));
    const Expected<std::vector<std::string>> instances = instances_of(specs, options);
    if (!instances)
        return instances.error();
    FinishAnswer out;
    out.question = q;
    for (std::size_t i = 0; i < instances->size() && !options.progress.stopped(); ++i) {
        const std::string& instance = (*instances)[i];
        Plan one = plan;
        one.instance = instance;
        one.nodes = 1;
        one.gpus = 0;
        one.layout = Layout{};
        one.layout.dp = 0;
        const Expected<Job> job = resolve(one, specs);
        if (!job && job.error().kind != ErrorKind::infeasible)
            return job.error();
        if (!job) {
            TrainingAlternative a{instance, 0, {}, {}, Binding::layout, job.error().message, {}, {}, {}, {}};
            out.alternatives.push_back(std::move(a));
            continue;
        }
        const std::vector<int> sizes = sizes_of(plan, *job, q, options);
        for (std::size_t k = 0; k < sizes.size(); ++k) {
            const int nodes = sizes[k];
            TrainingAlternative a;
            a.instance = instance;
            a.nodes = nodes;
            Expected<FoundLayout> layout = find_layout(plan, instance, nodes, specs, options);
            if (!layout)
                return layout.error();
            if (options.progress.stopped())
                break; // the search may have ended before it found anything
            a.layout = std::move(*layout);
            a.binding = a.layout.binding;
            a.why = a.layout.why;
            if (a.layout.plan) {
                Expected<RunAnswer> answer = evaluate_run(*a.layout.plan, specs, q.today);
                if (!answer && answer.error().kind != ErrorKind::infeasible)
                    return answer.error();
                if (answer) {
                    a.answer = std::move(*answer);
                    judge(a, q);
                } else {
                    a.binding = Binding::deadline;
                    a.why = answer.error().message;
                }
            }
            out.alternatives.push_back(std::move(a));
            options.progress.at((static_cast<double>(i) + static_cast<double>(k + 1) / static_cast<double>(sizes.size())) / static_cast<double>(instances->size()));
        }
    }
    const auto rank = [](const TrainingAlternative& a) {
        constexpr double last = 1e300;
        const std::optional<Dollars> cost = a.cost_p90();
        const double second = a.does() ? (cost ? cost->value() : last) : (a.answer ? a.answer->run.time_to_train.at(0.9).value() : last);
        return std::pair(a.does() ? 0 : 1, second);
    };
    std::ranges::stable_sort(out.alternatives, {}, rank);
    if (!out.alternatives.empty() && out.alternatives.front().does() && out.alternatives.front().cost_p90()) {
        const double best = out.alternatives.front().cost_p90()->value();
        for (TrainingAlternative& a : out.alternatives)
            if (const std::optional<Dollars> cost = a.cost_p90()) { // instances are what the rate scales
                const Bill& bill = a.answer->cost->p90;
                const double instances_cost = (bill.of(CostKind::compute) + bill.of(CostKind::commitment)).value(), rest = cost->value() - instances_cost;
                if (instances_cost > 0.0 && best > rest)
                    a.even_rate = Dollars{a.answer->cost->price.per_gpu.value() * 3600.0 * (best - rest) / instances_cost};
            }
    }
    out.notes = notes_of(plan, q, out.alternatives);
    if (options.progress.stopped())
        out.notes.emplace_back(stopped_note);
    return out;
}

} // namespace ridgepoint
