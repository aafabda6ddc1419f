#pragma once
// The error bar of an estimate: residuals of the fitted laws, weighted by the time that each law answers for.

#include "model/estimate/estimate.h"

namespace ridgepoint {

// Half-width, relative: sum over laws of (share of the exposed time) x (90th percentile of the law's error on
// measurements it was not fitted to). Summed, not added in squares: the errors of one law go the same way in all its
// operators. Laws with no measurements behind them are named in Estimate::notes.
void add_error_bar(Estimate& estimate, const Job& job);

} // namespace ridgepoint
