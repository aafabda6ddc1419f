#pragma once
// From rows to a Timeline: order, classes, launches, and the work of operators shared among their kernels.

#include "model/trace/event_table.h"
#include "model/trace/kernel_rules.h"
#include "model/trace/timeline.h"

namespace ridgepoint {

Timeline assemble(EventTable::Rows rows, const KernelRules& rules);

} // namespace ridgepoint
