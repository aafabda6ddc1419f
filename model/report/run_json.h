#pragma once
// Runs and capacity answers as JSON, under stable keys with the unit in the name (specs/schema/run-output.schema.json,
// specs/schema/capacity-output.schema.json).

#include <nlohmann/json.hpp>

#include "model/capacity/capacity.h"

namespace ridgepoint {

nlohmann::ordered_json run_to_json(const Plan& plan, const RunAnswer& answer);
nlohmann::ordered_json finish_to_json(const Plan& plan, const FinishAnswer& answer);
nlohmann::ordered_json machines_to_json(const Plan& plan, const MachinesAnswer& answer);
nlohmann::ordered_json serve_to_json(const Plan& plan, const ServeAnswer& answer);

} // namespace ridgepoint
