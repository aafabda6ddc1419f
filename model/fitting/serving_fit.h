#pragma once
// The constants of serving engines (model/sustained/engine.h) refitted to published operating points and maximum throughputs.
// The engine that is fitted is the one that predicts: every step of the search runs all closed loops anew.

#include <vector>

#include "model/fitting/law_fit.h"
#include "model/fitting/measurements.h"
#include "model/specs/store.h"

namespace ridgepoint {

// Each engine is a problem of its own: time per output token, time to first token (which scatters three times as much) and
// throughput together. Each constant is drawn to the middle of what is plausible. Groups of one model on one GPU count with
// the square root of their rows, a row that does not state its configuration less than one that does. Residuals: whole models
// left out (vLLM), whole GPUs left out (the others). Constants keep what they are where an engine has no rows.
Status fit_serving(const std::vector<MeasurementFile>& files, const SpecStore& specs, const Wanted& wanted, FittedLaws& out);

} // namespace ridgepoint
