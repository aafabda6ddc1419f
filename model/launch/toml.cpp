#include "model/launch/toml.h"

#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/format.h>

namespace ridgepoint {
namespace {

class Parser {
public:
    Parser(std::string_view text, const std::string& file)
        : m_text(text)
        , m_file(file)
    {
    }

    Expected<std::vector<TomlEntry>> run()
    {
        while (m_ok && m_at < m_text.size())
            line();
        if (!m_ok)
            return m_error;
        return std::move(m_entries);
    }

private:
    [[nodiscard]] char peek(std::size_t ahead = 0) const { return m_at + ahead < m_text.size() ? m_text[m_at + ahead] : '\0'; }
    void blanks()
    {
        while (peek() == ' ' || peek() == '\t')
            ++m_at;
    }
    // Blanks, comments and newlines, as inside an array.
    void space()
    {
        for (;;) {
            blanks();
            if (peek() == '#')
                m_at = std::min(m_text.find('\n', m_at), m_text.size());
            if (peek() == '\n')
                ++m_line;
            else if (peek() != '\r')
                return;
            ++m_at;
        }
    }
    void end_of_line()
    {
        blanks();
        if (peek() == '#')
            m_at = std::min(m_text.find('\n', m_at), m_text.size());
        if (peek() == '\r')
            ++m_at;
        if (m_at < m_text.size() && peek() != '\n')
            return fail("something follows the value");
        ++m_at;
        ++m_line;
    }

    void line()
    {
        blanks();
        if (peek() == '\0' && m_at >= m_text.size())
            return;
        if (peek() == '#' || peek() == '\n' || peek() == '\r')
            return end_of_line();
        if (peek() == '[') {
            if (peek(1) == '[')
                return fail("arrays of tables are not read");
            ++m_at;
            m_table = key();
            blanks();
            if (m_ok && peek() != ']')
                return fail("the name of a table is not closed");
            if (!m_ok)
                return;
            ++m_at;
            return end_of_line();
        }
        TomlEntry e;
        e.line = m_line;
        e.key = (m_table.empty() ? "" : m_table + ".") + key();
        blanks();
        if (m_ok && peek() != '=')
            return fail("a key without \"=\"");
        if (!m_ok)
            return;
        ++m_at;
        blanks();
        value(e);
        if (!m_ok)
            return;
        if (!m_seen.insert(e.key).second)
            return fail("a key is given twice", e.key);
        m_entries.push_back(std::move(e));
        end_of_line();
    }

    std::string key()
    {
        std::string out;
        for (;;) {
            blanks();
            if (peek() == '"' || peek() == '\'') {
                out += string();
            } else {
                const std::size_t begin = m_at;
                while (std::isalnum(static_cast<unsigned char>(peek())) != 0 || peek() == '_' || peek() == '-')
                    ++m_at;
                if (m_at == begin) {
                    fail("a key is missing");
                    return out;
                }
                out += m_text.substr(begin, m_at - begin);
            }
            blanks();
            if (!m_ok || peek() != '.')
                return out; // a failure has moved to the end
            ++m_at;
            out += '.';
        }
    }

    void value(TomlEntry& e)
    {
        if (peek() != '[') {
            e.values.push_back(scalar());
            return;
        }
        e.array = true;
        ++m_at;
        for (space(); m_ok && peek() != ']'; space()) {
            if (peek() == '[')
                return fail("arrays of arrays are not read");
            e.values.push_back(scalar());
            space();
            if (peek() == ',')
                ++m_at;
            else if (peek() != ']')
                return fail("an array is not closed");
            if (++m_values > most_toml_values)
                return fail("too many values");
        }
        ++m_at;
    }

    std::string scalar()
    {
        if (++m_values > most_toml_values) {
            fail("too many values");
            return {};
        }
        if (peek() == '"' || peek() == '\'')
            return string();
        if (peek() == '{') {
            fail("inline tables are not read");
            return {};
        }
        const std::size_t begin = std::min(m_at, m_text.size());
        while (m_at < m_text.size() && (std::isalnum(static_cast<unsigned char>(peek())) != 0 || std::string_view("+-._").find(peek()) != std::string_view::npos))
            ++m_at;
        std::string out;
        for (const char c : m_text.substr(begin, std::min(m_at, m_text.size()) - begin))
            if (c != '_')
                out += c;
        const bool number = !out.empty() && (std::isdigit(static_cast<unsigned char>(out.front())) != 0 || ((out.front() == '-' || out.front() == '+') && out.size() > 1));
        if (out != "true" && out != "false" && !number)
            fail("not a value", out.substr(0, 40), "a string, a number, true, false or an array of them");
        return out;
    }

    std::string string()
    {
        const char quote = peek();
        if (peek(1) == quote && peek(2) == quote) {
            fail("strings of several lines are not read");
            return {};
        }
        std::string out;
        for (++m_at; m_at < m_text.size() && peek() != '\n'; ++m_at) {
            const char c = peek();
            if (c == quote) {
                ++m_at;
                return out;
            }
            if (c == '\\' && quote == '"')
                escape(out);
            else
                out += c;
        }
        fail("a string is not closed");
        return out;
    }

    void escape(std::string& out)
    {
        static constexpr std::string_view names = "btnfr\"\\/";
        static constexpr std::string_view values = "\b\t\n\f\r\"\\/";
        ++m_at;
        if (m_at >= m_text.size())
            return fail("a string is not closed");
        const char c = m_text[m_at];
        if (const std::size_t i = names.find(c); i != std::string_view::npos) {
            out += values[i];
            return;
        }
        if (c != 'u')
            return fail("an unknown escape in a string", std::string(1, c));
        unsigned code = 0;
        for (int i = 0; i < 4; ++i) {
            const char d = static_cast<char>(std::tolower(static_cast<unsigned char>(peek(1))));
            if (std::isxdigit(static_cast<unsigned char>(d)) == 0)
                return fail("\\u needs four digits");
            code = code * 16 + static_cast<unsigned>(d <= '9' ? d - '0' : d - 'a' + 10);
            ++m_at;
        }
        if (code < 0x80) {
            out += static_cast<char>(code);
        } else if (code < 0x800) {
            out += static_cast<char>(0xc0 | (code >> 6));
            out += static_cast<char>(0x80 | (code & 0x3f));
        } else {
            out += static_cast<char>(0xe0 | (code >> 12));
            out += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
            out += static_cast<char>(0x80 | (code & 0x3f));
        }
    }

    void fail(std::string message, std::string found = {}, std::string expected = {})
    {
        if (m_ok)
            m_error = bad_input(std::move(message), Place{m_file, m_line, {}}, std::move(found), std::move(expected));
        m_ok = false;
        m_at = m_text.size();
    }

    std::string_view m_text;
    const std::string& m_file;
    std::size_t m_at = 0;
    std::size_t m_values = 0;
    int m_line = 1;
    bool m_ok = true;
    std::string m_table;
    std::set<std::string> m_seen;
    std::vector<TomlEntry> m_entries;
    Error m_error;
};

} // namespace

Expected<std::vector<TomlEntry>> parse_toml(std::string_view text, const std::string& file)
{
    if (text.size() > most_toml_bytes)
        return bad_input("the text is too long", Place{file, 0, {}}, fmt::format("{} bytes", text.size()), fmt::format("at most {}", most_toml_bytes));
    if (text.find('\0') != std::string_view::npos)
        return bad_input("a NUL byte in TOML", Place{file, 0, {}});
    return Parser(text, file).run();
}

} // namespace ridgepoint
