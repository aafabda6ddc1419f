#pragma once
// Which of a plan's operators a measured kernel executes, by their classes: the one place where it is decided.

#include "model/operators/operators.h"
#include "model/trace/timeline.h"

namespace ridgepoint {

// other: copies, fills, and kernels whose names tell nothing. A convolution is a matrix product to the plan.
OperatorClass operator_class_of(KernelClass c);

// The same where times are summed up and set against the plan's. Kernels whose names tell nothing count as memory-bound there:
// products, attention and collectives carry names that are known, the rest is mostly generated element-wise code.
OperatorClass compared_class_of(KernelClass c);

} // namespace ridgepoint
