#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/transformer/hf_families.h"

// Defaults are those of the classes in transformers/models/*/configuration_*.py (release 4.56).

namespace ridgepoint {
namespace {

int width(HfConfig& c)
{
    return c.whole("intermediate_size", 1, hf_most_width);
}
bool never(int)
{
    return false;
}
bool always(int)
{
    return true;
}

void build_llama(HfConfig& c, HfDraft& d)
{
    const int layers = hf_common(c, d.model, false);
    Attention a = hf_attention(c, d.model);
    a.qkv_bias = a.output_bias = c.flag_or("attention_bias", false);
    d.model.mlp_bias = c.flag_or("mlp_bias", false);
    d.layers = hf_dense_layers(a, width(c), hf_windows(c, layers, never, 0));
}

void build_mistral(HfConfig& c, HfDraft& d)
{
    const int layers = hf_common(c, d.model, false);
    // The class would make it 8: too much rides on it to take it from there.
    c.whole("num_key_value_heads", 1, hf_most_heads);
    d.layers = hf_dense_layers(hf_attention(c, d.model), width(c), hf_windows(c, layers, always, 4096));
}

void build_qwen2(HfConfig& c, HfDraft& d)
{
    const int layers = hf_common(c, d.model, false);
    Attention a = hf_attention(c, d.model);
    a.qkv_bias = true;
    d.layers = hf_dense_layers(a, width(c), hf_qwen_windows(c, layers));
}

void build_qwen3(HfConfig& c, HfDraft& d)
{
    const int layers = hf_common(c, d.model, false);
    Attention a = hf_attention(c, d.model, 128);
    a.qk_norm = true;
    a.qkv_bias = a.output_bias = c.flag_or("attention_bias", false);
    d.layers = hf_dense_layers(a, width(c), hf_qwen_windows(c, layers));
}

void build_gemma(HfConfig& c, HfDraft& d)
{
    const int layers = hf_common(c, d.model, true);
    Attention a = hf_attention(c, d.model, 256);
    a.qkv_bias = a.output_bias = c.flag_or("attention_bias", false);
    d.layers = hf_dense_layers(a, width(c), std::vector<int>(static_cast<std::size_t>(layers), 0));
}

void build_gemma2(HfConfig& c, HfDraft& d)
{
    const int layers = hf_common(c, d.model, true);
    d.model.norms_per_layer = 4;
    Attention a = hf_attention(c, d.model, 256);
    a.qkv_bias = a.output_bias = c.flag_or("attention_bias", false);
    d.layers = hf_dense_layers(a, width(c),
        hf_windows(
            c, layers, [](int i) { return i % 2 == 0; }, 4096));
}

// The text models inside Gemma 3's published files leave out whatever equals the class's default, vocabulary and heads
// included: those are filled in here, and only here.
void build_gemma3(HfConfig& c, HfDraft& d)
{
    Transformer& m = d.model;
    m.hidden = c.whole("hidden_size", 1, hf_most_width);
    m.vocab = c.whole_or("vocab_size", 1, hf_most_width, 262208);
    m.tied_embeddings = c.flag_or("tie_word_embeddings", true);
    m.norms_per_layer = 4;
    const int layers = c.whole("num_hidden_layers", 1, hf_most_layers);
    Attention a;
    a.heads = c.whole_or("num_attention_heads", 1, hf_most_heads, 8);
    a.kv_heads = c.whole_or("num_key_value_heads", 1, hf_most_heads, 4);
    if (a.heads % a.kv_heads != 0)
        c.fail("num_key_value_heads", "KV heads must divide the attention heads", fmt::format("{}", a.kv_heads),
            fmt::format("a divisor of {}", a.heads));
    a.head_dim = a.value_head_dim = c.whole_or("head_dim", 1, hf_most_width, 256);
    a.qkv_bias = a.output_bias = c.flag_or("attention_bias", false);
    a.qk_norm = true;
    const int pattern = c.whole_or("sliding_window_pattern", 1, hf_most_layers, 6);
    d.layers = hf_dense_layers(a, width(c),
        hf_windows(
            c, layers, [pattern](int i) { return (i + 1) % pattern != 0; }, 4096));
}

// Phi-1, 1.5 and 2: one norm with bias, attention and MLP side by side, biases everywhere.
void build_phi(HfConfig& c, HfDraft& d)
{
    Transformer& m = d.model;
    const int layers = hf_common(c, m, false);
    m.gated_mlp = false;
    m.mlp_bias = true;
    m.norm = NormKind::layer;
    m.norms_per_layer = 1;
    m.parallel_block = true;
    Attention a = hf_attention(c, m);
    a.qkv_bias = a.output_bias = true;
    a.qk_norm = c.flag_or("qk_layernorm", false);
    d.layers = hf_dense_layers(a, width(c), std::vector<int>(static_cast<std::size_t>(layers), 0));
}

void build_phi3(HfConfig& c, HfDraft& d) // Phi-4 too
{
    const int layers = hf_common(c, d.model, false);
    d.layers = hf_dense_layers(hf_attention(c, d.model), width(c), hf_windows(c, layers, always, 0));
}

void build_falcon(HfConfig& c, HfDraft& d)
{
    Transformer& m = d.model;
    const int layers = hf_common(c, m, true);
    const bool new_decoder = c.flag_or("new_decoder_architecture", false);
    m.gated_mlp = false;
    m.norm = NormKind::layer;
    m.mlp_bias = c.flag_or("bias", false);
    m.parallel_block = new_decoder || c.flag_or("parallel_attn", true);
    m.norms_per_layer = new_decoder ? c.whole_or("num_ln_in_parallel_attn", 1, 2, 2) : m.parallel_block ? 1 : 2;
    Attention a = hf_attention(c, m);
    a.kv_heads = new_decoder             ? c.whole_or("num_kv_heads", 1, hf_most_heads, a.heads)
        : c.flag_or("multi_query", true) ? 1
                                         : a.heads;
    if (a.heads % a.kv_heads != 0)
        c.fail("num_kv_heads", "KV heads must divide the attention heads", fmt::format("{}", a.kv_heads),
            fmt::format("a divisor of {}", a.heads));
    a.qkv_bias = a.output_bias = m.mlp_bias;
    const int ffn = c.whole_or("ffn_hidden_size", 1, hf_most_width, std::min(4 * m.hidden, hf_most_width));
    d.layers = hf_dense_layers(a, ffn, std::vector<int>(static_cast<std::size_t>(layers), 0));
}

// Cohere's layer norm has no bias: it is counted as an RMS norm is.
void build_cohere(HfConfig& c, HfDraft& d)
{
    Transformer& m = d.model;
    const int layers = hf_common(c, m, true);
    m.norms_per_layer = 1;
    m.parallel_block = true;
    Attention a = hf_attention(c, m);
    a.qkv_bias = a.output_bias = c.flag_or("attention_bias", false);
    a.qk_norm = c.flag_or("use_qk_norm", false);
    d.layers = hf_dense_layers(a, width(c), std::vector<int>(static_cast<std::size_t>(layers), 0));
}

void build_cohere2(HfConfig& c, HfDraft& d)
{
    build_cohere(c, d);
    const int pattern = c.whole_or("sliding_window_pattern", 1, hf_most_layers, 4);
    const std::vector<int> windows = hf_windows(
        c, static_cast<int>(d.layers.size()), [pattern](int i) { return (i + 1) % pattern != 0; }, 4096);
    for (std::size_t i = 0; i < d.layers.size(); ++i)
        d.layers[i].window = windows[i];
}

// MPT has its own names for everything (llm-foundry).
void build_mpt(HfConfig& c, HfDraft& d)
{
    Transformer& m = d.model;
    m.hidden = c.whole("d_model", 1, hf_most_width);
    m.vocab = c.whole("vocab_size", 1, hf_most_width);
    m.tied_embeddings = c.flag_or("tie_word_embeddings", true);
    m.gated_mlp = false;
    const bool biases = !c.flag_or("no_bias", false);
    m.mlp_bias = biases;
    m.norm = biases ? NormKind::layer : NormKind::rms; // without biases its layer norm has one weight per channel
    if (c.flag_or("learned_pos_emb", true) && !c.flag_or("attn_config/alibi", false)
        && !c.flag_or("attn_config/rope", false))
        m.learned_positions = c.whole("max_seq_len", 1, hf_most_width);
    const int layers = c.whole("n_layers", 1, hf_most_layers);
    Attention a;
    a.heads = a.kv_heads = c.whole("n_heads", 1, hf_most_heads);
    if (m.hidden % a.heads != 0)
        c.fail("n_heads", "The heads do not divide \"d_model\"", fmt::format("{}", a.heads),
            fmt::format("a divisor of {}", m.hidden));
    a.head_dim = a.value_head_dim = std::max(m.hidden / a.heads, 1);
    const std::string type = c.text_or("attn_config/attn_type", "multihead_attention");
    if (type == "multiquery_attention")
        a.kv_heads = 1;
    else if (type == "grouped_query_attention")
        a.kv_heads = c.whole("attn_config/kv_n_heads", 1, a.heads);
    else if (type != "multihead_attention")
        c.fail("attn_config/attn_type", "This attention is not supported", type,
            "multihead_attention, multiquery_attention or grouped_query_attention");
    if (a.heads % a.kv_heads != 0)
        c.fail("attn_config/kv_n_heads", "KV heads must divide the attention heads", fmt::format("{}", a.kv_heads),
            fmt::format("a divisor of {}", a.heads));
    a.qkv_bias = a.output_bias = biases;
    a.qk_norm = c.flag_or("attn_config/qk_ln", false);
    const int ratio = c.whole_or("expansion_ratio", 1, 64, 4);
    d.layers = hf_dense_layers(
        a, std::min(m.hidden, hf_most_width / ratio) * ratio, std::vector<int>(static_cast<std::size_t>(layers), 0));
}

void build_gpt2(HfConfig& c, HfDraft& d)
{
    Transformer& m = d.model;
    m.hidden = c.whole("n_embd", 1, hf_most_width);
    m.vocab = c.whole("vocab_size", 1, hf_most_width);
    m.learned_positions = c.whole("n_positions", 1, hf_most_width);
    m.tied_embeddings = c.flag_or("tie_word_embeddings", true);
    m.gated_mlp = false;
    m.mlp_bias = true;
    m.norm = NormKind::layer;
    const int layers = c.whole("n_layer", 1, hf_most_layers);
    Attention a;
    a.heads = a.kv_heads = c.whole("n_head", 1, hf_most_heads);
    if (m.hidden % a.heads != 0)
        c.fail("n_head", "The heads do not divide \"n_embd\"", fmt::format("{}", a.heads),
            fmt::format("a divisor of {}", m.hidden));
    a.head_dim = a.value_head_dim = std::max(m.hidden / a.heads, 1);
    a.qkv_bias = a.output_bias = true;
    const int ffn = c.whole_or("n_inner", 1, hf_most_width, std::min(4 * m.hidden, hf_most_width));
    d.layers = hf_dense_layers(a, ffn, std::vector<int>(static_cast<std::size_t>(layers), 0));
}

void build_gpt_neox(HfConfig& c, HfDraft& d)
{
    Transformer& m = d.model;
    const int layers = hf_common(c, m, false);
    m.gated_mlp = false;
    m.mlp_bias = true;
    m.norm = NormKind::layer;
    m.parallel_block = c.flag_or("use_parallel_residual", true);
    Attention a = hf_attention(c, m);
    a.qkv_bias = a.output_bias = c.flag_or("attention_bias", true);
    d.layers = hf_dense_layers(a, width(c), std::vector<int>(static_cast<std::size_t>(layers), 0));
}

void build_olmo2(HfConfig& c, HfDraft& d)
{
    const int layers = hf_common(c, d.model, false);
    Attention a = hf_attention(c, d.model);
    a.qkv_bias = a.output_bias = c.flag_or("attention_bias", false);
    a.qk_norm = true;
    d.layers = hf_dense_layers(a, width(c), std::vector<int>(static_cast<std::size_t>(layers), 0));
}

void build_olmo3(HfConfig& c, HfDraft& d)
{
    build_olmo2(c, d);
    const std::vector<int> windows = hf_windows(
        c, static_cast<int>(d.layers.size()), [](int i) { return (i + 1) % 4 != 0; }, 4096);
    for (std::size_t i = 0; i < d.layers.size(); ++i)
        d.layers[i].window = windows[i];
}

void build_nemotron(HfConfig& c, HfDraft& d) // squared ReLU between two matrices
{
    Transformer& m = d.model;
    const int layers = hf_common(c, m, false);
    m.gated_mlp = false;
    m.norm = NormKind::layer;
    m.mlp_bias = c.flag_or("mlp_bias", false);
    Attention a = hf_attention(c, m);
    a.qkv_bias = a.output_bias = c.flag_or("attention_bias", false);
    d.layers = hf_dense_layers(a, width(c), std::vector<int>(static_cast<std::size_t>(layers), 0));
}

// Pruned Llamas (DeciLM, Llama-Nemotron Super and Ultra): each layer has its own widths, or lacks a block altogether.
void build_nemotron_nas(HfConfig& c, HfDraft& d)
{
    Transformer& m = d.model;
    const int layers = hf_common(c, m, false);
    const int heads = c.whole("num_attention_heads", 1, hf_most_heads);
    if (m.hidden % heads != 0)
        c.fail("num_attention_heads", "The heads do not divide \"hidden_size\"", fmt::format("{}", heads),
            fmt::format("a divisor of {}", m.hidden));
    const nlohmann::json* blocks = c.find("block_configs");
    if (!blocks || !blocks->is_array() || blocks->size() != static_cast<std::size_t>(layers)) {
        c.fail("block_configs", "\"block_configs\" must describe every layer",
            blocks ? fmt::format("{} entries", blocks->size()) : "", fmt::format("{} entries", layers));
        return;
    }
    m.mlp_bias = c.flag_or("mlp_bias", false);
    const bool bias = c.flag_or("attention_bias", false);
    for (int i = 0; i < layers && c.ok(); ++i) {
        const std::string at = fmt::format("block_configs/{}", i);
        LayerKind k;
        for (const char* block : {"/attention", "/ffn"})
            if (c.flag_or(at + block + "/replace_with_linear", false) || c.has(at + block + "/sparsify"))
                c.fail(at + block, "A block that is one linear layer, or sparse, is not supported");
        k.attention_free = c.flag_or(at + "/attention/no_op", false);
        if (!k.attention_free) {
            const int group = c.whole(at + "/attention/n_heads_in_group", 1, heads);
            if (heads % group != 0)
                c.fail(at + "/attention/n_heads_in_group", "The group must divide the attention heads",
                    fmt::format("{}", group), fmt::format("a divisor of {}", heads));
            k.attention.heads = heads;
            k.attention.kv_heads = std::max(heads / group, 1);
            k.attention.head_dim = k.attention.value_head_dim
                = c.whole_or("head_dim", 1, hf_most_width, std::max(m.hidden / heads, 1));
            k.attention.qkv_bias = k.attention.output_bias = bias;
            k.window = c.whole_or(at + "/attention/window_length", 1, hf_most_width, 0);
        }
        if (!c.flag_or(at + "/ffn/no_op", false)) {
            // modeling_decilm.py: two thirds of twice the multiple, up to the next multiple of 256
            const double raw = std::floor(2.0 * c.number(at + "/ffn/ffn_mult", 1e-3, 64.0) * m.hidden / 3.0);
            k.ffn_width
                = static_cast<int>(std::min(std::ceil(raw / 256.0) * 256.0, static_cast<double>(hf_most_width)));
        }
        d.layers.push_back(k);
    }
}

} // namespace

const std::vector<HfFamily>& hf_dense_families()
{
    static const std::vector<HfFamily> families = {
        {"llama", "LlamaForCausalLM", "llama", build_llama},
        {"mistral", "MistralForCausalLM", "mistral", build_mistral},
        {"qwen2", "Qwen2ForCausalLM", "qwen2.5", build_qwen2},
        {"qwen3", "Qwen3ForCausalLM", "qwen3", build_qwen3},
        {"gemma", "GemmaForCausalLM", "gemma", build_gemma},
        {"gemma2", "Gemma2ForCausalLM", "gemma", build_gemma2},
        {"gemma3_text", "Gemma3ForCausalLM", "gemma", build_gemma3},
        {"phi", "PhiForCausalLM", "phi", build_phi},
        {"phi3", "Phi3ForCausalLM", "phi", build_phi3},
        {"falcon", "FalconForCausalLM", "falcon", build_falcon},
        {"cohere", "CohereForCausalLM", "command", build_cohere},
        {"cohere2", "Cohere2ForCausalLM", "command", build_cohere2},
        {"mpt", "MPTForCausalLM", "mpt", build_mpt},
        {"gpt2", "GPT2LMHeadModel", "gpt", build_gpt2},
        {"gpt_neox", "GPTNeoXForCausalLM", "gpt", build_gpt_neox},
        {"olmo2", "Olmo2ForCausalLM", "olmo", build_olmo2},
        {"olmo3", "Olmo3ForCausalLM", "olmo", build_olmo3},
        {"nemotron", "NemotronForCausalLM", "nemotron", build_nemotron},
        {"nemotron-nas", "DeciLMForCausalLM", "nemotron", build_nemotron_nas},
    };
    return families;
}

} // namespace ridgepoint
