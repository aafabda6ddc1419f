#pragma once
// A trace's facts under the names and definitions of the published reference facts, in microseconds, so that they can be
// compared with other tools'. Classes follow specs/trace/reference_classes.json here, not the finer kernel_classes.json.

#include <nlohmann/json_fwd.hpp>

#include "model/base/error.h"
#include "model/trace/timeline.h"

namespace ridgepoint {

Expected<nlohmann::json> facts_of(const Timeline& timeline);

} // namespace ridgepoint
