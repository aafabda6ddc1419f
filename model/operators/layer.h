#pragma once
// One transformer layer as operators of one GPU, and what stands before and after the layers.

#include "model/operators/emitter.h"

namespace ridgepoint {

// Which blocks of the layer to emit: all of them, or what a recompute policy runs again.
struct LayerParts {
    bool norms = true;
    bool attention_projections = true;
    bool latent_up = true; // MLA: latents to heads
    bool attention_core = true;
    bool mlp = true;
    bool activations = true; // activation functions
    bool communication = true;

    [[nodiscard]] bool any() const { return norms || attention_projections || attention_core || mlp || activations || communication; }
};
LayerParts all_parts();
// Everything false for Recompute::none, and in layers of experts for Recompute::mlp, which Megatron-Core applies to dense
// blocks only (recompute_modules: "mlp").
LayerParts recomputed_parts(Recompute policy, bool moe = false);

void emit_layer(Emitter& emit, const LayerKind& kind, const TokenBatch& batch, const LayerParts& parts = all_parts());

void emit_embedding(Emitter& emit, const TokenBatch& batch);
// Final norm, LM head and, in training, the loss. `sampled`: rows that need logits (all tokens in training).
void emit_head(Emitter& emit, double sampled_rows);

// Token copies that one rank sends in an expert dispatch, and how many must cross the fabric. Routing is uniform.
struct ExpertTraffic {
    double copies = 0; // token copies that leave the rank (to other ranks), one per chosen expert
    double distinct_remote_domains = 0; // expected NVLink domains other than its own that a token goes to
};
ExpertTraffic expert_traffic(const MixtureOfExperts& moe, const GroupPlacement& group, double tokens, int ep);

// Expected share of `experts` that at least one of `tokens` tokens chooses, uniform routing [E(1 - (1 - k/E)^T)].
double touched_experts(const MixtureOfExperts& moe, double tokens);

} // namespace ridgepoint
