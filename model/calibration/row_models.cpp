#include "model/calibration/row_models.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <regex>

namespace ridgepoint {

std::string squeezed(std::string_view name)
{
    std::string out;
    for (unsigned char c : name)
        if (std::isalnum(c) != 0)
            out += static_cast<char>(std::tolower(c));
    return out;
}

bool contains_word(std::string_view text, std::string_view word)
{
    const auto same = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
    return !std::ranges::search(text, word, same).empty();
}

std::string find_model_spec(const SpecStore& specs, std::string_view name)
{
    // Tables say "nvidia/DeepSeek-R1-NVFP4" or "Megatron-Turing NLG".
    if (const auto slash = name.rfind('/'); slash != std::string_view::npos)
        name.remove_prefix(slash + 1);
    std::string wanted = squeezed(name);
    static constexpr std::pair<std::string_view, std::string_view> other_names[] = {
        {"mtnlg530b", "megatron530b"}, {"gpt175b", "gpt3175b"}, {"gpt22b", "megatron22b"}, {"gpt530b", "megatron530b"}, {"gpt1t", "megatron1t"}, {"deepseekv31", "deepseekv3"}, {"llama3370b", "llama3170b"}, {"glm5", "glm5744ba40b"}};
    for (const auto& [from, to] : other_names)
        if (wanted.starts_with(from))
            wanted = std::string(to);
    std::string best;
    std::size_t length = 0;
    for (const std::string& id : specs.ids(SpecKind::model)) {
        const std::string s = squeezed(id);
        if ((wanted.starts_with(s) || s.starts_with(wanted)) && std::min(s.size(), wanted.size()) > length) {
            best = id;
            length = std::min(s.size(), wanted.size());
        }
    }
    return length >= 5 ? best : std::string{};
}

Transformer with_layers(Transformer model, int layers)
{
    if (layers > 0 && !model.layers.empty())
        model.layers.resize(static_cast<std::size_t>(layers), model.layers.back());
    return model;
}

Transformer truncated_proxy(Transformer model, int layers, double stated_billions)
{
    if (layers <= 0 || layers >= model.layer_count())
        return with_layers(std::move(model), layers);
    const std::vector<std::uint8_t> all = model.layers;
    model = with_layers(std::move(model), layers);
    model.mtp_depth = 0;
    if (!model.is_moe() || !(stated_billions > 0.0))
        return model;
    // Leave out leading layers of the whole model: fewer of the dense ones that it begins with.
    Transformer best = model;
    const auto miss = [&](const Transformer& m) { return std::fabs(count_parameters(m).total - stated_billions * 1e9); };
    for (std::size_t skip = 1; skip < all.size() && all[skip - 1] == all[0] && skip + static_cast<std::size_t>(layers) <= all.size(); ++skip) {
        Transformer other = model;
        other.layers.assign(all.begin() + static_cast<std::ptrdiff_t>(skip), all.begin() + static_cast<std::ptrdiff_t>(skip) + layers);
        if (miss(other) < miss(best))
            best = std::move(other);
    }
    return best;
}

std::optional<Transformer> dense_from_row(const CsvRow& row)
{
    const auto whole = [&](std::string_view column) {
        const double v = row.number(column);
        return std::isnan(v) ? 0 : static_cast<int>(v);
    };
    Transformer m;
    m.id = m.name = std::string(row.text("model"));
    m.family = std::string(row.text("model_family"));
    m.hidden = whole("hidden");
    m.vocab = whole("vocab");
    LayerKind kind;
    kind.ffn_width = whole("ffn_hidden");
    kind.attention.heads = whole("heads");
    kind.attention.kv_heads = whole("kv_heads") > 0 ? whole("kv_heads") : kind.attention.heads;
    const int layers = whole("layers");
    if (m.hidden <= 0 || m.vocab <= 0 || kind.ffn_width <= 0 || kind.attention.heads <= 0 || layers <= 0 || row.has("n_experts"))
        return std::nullopt;
    kind.attention.head_dim = whole("head_dim") > 0 ? whole("head_dim") : m.hidden / kind.attention.heads;
    kind.attention.value_head_dim = kind.attention.head_dim;
    const bool gpt = contains_word(m.family, "gpt") || contains_word(m.family, "mpt");
    m.gated_mlp = !gpt && !contains_word(m.family, "nemotron");
    m.tied_embeddings = gpt;
    m.norm = gpt ? NormKind::layer : NormKind::rms;
    m.mlp_bias = gpt;
    m.kinds.push_back(kind);
    m.layers.assign(static_cast<std::size_t>(layers), 0);
    return m;
}

std::string generic_instance(std::string_view gpu)
{
    const std::string g = squeezed(gpu);
    if (g.starts_with("h10096gb"))
        return "hgx-h100-96-500w";
    if (g.starts_with("gb200"))
        return "gb200-nvl72";
    if (g.starts_with("gb300"))
        return "gb300-nvl72";
    static constexpr std::pair<std::string_view, std::string_view> all[] = {{"a100", "dgx-a100"}, {"h100", "dgx-h100"}, {"h200", "dgx-h200"},
        {"h800", "hgx-h800"}, {"b200", "dgx-b200"}, {"b300", "dgx-b300"}};
    for (const auto& [prefix, id] : all)
        if (g.starts_with(prefix))
            return std::string(id);
    return {};
}

std::string accelerator_for(std::string_view gpu)
{
    const std::string g = squeezed(gpu);
    if (g.starts_with("h10096gb"))
        return "h100-96-500w";
    static constexpr std::pair<std::string_view, std::string_view> all[] = {{"gb200", "gb200"}, {"gb300", "gb300"}, {"a100", "a100-80"},
        {"h100", "h100-sxm"}, {"h200", "h200-sxm"}, {"h800", "h800-sxm"}, {"b200", "b200-hgx"}, {"b300", "b300-hgx"}};
    for (const auto& [prefix, id] : all)
        if (g.starts_with(prefix))
            return std::string(id);
    return {};
}

std::optional<BytesPerSecond> stated_network_per_node(std::string_view text, int gpus_per_node)
{
    static const std::regex per_node(R"((\d+) ?Gb/s per node)", std::regex::icase);
    static const std::regex per_gpu(R"((\d+) ?G(?:b/s)?\b[^;,]*? per GPU)", std::regex::icase);
    static const std::regex cards(R"((\d+) ?x ?(\d+) ?G\b)", std::regex::icase);
    static const std::regex adapters(R"((\d+) ?x [^,;]*?(\d+) ?Gb)", std::regex::icase);
    const std::string s(text);
    std::smatch m;
    // Racks are described by their trays of four GPUs.
    const double servers = gpus_per_node > 8 ? gpus_per_node / 4.0 : 1.0;
    if (std::regex_search(s, m, per_node))
        return gigabits_per_second(std::stod(m[1]) * servers);
    // Storage and management adapters are listed beside the compute fabric: the largest product is the fabric.
    double most = 0.0;
    for (const std::regex* r : {&cards, &adapters})
        for (std::sregex_iterator it(s.begin(), s.end(), *r), end; it != end; ++it)
            if (std::stod((*it)[2]) >= 25.0)
                most = std::max(most, std::stod((*it)[1]) * std::stod((*it)[2]));
    if (most > 0.0)
        return gigabits_per_second(most * servers);
    if (std::regex_search(s, m, per_gpu))
        return gigabits_per_second(std::stod(m[1]) * gpus_per_node);
    return std::nullopt;
}

} // namespace ridgepoint
