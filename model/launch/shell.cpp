#include "model/launch/shell.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace ridgepoint {
namespace {

bool is_plain(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view("_-./:=,+@%").find(c) != std::string_view::npos; }
bool is_printable(char c) { return c >= ' ' && c < 127; }

class Splitter {
public:
    Splitter(std::string_view text, const std::string& file)
        : m_text(text)
        , m_file(file)
    {
    }

    Expected<std::vector<ShellCommand>> run()
    {
        while (m_at < m_text.size() && !m_failed)
            step();
        end_word();
        end_command();
        if (m_failed)
            return m_error;
        return std::move(m_commands);
    }

private:
    void step()
    {
        const char c = m_text[m_at];
        if (c == '\0')
            return fail("a NUL byte in shell text", m_line);
        if (c == '\n') {
            end_word();
            end_command();
            ++m_line;
            ++m_at;
        } else if (c == ' ' || c == '\t' || c == '\r') {
            end_word();
            ++m_at;
        } else if (c == '#' && !m_in_word) {
            m_at = std::min(m_text.find('\n', m_at), m_text.size());
        } else if (std::string_view(";&|()<>").find(c) != std::string_view::npos) {
            end_word();
            end_command();
            ++m_at;
        } else {
            part(c);
        }
    }

    void part(char c)
    {
        begin_word();
        if (c == '\\')
            backslash();
        else if (c == '\'')
            single();
        else if (c == '"')
            twofold();
        else if (c == '$' && m_at + 1 < m_text.size() && m_text[m_at + 1] == '\'')
            ansi();
        else if (c == '$' || c == '`')
            expansion();
        else
            take();
    }

    void take()
    {
        if (m_text[m_at] == '\n')
            ++m_line;
        m_word.text += m_text[m_at++];
    }

    void backslash()
    {
        ++m_at;
        if (m_at >= m_text.size())
            return;
        if (m_text[m_at] == '\r' && m_at + 1 < m_text.size() && m_text[m_at + 1] == '\n')
            ++m_at;
        if (m_text[m_at] == '\n') { // the line goes on; it begins no word
            ++m_at;
            ++m_line;
            m_in_word = m_in_word && (!m_word.text.empty() || m_quoted);
            return;
        }
        take();
    }

    void single()
    {
        m_quoted = true;
        const int opened = m_line;
        for (++m_at; m_at < m_text.size(); take())
            if (m_text[m_at] == '\'') {
                ++m_at;
                return;
            }
        fail("a single quote is never closed", opened);
    }

    void twofold()
    {
        m_quoted = true;
        const int opened = m_line;
        ++m_at;
        while (m_at < m_text.size() && !m_failed) {
            const char c = m_text[m_at];
            if (c == '"') {
                ++m_at;
                return;
            }
            if (c == '\\' && m_at + 1 < m_text.size() && std::string_view("$`\"\\\n").find(m_text[m_at + 1]) != std::string_view::npos) {
                ++m_at;
                if (m_text[m_at] == '\n') {
                    ++m_at;
                    ++m_line;
                } else {
                    take();
                }
            } else if (c == '$' || c == '`') {
                expansion();
            } else {
                take();
            }
        }
        fail("a double quote is never closed", opened);
    }

    void ansi() // $'...'
    {
        m_quoted = true;
        const int opened = m_line;
        m_at += 2;
        while (m_at < m_text.size()) {
            const char c = m_text[m_at];
            if (c == '\'') {
                ++m_at;
                return;
            }
            if (c == '\\' && m_at + 1 < m_text.size()) {
                ++m_at;
                escape();
            } else {
                take();
            }
        }
        fail("a $' quote is never closed", opened);
    }

