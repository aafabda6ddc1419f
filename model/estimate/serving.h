#pragma once
// Prefill and decode steps of one replica, with the values that explain them. Private to the estimate floor.

#include <vector>

#include "model/estimate/estimate.h"
#include "model/operators/layer.h"
#include "model/parallelism/stages.h"
#include "model/schedule/layer_time.h"

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
