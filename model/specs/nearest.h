#pragma once
// "Did you mean": the known names closest to what somebody typed.

#include <string>
#include <string_view>
#include <vector>

namespace ridgepoint {

// Restricted Damerau-Levenshtein distance: insertions, deletions, substitutions and swaps of neighbours, case ignored.
int edit_distance(std::string_view a, std::string_view b);

// At most `count` names, nearest first; names that share nothing with `wanted` are left out.
std::vector<std::string> nearest_names(std::string_view wanted, const std::vector<std::string>& known, std::size_t count = 3);

} // namespace ridgepoint
