#pragma once
// The blocks of a layer. Private to the operators floor.

#include "model/operators/layer.h"

namespace ridgepoint {

// Rows that norms and residuals see on one rank: with sequence parallelism they are cut over the tensor ranks.
double norm_rows(const OperatorContext& c, const TokenBatch& batch);

void emit_norm(Emitter& emit, OperatorKind kind, double rows, double hidden);
void emit_residual(Emitter& emit, double rows, double hidden);

// Communication at the edges of a tensor-parallel block: all-gather in and reduce-scatter out with sequence parallelism,
// otherwise nothing in and an all-reduce out (backward: the other way round).
void emit_tp_enter(Emitter& emit, double rows);
void emit_tp_leave(Emitter& emit, double rows);

void emit_attention_block(Emitter& emit, const LayerKind& kind, const TokenBatch& batch, const LayerParts& parts);
void emit_mlp_block(Emitter& emit, const LayerKind& kind, const TokenBatch& batch, const LayerParts& parts);
void emit_moe_block(Emitter& emit, const TokenBatch& batch, const LayerParts& parts);

} // namespace ridgepoint
