#pragma once
// Memory of a training step at its peak, stage by stage.

#include "model/memory/fit.h"
#include "model/memory/states.h"
#include "model/memory/workspace.h"

namespace ridgepoint {

struct TrainingMemoryCase {
    const Transformer& model;
    const Layout& layout;
    const PrecisionRecipe& precision;
    const Training& workload;
    const std::vector<StageContent>& stages;
    int microbatches = 1; // per replica and step
    int gpus_per_node = 8;
    double moe_imbalance = 1.0;
    Bytes runtime_reserve;
    double fragmentation = 0.0;
    Bytes capacity;
    TrainingRuntime runtime = TrainingRuntime::megatron;
};

MemoryFit training_memory(const TrainingMemoryCase& c);

} // namespace ridgepoint
