#pragma once
// The JSON Schema of plan files, written from the table of fields (specs/schema/plan.schema.json is this text).

#include <string>

namespace ridgepoint {

std::string plan_schema_text();

} // namespace ridgepoint
