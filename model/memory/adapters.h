#pragma once
// LoRA adapters of a served model on one GPU.

#include "model/parallelism/stages.h"

namespace ridgepoint {

// One adapter in bf16 on one GPU of a stage. Tensor parallelism cuts the side that the base matrix is cut on and keeps the other
// whole (vLLM without fully_sharded_loras): of a column-parallel matrix B, of a row-parallel one A. Packed matrices (Q, K, V; gate
// and up) have an A each. Experts have none.
Bytes adapter_bytes(const Transformer& model, const Layout& layout, const StageContent& stage, const ServedAdapters& adapters);

} // namespace ridgepoint
