#pragma once
// A serving plan at other sizes of its work: memory over batch and context, and where whole passes lie under the roofline.
// Every point is estimate() of the plan with one number changed.

#include <stop_token>
#include <vector>

#include "model/estimate/estimate.h"
#include "views/charts/operation_curves.h"
#include "views/charts/roofline_chart.h"

namespace ridgepoint {

// Over the batch (prompts where only prefill runs) and over the prompt; empty if the job is not a serving one.
std::vector<MemorySweep> memory_sweeps(const Job& job, const std::stop_token& stop);

// Decode over the batch and over the context, prefill over the prompt, at the plan's other sizes.
std::vector<RooflinePath> pass_paths(const Job& job, const std::stop_token& stop);

} // namespace ridgepoint
