#pragma once
// Gradient reduction and parameter gathering, and what of them sticks out of the computation.

#include "model/operators/context.h"
#include "model/units/attributed_time.h"

namespace ridgepoint {

struct DataParallelTraffic { // of one rank, per step or per layer and pass
    AttributedTime reduce; // gradients
    AttributedTime gather; // parameters
    Bytes nvlink, network;
};

// DDP: all-reduce of the gradients. ZeRO-1/2: reduce-scatter and all-gather. `dense` and `experts`: parameters of the
// rank, whose groups differ.
DataParallelTraffic replicated_traffic(const OperatorContext& c, double dense, double experts);

// ZeRO-3/FSDP: one layer, one pass: gather the layer's parameters; reduce-scatter its gradients. HSDP works inside the
// shard group; hsdp_reduce is what the replicas then exchange once per step.
DataParallelTraffic sharded_layer_traffic(const OperatorContext& c, double dense, double experts);
AttributedTime hsdp_reduce(const OperatorContext& c, double parameters);

} // namespace ridgepoint
