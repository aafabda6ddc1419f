#include "model/specs/json_parser.h"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace ridgepoint {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

void append_utf8(std::string& out, unsigned code)
{
    const auto byte = [&out](unsigned b) { out += static_cast<char>(static_cast<unsigned char>(b)); };
    if (code < 0x80) {
        byte(code);
    } else if (code < 0x800) {
        byte(0xC0 | (code >> 6));
        byte(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        byte(0xE0 | (code >> 12));
        byte(0x80 | ((code >> 6) & 0x3F));
        byte(0x80 | (code & 0x3F));
    } else {
        byte(0xF0 | (code >> 18));
        byte(0x80 | ((code >> 12) & 0x3F));
        byte(0x80 | ((code >> 6) & 0x3F));
        byte(0x80 | (code & 0x3F));
    }
}

} // namespace

Expected<nlohmann::json> JsonParser::parse()
{
    if (m_text.size() > m_limits.bytes)
        return bad_input("the file is too large", Place{m_file, 0, {}}, fmt::format("{} bytes", m_text.size()),
            fmt::format("at most {} bytes", m_limits.bytes));
    if (m_text.substr(0, 3) == "\xEF\xBB\xBF")
        m_at = 3;
    nlohmann::json root;
    bool ok = value(root, 0);
    if (ok) {
        skip_blank();
        m_pointer.clear();
        if (!at_end())
            ok = fail("text after the end of the document", "nothing");
    }
    if (!ok)
        return m_error;
    return root;
}

bool JsonParser::value(nlohmann::json& out, int depth)
{
    skip_blank();
    if (at_end())
        return fail("the file ends too early", "a value");
    if (++m_values > m_limits.values)
        return fail("too many values", fmt::format("at most {}", m_limits.values));
    note_position();
    switch (peek()) {
    case '{':
        return object(out, depth);
    case '[':
        return array(out, depth);
    case '"': {
        std::string text;
        if (!string(text))
            return false;
        out = std::move(text);
        return true;
    }
    case 't':
        return word("true", true, out);
    case 'f':
        return word("false", false, out);
    case 'n':
        return word("null", nullptr, out);
    default:
        return number(out);
    }
}

bool JsonParser::object(nlohmann::json& out, int depth)
{
    if (depth >= m_limits.depth)
        return fail("nested too deeply", fmt::format("at most {} levels", m_limits.depth));
    out = nlohmann::json::object();
    ++m_at;
    skip_blank();
    if (peek() == '}') {
        ++m_at;
        return true;
    }
    const std::size_t parent = m_pointer.size();
    while (true) {
        skip_blank();
        if (peek() != '"')
            return fail(at_end() ? "the file ends inside an object" : "a property must start with its name in quotes", "'\"'");
        std::string key;
        if (!string(key))
            return false;
        m_pointer += '/';
        m_pointer += escape_pointer_token(key);
        if (out.contains(key))
            return fail("the property appears twice", "each name once");
        skip_blank();
        if (peek() != ':')
            return fail(at_end() ? "the file ends inside an object" : "a property name must be followed by a colon", "':'");
        ++m_at;
        nlohmann::json child;
        if (!value(child, depth + 1))
            return false;
        out.emplace(std::move(key), std::move(child));
        m_pointer.resize(parent);
        skip_blank();
        if (peek() == ',') {
            ++m_at;
            skip_blank();
            if (peek() == '}')
                return fail("a comma before the end of the object", "a property");
            continue;
        }
        if (peek() == '}') {
            ++m_at;
            return true;
        }
        return fail(at_end() ? "the file ends inside an object" : "properties must be separated by commas", "',' or '}'");
    }
}

