#pragma once
// Fitted constants of the collective laws (collectives.h): those of the NVLink side per GPU, those of the network side
// per fabric. Every figure lives in specs/efficiency/*.json with its source and date. Fractions are of the link's
// data-sheet rate in one direction, so that the laws stay homogeneous in the speeds.

#include <string>

#include "model/units/quantity.h"

namespace ridgepoint {

// Over NVLink, w = bytes one GPU sends:
// base + per_rank (n - 1) + ramp / (1 + (ramp_bytes / w)^1/2) + w / (fraction rate (1 - loss / n)).
// base and per_rank are what the LL protocol costs; ramp is what LL128 and Simple add while their pipelines fill; loss
// is what few peers leave unused of the links.
// Of a pair alone (send/recv), the library opens few channels and doubles them only when each would carry more than a part:
// the transfer takes min(w, part) / (part_fraction rate) at least.
struct DomainLaw {
    Seconds base;
    Seconds per_rank;
    Seconds ramp;
    Bytes ramp_bytes{1.0};
    double fraction = 0.8;
    double loss = 0.0;
    Bytes part; // send/recv only; zero: not known
    double part_fraction = 1.0;
};

// Token exchange of expert-parallel kernels (DeepEP, HybridEP): latency + per_domain (domains - 2) + bytes / (fraction rate).
// Each further domain is one more peer that a GPU posts to and waits for; two are in the latency.
struct ExchangeLaw {
    Seconds latency;
    Seconds per_domain; // fabrics only
    double fraction = 0.5;
};

struct DomainConstants {
    std::string gpu; // efficiency id
    DomainLaw all_reduce; // ring
    DomainLaw all_reduce_switch; // NVLS: the switch reduces; w stays 2 (n - 1) / n of the buffer, so that rates compare
    int switch_minimum_ranks = 5; // NCCL uses NVLS from here
    DomainLaw gather; // all-gather and reduce-scatter, ring
    DomainLaw all_to_all;
    DomainLaw send_recv;
    ExchangeLaw exchange;
    // All-reduce of serving engines, a kernel that reads its peers' memory inside a recorded graph: latency +
    // 2 (n - 1) / n of the buffer / (fraction rate). Zero latency: there is none for this GPU.
    ExchangeLaw peer_all_reduce;
    double routed_share = 1.0; // of the all-to-all rate that experts' tokens reach; training sets it (sustained.h)
    double rails = 1e9; // NICs that the rings and trees of one NVLink domain keep busy at most
    double residual_median = 0.0; // leave-points-out, fraction of the measured time
    double residual_p90 = 0.0;
};

// Across domains, S = buffer, N = domains: base + per_hop log2 N +
// (ramp + ramp_per_hop log2 N) / (1 + (ramp_bytes / S)^1/2) beside the transfer through the NICs of the group at
// `fraction` of their rate.
struct TreeLaw {
    Seconds base;
    Seconds per_hop;
    Seconds ramp;
    Seconds ramp_per_hop;
    Bytes ramp_bytes{1.0};
    double fraction = 0.75;
};

// Across domains: base + per_rank of the domain's law for each hop inside + (per_step + per_step_rails r^2) for each
// crossing of the fabric, beside the transfer; r = rails (ranks of the group in a domain).
struct RingLaw {
    Seconds base;
    Seconds per_step;
    Seconds per_step_rails;
    double fraction = 0.95;
};

// Every rank with every other one (all-to-all), or with one neighbour (send/recv). The NICs lose `decay` of their rate
// with each doubling of the domains beyond two (all-to-all) or four (send/recv).
struct PairwiseLaw {
    Seconds base;
    Seconds per_peer;
    double fraction = 0.9;
    double decay = 0.0;
};

struct FabricConstants {
    std::string fabric; // efficiency id
    TreeLaw tree; // NVLSTree where the switch reduces, double binary tree elsewhere
    RingLaw ring;
    PairwiseLaw all_to_all;
    PairwiseLaw send_recv;
    ExchangeLaw exchange;
    double routed_share = 1.0; // as in the domain
    double in_network_fraction = 0.7; // of the NIC rate when the fabric's switches reduce (SHARP)
    double staged_fraction = 0.5; // of the NIC rate that is left without GPUDirect RDMA (bounce through host memory)
    double residual_median = 0.0;
    double residual_p90 = 0.0;
};

struct CollectiveConstants {
    DomainConstants domain;
    FabricConstants fabric;
};

} // namespace ridgepoint
