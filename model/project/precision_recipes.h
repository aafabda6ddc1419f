#pragma once
// Names of precision recipes -> arithmetic and formats. A recipe says what published configurations mean by the name.

#include <string>
#include <vector>

#include "model/estimate/job.h"
#include "model/project/plan.h"

namespace ridgepoint {

struct PrecisionRecipeInfo {
    const char* id; // as in the file
    const char* label;
    bool training;
    bool serving;
    const char* source; // whose configuration the recipe describes
};
const std::vector<PrecisionRecipeInfo>& precision_recipes();

// The recipe with the plan's overrides. Errors: unknown name or one for the other kind of workload (bad_input at
// /precision/recipe), arithmetic or block formats that the GPU has no units for (infeasible, with what would do).
Expected<PrecisionRecipe> resolve_precision(const Plan& plan, const Transformer& model, const Accelerator& gpu);

} // namespace ridgepoint
