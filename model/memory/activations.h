#pragma once
// Bytes that the forward pass keeps for the backward pass, per layer, microbatch and GPU.
// Reproduces table 2 of Korthikanti et al. 2022 (arXiv:2205.05198) for its case (fp16, dropout, GeLU, f = 4h, unfused
// attention) and lists the same tensors for GQA, MLA, gated MLPs, MoE and fused attention.

#include "model/parallelism/layout.h"

namespace ridgepoint {

struct ActivationCase {
    double tokens = 0; // of one microbatch on one tensor-parallel group (after context parallelism)
    double sequence_length = 0; // of the whole sequence: unfused attention keeps a score per key
    bool dropout = false;
    Recompute recompute = Recompute::none;
    double moe_imbalance = 1.0;
};

Bytes layer_activations(const Transformer& model, const LayerKind& kind, const Layout& layout, const PrecisionRecipe& precision,
    const ActivationCase& what);

// Layers' worth of activations held at the peak by stage `stage`, in units of ONE microbatch of ALL its layers:
// 1F1B min(m, p - i); interleaved (2(p - i - 1) + (v - 1) p + 1)/v [Korthikanti section 4.2.3: first stage L(1 + (p-1)/(pv))];
// GPipe m; zero bubble as 1F1B; DualPipe p + 1 [DeepSeek-V3, arXiv:2412.19437, section 3.2].
double microbatches_in_flight(const Layout& layout, int stage, int microbatches);

} // namespace ridgepoint
