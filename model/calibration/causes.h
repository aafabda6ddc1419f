#pragma once
// The likely cause of a difference between a measured trace and the plan, in a sentence, from what the trace itself shows.

#include <string>

#include "model/estimate/estimate.h"
#include "model/trace/timeline.h"

namespace ridgepoint {

enum class ComparedPart : unsigned char { products, attention, memory, optimizer, copies, communication, exposed, idle, step };

// Empty where the two agree within a tenth, or nothing in the trace tells.
std::string likely_cause(ComparedPart part, Seconds measured, Seconds predicted, const Timeline& timeline, const TimelineSummary& summary, const Estimate& estimate);

} // namespace ridgepoint
