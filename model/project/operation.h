#pragma once
// What the sections load, fleet and post_training of a plan ask, answered. Beside the evaluation, which a plan always has. Each
// takes seconds, and gives ErrorKind::cancelled soon after it is asked to stop.

#include <vector>

#include "model/fleet/fleet.h"
#include "model/post_training/post_training.h"
#include "model/project/resolve.h"

namespace ridgepoint {

struct LoadAnswer {
    Evaluation evaluation; // of the steady state
    LoadPrediction load;
};
// `folder`: where a relative lengths file is looked for.
Expected<LoadAnswer> evaluate_load(const Plan& plan, const SpecStore& specs, const std::string& folder, const Progress& progress = {});

struct FleetAnswer {
    Evaluation evaluation;
    LoadPrediction load; // of the replicas that the plan's cluster holds
    FleetPrediction fleet;
    std::vector<ParetoPoint> pareto;
};
Expected<FleetAnswer> evaluate_fleet(const Plan& plan, const SpecStore& specs, const std::string& folder, const Progress& progress = {});

struct PostTrainingAnswer {
    Job learner;
    Job rollout;
    Cost cost; // of the learner's step: price and its source
    PostTrainingPrediction prediction;
};
Expected<PostTrainingAnswer> evaluate_post_training(const Plan& plan, const SpecStore& specs, const Progress& progress = {});

// The rollout engine of a post-training plan: the same model and cluster, served.
Plan rollout_plan(const Plan& plan);

} // namespace ridgepoint
