#pragma once
// Derivations of numbers that stand outside of the estimate's own tree: the bill, and one operator. Built from the values
// that were computed, with the formulas of model/economics and model/operators.

#include "model/project/resolve.h"
#include "model/roofline/roofline.h"

namespace ridgepoint {

Derivation derive_cost(const Evaluation& evaluation, double utilization);
// The fitted laws of the evaluation's GPU, class of kernels and fabric: their constants, each with source, note, date,
// confidence, residual and number of rows. `specs` are those the plan was evaluated with.
Derivation derive_constants(const Evaluation& evaluation, const SpecStore& specs);
Derivation derive_operator(const Evaluation& evaluation, const RooflineModel& roofline, std::size_t index);

// Names in the tree of explain() for what charts show; alternatives are separated by '|', a path by '/'.
std::string number_of(StepPart part);

} // namespace ridgepoint
