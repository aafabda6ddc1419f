#pragma once
// Bringing the learner's new weights to the rollout engine. Private to the post-training floor.

#include "model/post_training/post_training.h"

namespace ridgepoint {

struct Synchronization {
    Seconds transfer; // over NVLink and the fabric
    Seconds load; // writing them in the rollout's format
    Bytes received; // by one rollout GPU
};

// Colocated: the learner's shards are gathered into the rollout's; ranks that hold distinct shards are tp x pp, times the
// data-parallel ranks that share weights (ZeRO-3). An all-gather over (those ranks) / rollout_tp as in HybridFlow
// [arXiv:2409.19256, section 5.3]. Disaggregated: one copy of each rollout shard goes along a chain of the learner and all
// rollout replicas, pieces following each other, so that every GPU's link carries it once (a pipelined broadcast, like
// the ring all-gather whose cost it takes). Weights travel in bf16.
Synchronization synchronize_weights(const Job& learner, const Job& rollout, Bytes rollout_weights, Placement placement, int rollout_replicas);

} // namespace ridgepoint
