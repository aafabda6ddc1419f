#pragma once
// The constants of training (model/sustained) refitted to published runs. One problem for all GPUs, fabrics and frameworks,
// since each run knows several of them. The engine that is fitted is the one that predicts: every step of the search
// estimates all runs anew.

#include <vector>

#include "model/fitting/law_fit.h"
#include "model/fitting/measurements.h"
#include "model/specs/store.h"

namespace ridgepoint {

// Most constants are known from few runs, so each is drawn to what is known of it beside the data: a share to the middle
// of the range that is plausible, a GPU to the one it is like (B200 and GB200 are one chip), a precision to the next one.
// The widths are those of training_constants.cpp. Runs are left out by source for the residuals. Errors: no runs.
Status fit_training(const std::vector<MeasurementFile>& files, const SpecStore& specs, const Wanted& wanted, FittedLaws& out);

} // namespace ridgepoint
