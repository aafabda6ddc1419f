#include "model/transformer/hf_families.h"

#include <fmt/format.h>

namespace ridgepoint {

int hf_common(HfConfig& c, Transformer& m, bool tied_by_default)
{
    m.hidden = c.whole("hidden_size", 1, hf_most_width);
    m.vocab = c.whole("vocab_size", 1, hf_most_width);
    m.tied_embeddings = c.flag_or("tie_word_embeddings", tied_by_default);
    return c.whole("num_hidden_layers", 1, hf_most_layers);
}

Attention hf_attention(HfConfig& c, const Transformer& m, int head_dim)
{
    Attention a;
    a.heads = c.whole("num_attention_heads", 1, hf_most_heads);
    a.kv_heads = c.whole_or("num_key_value_heads", 1, hf_most_heads, a.heads);
    if (a.heads % a.kv_heads != 0)
        c.fail("num_key_value_heads", "KV heads must divide the attention heads", fmt::format("{}", a.kv_heads),
            fmt::format("a divisor of {}", a.heads));
    if (!c.has("head_dim") && head_dim == 0 && m.hidden % a.heads != 0)
        c.fail("num_attention_heads", "There is no \"head_dim\", and the heads do not divide \"hidden_size\"",
            fmt::format("{}", a.heads), fmt::format("a divisor of {}", m.hidden));
    a.head_dim = c.whole_or("head_dim", 1, hf_most_width, head_dim > 0 ? head_dim : std::max(m.hidden / a.heads, 1));
    a.value_head_dim = a.head_dim;
    return a;
}

std::vector<int> hf_windows(HfConfig& c, int layers, const HfSlides& slides, int default_window, const char* window_key)
{
    std::vector<int> out(static_cast<std::size_t>(layers), 0);
    // Null means no window; a key that is absent means the default of the architecture.
    const int window = c.given(window_key) ? c.whole_or(window_key, 1, hf_most_width, 0) : default_window;
    const std::vector<std::string> types = c.texts("layer_types", hf_most_layers);
    if (types.empty()) {
        for (int i = 0; i < layers; ++i)
            out[static_cast<std::size_t>(i)] = slides(i) ? window : 0;
        return out;
    }
    if (types.size() != out.size()) {
        c.fail("layer_types", "\"layer_types\" and \"num_hidden_layers\" disagree",
            fmt::format("{} types", types.size()), fmt::format("{}", layers));
        return out;
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
        const std::string at = fmt::format("layer_types/{}", i);
        if (types[i] == "full_attention")
            continue;
        if (types[i] == "sliding_attention" || types[i] == "chunked_attention") {
            const char* key = types[i] == "chunked_attention" ? "attention_chunk_size" : window_key;
            out[i] = c.given(key) ? c.whole_or(key, 1, hf_most_width, 0) : default_window;
            if (out[i] == 0)
                c.fail(key, fmt::format("Layer {} slides, but there is no window", i), "", "a whole number");
        } else {
            c.fail(at, "This kind of layer is not supported", types[i],
                "full_attention, sliding_attention or chunked_attention");
        }
    }
    return out;
}

std::vector<int> hf_qwen_windows(HfConfig& c, int layers)
{
    if (!c.flag_or("use_sliding_window", false) && !c.has("layer_types"))
        return std::vector<int>(static_cast<std::size_t>(layers), 0);
    const int first = c.whole_or("max_window_layers", 0, hf_most_layers, 28);
    return hf_windows(
        c, layers, [first](int i) { return i >= first; }, 4096);
}

std::vector<LayerKind> hf_dense_layers(const Attention& attention, int ffn_width, const std::vector<int>& windows)
{
    std::vector<LayerKind> out;
    out.reserve(windows.size());
    for (const int w : windows) {
        LayerKind k;
        k.attention = attention;
        k.window = w;
        k.ffn_width = ffn_width;
        out.push_back(k);
    }
    return out;
}

} // namespace ridgepoint
