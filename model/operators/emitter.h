#pragma once
// Turns "this layer multiplies tokens by that matrix" into timed operators. One description of a layer (layer.cpp) serves
// every phase: forward and recompute emit the product itself, backward emits its input and weight gradients.

#include "model/operators/context.h"

namespace ridgepoint {

class Emitter {
public:
    Emitter(const OperatorContext& context, Phase phase, std::uint8_t layer_kind, OperatorList& out);

    // rows x k times k x n. `groups` > 1: local experts, rows are those of ONE expert.
    struct Product {
        double rows = 0;
        double n = 0;
        double k = 0;
        double groups = 1;
        double touched = 1; // share of the groups that get any token
        double quantized_rows = 0; // rows that are converted to the products' format, where not all; see GemmShape
        NumberFormat weights = NumberFormat::bf16;
        Arithmetic arithmetic = Arithmetic::bf16;
        bool frozen = false; // no weight gradient
        bool adapter = false; // LoRA adapters ride on it
        double packed = 1; // matrices side by side, each with an adapter of its own
    };
    void product(OperatorKind kind, const Product& p);
    void attention(const AttentionShape& shape);
    // The core of attention kinds without a law of their own: `bytes` streamed, `flops` (bf16) at the rate of products.
    void recurrence(double bytes, double flops);
    // Memory-bound work: bytes moved forward and backward.
    void traffic(OperatorKind kind, Bytes forward, Bytes backward, double launches = 1);
    // `forward` and `backward` collectives over the same buffer (all-gather and reduce-scatter are each other's backward).
    void collective(OperatorKind kind, Collective forward, Collective backward, Bytes buffer, const GroupPlacement& group);
    void exchange(OperatorKind kind, Bytes bytes, Bytes network_bytes, const GroupPlacement& group);
    void add(const Operator& op);

    [[nodiscard]] Phase phase() const { return m_phase; }
    [[nodiscard]] bool backward() const { return m_phase == Phase::backward; }
    [[nodiscard]] const OperatorContext& context() const { return m_context; }

private:
    void gemm(OperatorKind kind, const GemmShape& shape, Flops model_flops);
    void adapters(const Product& p);
    void served_adapters(const Product& p);

    const OperatorContext& m_context;
    Phase m_phase;
    std::uint8_t m_layer_kind;
    OperatorList& m_out;
};

} // namespace ridgepoint
