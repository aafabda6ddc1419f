#pragma once
// An evaluation for programs. Keys are stable and carry their units; specs/schema/plan-output.schema.json documents them.

#include <nlohmann/json.hpp>

#include "model/project/resolve.h"
#include "model/roofline/roofline.h"

namespace ridgepoint {

nlohmann::ordered_json evaluation_to_json(const Plan& plan, const Evaluation& evaluation);
nlohmann::ordered_json derivation_to_json(const Derivation& derivation);
// specs/schema/roofline-output.schema.json
nlohmann::ordered_json roofline_to_json(const Plan& plan, const Evaluation& evaluation, const RooflineModel& roofline);

nlohmann::ordered_json error_to_json(const Error& error);

// MFU of a training estimate under every convention, by its name in the plan file, hardware FLOPs (HFU) last.
std::vector<std::pair<std::string, double>> mfu_by_convention(const Evaluation& evaluation);

} // namespace ridgepoint
