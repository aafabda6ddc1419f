#pragma once
// Objects that stand one after the other in a text, on a line each or spread over several, with or without commas between
// them: what tools leave that append to their results file.

#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "model/measured/skipped.h"

namespace ridgepoint {

// Every outermost object that could be read, at most `most`. Text between them and what is no JSON is told in `skipped`.
std::vector<nlohmann::json> json_objects(std::string_view text, std::vector<Skipped>& skipped, std::size_t most = 1'000'000);

} // namespace ridgepoint
