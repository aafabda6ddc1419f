#pragma once
// What a reader left out of a file, for the user to see.

#include <cstdint>
#include <string>
#include <vector>

namespace ridgepoint {

struct Skipped {
    std::string reason; // "time is not a number"
    std::int64_t count = 0;
    std::string first_place; // "line 12", "/results/3"
};

// Counts one more of a reason; the first place stays.
void skip(std::vector<Skipped>& list, const std::string& reason, const std::string& place);

} // namespace ridgepoint
