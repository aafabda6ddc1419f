#pragma once
// The step of a training plan with what storage adds to it: waiting for its data, and its share of the stops for checkpoints.
// Storage as a bound beside compute, memory and links; a part of predict_run() that is cheap enough for every cell of a map.

#include <string>

#include "model/estimate/job.h"
#include "model/run/reliability.h"
#include "model/run/restart.h"

namespace ridgepoint {

struct RunStorage { // what a plan names, read once
    Run run;
    StorageTier data_tier, checkpoint_tier;
    Reliability reliability; // of one node
};
// All rates of tiers and of the instance's drives times `factor`. The host link is not storage.
void scale_rates(RunStorage& storage, double factor);
void scale_rates(Node& node, double factor);

struct StorageStep {
    AttributedTime step; // the longer of the step and reading its data
    AttributedTime stops; // for checkpoints, over the steps between two
    std::string limit; // what makes storage the bound: "reading training data (the tier as a whole)"; empty: it is not

    [[nodiscard]] AttributedTime whole() const { return step + stops; }
};
// `step`: of the same job, as estimated. Errors as of predict_run(). A plan that names no tokens has one checkpoint interval
// for its length.
Expected<StorageStep> storage_step(const Job& job, const AttributedTime& step, const RunStorage& storage);

} // namespace ridgepoint
