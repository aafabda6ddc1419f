#include "app/cli/text_table.h"

#include <algorithm>

namespace ridgepoint::cli {

std::size_t display_width(const std::string& utf8)
{
    return static_cast<std::size_t>(std::count_if(utf8.begin(), utf8.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string shortened(const std::string& utf8, std::size_t width)
{
    if (display_width(utf8) <= width || width < 4)
        return utf8;
    std::size_t end = 0, seen = 0;
    while (end < utf8.size() && seen + 3 < width) {
        ++end;
        while (end < utf8.size() && (static_cast<unsigned char>(utf8[end]) & 0xC0) == 0x80)
            ++end;
        ++seen;
    }
    return utf8.substr(0, end) + "...";
}

std::string wrapped(const std::string& text, const std::string& indent, std::size_t width)
{
    std::string out = indent;
    std::size_t column = indent.size();
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t space = std::min(text.find(' ', at), text.size());
        const std::string word = text.substr(at, space - at);
        const std::size_t w = display_width(word);
        if (column > indent.size() && column + 1 + w > width) {
            out += "\n" + indent;
            column = indent.size();
        } else if (column > indent.size()) {
            out += ' ';
            ++column;
        }
        out += word;
        column += w;
        at = space + 1;
    }
    return out + "\n";
}

TextTable::TextTable(std::vector<std::string> header) : m_header(std::move(header))
{
    for (std::string& h : m_header) {
        const bool right = h.starts_with(">");
        m_right.push_back(right);
        if (right)
            h.erase(0, 1);
    }
}

void TextTable::add(std::vector<std::string> row)
{
    row.resize(m_header.size());
    m_rows.push_back(std::move(row));
}

std::string TextTable::text(const std::string& indent) const
{
    std::vector<std::size_t> width(m_header.size());
    for (std::size_t c = 0; c < m_header.size(); ++c) {
        width[c] = display_width(m_header[c]);
        for (const auto& row : m_rows)
            width[c] = std::max(width[c], display_width(row[c]));
    }
    std::string out;
    const auto line = [&](const std::vector<std::string>& row) {
        std::string l = indent;
        for (std::size_t c = 0; c < row.size(); ++c) {
            const std::string pad(width[c] - display_width(row[c]), ' ');
            l += (c > 0 ? "  " : "") + (m_right[c] ? pad + row[c] : row[c] + pad);
        }
        l.erase(l.find_last_not_of(' ') + 1);
        out += l + "\n";
    };
    const auto rule = [&] {
        std::size_t all = 0;
        for (std::size_t w : width)
            all += w + 2;
        out += indent + std::string(all > 2 ? all - 2 : 0, '-') + "\n";
    };
    if (std::any_of(m_header.begin(), m_header.end(), [](const std::string& h) { return !h.empty(); })) {
        line(m_header);
        rule();
    }
    for (std::size_t r = 0; r < m_rows.size(); ++r) {
        if (std::find(m_rules.begin(), m_rules.end(), r) != m_rules.end())
            rule();
        line(m_rows[r]);
    }
    return out;
}

} // namespace ridgepoint::cli
