#include "model/transformer/read.h"

#include <map>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ridgepoint {
namespace {

using nlohmann::json;

constexpr int most_layers = 1000;
constexpr int most_width = 1 << 24;

// Reads members of an object and keeps the first mistake.
class Reader {
public:
    explicit Reader(Place place) : m_place(std::move(place)) {}

    int whole(const json& object, const std::string& at, const char* key, int minimum, std::optional<int> otherwise = std::nullopt, int maximum = most_width)
    {
        const std::string pointer = at + "/" + key;
        if (!object.contains(key)) {
            if (!otherwise)
                fail(pointer, "a number is missing", "", fmt::format("a whole number of at least {}", minimum));
            return otherwise.value_or(minimum);
        }
        const json& v = object[key];
        if (!v.is_number_integer() || v.get<long long>() < minimum || v.get<long long>() > maximum) {
            fail(pointer, "not a usable number", v.dump().substr(0, 40), fmt::format("a whole number from {} to {}", minimum, maximum));
            return minimum;
        }
        return v.get<int>();
    }

    bool flag(const json& object, const std::string& at, const char* key, bool otherwise)
    {
        if (!object.contains(key))
            return otherwise;
        if (!object[key].is_boolean()) {
            fail(at + "/" + key, "not a truth value", object[key].dump().substr(0, 40), "true or false");
            return otherwise;
        }
        return object[key].get<bool>();
    }

    std::string text(const json& object, const std::string& at, const char* key, std::optional<std::string> otherwise = std::nullopt)
    {
        if (!object.contains(key)) {
            if (!otherwise)
                fail(at + "/" + key, "a text is missing");
            return otherwise.value_or("");
        }
        if (!object[key].is_string()) {
            fail(at + "/" + key, "not a text", object[key].dump().substr(0, 40), "a string");
            return {};
        }
        return object[key].get<std::string>();
    }

    const json* object(const json& parent, const std::string& at, const char* key)
    {
        if (!parent.contains(key)) {
            fail(at + "/" + key, "an object is missing");
            return nullptr;
        }
        if (!parent[key].is_object()) {
            fail(at + "/" + key, "not an object", parent[key].dump().substr(0, 40), "an object");
            return nullptr;
        }
        return &parent[key];
    }

    void fail(std::string pointer, std::string message, std::string found = {}, std::string expected = {})
    {
        if (m_error)
            return;
        Place p = m_place;
        p.pointer = std::move(pointer);
        m_error = bad_input(std::move(message), std::move(p), std::move(found), std::move(expected));
    }
    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }

private:
    Place m_place;
    std::optional<Error> m_error;
};

Attention read_attention(Reader& r, const json& o, const std::string& at)
{
    Attention a;
    a.heads = r.whole(o, at, "heads", 1);
    a.kv_heads = r.whole(o, at, "kv_heads", 1, a.heads);
    a.qkv_bias = r.flag(o, at, "qkv_bias", false);
    a.output_bias = r.flag(o, at, "output_bias", false);
    a.qk_norm = r.flag(o, at, "qk_norm", false);
    const std::string kind = r.text(o, at, "kind", "grouped");
    if (kind == "latent") {
        a.kind = AttentionKind::latent;
        a.q_lora_rank = r.whole(o, at, "q_lora_rank", 0, 0);
        a.kv_lora_rank = r.whole(o, at, "kv_lora_rank", 1);
        a.qk_nope_head_dim = r.whole(o, at, "qk_nope_head_dim", 1);
        a.qk_rope_head_dim = r.whole(o, at, "qk_rope_head_dim", 1);
        a.value_head_dim = r.whole(o, at, "value_head_dim", 1);
        a.head_dim = a.qk_nope_head_dim + a.qk_rope_head_dim;
        a.index_top_k = r.whole(o, at, "index_top_k", 0, 0);
        if (a.index_top_k > 0) {
            a.index_heads = r.whole(o, at, "index_heads", 1);
            a.index_dim = r.whole(o, at, "index_dim", 1);
        }
    } else if (kind == "linear") {
        a.kind = AttentionKind::linear;
        a.head_dim = r.whole(o, at, "head_dim", 1);
        a.value_head_dim = r.whole(o, at, "value_head_dim", 1, a.head_dim);
        a.convolution = r.whole(o, at, "convolution", 0, 0, 64);
    } else if (kind == "grouped") {
        a.head_dim = r.whole(o, at, "head_dim", 1);
        a.value_head_dim = r.whole(o, at, "value_head_dim", 1, a.head_dim);
        a.output_gate = r.flag(o, at, "output_gate", false);
        if (a.heads % std::max(a.kv_heads, 1) != 0)
            r.fail(at + "/kv_heads", "KV heads must divide the heads", fmt::format("{}", a.kv_heads), fmt::format("a divisor of {}", a.heads));
    } else {
        r.fail(at + "/kind", "no such attention", kind, "grouped, latent or linear");
    }
    return a;
}

