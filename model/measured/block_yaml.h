#pragma once
// YAML as serialisers write it (PyYAML's block style), into JSON: mappings, sequences, plain, quoted and block scalars, empty
// or one-line flow collections. Anchors, tags and documents behind the first are not looked into.

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "model/base/error.h"
#include "model/measured/skipped.h"

namespace ridgepoint {

// Errors: nested too deeply, not a mapping. A line that fits nowhere is left out and told in `skipped`.
Expected<nlohmann::json> block_yaml(std::string_view text, const std::string& file, std::vector<Skipped>& skipped);

} // namespace ridgepoint
