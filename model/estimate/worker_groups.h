#pragma once
// How the GPUs of a served plan are grouped: replicas and attention groups of one pool, or workers of two.

#include "model/base/error.h"
#include "model/estimate/job.h"

namespace ridgepoint {

// How a serving layout is read. Experts without an own degree are cut like the rest of the layer (etp = tp/ep); with
// attention data parallelism the expert ranks ep x etp make one replica of (ep x etp)/tp attention groups.
struct ServingGroups {
    Layout layout; // etp filled in
    int attention_groups = 1; // per replica: each holds its own sequences
    int gpus_per_replica = 1;
    int replicas = 1;
};
ServingGroups serving_groups(const Job& job);

struct Pools { // the plan's two sides, each a legal job of its own
    Job prompts, decode;
};
// Errors: a side's layout is not legal, or the cluster has fewer GPUs than one unit of both takes.
Expected<Pools> cut_into_pools(const Job& job, const Serving& workload);

// The cache of one prompt on its way.
struct CacheTransfer {
    Bytes cache;
    bool inside_domain = false; // over NVLink
    Seconds time;
    // What the first token waits for after a prompt of this time.
    [[nodiscard]] Seconds exposed(Seconds prefill, bool overlap, int layers) const;
};
CacheTransfer transfer_cache(const Job& job, const Pools& pools, int prompt_tokens);

} // namespace ridgepoint