void read_experts(Reader& r, const json& o, MixtureOfExperts& moe)
{
    moe.experts = r.whole(o, "/moe", "experts", 1, std::nullopt, 65536);
    moe.top_k = r.whole(o, "/moe", "top_k", 1, std::nullopt, 65536);
    moe.expert_width = r.whole(o, "/moe", "expert_width", 1);
    moe.shared_width = r.whole(o, "/moe", "shared_width", 0, 0);
    moe.shared_gate = r.flag(o, "/moe", "shared_gate", false);
    moe.router_bias = r.flag(o, "/moe", "router_bias", false);
    moe.expert_bias = r.flag(o, "/moe", "expert_bias", false);
    moe.node_limit = r.whole(o, "/moe", "node_limit", 0, 0, 65536);
    if (moe.top_k > moe.experts)
        r.fail("/moe/top_k", "more experts are chosen than there are", fmt::format("{}", moe.top_k), fmt::format("at most {}", moe.experts));
}

// {"kind": "dense", "count": 3} or {"pattern": ["local", "global"], "count": 26}: the pattern repeats until `count` layers.
void read_layers(Reader& r, const json& document, const std::map<std::string, std::uint8_t>& kinds, Transformer& m)
{
    if (!document.contains("layers") || !document["layers"].is_array() || document["layers"].empty()) {
        r.fail("/layers", "the list of layers is missing", "", "a list such as [{\"kind\": \"dense\", \"count\": 32}]");
        return;
    }
    const json& groups = document["layers"];
    for (std::size_t i = 0; i < groups.size() && !r.error(); ++i) {
        const std::string at = fmt::format("/layers/{}", i);
        const json& g = groups[i];
        if (!g.is_object()) {
            r.fail(at, "not an object");
            return;
        }
        const int count = r.whole(g, at, "count", 1, std::nullopt, most_layers);
        std::vector<std::string> pattern;
        if (g.contains("pattern") && g["pattern"].is_array())
            for (const json& p : g["pattern"])
                pattern.push_back(p.is_string() ? p.get<std::string>() : "");
        else
            pattern.push_back(r.text(g, at, "kind"));
        for (int n = 0; n < count && !r.error() && !pattern.empty(); ++n) {
            const std::string& name = pattern[static_cast<std::size_t>(n) % pattern.size()];
            const auto found = kinds.find(name);
            if (found == kinds.end()) {
                r.fail(at, "no such layer kind", name, "a name under /kinds");
                return;
            }
            m.layers.push_back(found->second);
        }
        if (pattern.empty())
            r.fail(at + "/pattern", "an empty pattern");
        if (m.layer_count() > most_layers)
            r.fail(at + "/count", "too many layers", fmt::format("{}", m.layer_count()), fmt::format("at most {}", most_layers));
    }
}

} // namespace

Expected<Transformer> transformer_from_json(const json& document, const Place& place)
{
    Reader r(place);
    if (!document.is_object())
        return bad_input("A model spec is an object", place);
    Transformer m;
    m.id = r.text(document, "", "id");
    m.name = r.text(document, "", "name", m.id);
    m.family = r.text(document, "", "family", "other");
    m.hidden = r.whole(document, "", "hidden", 1);
    m.vocab = r.whole(document, "", "vocab", 1);
    m.tied_embeddings = r.flag(document, "", "tied_embeddings", false);
    m.gated_mlp = r.flag(document, "", "gated_mlp", true);
    m.mlp_bias = r.flag(document, "", "mlp_bias", false);
    m.parallel_block = r.flag(document, "", "parallel_block", false);
    m.embedding_norm = r.flag(document, "", "embedding_norm", false);
    m.norms_per_layer = r.whole(document, "", "norms_per_layer", 0, 2, 16);
    m.learned_positions = r.whole(document, "", "learned_positions", 0, 0);
    m.mtp_depth = r.whole(document, "", "mtp_depth", 0, 0, 16);
    const std::string norm = r.text(document, "", "norm", "rms");
    if (norm != "rms" && norm != "layer")
        r.fail("/norm", "no such norm", norm, "rms or layer");
    m.norm = norm == "layer" ? NormKind::layer : NormKind::rms;
    if (document.contains("moe"))
        if (const json* moe = r.object(document, "", "moe"))
            read_experts(r, *moe, m.moe);

    std::map<std::string, std::uint8_t> kinds;
    if (const json* all = r.object(document, "", "kinds")) {
        if (all->empty() || all->size() > most_layer_kinds)
            r.fail("/kinds", "a wrong number of layer kinds", fmt::format("{}", all->size()), fmt::format("1 to {}", most_layer_kinds));
        for (const auto& [name, o] : all->items()) {
            const std::string at = "/kinds/" + name;
            if (!o.is_object()) {
                r.fail(at, "not an object");
                break;
            }
            LayerKind k;
            k.window = r.whole(o, at, "window", 0, 0);
            k.moe = r.flag(o, at, "moe", false);
            k.ffn_width = k.moe ? 0 : r.whole(o, at, "ffn_width", 0, 0);
            k.attention_free = !o.contains("attention");
            if (!k.attention_free)
                if (const json* a = r.object(o, at, "attention"))
                    k.attention = read_attention(r, *a, at + "/attention");
            if (k.moe && m.moe.experts == 0)
                r.fail(at + "/moe", "the model has no experts", "", "an object /moe");
            kinds.emplace(name, static_cast<std::uint8_t>(m.kinds.size()));
            m.kinds.push_back(k);
            if (r.error())
                break;
        }
    }
    read_layers(r, document, kinds, m);
    if (r.error())
        return *r.error();
    return m;
}