    void escape()
    {
        static constexpr std::string_view names = "abefnrtv\\'\"?";
        static constexpr std::string_view values = "\a\b\x1b\f\n\r\t\v\\'\"?";
        const char c = m_text[m_at];
        if (c == 'x') {
            int value = 0;
            int digits = 0;
            for (++m_at; digits < 2 && m_at < m_text.size() && std::isxdigit(static_cast<unsigned char>(m_text[m_at])) != 0; ++digits, ++m_at) {
                const char d = static_cast<char>(std::tolower(static_cast<unsigned char>(m_text[m_at])));
                value = value * 16 + (d <= '9' ? d - '0' : d - 'a' + 10);
            }
            m_word.text += static_cast<char>(value);
        } else if (const std::size_t i = names.find(c); i != std::string_view::npos) {
            m_word.text += values[i];
            ++m_at;
        } else {
            m_word.text += '\\';
            take();
        }
    }

    // Kept as written: nothing here knows what the shell would put in its place.
    void expansion()
    {
        const char open = m_at + 1 < m_text.size() ? m_text[m_at + 1] : '\0';
        if (m_text[m_at] == '$' && open != '(' && open != '{' && std::isalnum(static_cast<unsigned char>(open)) == 0
            && std::string_view("_@*#?$!-").find(open) == std::string_view::npos)
            return take(); // a lone dollar
        m_word.expands = true;
        const int opened = m_line;
        if (m_text[m_at] == '`') {
            take();
            while (m_at < m_text.size() && m_text[m_at] != '`')
                take();
            return m_at < m_text.size() ? take() : fail("a ` is never closed", opened);
        }
        take();
        if (open != '(' && open != '{')
            return;
        const char close = open == '(' ? ')' : '}';
        int depth = 0;
        while (m_at < m_text.size()) {
            const char c = m_text[m_at];
            depth += c == open ? 1 : c == close ? -1 : 0;
            take();
            if (depth == 0)
                return;
        }
        fail(fmt::format("a ${} is never closed", open), opened);
    }

    void begin_word()
    {
        if (m_in_word)
            return;
        m_in_word = true;
        m_quoted = false;
        m_word = {{}, m_line, false};
    }
    void end_word()
    {
        if (m_in_word)
            m_command.push_back(std::move(m_word));
        m_in_word = false;
        if (m_command.size() > most_shell_words)
            fail(fmt::format("more than {} words in a command", most_shell_words), m_line);
    }
    void end_command()
    {
        if (!m_command.empty())
            m_commands.push_back(std::move(m_command));
        m_command = {};
    }
    void fail(std::string message, int line)
    {
        if (!m_failed)
            m_error = bad_input(std::move(message), Place{m_file, line, {}});
        m_failed = true;
        m_at = m_text.size();
    }

    std::string_view m_text;
    const std::string& m_file;
    std::size_t m_at = 0;
    int m_line = 1;
    bool m_in_word = false;
    bool m_quoted = false;
    bool m_failed = false;
    ShellWord m_word;
    ShellCommand m_command;
    std::vector<ShellCommand> m_commands;
    Error m_error;
};

} // namespace

std::string shell_quote(std::string_view text)
{
    if (!text.empty() && text.front() != '~' && std::ranges::all_of(text, is_plain))
        return std::string(text);
    if (std::ranges::all_of(text, is_printable)) {
        std::string out = "'";
        for (const char c : text)
            out += c == '\'' ? std::string("'\\''") : std::string(1, c);
        return out + "'";
    }
    std::string out = "$'";
    for (const char c : text) {
        if (c == '\\' || c == '\'')
            out += std::string("\\") + c;
        else if (c == '\n')
            out += "\\n";
        else if (is_printable(c))
            out += c;
        else
            out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
    return out + "'";
}

Expected<std::vector<ShellCommand>> split_shell(std::string_view text, const std::string& file)
{
    if (text.size() > most_shell_bytes)
        return bad_input("the text is too long", Place{file, 0, {}}, fmt::format("{} bytes", text.size()), fmt::format("at most {}", most_shell_bytes));
    return Splitter(text, file).run();
}

} // namespace ridgepoint
