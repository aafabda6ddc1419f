#pragma once
// From rows to a Timeline: order, classes, launches, and the work of operators shared among their kernels.

#include <optional>

#include "model/base/progress.h"
#include "model/trace/event_table.h"
#include "model/trace/kernel_rules.h"
#include "model/trace/timeline.h"

namespace ridgepoint {

// None: it was told to stop.
std::optional<Timeline> assemble(EventTable::Rows rows, const KernelRules& rules, const Progress& progress = {});

} // namespace ridgepoint