json to_spec_json(const Transformer& m)
{
    json d;
    d["id"] = m.id;
    d["name"] = m.name;
    d["family"] = m.family;
    d["hidden"] = m.hidden;
    d["vocab"] = m.vocab;
    d["tied_embeddings"] = m.tied_embeddings;
    d["gated_mlp"] = m.gated_mlp;
    d["mlp_bias"] = m.mlp_bias;
    d["norm"] = m.norm == NormKind::layer ? "layer" : "rms";
    d["norms_per_layer"] = m.norms_per_layer;
    d["parallel_block"] = m.parallel_block;
    d["learned_positions"] = m.learned_positions;
    d["embedding_norm"] = m.embedding_norm;
    d["mtp_depth"] = m.mtp_depth;
    if (m.is_moe())
        d["moe"] = {{"experts", m.moe.experts}, {"top_k", m.moe.top_k}, {"expert_width", m.moe.expert_width}, {"shared_width", m.moe.shared_width},
            {"shared_gate", m.moe.shared_gate}, {"router_bias", m.moe.router_bias}, {"expert_bias", m.moe.expert_bias}, {"node_limit", m.moe.node_limit}};
    const auto kind_name = [](std::size_t k) { return fmt::format("kind_{:02}", k); }; // sorts as it counts: a document keeps its kinds by name
    for (std::size_t k = 0; k < m.kinds.size(); ++k) {
        const LayerKind& kind = m.kinds[k];
        json o{{"window", kind.window}, {"moe", kind.moe}};
        if (!kind.moe)
            o["ffn_width"] = kind.ffn_width;
        if (!kind.attention_free) {
            const Attention& a = kind.attention;
            json x{{"heads", a.heads}, {"kv_heads", a.kv_heads}, {"qkv_bias", a.qkv_bias}, {"output_bias", a.output_bias}, {"qk_norm", a.qk_norm},
                {"value_head_dim", a.value_head_dim}};
            if (a.kind == AttentionKind::latent) {
                x["kind"] = "latent";
                x["q_lora_rank"] = a.q_lora_rank;
                x["kv_lora_rank"] = a.kv_lora_rank;
                x["qk_nope_head_dim"] = a.qk_nope_head_dim;
                x["qk_rope_head_dim"] = a.qk_rope_head_dim;
                if (a.index_top_k > 0) {
                    x["index_top_k"] = a.index_top_k;
                    x["index_heads"] = a.index_heads;
                    x["index_dim"] = a.index_dim;
                }
            } else if (a.kind == AttentionKind::linear) {
                x["kind"] = "linear";
                x["head_dim"] = a.head_dim;
                x["convolution"] = a.convolution;
            } else {
                x["kind"] = "grouped";
                x["head_dim"] = a.head_dim;
                x["output_gate"] = a.output_gate;
            }
            o["attention"] = std::move(x);
        }
        d["kinds"][kind_name(k)] = std::move(o);
    }
    d["layers"] = json::array();
    for (std::size_t i = 0; i < m.layers.size();) {
        std::size_t j = i;
        while (j < m.layers.size() && m.layers[j] == m.layers[i])
            ++j;
        d["layers"].push_back({{"kind", kind_name(m.layers[i])}, {"count", j - i}});
        i = j;
    }
    return d;
}

Expected<Transformer> read_transformer(const SpecStore& specs, const std::string& id)
{
    Expected<const json*> document = specs.document(SpecKind::model, id);
    if (!document)
        return document.error();
    Expected<Transformer> m = transformer_from_json(**document, specs.place_of(SpecKind::model, id));
    if (m)
        return m;
    Error e = m.error();
    e.place = specs.place_of(SpecKind::model, id, e.place.pointer);
    return e;
}

Expected<PublishedCounts> published_counts(const SpecStore& specs, const std::string& id)
{
    Expected<const json*> document = specs.document(SpecKind::model, id);
    if (!document)
        return document.error();
    PublishedCounts out;
    const json& d = **document;
    if (d.contains("published") && d["published"].is_object()) {
        const auto number = [&](const char* key) { return d["published"].contains(key) && d["published"][key].is_number() ? d["published"][key].get<double>() : 0.0; };
        out.total = number("total");
        out.active = number("active");
    }
    return out;
}

} // namespace ridgepoint
