#pragma once
// The roofline against a link: operators do not send bytes over NVLink or the network themselves, their layer does. So
// the points of these levels are whole passes (layer kind and phase): FLOPs over bytes sent, and FLOPs over exposed
// time.

#include <string>
#include <vector>

#include "model/roofline/roofline.h"

namespace ridgepoint {

struct LevelPoint
{
    Phase phase = Phase::forward;
    std::uint8_t layer_kind = 0;
    FlopPerByte intensity;
    FlopPerSecond achieved;
    Seconds total_time; // of the step, without what is hidden
    Resource bound = Resource::compute;
    std::vector<int> operators; // indices into the list
};

// Passes with FLOPs and bytes at `level`, longest first.
std::vector<LevelPoint> level_points(const OperatorList& operators, MemoryLevel level);

Bytes bytes_at(const Operator& op, MemoryLevel level);

} // namespace ridgepoint
