#pragma once
// What one rank's trace tells of its job's layout: parallel groups from its collectives, precision from its kernels' names,
// model and batch from the shapes of its products.

#include <optional>
#include <vector>

#include "model/calibration/infer_plan.h"

namespace ridgepoint {

std::vector<InferredField> layout_of(const Timeline& timeline); // tp, pp, cp, ep
std::optional<InferredField> recipe_of(const Timeline& timeline);
std::vector<InferredField> shapes_of(const Timeline& timeline, const SpecStore& specs); // model, sequence length

} // namespace ridgepoint
