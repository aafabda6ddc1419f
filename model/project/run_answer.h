#pragma once
// What the sections run and costs of a training plan ask, answered: time, failures, storage, energy and money of the run.

#include <optional>
#include <string>
#include <vector>

#include "model/project/resolve.h"
#include "model/run/bill.h"
#include "model/run/scaling_law.h"

namespace ridgepoint {

struct SizingAid { // what the plan's FLOPs would be best spent on
    const ScalingLaw* law = nullptr;
    double loss_of_plan = 0; // at the plan's parameters and tokens
    ComputeOptimum optimum;
};

struct RunAnswer {
    Evaluation evaluation; // of the step
    RunPrediction run;
    std::optional<RunCost> cost; // none: evaluation.cost.missing says why
    std::optional<CarbonFactor> carbon; // none: no factor of the region is known
    std::optional<double> carbon_kg;
    std::optional<Date> start, end_p50, end_p90; // where the plan says when it starts
    std::vector<SizingAid> sizing;
    std::vector<std::string> notes; // of all parts
};

// `today`: for the age of prices. Errors point at the field of the plan.
Expected<RunAnswer> evaluate_run(const Plan& plan, const SpecStore& specs, std::optional<Date> today);

} // namespace ridgepoint
