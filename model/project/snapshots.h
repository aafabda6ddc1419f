#pragma once
// The specs that a plan uses, kept inside it.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/project/plan.h"
#include "model/specs/store.h"

namespace ridgepoint {

std::optional<SpecKind> kind_of_folder(std::string_view folder); // "accelerators"

// Every document that the plan's numbers come from: model, instance, its GPU and fabric, efficiency of both, prices.
Expected<std::vector<SpecSnapshot>> take_snapshots(const Plan& plan, const SpecStore& specs);

// The catalogue as the plan knew it: its snapshots as layer "project" above all others. Errors are located in the plan.
// Cheap where the catalogue still says the same.
Expected<SpecStore> with_snapshots(const Plan& plan, const SpecStore& specs);

// Snapshots that differ from what the catalogue says now, as "instance p5en.48xlarge".
std::vector<std::string> outdated_snapshots(const Plan& plan, const SpecStore& specs);

} // namespace ridgepoint
