#pragma once
// The kernel laws of GPUs refitted to measured kernels.

#include <vector>

#include "model/fitting/law_fit.h"
#include "model/fitting/measurements.h"
#include "model/specs/store.h"

namespace ridgepoint {

// Products per software class and number format, then grouped products, prefill, decode and absorbed MLA per GPU: in an
// order where each uses the new constants of those before.
Status fit_kernels(const std::vector<MeasurementFile>& files, const SpecStore& specs, const Wanted& wanted, FittedLaws& out);

} // namespace ridgepoint
