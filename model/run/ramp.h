#pragma once
// A ramp of the batch: the first tokens of a run at smaller batches, each estimated as a plan of its own.

#include "model/base/error.h"
#include "model/estimate/job.h"
#include "model/units/attributed_time.h"
#include "model/workload/run.h"

namespace ridgepoint {

struct RampTime {
    AttributedTime time; // of all steps of the ramp
    double steps = 0;
    Tokens tokens;
};
// Every batch from ramp_batch up to below the global batch takes the same number of samples [Megatron-LM,
// --rampup-batch-size]. Errors: a batch that the layout cannot run, more than 1,000 batches, more tokens than the run has.
Expected<RampTime> ramp_time(const Job& job, const Training& training, const Run& run);

} // namespace ridgepoint
