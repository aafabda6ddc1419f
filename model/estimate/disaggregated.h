#pragma once
// Prompts and decoding on workers of their own. Private to the estimate floor.

#include "model/estimate/serving.h"

namespace ridgepoint {

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
