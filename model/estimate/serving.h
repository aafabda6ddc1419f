#pragma once
// Prefill and decode steps of one replica, with the values that explain them. Private to the estimate floor.

#include <vector>

#include "model/estimate/estimate.h"
#include "model/estimate/worker_groups.h"
#include "model/operators/layer.h"
#include "model/parallelism/stages.h"
#include "model/schedule/layer_time.h"

namespace ridgepoint {

struct ServingStep { // one pass of the whole replica
    AttributedTime time; // tpot or prefill latency contribution, host included
    AttributedTime gemm, attention, elementwise, tp, ep, p2p, host;
    OperatorList operators; // of the slowest stage
    Flops flops; // of one GPU of the slowest stage
    Bytes hbm;
};

struct ServingDetail {
    ServingGroups groups;
    std::vector<StageContent> stages;
    int chunks = 1; // of a prefill
    ServingStep prefill; // prefill_batch prompts, all chunks
    ServingStep decode;
    double tokens_per_step = 1.0; // decode, with speculation
    AttributedTime steal; // prefill time charged to every output token
    Seconds mixed; // all steps of a prefill that carry the decoding sequences too
    Estimate estimate;
};
ServingDetail serve(const Job& job, const Serving& workload);

// Prompts whose answers decode at once on one replica.
double prompts_in_flight(const Serving& workload);
// The phase of thinking of a workload that has one, given its detail.
ThinkingResult think(const Job& job, const Serving& workload, const ServingDetail& detail);

} // namespace ridgepoint
