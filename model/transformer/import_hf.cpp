#include "model/transformer/import_hf.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/transformer/hf_families.h"

namespace ridgepoint {
namespace {

using nlohmann::json;

// What no Transformer can describe, by the key that gives it away.
struct Telltale
{
    const char* key;
    const char* what;
};
constexpr Telltale telltales[] = {
    {"index_topk", "sparse attention with an indexer (DSA)"},
    {"index_n_heads", "sparse attention with an indexer (DSA)"},
    {"compress_ratios", "compressed attention"},
    {"hybrid_override_pattern", "state-space (Mamba) layers"},
    {"mamba_num_heads", "state-space (Mamba) layers"},
    {"mamba_d_state", "state-space (Mamba) layers"},
    {"ssm_state_size", "state-space (Mamba) layers"},
    {"linear_num_value_heads", "linear attention layers"},
    {"linear_attn_config", "linear attention layers"},
    {"attn_type_list", "linear attention layers"},
    {"num_global_key_value_heads", "global layers with their own KV heads"},
    {"is_encoder_decoder", "an encoder"},
    {"encoder_layers", "an encoder"},
};

// Python writes Infinity and NaN, which JSON does not have. They become null and 0.0, which no field that counts here
// accepts, and the text keeps its length so that lines stay where they are.
std::string without_python_numbers(std::string_view text)
{
    std::string out(text);
    bool quoted = false;
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (quoted && out[i] == '\\') {
            ++i;
        } else if (out[i] == '"') {
            quoted = !quoted;
        } else if (!quoted) {
            for (const std::string_view word : {"-Infinity", "Infinity", "NaN"})
                if (std::string_view(out).substr(i).starts_with(word)) {
                    out.replace(i, word.size(), word == "NaN" ? "0.0" : fmt::format("{:<{}}", "null", word.size()));
                    break;
                }
        }
    }
    return out;
}

const HfFamily* by_type(std::string_view type)
{
    for (const auto* families : {&hf_dense_families(), &hf_moe_families()})
        for (const HfFamily& f : *families)
            if (f.model_type == type)
                return &f;
    return nullptr;
}

const HfFamily* by_architecture(std::string_view name)
{
    for (const auto* families : {&hf_dense_families(), &hf_moe_families()})
        for (const HfFamily& f : *families)
            if (f.architecture == name)
                return &f;
    return nullptr;
}

void refuse_what_cannot_be_described(HfConfig& c)
{
    for (const Telltale& t : telltales) {
        const json* v = c.find(t.key);
        if (!v || (v->is_boolean() && !v->get<bool>()) || (v->is_number() && v->get<double>() == 0.0) || v->empty())
            continue;
        c.fail(t.key, fmt::format("This model has {}, which cannot be described here", t.what), json_excerpt(*v));
    }
}

const HfFamily* detect(HfConfig& c)
{
    const std::string type = c.text_or("model_type", "");
    const std::vector<std::string> names = c.texts("architectures", 16);
    const HfFamily* typed = by_type(type);
    const HfFamily* named = names.empty() ? nullptr : by_architecture(names.front());
    if (typed && named && typed->build != named->build)
        c.fail("architectures/0", fmt::format("\"architectures\" contradicts \"model_type\" {}", type), names.front(),
            std::string(typed->architecture));
    if (typed || named)
        return typed ? typed : named;
    if (type.empty() && names.empty())
        c.fail("model_type", "The architecture is not named", "", "\"model_type\" or \"architectures\"");
    else
        c.fail(type.empty() ? "architectures/0" : "model_type", "This architecture is not supported",
            type.empty() ? names.front() : type, fmt::format("one of {}", fmt::join(importable_model_types(), ", ")));
    return nullptr;
}

// "org--Name.json" and "org/Name/config.json" are both called Name.
std::string name_of_file(const std::string& file, const std::string& otherwise)
{
    const std::filesystem::path path(file);
    std::string name = path.extension() == ".json" ? path.stem().string() : path.filename().string();
    if (name == "config" || name.empty())
        name = path.parent_path().filename().string();
    if (const std::size_t at = name.find("--"); at != std::string::npos)
        name = name.substr(at + 2);
    name = name.substr(0, 100);
    const bool plain = std::ranges::any_of(name, [](unsigned char ch) { return std::isalnum(ch) != 0; });
    return plain ? name : otherwise;
}

std::string id_of_name(const std::string& name) // ^[a-z0-9][a-z0-9._-]*$, as in the schema
{
    std::string id;
    for (const char raw : name) {
        const auto ch = static_cast<unsigned char>(raw);
        if (ch < 128 && std::isalnum(ch))
            id += static_cast<char>(std::tolower(ch));
        else if (!id.empty())
            id += ch == '.' || ch == '_' ? static_cast<char>(ch) : '-';
    }
    return id.empty() ? "imported" : id;
}

// Layers that are alike share a kind, in the order of their first appearance.
bool merge_kinds(HfDraft& d)
{
    for (const LayerKind& layer : d.layers) {
        const auto found = std::ranges::find(d.model.kinds, layer);
        if (found == d.model.kinds.end() && d.model.kinds.size() >= most_layer_kinds)
            return false;
        d.model.layers.push_back(static_cast<std::uint8_t>(found - d.model.kinds.begin()));
        if (found == d.model.kinds.end())
            d.model.kinds.push_back(layer);
    }
    return true;
}

} // namespace

std::vector<std::string> importable_model_types()
{
    std::vector<std::string> out;
    for (const auto* families : {&hf_dense_families(), &hf_moe_families()})
        for (const HfFamily& f : *families)
            out.emplace_back(f.model_type);
    std::ranges::sort(out);
    return out;
}

Expected<Transformer> import_hf_config(std::string_view text, const std::string& file)
{
    JsonLimits limits;
    limits.bytes = std::size_t{4} << 20;
    limits.depth = 32;
    limits.values = 200'000;
    if (text.size() > limits.bytes)
        return bad_input("Too large for a config.json", Place{file, 0, {}}, fmt::format("{} bytes", text.size()),
            fmt::format("at most {}", limits.bytes));
    const Expected<JsonDocument> document = parse_json(without_python_numbers(text), file, limits);
    if (!document)
        return document.error();
    if (!document->root().is_object())
        return bad_input("A config.json is an object", document->place_of(""),
            std::string(json_type_name(document->root())), "an object");

    const json* nested = document->find("/text_config");
    const bool wrapped = nested && nested->is_object();
    HfConfig c(*document, wrapped ? "/text_config" : "");
    refuse_what_cannot_be_described(c);
    if (!c.ok())
        return *c.error();
    const HfFamily* family = detect(c);
    if (!c.ok() || !family)
        return *c.error();

    HfDraft d;
    family->build(c, d);
    if (wrapped && !c.has("tie_word_embeddings")) { // some wrappers say it outside
        HfConfig outer(*document, "");
        d.model.tied_embeddings = outer.flag_or("tie_word_embeddings", d.model.tied_embeddings);
        if (!outer.ok())
            return *outer.error();
    }
    if (!c.ok())
        return *c.error();
    if (!merge_kinds(d))
        return bad_input("Too many different kinds of layers", document->place_of(""), "",
            fmt::format("at most {}", most_layer_kinds));
    d.model.name = name_of_file(file, std::string(family->model_type));
    d.model.id = id_of_name(d.model.name);
    d.model.family = family->family;
    return std::move(d.model);
}

} // namespace ridgepoint
