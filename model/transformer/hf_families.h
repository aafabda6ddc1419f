#pragma once
// What each architecture of the transformers library means in our terms. Internal to import_hf.

#include <functional>
#include <string_view>
#include <vector>

#include "model/transformer/hf_config.h"
#include "model/transformer/transformer.h"

namespace ridgepoint {

// A model on its way: one LayerKind per layer; the importer merges those that are alike.
struct HfDraft
{
    Transformer model;
    std::vector<LayerKind> layers;
};

struct HfFamily
{
    std::string_view model_type;
    std::string_view
        architecture; // "architectures"[0] of a causal language model of this type; several types may share it
    std::string_view family; // Transformer::family
    void (*build)(HfConfig&, HfDraft&);
};

const std::vector<HfFamily>& hf_dense_families(); // hf_dense.cpp
const std::vector<HfFamily>& hf_moe_families(); // hf_moe.cpp

// Shared by the families -------------------------------------------------------------------------------------------

// hidden_size, vocab_size, num_hidden_layers, tie_word_embeddings. Returns the number of layers.
int hf_common(HfConfig& c, Transformer& m, bool tied_by_default);
// heads, KV heads (null or absent: as many as heads) and head_dim (absent: `head_dim`, or hidden/heads where that is
// 0).
Attention hf_attention(HfConfig& c, const Transformer& m, int head_dim = 0);

// The window of each layer: from "layer_types" where the file has it, else slides(layer) -> `window_key`'s value.
using HfSlides = std::function<bool(int)>;
std::vector<int> hf_windows(
    HfConfig& c, int layers, const HfSlides& slides, int default_window, const char* window_key = "sliding_window");
// Qwen: "sliding_window" counts only with "use_sliding_window", and then from layer "max_window_layers" on.
std::vector<int> hf_qwen_windows(HfConfig& c, int layers);

std::vector<LayerKind> hf_dense_layers(const Attention& attention, int ffn_width, const std::vector<int>& windows);

} // namespace ridgepoint
