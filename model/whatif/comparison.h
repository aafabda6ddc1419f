#pragma once
// Two plans side by side: where the difference of their times comes from, and when the choice between them flips.

#include <optional>
#include <string>
#include <vector>

#include "model/project/resolve.h"
#include "model/whatif/knob.h"

namespace ridgepoint {

struct Difference {
    StepPart part = StepPart::gemm;
    Seconds a, b; // on the critical path
    [[nodiscard]] Seconds gain() const { return a - b; } // positive: b is faster by so much
};

struct FieldDifference {
    std::string label; // "Tensor parallel"
    std::string path;
    std::string a, b;
};

struct PlanComparison {
    Evaluation a, b;
    std::vector<Difference> parts; // largest first; their gains add up to the difference of the times
    std::vector<FieldDifference> fields; // in the order of the plan
    Seconds gain; // of the times: positive: b is faster
    // "B is 1.8 s faster: bubble -1.1 s, TP exposed -0.9 s, DP exposed +0.2 s"
    std::string sentence;
};
Expected<PlanComparison> compare_plans(const Plan& a, const Plan& b, const SpecStore& specs);

// Where a and b cost the same per token: the factor on b's price at which the choice flips (1.2: b stays cheaper until its
// price rises by 20 %), and the utilisation of b's paid hours that makes them equal. None without prices.
struct BreakEven {
    double price_factor = 0;
    std::optional<double> utilization; // none: not between 0 and 1
    // Nodes of b from which on b (same layout, dp following) has the lower cost per token than a; none in what was tried.
    std::optional<int> nodes;
};
std::optional<BreakEven> break_even(const PlanComparison& c, const Plan& b, const SpecStore& specs);

} // namespace ridgepoint
