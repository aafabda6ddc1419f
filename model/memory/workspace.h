#pragma once
// What lives for a moment only: gradients on their way through a layer, logits and what the loss makes of them, and the
// buffers that a framework keeps beside the states.

#include "model/memory/activations.h"
#include "model/parallelism/stages.h"

namespace ridgepoint {

// Who holds the tensors of a training step; the algorithm is the same, what is alive at its peak is not.
enum class TrainingRuntime : unsigned char {
    megatron, // Megatron-Core with TransformerEngine: gradients accumulate into one fp32 buffer
    fsdp, // PyTorch FSDP2 as in torchtitan
    deepspeed, // Megatron-DeepSpeed: low-precision gradients beside the fp32 buffer, pipeline outputs kept
};

// Gradients alive at the worst point of a layer's backward pass, less what it has given back of its activations by then.
Bytes layer_backward_workspace(const Transformer& model, const LayerKind& kind, const Layout& layout, const ActivationCase& what);

// Logits and their gradient, on top of all activations: the larger of the loss's own peak and the head's backward pass.
// The input of the final norm and that of the head are in it. `trains_head` false: LoRA. `heads`: with those
// of multi-token prediction, whose losses come before any backward pass.
Bytes head_workspace(const Transformer& model, const Layout& layout, double tokens, TrainingRuntime runtime, bool trains_head, int heads = 1);

// One placeholder per shape of a weight: TransformerEngine adds a weight's gradient to the fp32 buffer itself and returns
// to autograd a dummy of the weight's shape, which it keeps for good [TransformerEngine 2.x, module/base.py].
Bytes placeholder_gradients(const Transformer& model, const Layout& layout, const StageContent& stage);

} // namespace ridgepoint
