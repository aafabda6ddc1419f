#pragma once
// JSON text of unknown origin -> a document that can say on which line each of its values stands.
//
// Stricter than the usual parsers where leniency hides mistakes (duplicate keys, NaN, trailing commas and comments are
// errors) and bounded where input can be hostile (size, depth, number of values). A byte order mark and CRLF are accepted.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "model/base/error.h"

namespace ridgepoint {

struct JsonLimits {
    std::size_t bytes = std::size_t{16} << 20;
    int depth = 64;
    std::size_t values = 1'000'000;
};

class JsonDocument {
public:
    JsonDocument() = default;
    JsonDocument(nlohmann::json root, std::shared_ptr<const std::string> text, std::string file)
        : m_root(std::move(root))
        , m_text(std::move(text))
        , m_file(std::move(file))
    {
    }

    [[nodiscard]] const nlohmann::json& root() const { return m_root; }
    [[nodiscard]] const std::string& file() const { return m_file; }

    // Line of the value at a JSON pointer, or of its nearest ancestor that exists (a missing property has the line of
    // the object that lacks it). Scans the text: for messages and panels, not for inner loops.
    [[nodiscard]] int line_of(std::string_view pointer) const;
    [[nodiscard]] Place place_of(std::string_view pointer) const;

    [[nodiscard]] const nlohmann::json* find(std::string_view pointer) const; // see find_value

private:
    nlohmann::json m_root;
    std::shared_ptr<const std::string> m_text;
    std::string m_file;
};

// `file` is only a name for messages.
Expected<JsonDocument> parse_json(std::string text, const std::string& file, const JsonLimits& limits = {});
// Regular files only (a FIFO or a device is an error, not a hang).
Expected<std::string> read_text_file(const std::string& file, std::size_t limit);
Expected<JsonDocument> load_json(const std::string& file, const JsonLimits& limits = {});

// By JSON pointer; nullptr where there is no such value or `pointer` is malformed.
const nlohmann::json* find_value(const nlohmann::json& root, std::string_view pointer);
std::string escape_pointer_token(std::string_view token); // "a/b~c" -> "a~1b~0c"
std::string json_excerpt(const nlohmann::json& value); // for messages: short, one line, valid UTF-8
std::string_view json_type_name(const nlohmann::json& value); // "object", "array", "string", "integer", "number", "boolean", "null"

} // namespace ridgepoint
