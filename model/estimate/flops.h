#pragma once
// FLOPs that the model needs, under the conventions that published MFU figures use. Independent of parallelism.

#include "model/estimate/job.h"

namespace ridgepoint {

// Forward FLOPs of one token of a sequence of `sequence` tokens, exact: every matrix product, attention at its causal or
// windowed cost, the LM head; the embedding is a gather.
FlopsPerToken forward_flops_per_token(const Transformer& model, double sequence, bool causal);

// FLOPs of one training step of the whole job under a convention; FlopConvention::hardware needs the executed operators
// and is not answered here (use TrainingResult). LoRA skips the weight gradients of the frozen matrices.
Flops training_flops(const Transformer& model, const Training& workload, FlopConvention convention);

std::string_view name_of(FlopConvention c); // "model FLOPs, causal attention, exact"

} // namespace ridgepoint
