#pragma once
// The network's architecture, as far as it decides FLOPs, bytes and messages. Loaded from specs/models/*.json or
// imported from a Hugging Face config.json. Widths are per token; nothing here depends on parallelism or precision.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ridgepoint {

enum class AttentionKind : unsigned char {
    grouped, // MHA (kv_heads == heads), GQA, MQA (kv_heads == 1)
    latent, // MLA [DeepSeek-V2, arXiv:2405.04434, section 2.1]
    linear, // gated delta rule: a state of fixed size instead of a cache [Yang 2024, arXiv:2412.06464]; heads are value heads
};

struct Attention {
    AttentionKind kind = AttentionKind::grouped;
    int heads = 0;
    int kv_heads = 0;
    int head_dim = 0; // of Q and K (grouped); explicit, not hidden/heads
    int value_head_dim = 0; // of V; equals head_dim for grouped attention
    bool qkv_bias = false;
    bool output_bias = false;
    bool qk_norm = false;
    // MLA only
    int q_lora_rank = 0; // 0: queries are projected straight from the hidden state
    int kv_lora_rank = 0;
    int qk_nope_head_dim = 0;
    int qk_rope_head_dim = 0;
    // Sparse attention: an indexer of index_heads x index_dim scores all keys, queries see the best index_top_k
    // [DeepSeek-V3.2, arXiv:2512.02556, section 2.1]. 0: all keys.
    int index_heads = 0;
    int index_dim = 0;
    int index_top_k = 0;
    bool output_gate = false; // a gate as wide as the output, projected with the queries (Qwen3-Next); always so in linear
    int convolution = 0; // linear only: width of the causal convolution over Q, K and V

    bool operator==(const Attention&) const = default;
};

// Layers that look alike share a kind. window > 0: a query sees at most that many keys (sliding window or chunk).
struct LayerKind {
    Attention attention;
    int window = 0;
    bool moe = false;
    int ffn_width = 0; // dense MLP width (a dense layer of an MoE model may be wider than its experts); 0 in MoE layers
    bool attention_free = false; // pruned layers (Nemotron Super): no attention block

    bool operator==(const LayerKind&) const = default;
};
inline constexpr std::size_t most_layer_kinds = 64; // of one model; bounds hostile specs

struct MixtureOfExperts {
    int experts = 0; // routed
    int top_k = 0;
    int expert_width = 0;
    int shared_width = 0; // all shared experts together; 0: none
    bool shared_gate = false; // hidden -> 1 gate on the shared expert (Qwen2-MoE)
    bool router_bias = false; // per-expert correction or bias
    int node_limit = 0; // tokens go to at most this many groups of experts (DeepSeek-V3: 4); 0: no limit
    bool expert_bias = false; // biases inside the experts (gpt-oss)

    bool operator==(const MixtureOfExperts&) const = default;
};

enum class NormKind : unsigned char { rms, layer }; // layer norm has a bias

struct Transformer {
    std::string id; // "llama-3.1-405b"
    std::string name; // "Llama 3.1 405B"
    std::string family; // "llama3": for strata in validation
    int hidden = 0;
    int vocab = 0;
    bool tied_embeddings = false;
    bool gated_mlp = true; // three matrices (SwiGLU, GeGLU), else two
    bool mlp_bias = false;
    NormKind norm = NormKind::rms;
    int norms_per_layer = 2; // Gemma 2/3: 4; parallel attention and MLP (Falcon, Command R): 1 or 2
    bool parallel_block = false; // attention and MLP read the same input: one all-reduce instead of two
    int learned_positions = 0; // rows of a learned position table (GPT-3, MPT); 0: rotary or ALiBi
    bool embedding_norm = false; // an extra norm after the embedding (Bloom)
    int mtp_depth = 0; // multi-token-prediction layers at the end (DeepSeek-V3: 1)
    MixtureOfExperts moe; // experts == 0: a dense network
    std::vector<LayerKind> kinds;
    std::vector<std::uint8_t> layers; // index into kinds, first layer to last

    [[nodiscard]] int layer_count() const { return static_cast<int>(layers.size()); }
    [[nodiscard]] const LayerKind& layer(int i) const { return kinds[layers[static_cast<std::size_t>(i)]]; }
    [[nodiscard]] int layers_of_kind(std::size_t kind) const;
    [[nodiscard]] bool is_moe() const { return moe.experts > 0; }

    bool operator==(const Transformer&) const = default;
};

// Parameters, counted. `matmul` leaves out norms, biases and the input embedding (a gather).
struct ParameterCount {
    double total = 0; // without MTP layers
    double active = 0; // touched by one token: top_k of the experts
    double embedding = 0; // input table (and positions)
    double lm_head = 0; // zero if tied
    double matmul_active = 0; // in matrix products per token, LM head included even if tied
    double mtp = 0; // multi-token-prediction layers, not in total
};

ParameterCount count_parameters(const Transformer& model);

struct LayerParameters { // of one layer
    double attention = 0; // projections with biases
    double mlp = 0; // dense MLP, zero in MoE layers
    double router = 0;
    double experts = 0; // all routed experts
    double shared_expert = 0;
    double norms = 0;
    [[nodiscard]] double total() const { return attention + mlp + router + experts + shared_expert + norms; }
};
LayerParameters count_layer_parameters(const Transformer& model, const LayerKind& kind);

} // namespace ridgepoint
