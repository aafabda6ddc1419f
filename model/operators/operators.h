#pragma once
// What ONE GPU executes: a list of operators per layer and phase, with FLOPs, bytes per memory level, messages per link.

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/units/attributed_time.h"
#include "model/units/quantity.h"

namespace ridgepoint {

enum class OperatorKind : std::uint8_t {
    embedding,
    norm,
    qkv_projection,
    q_down_projection, // MLA
    q_up_projection,
    kv_down_projection,
    kv_up_projection, // also its absorbed forms in decode
    rotary,
    attention,
    output_projection,
    residual,
    router,
    permute, // tokens to experts and back
    gate_up_projection,
    activation,
    down_projection,
    expert_gate_up,
    expert_activation,
    expert_down,
    shared_gate_up,
    shared_activation,
    shared_down,
    final_norm,
    lm_head,
    cross_entropy,
    sampling,
    lora, // adapter products
    quantize,
    tp_all_reduce, // or its all-gather and reduce-scatter halves
    tp_all_gather,
    tp_reduce_scatter,
    cp_exchange,
    ep_dispatch,
    ep_combine,
    pp_send,
    dp_reduce, // gradients
    dp_gather, // parameters
    gradient_norm,
    optimizer,
    host,
};
std::string_view name_of(OperatorKind k); // "QKV projection"

// For colours, legends and matching with measured kernels.
enum class OperatorClass : std::uint8_t { gemm, attention, memory, collective, other };
OperatorClass class_of(OperatorKind k);
std::string_view name_of(OperatorClass c);

enum class Phase : std::uint8_t { forward, recompute, backward, optimizer, prefill, decode };
std::string_view name_of(Phase p);

// One operator, once. Counts say how often it runs per step on the GPU that decides the step time.
struct Operator {
    OperatorKind kind = OperatorKind::norm;
    Phase phase = Phase::forward;
    std::uint8_t layer_kind = 0; // index into Transformer::kinds; 255: outside the layers
    double count = 1;
    Flops flops; // executed ("hardware" FLOPs)
    Flops model_flops; // as the model needs them: no recomputation, attention backward counted 2 x
    Bytes hbm;
    Bytes nvlink; // sent by this GPU
    Bytes network; // sent by this GPU
    AttributedTime time; // of one execution, not counting overlap
    double hidden = 0; // share of the time that runs behind other work (communication)
    double m = 0, n = 0, k = 0; // GEMM shape, for the table; 0 elsewhere

    [[nodiscard]] FlopPerByte intensity() const { return hbm.value() > 0 ? flops / hbm : FlopPerByte{}; }
    [[nodiscard]] Seconds total_time() const { return time.total() * count; }
};
inline constexpr std::uint8_t outside_layers = 255;

using OperatorList = std::vector<Operator>;

} // namespace ridgepoint
