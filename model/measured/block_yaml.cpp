#include "model/measured/block_yaml.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include <fmt/format.h>

#include "model/measured/trimmed.h"

namespace ridgepoint {
namespace {

using nlohmann::json;

constexpr int deepest = 100;

struct Line {
    std::size_t indent = 0;
    std::string_view text;
    std::int64_t number = 0;
};

std::vector<Line> lines_of(std::string_view text)
{
    std::vector<Line> out;
    std::int64_t number = 0;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(text.size(), end + 1));
        ++number;
        const std::size_t indent = line.find_first_not_of(' ');
        line = trimmed(line);
        if (line.empty() || line.starts_with('#') || (indent == 0 && line == "---"))
            continue;
        if (indent == 0 && line == "...")
            break;
        out.push_back({indent, line, number});
    }
    return out;
}

// Where the key of "key: value" ends; npos: no key.
std::size_t end_of_key(std::string_view line)
{
    std::size_t i = 0;
    if (line.starts_with('"') || line.starts_with('\'')) {
        i = line.find(line[0], 1);
        if (i == std::string_view::npos)
            return i;
    }
    for (; i < line.size(); ++i)
        if (line[i] == ':' && (i + 1 == line.size() || line[i + 1] == ' '))
            return i;
    return std::string_view::npos;
}

std::string unquoted(std::string_view text)
{
    if (text.size() < 2 || text.front() != text.back() || (text.front() != '"' && text.front() != '\''))
        return std::string(text);
    if (text.front() == '"') {
        const json parsed = json::parse(text, nullptr, false);
        return parsed.is_string() ? parsed.get<std::string>() : std::string(text.substr(1, text.size() - 2));
    }
    std::string out;
    for (std::size_t i = 1; i + 1 < text.size(); ++i) {
        out += text[i];
        if (text[i] == '\'' && text[i + 1] == '\'')
            ++i;
    }
    return out;
}

json scalar(std::string_view text)
{
    if (text == "null" || text == "~" || text.empty())
        return nullptr;
    if (text == "true" || text == "false")
        return text == "true";
    if (text == ".nan" || text == ".NaN")
        return "NaN";
    if (text == ".inf" || text == "-.inf")
        return text == ".inf" ? "Infinity" : "-Infinity";
    if (text.front() == '{' || text.front() == '[') {
        json flow = json::parse(text, nullptr, false);
        return flow.is_discarded() ? json(std::string(text)) : flow;
    }
    std::int64_t whole = 0;
    const char* const end = text.data() + text.size();
    if (const auto r = std::from_chars(text.data(), end, whole); r.ec == std::errc{} && r.ptr == end)
        return whole;
    double v = 0;
    if (const auto r = std::from_chars(text.data(), end, v); r.ec == std::errc{} && r.ptr == end && ((text.front() >= '0' && text.front() <= '9') || text.front() == '-' || text.front() == '.'))
        return v;
    return unquoted(text);
}

class Reader {
public:
    Reader(std::vector<Line> lines, std::vector<Skipped>& skipped) : m_lines(std::move(lines)), m_skipped(skipped) {}

    json read() { return m_lines.empty() ? json() : block(m_lines[0].indent, 0); }
    [[nodiscard]] bool too_deep() const { return m_too_deep; }

private:
    static bool is_entry(std::string_view text) { return text == "-" || text.starts_with("- "); }

    json block(std::size_t indent, int depth)
    {
        if (depth > deepest) {
            m_too_deep = true;
            m_at = m_lines.size();
            return nullptr;
        }
        return is_entry(m_lines[m_at].text) ? sequence(indent, depth) : mapping(indent, depth);
    }

    json sequence(std::size_t indent, int depth)
    {
        json out = json::array();
        while (m_at < m_lines.size() && m_lines[m_at].indent == indent && is_entry(m_lines[m_at].text)) {
            Line& line = m_lines[m_at];
            const std::size_t start = line.text.find_first_not_of(' ', 1);
            if (start == std::string_view::npos) {
                ++m_at;
                out.push_back(m_at < m_lines.size() && m_lines[m_at].indent > indent ? block(m_lines[m_at].indent, depth + 1) : json());
                continue;
            }
            // What stands behind the dash is a block of its own, as far in as it stands.
            const std::string_view rest = line.text.substr(start);
            if (is_entry(rest) || (!rest.starts_with('{') && !rest.starts_with('[') && end_of_key(rest) != std::string_view::npos)) {
                line.indent += start;
                line.text = rest;
                out.push_back(block(line.indent, depth + 1));
            } else {
                out.push_back(value(rest, indent));
            }
        }
        return out;
    }

    json mapping(std::size_t indent, int depth)
    {
        json out = json::object();
        while (m_at < m_lines.size() && m_lines[m_at].indent >= indent) {
            const Line line = m_lines[m_at];
            const std::size_t colon = line.indent == indent && !is_entry(line.text) ? end_of_key(line.text) : std::string_view::npos;
            if (colon == std::string_view::npos) {
                if (line.indent == indent && is_entry(line.text))
                    break; // of the sequence that this mapping stands in
                skip(m_skipped, "line that is neither a key nor an entry", fmt::format("line {}", line.number));
                ++m_at;
                continue;
            }
            const std::string key = unquoted(trimmed(line.text.substr(0, colon)));
            const std::string_view rest = trimmed(line.text.substr(colon + 1));
            if (!rest.empty()) {
                out[key] = value(rest, indent);
                continue;
            }
            ++m_at;
            const bool nested = m_at < m_lines.size() && (m_lines[m_at].indent > indent || (m_lines[m_at].indent == indent && is_entry(m_lines[m_at].text)));
            out[key] = nested ? block(m_lines[m_at].indent, depth + 1) : json();
        }
        return out;
    }

    // A scalar goes on over the lines that stand further in than its key; their text is of no use to a reader of figures.
    json value(std::string_view text, std::size_t indent)
    {
        ++m_at;
        bool more = false;
        while (m_at < m_lines.size() && m_lines[m_at].indent > indent) {
            ++m_at;
            more = true;
        }
        return more || text.starts_with('|') || text.starts_with('>') ? json(std::string(text)) : scalar(text);
    }

    std::vector<Line> m_lines;
    std::vector<Skipped>& m_skipped;
    std::size_t m_at = 0;
    bool m_too_deep = false;
};

} // namespace

Expected<json> block_yaml(std::string_view text, const std::string& file, std::vector<Skipped>& skipped)
{
    Reader reader(lines_of(text), skipped);
    json document = reader.read();
    if (reader.too_deep())
        return bad_input(fmt::format("nested deeper than {} levels", deepest), Place{file, 0, {}}, {}, "a flat YAML document");
    if (!document.is_object())
        return bad_input("not a mapping of YAML", Place{file, 0, {}}, {}, "keys with values");
    return document;
}

} // namespace ridgepoint
