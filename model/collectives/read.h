#pragma once
// specs/efficiency/<gpu>.json and specs/efficiency/<fabric>.json -> CollectiveConstants.

#include <string>

#include "model/base/error.h"
#include "model/collectives/constants.h"
#include "model/specs/store.h"

namespace ridgepoint {

// `fabric_id` empty: the node stands alone; the fabric's constants keep their defaults and are never used.
Expected<CollectiveConstants> read_collective_constants(
    const SpecStore& store, const std::string& gpu_id, const std::string& fabric_id);

} // namespace ridgepoint
