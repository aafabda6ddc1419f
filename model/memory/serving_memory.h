#pragma once
// Memory of a served model: weights, KV cache, activations of the largest step; and how many sequences fit.

#include "model/memory/fit.h"
#include "model/memory/states.h"

namespace ridgepoint {

struct ServingMemoryCase {
    const Transformer& model;
    const Layout& layout; // with experts already placed (see estimate/worker_groups.h)
    const PrecisionRecipe& precision;
    const std::vector<StageContent>& stages;
    double sequences = 0; // held by one attention group (replica, or attention-data-parallel rank)
    double tokens_per_sequence = 0; // reserved: input + output
    double step_tokens = 0; // prompt tokens of the largest step of one attention group; 0: decode only, a token per sequence
    Bytes runtime_reserve;
    Bytes capacity; // the engine's share of visible memory
    double own_tokens = 0; // of each sequence's tokens; the rest is a prompt that `sharing` sequences keep once
    double sharing = 1;
    ServedAdapters adapters; // a slot for each resident one, beside the weights
};

Bytes weight_bytes(const Transformer& model, const Layout& layout, const PrecisionRecipe& precision, const StageContent& stage);
// One sequence's cache on one GPU of a stage. KV heads fewer than tensor ranks are replicated; an MLA latent is not cut.
Bytes kv_bytes_per_sequence(const Transformer& model, const Layout& layout, const PrecisionRecipe& precision, const StageContent& stage, double tokens);
// The same per sequence where all but its own tokens are kept once for `sharing` sequences: of a window, what the own tokens have
// not yet pushed out.
Bytes kv_bytes_per_sequence(const Transformer& model, const Layout& layout, const PrecisionRecipe& precision, const StageContent& stage, double tokens, double own, double sharing);
// One sequence on all GPUs together, each part counted once.
Bytes kv_bytes_of_sequence(const Transformer& model, const PrecisionRecipe& precision, double tokens);
// Whole model, one more token, unsharded and without windows: what the KV cache grows by.
Bytes kv_bytes_per_token(const Transformer& model, NumberFormat format);

MemoryFit serving_memory(const ServingMemoryCase& c);
// Sequences of one attention group that the cache holds; 0 if not even the weights fit.
int largest_batch(const ServingMemoryCase& c);

} // namespace ridgepoint
