#include <cmath>

#include <fmt/format.h>

#include "model/capacity/capacity.h"
#include "model/units/format.h"

namespace ridgepoint {
namespace {

constexpr int most_rounds = 8;

// Tokens of the run whose quantile is `time`: the wall time is nearly proportional to them, so that a few rounds of scaling
// settle it. The run is left at the result.
Expected<RunAnswer> run_of(Plan& plan, double share, Seconds time, const SpecStore& specs, std::optional<Date> today)
{
    auto& training = std::get<Training>(plan.workload);
    const double batch = static_cast<double>(training.global_batch) * training.sequence_length;
    Expected<RunAnswer> answer = infeasible("no step fits into the time");
    for (int round = 0; round < most_rounds; ++round) {
        answer = evaluate_run(plan, specs, today);
        if (!answer)
            return answer;
        const double scale = time / answer->run.time_to_train.at(share);
        const double next = std::max(batch, std::floor(training.tokens.value() * scale / batch) * batch);
        if (std::fabs(scale - 1.0) < 1e-4 || next == training.tokens.value())
            return answer;
        training.tokens = Tokens{next};
    }
    return evaluate_run(plan, specs, today);
}

} // namespace

Expected<MachinesAnswer> answer_machines(const Plan& given, const MachinesQuestion& q, const SpecStore& specs, const CapacityOptions& options)
{
    if (!std::holds_alternative<Training>(given.workload))
        return bad_input("the question is of a training plan", Place{{}, 0, "/workload/kind"});
    if (!(q.time > Seconds{}) || q.nodes < 1)
        return bad_input("machines and time must be more than none", {}, fmt::format("{} instances for {}", q.nodes, format(q.time)));
    MachinesAnswer out;
    out.question = q;
    std::vector<std::string> models = q.models;
    if (models.empty())
        models.push_back(given.model);
    for (std::size_t i = 0; i < models.size() && !options.progress.stopped(); ++i) {
        TrainableModel m;
        m.model = models[i];
        Plan plan = given;
        plan.model = m.model;
        if (std::get<Training>(plan.workload).tokens <= Tokens{})
            std::get<Training>(plan.workload).tokens = Tokens{1e12};
        plan.run.ramp_batch = 0; // a ramp of given tokens need not fit into the answer
        Expected<FoundLayout> layout = find_layout(plan, q.instance, q.nodes, specs, options);
        if (!layout)
            return layout.error();
        if (options.progress.stopped())
            break; // the search may have ended before it found anything
        m.layout = std::move(*layout);
        m.binding = m.layout.binding;
        m.why = m.layout.why;
        if (m.layout.plan) {
            Plan median = *m.layout.plan;
            const Expected<RunAnswer> half = run_of(median, 0.5, q.time, specs, q.today);
            Expected<RunAnswer> answer = run_of(*m.layout.plan, 0.9, q.time, specs, q.today);
            if (!answer || !half) {
                if ((answer ? half : answer).error().kind != ErrorKind::infeasible)
                    return (answer ? half : answer).error();
                m.binding = Binding::limits;
                m.why = (answer ? half : answer).error().message;
            } else {
                m.tokens = std::get<Training>(m.layout.plan->workload).tokens;
                m.tokens_median = std::get<Training>(median.workload).tokens;
                m.tokens_per_parameter = m.tokens.value() / count_parameters(answer->evaluation.job.model).active;
                if (answer->run.time_to_train.at(0.9) > q.time * 1.001) {
                    m.binding = Binding::deadline;
                    m.why = "a single step does not fit into the time";
                }
                if (out.optimum.empty())
                    out.optimum = answer->sizing;
                m.answer = std::move(*answer);
            }
        }
        out.models.push_back(std::move(m));
        options.progress.at(static_cast<double>(i + 1) / static_cast<double>(models.size()));
    }
    out.notes = {"Tokens that nine runs in ten end in time, and half of them, with the error bar of the estimate and the range of the failure rate"};
    if (!out.optimum.empty())
        out.notes.push_back("The best size is for the same FLOPs (6 N T of the active parameters) by a law of dense models; a model served much is better smaller and trained longer");
    if (options.progress.stopped())
        out.notes.emplace_back(stopped_note);
    return out;
}

} // namespace ridgepoint
