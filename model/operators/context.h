#pragma once
// What a layer needs to know about the job to say what one GPU executes.

#include "model/collectives/collectives.h"
#include "model/kernels/kernels.h"
#include "model/operators/operators.h"
#include "model/parallelism/layout.h"

namespace ridgepoint {

// Where the groups of a layout sit; computed once per job.
struct Groups {
    GroupPlacement tp;
    GroupPlacement cp;
    GroupPlacement ep; // ep x etp ranks of one copy of all experts
    GroupPlacement dp; // gradient reduction of the dense part: dp x cp ranks
    GroupPlacement expert_dp;
    GroupPlacement pp_neighbour; // two ranks of adjacent stages
};
Groups place_groups(const Cluster& cluster, const Layout& layout);

// References into a job that outlives the context.
struct OperatorContext {
    const Transformer& model;
    const Cluster& cluster;
    const Layout& layout;
    const PrecisionRecipe& precision;
    const KernelConstants& kernels;
    const CollectiveConstants& collectives;
    Groups groups;
    double moe_imbalance = 1.0;
    bool training = true;
    bool frozen_weights = false; // LoRA: no weight gradients of the base model
    Lora lora; // used if frozen_weights or served_adapters
    double memory_passes = 1.0; // of element-wise work, over fully fused kernels
    double served_adapters = 0.0; // inference: distinct LoRA adapters that the tokens of a step ask for; shaped by `lora`
};

// The tokens that one tensor-parallel group processes at once. With context parallelism `queries` and `keys` are those
// of the whole sequence and `share` is 1/cp: each rank does its balanced share of the causal triangle.
struct TokenBatch {
    double sequences = 1;
    double queries = 1; // new tokens per sequence
    double keys = 1; // keys that exist for the last query
    double share = 1; // of the work that falls on this context-parallel rank
    bool causal = true;
    // Decode: the first keys of `sharing` sequences each are the same cache, and are read once for all of them.
    double shared_keys = 0;
    double sharing = 1;

    [[nodiscard]] double tokens() const { return sequences * queries * share; } // rows of the GEMMs
};

} // namespace ridgepoint
