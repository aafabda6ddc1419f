#pragma once
// Figures of the pages on money, time and risk, as SVG in the classes of the page (html.cpp); the tables beside them say
// the same in numbers. An empty string where there is nothing to draw.

#include <string>
#include <vector>

#include "model/project/run_answer.h"
#include "model/search/search.h"
#include "model/whatif/sensitivity.h"

namespace ridgepoint {

std::string pareto_svg(const std::vector<FoundPlan>& front, const std::optional<FoundPlan>& own); // throughput against cost per token, or headroom without a price
std::string tornado_svg(const std::vector<Swing>& swings); // at most 12 bars of the time
std::string bill_svg(const Bill& bill); // one bar, cut into its lines
std::string waste_svg(const RunPrediction& run); // share of the wall time lost over the interval between checkpoints
std::string run_svg(const RunPrediction& run); // where the expected wall time goes

} // namespace ridgepoint
