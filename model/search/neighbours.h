#pragma once
// The smallest change that makes a plan one that runs and fits.

#include <vector>

#include "model/search/search.h"

namespace ridgepoint {

struct AxisChange {
    std::string axis; // "pp"
    std::string from, to; // values as in a plan file
};

struct Neighbour {
    FoundPlan plan;
    std::vector<AxisChange> changes; // few
};

// Plans of the problem's space that differ from `wanted` (the plan's own layout unless told otherwise) in one axis and keep
// the limits, best first; where there is none, in two. At most `count`. `wanted` itself, without changes, where it is fine.
// None where the space leaves out the plan's own cluster or recipe (SearchProblem::own).
std::vector<Neighbour> nearest_feasible(const SearchProblem& problem, const SearchOptions& options, std::size_t count = 5);

} // namespace ridgepoint
