#pragma once
// From names to values: Plan + catalogue -> Job, and the evaluation that every front end shows.

#include "model/economics/cost.h"
#include "model/estimate/estimate.h"
#include "model/project/plan.h"
#include "model/specs/store.h"

namespace ridgepoint {

Expected<Job> resolve(const Plan& plan, const SpecStore& specs);

// What the verdict strip, the `plan` command and the report say.
struct Evaluation {
    Job job;
    Estimate estimate;
    Cost cost;
    std::string verdict; // "Fits with 11.2 GiB to spare; bound by compute (61 %)"
    std::vector<std::string> advice; // what to change, most useful first: "TP 8 -> 16 frees 21 GiB"
};
Expected<Evaluation> evaluate(const Plan& plan, const SpecStore& specs);

} // namespace ridgepoint
