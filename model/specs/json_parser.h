#pragma once
// The recursive-descent parser behind JsonDocument (RFC 8259). One pass serves both uses: building the document, and
// finding the line of a pointer in text that is known to be well formed.

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "model/base/error.h"
#include "model/specs/json_document.h"

namespace ridgepoint {

class JsonParser {
public:
    JsonParser(std::string_view text, const std::string& file, const JsonLimits& limits)
        : m_text(text)
        , m_file(file)
        , m_limits(limits)
    {
    }

    // Line of the deepest value on the path to `pointer`; afterwards found_line().
    void look_for(std::string_view pointer)
    {
        m_looking = true;
        m_wanted = pointer;
    }
    [[nodiscard]] int found_line() const { return m_found_line; }

    Expected<nlohmann::json> parse();

private:
    bool value(nlohmann::json& out, int depth);
    bool object(nlohmann::json& out, int depth);
    bool array(nlohmann::json& out, int depth);
    bool number(nlohmann::json& out);
    bool string(std::string& out);
    bool escape(std::string& out);
    bool four_hex(unsigned& out);
    bool utf8(std::string& out);
    bool word(std::string_view expected, nlohmann::json value, nlohmann::json& out);

    void skip_blank();
    void note_position();
    bool fail(std::string message, std::string expected = {});
    [[nodiscard]] std::string here() const; // what stands at the cursor, for messages
    [[nodiscard]] bool at_end() const { return m_at >= m_text.size(); }
    [[nodiscard]] char peek() const { return at_end() ? '\0' : m_text[m_at]; }

    std::string_view m_text;
    const std::string& m_file;
    JsonLimits m_limits;
    std::size_t m_at = 0;
    std::size_t m_values = 0;
    int m_line = 1;
    std::string m_pointer; // of the value being read
    bool m_looking = false;
    std::string_view m_wanted;
    int m_found_line = 0;
    Error m_error;
};

} // namespace ridgepoint
