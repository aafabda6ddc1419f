#pragma once
// Typed access to a config.json: the first mistake is kept with its place, getters go on with a harmless value.

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "model/base/error.h"
#include "model/specs/json_document.h"

namespace ridgepoint {

// Bounds of hostile input, well above anything that was ever built.
inline constexpr int hf_most_layers = 1000;
inline constexpr int hf_most_heads = 1 << 14;
inline constexpr int hf_most_experts = 1 << 16;
inline constexpr int hf_most_width = 1 << 24;

class HfConfig
{
public:
    // `prefix` is "" or the pointer of the nested text model, "/text_config".
    HfConfig(const JsonDocument& document, std::string prefix)
        : m_document(document)
        , m_prefix(std::move(prefix))
    {
    }

    [[nodiscard]] bool ok() const { return !m_error; }
    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }

    // Keys are pointers without the leading slash: "hidden_size", "attn_config/kv_n_heads". Null counts as absent.
    [[nodiscard]] const nlohmann::json* find(const std::string& key) const;
    [[nodiscard]] bool has(const std::string& key) const { return find(key) != nullptr; }
    [[nodiscard]] bool given(const std::string& key) const; // there at all, null included

    int whole(const std::string& key, int minimum, int maximum); // an error where absent
    int whole_or(const std::string& key, int minimum, int maximum, int otherwise);
    bool flag_or(const std::string& key, bool otherwise);
    double number(const std::string& key, double minimum, double maximum);
    std::string text_or(const std::string& key, std::string otherwise);
    std::vector<std::string> texts(const std::string& key, std::size_t most);
    std::vector<int> wholes(const std::string& key, int minimum, int maximum, std::size_t most);

    void fail(const std::string& key, std::string message, std::string found = {}, std::string expected = {},
        std::string hint = {});

private:
    const JsonDocument& m_document;
    std::string m_prefix;
    std::optional<Error> m_error;
};

} // namespace ridgepoint
