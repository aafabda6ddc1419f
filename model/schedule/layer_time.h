#pragma once
// Time of one layer (or of what stands before and after the layers) in one direction, with what its communication
// leaves exposed behind its own computation.

#include <span>

#include "model/operators/operators.h"
#include "model/parallelism/layout.h"

namespace ridgepoint {

struct LayerTime {
    AttributedTime gemm, attention, elementwise; // computation, in sequence
    AttributedTime tp, cp, ep; // exposed communication
    AttributedTime host; // what launching from the host adds to the above
    Seconds tp_hidden, cp_hidden, ep_hidden;

    [[nodiscard]] AttributedTime compute() const { return gemm + attention + elementwise; }
    [[nodiscard]] AttributedTime total() const { return compute() + tp + cp + ep + host; }
    LayerTime& operator+=(const LayerTime& o);
    LayerTime& operator*=(double k);
};
LayerTime operator*(double k, LayerTime t);
LayerTime operator+(LayerTime a, const LayerTime& b);

struct OverlapRules {
    bool tp = false; // TP collectives are cut into tiles behind their GEMM
    int tp_degree = 1;
    bool ring_cp = false; // KV hops run behind the attention of the previous block
    int cp_degree = 1;
    bool ep = false; // expert exchange runs behind the other microbatch
    double ep_hidden = 1.0; // share of it that can, at best
    Seconds host_per_launch; // zero: CUDA graphs
    Seconds host_per_moe_layer; // forward or recomputation; twice that backward
};
OverlapRules overlap_rules(const Layout& layout, Seconds host_per_launch, Seconds host_per_moe_layer = {}, double ep_hidden = 1.0);

// Sums the operators and marks in each communication operator which share of it is hidden.
LayerTime layer_time(std::span<Operator> operators, const OverlapRules& rules);

} // namespace ridgepoint
