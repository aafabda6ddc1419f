#pragma once
// Seconds of one collective, over NVLink and across nodes: algorithm (ring, tree, NVLS, NVLS tree), protocol by size,
// NIC sharing, latency. Constants are fitted to published nccl-tests runs and live in specs/efficiency/.

#include <string_view>

#include "model/collectives/constants.h"
#include "model/hardware/node.h"
#include "model/hardware/placement.h"
#include "model/units/attributed_time.h"

namespace ridgepoint {

enum class Collective : unsigned char { all_reduce, all_gather, reduce_scatter, all_to_all, send_recv };

enum class CollectiveAlgorithm : unsigned char { none, ring, nvls, tree, nvls_tree, hierarchical, pairwise, direct, in_network };
std::string_view name_of(Collective c);
std::string_view name_of(CollectiveAlgorithm a);

// `buffer`: the full buffer as nccl-tests states it: the reduced vector for all-reduce, the gathered output for
// all-gather, the whole input for reduce-scatter, all that one rank holds to send for all-to-all, the message for
// send/recv.
struct CollectiveCall {
    Collective op = Collective::all_reduce;
    Bytes buffer;
    GroupPlacement group;
    // An algorithm that somebody forced (NCCL_ALGO), all-reduce only; none: the fastest of what the library would choose,
    // which never is in_network (SHARP): a cluster has to be set up for that. One that does not apply is ignored.
    CollectiveAlgorithm only = CollectiveAlgorithm::none;
};

struct CollectiveCost {
    AttributedTime time;
    CollectiveAlgorithm algorithm = CollectiveAlgorithm::none; // the fastest one, as NCCL would choose
    Bytes nvlink; // sent by one GPU over NVLink
    Bytes network; // sent by one GPU over the fabric
};

// Zero cost for a group of one rank. The cluster gives link rates and the fabric.
CollectiveCost collective_cost(const CollectiveCall& call, const Cluster& cluster, const CollectiveConstants& c);

// Bus bandwidth as nccl-tests defines it: buffer/time x 2(n-1)/n for all-reduce, x (n-1)/n for all-gather,
// reduce-scatter and all-to-all, x 1 for send/recv.
double bus_factor(Collective op, int ranks);

// Expert-parallel dispatch or combine by RDMA kernels (DeepEP, HybridEP, UCCL): `bytes_per_gpu` of token copies leave each
// GPU, `network_bytes_per_gpu` of them must cross the fabric after de-duplication per node.
CollectiveCost expert_exchange_cost(
    Bytes bytes_per_gpu, Bytes network_bytes_per_gpu, const GroupPlacement& group, const Cluster& cluster, const CollectiveConstants& c);

} // namespace ridgepoint