bool JsonParser::array(nlohmann::json& out, int depth)
{
    if (depth >= m_limits.depth)
        return fail("nested too deeply", fmt::format("at most {} levels", m_limits.depth));
    out = nlohmann::json::array();
    ++m_at;
    skip_blank();
    if (peek() == ']') {
        ++m_at;
        return true;
    }
    const std::size_t parent = m_pointer.size();
    for (std::size_t index = 0;; ++index) {
        m_pointer += '/';
        m_pointer += std::to_string(index);
        nlohmann::json child;
        if (!value(child, depth + 1))
            return false;
        out.push_back(std::move(child));
        m_pointer.resize(parent);
        skip_blank();
        if (peek() == ',') {
            ++m_at;
            skip_blank();
            if (peek() == ']')
                return fail("a comma before the end of the list", "a value");
            continue;
        }
        if (peek() == ']') {
            ++m_at;
            return true;
        }
        return fail(at_end() ? "the file ends inside a list" : "values must be separated by commas", "',' or ']'");
    }
}

// The grammar is checked before from_chars sees the text: it would accept "inf", "1." and leading zeros.
bool JsonParser::number(nlohmann::json& out)
{
    const std::size_t start = m_at;
    std::size_t at = m_at;
    const auto digits = [&] {
        const std::size_t from = at;
        while (at < m_text.size() && is_digit(m_text[at]))
            ++at;
        return at - from;
    };
    bool whole = true;
    if (at < m_text.size() && m_text[at] == '-')
        ++at;
    const std::size_t integer_at = at;
    const std::size_t integer_digits = digits();
    if (integer_digits == 0)
        return fail("not a JSON value", "an object, list, string, finite number, true, false or null");
    if (integer_digits > 1 && m_text[integer_at] == '0')
        return fail("a number must not start with zero", "no leading zeros");
    if (at < m_text.size() && m_text[at] == '.') {
        whole = false;
        ++at;
        if (digits() == 0)
            return fail("no digit after the decimal point", "a number");
    }
    if (at < m_text.size() && (m_text[at] == 'e' || m_text[at] == 'E')) {
        whole = false;
        ++at;
        if (at < m_text.size() && (m_text[at] == '+' || m_text[at] == '-'))
            ++at;
        if (digits() == 0)
            return fail("no digit in the exponent", "a number");
    }
    const char* first = m_text.data() + start;
    const char* last = m_text.data() + at;
    if (whole) {
        if (*first == '-') {
            std::int64_t v = 0;
            if (std::from_chars(first, last, v).ec == std::errc{}) {
                out = v;
                m_at = at;
                return true;
            }
        } else {
            std::uint64_t v = 0;
            if (std::from_chars(first, last, v).ec == std::errc{}) {
                out = v;
                m_at = at;
                return true;
            }
        }
    }
    double v = 0.0;
    const std::errc ec = std::from_chars(first, last, v).ec;
    if (ec != std::errc{} || !std::isfinite(v))
        return fail("the number is out of range", "a finite number in double precision");
    out = v;
    m_at = at;
    return true;
}

bool JsonParser::string(std::string& out)
{
    ++m_at;
    while (!at_end()) {
        const auto c = static_cast<unsigned char>(m_text[m_at]);
        if (c == '"') {
            ++m_at;
            return true;
        }
        if (c < 0x20)
            return fail("a control character or line end inside a string", "an escape such as \\n, or the closing '\"'");
        if (c == '\\') {
            if (!escape(out))
                return false;
        } else if (c < 0x80) {
            out += static_cast<char>(c);
            ++m_at;
        } else if (!utf8(out)) {
            return false;
        }
    }
    return fail("the file ends inside a string", "'\"'");
}

bool JsonParser::escape(std::string& out)
{
    ++m_at;
    const char c = peek();
    ++m_at;
    switch (c) {
    case '"':
    case '\\':
    case '/':
        out += c;
        return true;
    case 'b':
        out += '\b';
        return true;
    case 'f':
        out += '\f';
        return true;
    case 'n':
        out += '\n';
        return true;
    case 'r':
        out += '\r';
        return true;
    case 't':
        out += '\t';
        return true;
    case 'u': {
        unsigned code = 0;
        if (!four_hex(code))
            return false;
        if (code >= 0xD800 && code < 0xDC00) {
            unsigned low = 0;
            if (m_text.substr(m_at, 2) != "\\u")
                return fail("half of a surrogate pair", "\\uDC00 to \\uDFFF");
            m_at += 2;
            if (!four_hex(low))
                return false;
            if (low < 0xDC00 || low > 0xDFFF)
                return fail("half of a surrogate pair", "\\uDC00 to \\uDFFF");
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        } else if (code >= 0xDC00 && code <= 0xDFFF) {
            return fail("half of a surrogate pair", "\\uD800 to \\uDBFF first");
        }
        append_utf8(out, code);
        return true;
    }
    default:
        --m_at;
        return fail("unknown escape in a string", "one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u");
    }
}

