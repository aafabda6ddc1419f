#include "model/measured/skipped.h"

#include <algorithm>

namespace ridgepoint {

void skip(std::vector<Skipped>& list, const std::string& reason, const std::string& place)
{
    const auto at = std::find_if(list.begin(), list.end(), [&](const Skipped& s) { return s.reason == reason; });
    if (at != list.end())
        ++at->count;
    else
        list.push_back({reason, 1, place});
}

} // namespace ridgepoint
