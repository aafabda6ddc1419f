#pragma once
// What a plan needs of each GPU's memory, by stage and purpose, against what there is.

#include <vector>

#include "model/units/quantity.h"

namespace ridgepoint {

// Bytes of one GPU of one pipeline stage at its peak.
struct StageMemory {
    int stage = 0;
    Bytes weights;
    Bytes gradients;
    Bytes optimizer;
    Bytes activations; // all in flight
    Bytes kv_cache;
    Bytes workspace; // logits, gathered layers, working activations of the layer in progress
    Bytes reserve; // runtime and fragmentation
    [[nodiscard]] Bytes total() const { return weights + gradients + optimizer + activations + kv_cache + workspace + reserve; }
};

struct MemoryFit {
    std::vector<StageMemory> stages; // one per pipeline stage
    int worst_stage = 0;
    Bytes capacity; // visible memory (serving: the engine's share of it)
    [[nodiscard]] const StageMemory& worst() const { return stages[static_cast<std::size_t>(worst_stage)]; }
    [[nodiscard]] Bytes headroom() const { return capacity - worst().total(); } // negative: by how much it does not fit
    [[nodiscard]] bool fits() const { return headroom() >= Bytes{}; }
};

} // namespace ridgepoint