bool JsonParser::four_hex(unsigned& out)
{
    out = 0;
    for (int i = 0; i < 4; ++i) {
        const char c = peek();
        unsigned digit = 0;
        if (is_digit(c))
            digit = static_cast<unsigned>(c - '0');
        else if (c >= 'a' && c <= 'f')
            digit = static_cast<unsigned>(c - 'a') + 10;
        else if (c >= 'A' && c <= 'F')
            digit = static_cast<unsigned>(c - 'A') + 10;
        else
            return fail("not a hexadecimal digit", "four hexadecimal digits after \\u");
        out = out * 16 + digit;
        ++m_at;
    }
    return true;
}

// Overlong forms, surrogates and bytes beyond U+10FFFF are refused: later writers of JSON and HTML rely on it.
bool JsonParser::utf8(std::string& out)
{
    const auto lead = static_cast<unsigned char>(m_text[m_at]);
    const int extra = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
    unsigned code = extra == 3 ? lead & 0x07u : extra == 2 ? lead & 0x0Fu : lead & 0x1Fu;
    bool good = lead >= 0xC2 && lead <= 0xF4 && m_at + static_cast<std::size_t>(extra) < m_text.size();
    for (int i = 1; good && i <= extra; ++i) {
        const auto c = static_cast<unsigned char>(m_text[m_at + static_cast<std::size_t>(i)]);
        good = (c & 0xC0) == 0x80;
        code = (code << 6) | (c & 0x3Fu);
    }
    if (good && extra == 2)
        good = code >= 0x800 && (code < 0xD800 || code > 0xDFFF);
    if (good && extra == 3)
        good = code >= 0x10000 && code <= 0x10FFFF;
    if (!good)
        return fail("the text is not valid UTF-8", "UTF-8");
    out += m_text.substr(m_at, static_cast<std::size_t>(extra) + 1);
    m_at += static_cast<std::size_t>(extra) + 1;
    return true;
}

bool JsonParser::word(std::string_view expected, nlohmann::json value, nlohmann::json& out)
{
    if (m_text.substr(m_at, expected.size()) != expected)
        return fail("not a JSON value", "an object, list, string, finite number, true, false or null");
    m_at += expected.size();
    out = std::move(value);
    return true;
}

void JsonParser::skip_blank()
{
    while (!at_end()) {
        const char c = m_text[m_at];
        if (c == '\n' || (c == '\r' && m_text.substr(m_at + 1, 1) != "\n"))
            ++m_line;
        else if (c != ' ' && c != '\t' && c != '\r')
            return;
        ++m_at;
    }
}

void JsonParser::note_position()
{
    if (!m_looking || m_wanted.substr(0, m_pointer.size()) != m_pointer)
        return;
    if (m_wanted.size() == m_pointer.size() || m_wanted[m_pointer.size()] == '/')
        m_found_line = m_line;
}

bool JsonParser::fail(std::string message, std::string expected)
{
    m_error = bad_input(std::move(message), Place{m_file, m_line, m_pointer}, here(), std::move(expected));
    return false;
}

std::string JsonParser::here() const
{
    if (at_end())
        return "end of file";
    std::string out;
    for (std::size_t i = m_at; i < m_text.size() && out.size() < 24; ++i) {
        const auto c = static_cast<unsigned char>(m_text[i]);
        if (c < 0x20 || c == 0x7F)
            break;
        out += c < 0x80 ? static_cast<char>(c) : '?';
    }
    return out.empty() ? fmt::format("byte 0x{:02X}", static_cast<unsigned char>(m_text[m_at])) : "'" + out + "'";
}

} // namespace ridgepoint
