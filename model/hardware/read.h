#pragma once
// Spec documents -> hardware values. Every reader checks what a schema cannot: units, whole counts, and figures that must
// agree (bidirectional NVLink = 2 x per direction; sparse peak = 2 x dense unless the spec states another ratio).

#include <string>

#include "model/base/error.h"
#include "model/hardware/accelerator.h"
#include "model/hardware/node.h"
#include "model/hardware/storage.h"
#include "model/specs/store.h"

namespace ridgepoint {

Expected<Accelerator> read_accelerator(const SpecStore& specs, const std::string& id); // specs/accelerators/
Expected<Node> read_node(const SpecStore& specs, const std::string& id); // specs/instances/
Expected<Fabric> read_fabric(const SpecStore& specs, const std::string& id); // specs/fabrics/
Expected<StorageTier> read_storage(const SpecStore& specs, const std::string& id); // specs/storage/

// `nodes` instances of one type with their GPU and fabric resolved. gpus = 0: all of them; fewer leaves the rest idle
// (and paid for). Error: more GPUs than the nodes have, or several nodes of a type that has no network.
Expected<Cluster> build_cluster(const SpecStore& specs, const std::string& instance_id, int nodes, int gpus = 0);

// Reads every hardware spec in the store; the first mistake is the error.
Status check_hardware(const SpecStore& specs);

} // namespace ridgepoint
