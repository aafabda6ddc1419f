#pragma once
// Plans of older versions -> today's format, one step per version. Private to the project floor.

#include <span>

#include <nlohmann/json.hpp>

#include "model/specs/json_document.h"

namespace ridgepoint {

using MigrationStep = void (*)(nlohmann::json& plan); // from version i + 1 to i + 2, by its place in the list

// Runs the steps from the document's version to the last one. A document that no step applies to comes back as it was,
// so that its lines are still known; a migrated one is the new text, with the lines of that.
Expected<JsonDocument> migrate(JsonDocument document);
Expected<JsonDocument> migrate(JsonDocument document, std::span<const MigrationStep> steps);

} // namespace ridgepoint
