#include "model/project/operation.h"

#include <algorithm>
#include <filesystem>

#include "model/project/field_table.h"
#include "model/project/snapshots.h"

namespace ridgepoint {
namespace {

Error at(const char* pointer, Error error)
{
    error.place.pointer = pointer;
    return error;
}

Expected<std::vector<RequestLengths>> lengths_of(const Plan& plan, const std::string& folder)
{
    if (plan.load.lengths != LengthSpread::file)
        return std::vector<RequestLengths>{};
    if (plan.load.file.empty())
        return bad_input("the lengths are to come from a file, but none is named", Place{{}, 0, "/load/lengths_file"}, {}, "a CSV or JSON Lines file");
    const std::filesystem::path file(plan.load.file);
    return read_request_lengths(file.is_absolute() ? file.string() : (std::filesystem::path(folder) / file).string());
}

Status check_memory(const Evaluation& v)
{
    // A batch that is too large is cut by the queue; weights that are too large are not.
    if (v.estimate.serving && v.estimate.serving->largest_batch == 0)
        return infeasible(v.verdict, "Raise tp, lower the precision or take a larger GPU");
    return Done{};
}

} // namespace

Expected<LoadAnswer> evaluate_load(const Plan& plan, const SpecStore& specs, const std::string& folder, const Progress& progress)
{
    if (workload_kind(plan) != "serving")
        return bad_input("only a serving plan has a load", Place{{}, 0, "/workload/kind"}, workload_kind(plan), "serving");
    Expected<Evaluation> v = evaluate_only(plan, specs);
    if (!v)
        return v.error();
    if (Status s = check_memory(*v); !s)
        return s.error();
    const auto lengths = lengths_of(plan, folder);
    if (!lengths)
        return lengths.error();
    Expected<LoadPrediction> load = predict_load(v->job, plan.load, *lengths, progress);
    if (!load)
        return load.error();
    return LoadAnswer{std::move(*v), std::move(*load)};
}

Expected<FleetAnswer> evaluate_fleet(const Plan& plan, const SpecStore& specs, const std::string& folder, const Progress& progress)
{
    Expected<LoadAnswer> load = evaluate_load(plan, specs, folder, progress);
    if (!load)
        return load.error();
    const Evaluation& v = load->evaluation;
    Expected<FleetPrediction> fleet = plan_fleet(v.job, v.estimate, load->load, plan.fleet, v.cost.price);
    if (!fleet)
        return fleet.error();
    std::vector<ParetoPoint> pareto = pareto_points(v.job, v.cost.price, plan.price.utilization, progress);
    if (progress.stopped())
        return stopped_before_the_end();
    return FleetAnswer{std::move(load->evaluation), std::move(load->load), std::move(*fleet), std::move(pareto)};
}

Plan rollout_plan(const Plan& plan)
{
    const PostTraining& p = plan.post_training;
    Plan out = default_plan("serving");
    out.name = plan.name;
    out.model = plan.model;
    out.instance = plan.instance;
    out.nodes = plan.nodes;
    out.gpus = plan.gpus;
    out.snapshots = plan.snapshots;
    out.precision.recipe = p.rollout_recipe;
    out.layout.tp = p.rollout_tp;
    out.layout.ep = std::min(plan.layout.ep, p.rollout_tp); // inside a replica
    out.assumptions.moe_imbalance = plan.assumptions.moe_imbalance;
    out.assumptions.runtime_reserve = plan.assumptions.runtime_reserve;
    auto& serving = std::get<Serving>(out.workload);
    serving.input_length = p.prompt_length;
    serving.output_length = p.output_length;
    serving.concurrency = p.rollout_batch;
    return out;
}

Expected<PostTrainingAnswer> evaluate_post_training(const Plan& plan, const SpecStore& catalogue, const Progress& progress)
{
    const auto* training = std::get_if<Training>(&plan.workload);
    if (training == nullptr || training->kind == TrainingKind::pretraining)
        return bad_input("post-training starts from a plan of its learner", Place{{}, 0, "/workload/kind"}, workload_kind(plan), "fine_tuning or lora");
    Expected<SpecStore> specs = with_snapshots(plan, catalogue);
    if (!specs)
        return specs.error();
    Expected<Evaluation> learner = evaluate_only(plan, *specs);
    if (!learner)
        return learner.error();
    Expected<Job> rollout = resolve(rollout_plan(plan), *specs);
    if (!rollout) // its plan has been made here: name the field that it came from
        return at(rollout.error().place.pointer == "/precision/recipe" ? "/post_training/rollout_recipe" : "/post_training/rollout_tp", rollout.error());
    Expected<PostTrainingPrediction> prediction = predict_post_training(learner->job, *rollout, plan.post_training, learner->cost.price, progress);
    if (!prediction)
        return prediction.error();
    return PostTrainingAnswer{std::move(learner->job), std::move(*rollout), std::move(learner->cost), std::move(*prediction)};
}

} // namespace ridgepoint
