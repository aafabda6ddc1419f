#pragma once
// Prompts and decoding on workers of their own. For the estimate floor and what simulates the two pools.

#include "model/estimate/serving.h"

namespace ridgepoint {

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

struct DisaggregatedDetail {
    ServingDetail prompts, decode;
    Estimate estimate;
};
// Rates of the sides, with the share eta of its time that a pool is busy at best [AIConfigurator, disaggregated serving: 0.90
// and 0.92]:
//
//     X_p = eta_p n_p b / t_prefill(b),     X_d = eta_d n_d B / (output t_decode(B)),     X = min(X_p, X_d, X_link)
//
// The cache of a prompt leaves layer by layer behind the computation [Splitwise, arXiv:2311.18677, section 4.3]: the first
// token waits for the last layer's, or for what is longer than the prompt's own time.
Expected<DisaggregatedDetail> disaggregate(const Job& job, const Serving& workload);

} // namespace ridgepoint
