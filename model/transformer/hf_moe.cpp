#include <algorithm>

#include <fmt/format.h>

#include "model/transformer/hf_families.h"

// Defaults are those of the classes in transformers/models/*/configuration_*.py (release 4.56) and, for the models that
// bring their own code, of the configuration_*.py in their repositories.

namespace ridgepoint {
namespace {

bool never(int)
{
    return false;
}
bool always(int)
{
    return true;
}

void experts(HfConfig& c, Transformer& m, const char* count_key, const char* width_key)
{
    m.moe.experts = c.whole(count_key, 1, hf_most_experts);
    m.moe.top_k = c.whole("num_experts_per_tok", 1, hf_most_experts);
    m.moe.expert_width = c.whole(width_key, 1, hf_most_width);
    if (m.moe.top_k > m.moe.experts)
        c.fail("num_experts_per_tok", "More experts are chosen than there are", fmt::format("{}", m.moe.top_k),
            fmt::format("at most {}", m.moe.experts));
}

void shared_experts(HfConfig& c, Transformer& m, int otherwise)
{
    const int count = c.whole_or("n_shared_experts", 0, 256, otherwise);
    if (count > 0 && m.moe.expert_width > hf_most_width / count)
        c.fail("n_shared_experts", "The shared experts are too wide", fmt::format("{}", count));
    else
        m.moe.shared_width = count * m.moe.expert_width;
}

template <typename IsMoe>
void layers_of(HfDraft& d, const Attention& a, const std::vector<int>& windows, int dense_width, IsMoe is_moe)
{
    d.layers = hf_dense_layers(a, dense_width, windows);
    for (std::size_t i = 0; i < d.layers.size(); ++i)
        if (is_moe(static_cast<int>(i))) {
            d.layers[i].moe = true;
            d.layers[i].ffn_width = 0;
        }
}

// The dense width is asked for only where a dense layer exists.
int dense_width(HfConfig& c, const char* key, bool needed)
{
    return needed ? c.whole(key, 1, hf_most_width) : 0;
}

void build_mixtral(HfConfig& c, HfDraft& d)
{
    const int layers = hf_common(c, d.model, false);
    c.whole("num_key_value_heads", 1, hf_most_heads); // the class would make it 8
    const Attention a = hf_attention(c, d.model);
    experts(c, d.model, "num_local_experts", "intermediate_size");
    layers_of(d, a, hf_windows(c, layers, always, 0), 0, always);
}

void build_qwen_moe(HfConfig& c, HfDraft& d, const Attention& a, int layers)
{
    experts(c, d.model, "num_experts", "moe_intermediate_size");
    const int step = c.whole_or("decoder_sparse_step", 1, hf_most_layers, 1);
    const std::vector<int> plain = c.wholes("mlp_only_layers", 0, hf_most_layers, hf_most_layers);
    const auto is_moe = [&](int i) { return (i + 1) % step == 0 && std::ranges::find(plain, i) == plain.end(); };
    layers_of(
        d, a, hf_qwen_windows(c, layers), dense_width(c, "intermediate_size", step > 1 || !plain.empty()), is_moe);
}

void build_qwen2_moe(HfConfig& c, HfDraft& d)
{
    const int layers = hf_common(c, d.model, false);
    Attention a = hf_attention(c, d.model);
    a.qkv_bias = c.flag_or("qkv_bias", true);
    d.model.moe.shared_width = c.whole("shared_expert_intermediate_size", 0, hf_most_width);
    d.model.moe.shared_gate = d.model.moe.shared_width > 0;
    build_qwen_moe(c, d, a, layers);
}

void build_qwen3_moe(HfConfig& c, HfDraft& d)
{
    const int layers = hf_common(c, d.model, false);
    Attention a = hf_attention(c, d.model);
    a.qk_norm = true;
    a.qkv_bias = a.output_bias = c.flag_or("attention_bias", false);
    if (c.whole_or("shared_expert_intermediate_size", 0, hf_most_width, 0) > 0)
        c.fail("shared_expert_intermediate_size", "A shared expert is not part of this architecture", "", "0");
    build_qwen_moe(c, d, a, layers);
}

// DeepSeek V2, V3, R1, Kimi K2. "num_key_value_heads" equals the heads in these files and says nothing about the cache.
void build_deepseek(HfConfig& c, HfDraft& d)
{
    Transformer& m = d.model;
    const int layers = hf_common(c, m, false);
    Attention a;
    a.kind = AttentionKind::latent;
    a.heads = a.kv_heads = c.whole("num_attention_heads", 1, hf_most_heads);
    if (!c.given("q_lora_rank"))
        c.fail("q_lora_rank", "The configuration has no \"q_lora_rank\"", "",
            "a whole number, or null for queries without a latent");
    a.q_lora_rank = c.whole_or("q_lora_rank", 0, hf_most_width, 0);
    a.kv_lora_rank = c.whole("kv_lora_rank", 1, hf_most_width);
    a.qk_nope_head_dim = c.whole("qk_nope_head_dim", 1, hf_most_width / 2);
    a.qk_rope_head_dim = c.whole("qk_rope_head_dim", 1, hf_most_width / 2);
    a.value_head_dim = c.whole("v_head_dim", 1, hf_most_width);
    a.head_dim = a.qk_nope_head_dim + a.qk_rope_head_dim;
    if (c.flag_or("attention_bias", false))
        c.fail("attention_bias", "Biases in latent attention are not supported", "true", "false");
    m.mtp_depth = c.whole_or("num_nextn_predict_layers", 0, 16, 0);
    const std::vector<int> windows(static_cast<std::size_t>(layers), 0);
    if (c.given("n_routed_experts") && !c.has("n_routed_experts")) { // null: a dense model
        layers_of(d, a, windows, c.whole("intermediate_size", 1, hf_most_width), never);
        return;
    }
    experts(c, m, "n_routed_experts", "moe_intermediate_size");
    shared_experts(c, m, 0);
    const std::string method = c.text_or("topk_method", "greedy");
    m.moe.router_bias = method == "noaux_tc";
    if (method != "greedy" && c.whole_or("n_group", 1, hf_most_experts, 1) > 1)
        m.moe.node_limit = c.whole("topk_group", 1, hf_most_experts);
    const int first = c.whole("first_k_dense_replace", 0, hf_most_layers);
    const int every = c.whole_or("moe_layer_freq", 1, hf_most_layers, 1);
    layers_of(d, a, windows, dense_width(c, "intermediate_size", first > 0 || every > 1),
        [&](int i) { return i >= first && i % every == 0; });
}

void build_gpt_oss(HfConfig& c, HfDraft& d)
{
    Transformer& m = d.model;
    const int layers = hf_common(c, m, false);
    Attention a = hf_attention(c, m, 64);
    a.qkv_bias = a.output_bias = c.flag_or("attention_bias", true);
    experts(c, m, "num_local_experts", "intermediate_size");
    m.moe.router_bias = m.moe.expert_bias = true;
    layers_of(d, a,
        hf_windows(
            c, layers, [](int i) { return i % 2 == 0; }, 128),
        0, always);
}

void build_glm4_moe(HfConfig& c, HfDraft& d)
{
    Transformer& m = d.model;
    const int layers = hf_common(c, m, false);
    Attention a = hf_attention(c, m);
    a.qkv_bias = c.flag_or("attention_bias", false);
    a.qk_norm = c.flag_or("use_qk_norm", false);
    experts(c, m, "n_routed_experts", "moe_intermediate_size");
    shared_experts(c, m, 1);
    m.moe.router_bias = true; // e_score_correction_bias
    if (c.whole_or("n_group", 1, hf_most_experts, 1) > 1)
        m.moe.node_limit = c.whole("topk_group", 1, hf_most_experts);
    m.mtp_depth = c.whole_or("num_nextn_predict_layers", 0, 16, 0);
    const int first = c.whole("first_k_dense_replace", 0, hf_most_layers);
    layers_of(d, a, std::vector<int>(static_cast<std::size_t>(layers), 0),
        dense_width(c, "intermediate_size", first > 0), [first](int i) { return i >= first; });
}

void build_minimax_m2(HfConfig& c, HfDraft& d)
{
    Transformer& m = d.model;
    const int layers = hf_common(c, m, false);
    Attention a = hf_attention(c, m);
    a.qk_norm = c.flag_or("use_qk_norm", false);
    experts(c, m, "num_local_experts", "intermediate_size");
    m.moe.router_bias = c.flag_or("use_routing_bias", false);
    m.moe.shared_width = c.whole_or("shared_intermediate_size", 0, hf_most_width, 0);
    if (c.flag_or("use_mtp", false))
        m.mtp_depth = c.whole("num_mtp_modules", 0, 16) * c.whole_or("mtp_transformer_layers", 1, 1, 1);
    layers_of(d, a, hf_windows(c, layers, never, 0), 0, always);
}

// "intermediate_size" is the width of an expert and of the shared one, "intermediate_size_mlp" that of a dense layer.
// Layers without rotary embedding (every fourth) see everything; the others see their chunk.
void build_llama4(HfConfig& c, HfDraft& d)
{
    Transformer& m = d.model;
    const int layers = hf_common(c, m, false);
    Attention a = hf_attention(c, m, 128);
    a.qkv_bias = a.output_bias = c.flag_or("attention_bias", false);
    // "use_qk_norm" normalises without weights and is left out of the counts
    experts(c, m, "num_local_experts", "intermediate_size");
    m.moe.shared_width = m.moe.expert_width;
    const int step = c.whole("interleave_moe_layer_step", 1, hf_most_layers);
    const std::vector<int> chosen = c.wholes("moe_layers", 0, hf_most_layers, hf_most_layers);
    const auto is_moe
        = [&](int i) { return chosen.empty() ? (i + 1) % step == 0 : std::ranges::find(chosen, i) != chosen.end(); };
    bool any_dense = false;
    for (int i = 0; i < layers; ++i)
        any_dense = any_dense || !is_moe(i);
    const std::vector<int> rotary
        = c.wholes("no_rope_layers", 0, 1, hf_most_layers); // 1: has rotary embedding, despite the name
    if (!rotary.empty() && rotary.size() != static_cast<std::size_t>(layers))
        c.fail("no_rope_layers", "\"no_rope_layers\" and \"num_hidden_layers\" disagree",
            fmt::format("{}", rotary.size()), fmt::format("{}", layers));
    const int interval = c.whole_or("no_rope_layer_interval", 1, hf_most_layers, 4);
    const auto chunked = [&](int i) {
        return rotary.empty() || !c.ok() ? (i + 1) % interval != 0 : rotary[static_cast<std::size_t>(i)] == 1;
    };
    const std::vector<int> windows = hf_windows(c, layers, chunked, 8192, "attention_chunk_size");
    layers_of(d, a, windows, dense_width(c, "intermediate_size_mlp", any_dense), is_moe);
}

// Two attentions with their own heads and widths, values narrower than keys.
void build_mimo_v2(HfConfig& c, HfDraft& d)
{
    Transformer& m = d.model;
    const int layers = hf_common(c, m, false);
    Attention full = hf_attention(c, m);
    full.value_head_dim = c.whole("v_head_dim", 1, hf_most_width);
    full.qkv_bias = c.flag_or("attention_bias", false);
    Attention local = full;
    local.heads = c.whole("swa_num_attention_heads", 1, hf_most_heads);
    local.kv_heads = c.whole("swa_num_key_value_heads", 1, hf_most_heads);
    local.head_dim = c.whole("swa_head_dim", 1, hf_most_width);
    local.value_head_dim = c.whole("swa_v_head_dim", 1, hf_most_width);
    if (local.heads % local.kv_heads != 0)
        c.fail("swa_num_key_value_heads", "KV heads must divide the attention heads", fmt::format("{}", local.kv_heads),
            fmt::format("a divisor of {}", local.heads));
    experts(c, m, "n_routed_experts", "moe_intermediate_size");
    shared_experts(c, m, 0);
    m.moe.router_bias = c.text_or("topk_method", "") == "noaux_tc";
    const std::vector<int> slides = c.wholes("hybrid_layer_pattern", 0, 1, hf_most_layers);
    const std::vector<int> routed = c.wholes("moe_layer_freq", 0, 1, hf_most_layers);
    for (const auto& [key, list] : {std::pair{"hybrid_layer_pattern", &slides}, std::pair{"moe_layer_freq", &routed}})
        if (list->size() != static_cast<std::size_t>(layers)) {
            c.fail(key, "The list must describe every layer", fmt::format("{} entries", list->size()),
                fmt::format("{} entries", layers));
            return;
        }
    const int window = c.whole("sliding_window", 1, hf_most_width);
    const int width = c.whole("intermediate_size", 1, hf_most_width);
    for (std::size_t i = 0; i < slides.size(); ++i) {
        LayerKind k;
        k.attention = slides[i] ? local : full;
        k.window = slides[i] ? window : 0;
        k.moe = routed[i] == 1;
        k.ffn_width = k.moe ? 0 : width;
        d.layers.push_back(k);
    }
}

} // namespace

const std::vector<HfFamily>& hf_moe_families()
{
    static const std::vector<HfFamily> families = {
        {"mixtral", "MixtralForCausalLM", "mixtral", build_mixtral},
        {"qwen2_moe", "Qwen2MoeForCausalLM", "qwen2moe", build_qwen2_moe},
        {"qwen3_moe", "Qwen3MoeForCausalLM", "qwen3moe", build_qwen3_moe},
        {"deepseek_v2", "DeepseekV2ForCausalLM", "deepseek", build_deepseek},
        {"deepseek_v3", "DeepseekV3ForCausalLM", "deepseek", build_deepseek},
        {"kimi_k2", "DeepseekV3ForCausalLM", "kimi", build_deepseek},
        {"gpt_oss", "GptOssForCausalLM", "gptoss", build_gpt_oss},
        {"glm4_moe", "Glm4MoeForCausalLM", "glm4.5", build_glm4_moe},
        {"minimax_m2", "MiniMaxM2ForCausalLM", "minimax", build_minimax_m2},
        {"llama4_text", "Llama4ForCausalLM", "llama4", build_llama4},
        {"mimo_v2_flash", "MiMoV2FlashForCausalLM", "mimo", build_mimo_v2},
    };
    return families;
}

} // namespace ridgepoint
