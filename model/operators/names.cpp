#include <array>

#include "model/operators/operators.h"

namespace ridgepoint {

std::string_view name_of(OperatorKind k)
{
    static constexpr std::array<std::string_view, static_cast<std::size_t>(OperatorKind::host) + 1> names = {
        "Embedding", "Norm", "QKV projection", "Q down projection", "Q up projection", "KV down projection", "KV up projection",
        "Rotary", "Attention", "Output projection", "Residual", "Router", "Token permute", "Gate and up projection", "Activation",
        "Down projection", "Expert gate and up", "Expert activation", "Expert down", "Shared expert gate and up",
        "Shared expert activation", "Shared expert down", "Final norm", "LM head", "Cross entropy", "Sampling", "LoRA adapters",
        "Quantization", "TP all-reduce", "TP all-gather", "TP reduce-scatter", "CP exchange", "EP dispatch", "EP combine",
        "PP send", "DP gradient reduction", "DP parameter gather", "Gradient norm", "Optimizer", "Host"};
    return names[static_cast<std::size_t>(k)];
}

OperatorClass class_of(OperatorKind k)
{
    switch (k) {
    case OperatorKind::qkv_projection:
    case OperatorKind::q_down_projection:
    case OperatorKind::q_up_projection:
    case OperatorKind::kv_down_projection:
    case OperatorKind::kv_up_projection:
    case OperatorKind::output_projection:
    case OperatorKind::router:
    case OperatorKind::gate_up_projection:
    case OperatorKind::down_projection:
    case OperatorKind::expert_gate_up:
    case OperatorKind::expert_down:
    case OperatorKind::shared_gate_up:
    case OperatorKind::shared_down:
    case OperatorKind::lm_head:
    case OperatorKind::lora:
        return OperatorClass::gemm;
    case OperatorKind::attention:
        return OperatorClass::attention;
    case OperatorKind::tp_all_reduce:
    case OperatorKind::tp_all_gather:
    case OperatorKind::tp_reduce_scatter:
    case OperatorKind::cp_exchange:
    case OperatorKind::ep_dispatch:
    case OperatorKind::ep_combine:
    case OperatorKind::pp_send:
    case OperatorKind::dp_reduce:
    case OperatorKind::dp_gather:
        return OperatorClass::collective;
    case OperatorKind::host:
        return OperatorClass::other;
    default:
        return OperatorClass::memory;
    }
}

std::string_view name_of(OperatorClass c)
{
    static constexpr std::array<std::string_view, 5> names = {"GEMM", "attention", "memory-bound", "collective", "other"};
    return names[static_cast<std::size_t>(c)];
}

std::string_view name_of(Phase p)
{
    static constexpr std::array<std::string_view, 6> names = {"forward", "recompute", "backward", "optimizer", "prefill", "decode"};
    return names[static_cast<std::size_t>(p)];
}

} // namespace ridgepoint
