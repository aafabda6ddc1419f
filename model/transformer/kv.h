#pragma once
// The KV cache in elements: what a context leaves behind, before precision and parallelism are chosen.

#include "model/transformer/transformer.h"
#include "model/units/quantity.h"

namespace ridgepoint {

// Of one token in one layer. Grouped: keys and values of the KV heads, g (d + d_v). Latent: what MLA caches, the
// compressed vector and the shared rotary key, c + r [DeepSeek-V2, arXiv:2405.04434, section 2.1.4], whatever
// "num_key_value_heads" says (128 in DeepSeek's file: 57 times too much).
// Sparse attention adds the indexer's key; linear attention caches nothing that grows.
double kv_elements_per_token(const Attention& attention);

// Of one sequence in one layer of linear attention, whatever its length: the state in fp32 and the last inputs of the
// convolution in bf16 (mamba_ssm_dtype in Qwen3-Next's and Qwen3.5's config.json). Zero for other kinds.
Bytes state_bytes(const Attention& attention);

// Of a whole sequence of `tokens` (>= 0) through all layers, MTP layers aside; a windowed layer keeps min(tokens,
// window).
double kv_elements(const Transformer& model, double tokens);

} // namespace ridgepoint
