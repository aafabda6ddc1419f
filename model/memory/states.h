#pragma once
// Weights, gradients and optimizer state that one rank of a pipeline stage holds.

#include "model/parallelism/stages.h"

namespace ridgepoint {

// Parameters of one rank before any data-parallel sharding; experts apart, since their data-parallel group differs.
struct RankParameters {
    double dense = 0; // attention, dense MLP, shared experts, norms, router, embedding, head
    double experts = 0;
    double largest_layer = 0; // of one layer, dense and experts: what FSDP gathers at once
    double adapters = 0; // LoRA, trained; not in `dense`
    double tables = 0; // embedding and head, in `dense`: FSDP gathers them once per step, not layer by layer

    [[nodiscard]] double total() const { return dense + experts; }
};
RankParameters rank_parameters(const Transformer& model, const Layout& layout, const StageContent& stage, const Lora* lora = nullptr);

// Ranks over which each state is cut.
struct ShardDegrees {
    double weights = 1;
    double gradients = 1;
    double optimizer = 1;
};
ShardDegrees shard_degrees(const Layout& layout, double data_parallel_ranks, int gpus_per_node);

struct StateBytes {
    Bytes weights, gradients, optimizer;
    Bytes gathered; // what FSDP holds whole at once: the current and the prefetched layer, embedding and head
    Bytes reducing; // one layer's gradients on their way to the shards, in its backward pass
};
// `trained` false (LoRA base, serving): weights only.
StateBytes training_states(const RankParameters& p, const Layout& layout, const PrecisionRecipe& precision, int gpus_per_node, bool frozen);

} // namespace ridgepoint
