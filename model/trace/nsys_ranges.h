#pragma once
// Which of a profile's many named ranges (NVTX) are the steps of a training run or of a server.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/trace/timeline.h"

namespace ridgepoint {

// Ranges whose name speaks of steps, iterations or batches, grouped by thread and by name without its numbers; the group
// that covers most time is taken, if it has at least two ranges.
class StepRanges {
public:
    void add(std::string_view name, std::int64_t start_ns, std::int64_t duration_ns, std::int64_t thread);
    std::vector<Timeline::Step> take();

private:
    struct Group {
        std::int64_t total = 0;
        std::vector<Timeline::Step> steps;
    };
    std::map<std::pair<std::int64_t, std::string>, Group> m_groups;
};

} // namespace ridgepoint
