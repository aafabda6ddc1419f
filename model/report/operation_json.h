#pragma once
// Answers about load, fleet and post-training for programs. Keys are stable and carry their units; the schemas are
// specs/schema/{load,fleet,rl}-output.schema.json.

#include <nlohmann/json.hpp>

#include "model/project/operation.h"

namespace ridgepoint {

nlohmann::ordered_json load_to_json(const Plan& plan, const LoadAnswer& answer);
nlohmann::ordered_json fleet_to_json(const Plan& plan, const FleetAnswer& answer);
nlohmann::ordered_json post_training_to_json(const Plan& plan, const PostTrainingAnswer& answer);

} // namespace ridgepoint
