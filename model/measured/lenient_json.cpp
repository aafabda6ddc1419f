#include "model/measured/lenient_json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace ridgepoint {
namespace {

constexpr std::size_t deepest = 200;

std::string place_of(std::string_view text, std::size_t at)
{
    return fmt::format("line {}", 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

// "1e999", which nlohmann refuses with the whole document.
bool beyond_double(std::string_view word)
{
    if (word.size() < 5 || (word.front() != '-' && (word.front() < '0' || word.front() > '9')) || (word.size() < 300 && word.find_first_of("eE") == std::string_view::npos))
        return false;
    double v = 0;
    return std::from_chars(word.data(), word.data() + word.size(), v).ec == std::errc::result_out_of_range && word.find("e-") == std::string_view::npos && word.find("E-") == std::string_view::npos;
}

// Copies the text, mending what nlohmann refuses. A document that ends early is cut after its last complete value, and its
// open brackets are closed.
class Mender {
public:
    Mender(std::string_view text, std::vector<Skipped>& mended) : m_text(text), m_mended(mended) { m_out.reserve(text.size() + 16); }

    // False: nested too deeply.
    bool run()
    {
        while (m_at < m_text.size() && !m_done) {
            const char c = m_text[m_at];
            if (c == '"') {
                if (!copy_string())
                    break;
            } else if (c == '{' || c == '[') {
                if (m_open.size() >= deepest)
                    return false;
                m_open += c == '{' ? '}' : ']';
                m_out += c;
                ++m_at;
                m_key_next = c == '{';
                mark_complete(); // an empty container may be closed here
            } else if (c == '}' || c == ']') {
                drop_comma();
                if (!m_open.empty())
                    m_open.pop_back();
                m_out += c;
                ++m_at;
                m_key_next = false;
                mark_complete();
                m_done = m_open.empty();
            } else if (c == ',') {
                m_out += c;
                ++m_at;
                m_key_next = !m_open.empty() && m_open.back() == '}';
            } else if (c == ':') {
                m_out += c;
                ++m_at;
                m_key_next = false;
            } else if (static_cast<unsigned char>(c) <= ' ') {
                m_out += c == '\0' ? ' ' : c;
                ++m_at;
            } else {
                copy_word();
            }
        }
        if (!m_open.empty()) {
            mend("the file ends early; its complete values are kept", m_text.size());
            m_out.resize(m_complete);
            while (!m_complete_open.empty()) {
                m_out += m_complete_open.back();
                m_complete_open.pop_back();
            }
        }
        return true;
    }
    [[nodiscard]] const std::string& text() const { return m_out; }

private:
    // The place of the first of its kind only: finding it walks through the text.
    void mend(const char* reason, std::size_t at)
    {
        const bool known = std::any_of(m_mended.begin(), m_mended.end(), [&](const Skipped& s) { return s.reason == reason; });
        skip(m_mended, reason, known ? std::string() : place_of(m_text, at));
    }

    void mark_complete()
    {
        m_complete = m_out.size();
        m_complete_open = m_open;
    }

    void drop_comma()
    {
        std::size_t end = m_out.size();
        while (end > 0 && static_cast<unsigned char>(m_out[end - 1]) <= ' ')
            --end;
        if (end > 0 && m_out[end - 1] == ',') {
            m_out[end - 1] = ' ';
            mend("trailing comma", m_at);
        }
    }

    // False: it does not end.
    bool copy_string()
    {
        const bool is_key = m_key_next;
        const std::size_t start = m_at;
        m_out += m_text[m_at++];
        while (m_at < m_text.size()) {
            const char c = m_text[m_at];
            if (c == '\\') {
                if (m_at + 1 >= m_text.size())
                    break;
                if (std::string_view("\"\\/bfnrtu").find(m_text[m_at + 1]) == std::string_view::npos) {
                    m_out += "\\\\";
                    ++m_at;
                    mend("backslash that escapes nothing", start);
                } else {
                    m_out.append(m_text.substr(m_at, 2));
                    m_at += 2;
                }
                continue;
            }
            ++m_at;
            if (static_cast<unsigned char>(c) < 0x20) {
                m_out += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
                mend("control character in a string", start);
                continue;
            }
            m_out += c;
            if (c == '"') {
                if (!is_key)
                    mark_complete();
                return true;
            }
        }
        m_at = m_text.size();
        return false;
    }

    void copy_word()
    {
        const std::size_t start = m_at;
        while (m_at < m_text.size() && static_cast<unsigned char>(m_text[m_at]) > ' ' && std::string_view("{}[]:,\"").find(m_text[m_at]) == std::string_view::npos)
            ++m_at;
        std::string_view word = m_text.substr(start, m_at - start);
        if (word == "NaN" || word == "nan" || word == "-nan" || word == "-NaN")
            m_out += "\"NaN\"";
        else if (word == "Infinity" || word == "inf" || word == "+inf" || word == "+Infinity" || word == "Inf")
            m_out += "\"Infinity\"";
        else if (word == "-Infinity" || word == "-inf" || word == "-Inf")
            m_out += "\"-Infinity\"";
        else if (word == "True" || word == "False" || word == "None") // a printed Python dictionary
            m_out += word == "True" ? "true" : word == "False" ? "false" : "null";
        else if (beyond_double(word)) {
            m_out += '"' + std::string(word) + '"';
            mend("number beyond the range of a double", start);
        } else
            m_out += word;
        if (m_at < m_text.size())
            mark_complete(); // a number at the very end may be cut
        else if (m_open.empty())
            m_done = true;
    }

    std::string_view m_text;
    std::vector<Skipped>& m_mended;
    std::string m_out;
    std::string m_open; // closing brackets that are due
    std::size_t m_complete = 0; // length of m_out after the last complete value
    std::string m_complete_open;
    std::size_t m_at = 0;
    bool m_key_next = false;
    bool m_done = false;
};

// nlohmann refuses bytes that are no UTF-8; here each becomes U+FFFD.
std::string with_sound_utf8(std::string_view text, bool& changed)
{
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size();) {
        const auto a = static_cast<unsigned char>(text[i]);
        std::size_t n = a < 0x80 ? 1 : a >= 0xC2 && a <= 0xDF ? 2 : a >= 0xE0 && a <= 0xEF ? 3 : a >= 0xF0 && a <= 0xF4 ? 4 : 0;
        for (std::size_t k = 1; k < n; ++k)
            if (i + k >= text.size() || (static_cast<unsigned char>(text[i + k]) & 0xC0U) != 0x80U)
                n = 0;
        if (n == 3) {
            const auto b = static_cast<unsigned char>(text[i + 1]);
            if ((a == 0xE0 && b < 0xA0) || (a == 0xED && b > 0x9F))
                n = 0;
        } else if (n == 4) {
            const auto b = static_cast<unsigned char>(text[i + 1]);
            if ((a == 0xF0 && b < 0x90) || (a == 0xF4 && b > 0x8F))
                n = 0;
        }
        if (n == 0) {
            out += "\xEF\xBF\xBD";
            changed = true;
            ++i;
        } else {
            out.append(text.substr(i, n));
            i += n;
        }
    }
    return out;
}

Expected<nlohmann::json> parse_mended(const std::string& mended, const std::string& file, std::vector<Skipped>& list)
{
    bool changed = false;
    const std::string sound = with_sound_utf8(mended, changed);
    if (changed)
        skip(list, "bytes that are no UTF-8", {});
    try {
        return nlohmann::json::parse(sound);
    } catch (const nlohmann::json::exception& e) {
        std::string why = e.what();
        if (const auto at = why.find("] "); at != std::string::npos)
            why.erase(0, at + 2);
        return bad_input("not JSON: " + why, Place{file, 0, {}}, {}, "a JSON document");
    }
}

} // namespace

Expected<nlohmann::json> lenient_json(std::string_view text, const std::string& file, std::vector<Skipped>& mended)
{
    if (text.starts_with("\xEF\xBB\xBF"))
        text.remove_prefix(3);
    Mender mender(text, mended);
    if (!mender.run())
        return bad_input(fmt::format("nested deeper than {} levels", deepest), Place{file, 0, {}}, {}, "a flat JSON document");
    return parse_mended(mender.text(), file, mended);
}

std::vector<nlohmann::json> lenient_json_lines(std::string_view text, std::vector<Skipped>& skipped, std::size_t most)
{
    if (text.starts_with("\xEF\xBB\xBF"))
        text.remove_prefix(3);
    std::vector<nlohmann::json> out;
    std::size_t line_number = 0;
    while (!text.empty() && out.size() < most) {
        const std::size_t end = text.find('\n');
        const std::string_view line = text.substr(0, end);
        ++line_number;
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (line.find_first_not_of(" \t\r") == std::string_view::npos)
            continue;
        const std::string place = fmt::format("line {}", line_number);
        std::vector<Skipped> mended;
        Mender mender(line, mended);
        if (!mender.run()) {
            skip(skipped, "line nested too deeply", place);
            continue;
        }
        auto value = parse_mended(mender.text(), {}, mended);
        for (const Skipped& m : mended)
            skip(skipped, m.reason, place);
        if (value)
            out.push_back(std::move(*value));
        else
            skip(skipped, "line that is no JSON", place);
    }
    return out;
}

std::optional<double> number_of(const nlohmann::json& value)
{
    if (value.is_number()) {
        const double v = value.get<double>();
        return std::isnan(v) ? std::nullopt : std::optional(v);
    }
    if (!value.is_string())
        return std::nullopt;
    std::string s = value.get<std::string>();
    std::erase(s, ',');
    while (!s.empty() && s.front() == ' ')
        s.erase(0, 1);
    while (!s.empty() && s.back() == ' ')
        s.pop_back();
    if (s == "inf" || s == "+Inf" || s == "Infinity" || s == "+inf" || s == "Inf")
        return std::numeric_limits<double>::infinity();
    if (s == "-inf" || s == "-Inf" || s == "-Infinity")
        return -std::numeric_limits<double>::infinity();
    double v = 0;
    const auto r = std::from_chars(s.data(), s.data() + s.size(), v);
    if (s.empty() || r.ec != std::errc{} || r.ptr != s.data() + s.size() || std::isnan(v))
        return std::nullopt;
    return v;
}

std::optional<double> number_at(const nlohmann::json& object, std::string_view key)
{
    if (!object.is_object())
        return std::nullopt;
    const auto at = object.find(key);
    return at == object.end() ? std::nullopt : number_of(*at);
}

std::optional<std::int64_t> integer_at(const nlohmann::json& object, std::string_view key)
{
    // Not by way of double: nanoseconds since 1970 need 61 bits.
    if (const auto at = object.is_object() ? object.find(key) : object.end(); object.is_object() && at != object.end() && at->is_number_integer()) {
        if (!at->is_number_unsigned())
            return at->get<std::int64_t>();
        const auto value = at->get<std::uint64_t>();
        return value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) ? std::optional(static_cast<std::int64_t>(value)) : std::nullopt;
    }
    const auto v = number_at(object, key);
    if (!v || !(std::abs(*v) < 9.2e18))
        return std::nullopt;
    return static_cast<std::int64_t>(std::llround(*v));
}

std::optional<double> positive_at(const nlohmann::json& object, std::string_view key)
{
    const auto v = number_at(object, key);
    return v && *v > 0 && std::isfinite(*v) ? v : std::nullopt;
}

const nlohmann::json& member(const nlohmann::json& object, std::string_view key)
{
    static const nlohmann::json nothing;
    if (!object.is_object())
        return nothing;
    const auto at = object.find(key);
    return at == object.end() ? nothing : *at;
}

std::string text_at(const nlohmann::json& object, std::string_view key)
{
    if (!object.is_object())
        return {};
    const auto at = object.find(key);
    return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

} // namespace ridgepoint
