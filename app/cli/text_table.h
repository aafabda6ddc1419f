#pragma once
// Columns for a terminal: text to the left, numbers to the right.

#include <string>
#include <vector>

namespace ridgepoint::cli {

class TextTable {
public:
    // A header that starts with '>' makes its column right-aligned.
    explicit TextTable(std::vector<std::string> header);
    void add(std::vector<std::string> row); // padded or cut to the header's length
    void rule() { m_rules.push_back(m_rows.size()); }
    [[nodiscard]] std::string text(const std::string& indent = "  ") const;
    [[nodiscard]] bool empty() const { return m_rows.empty(); }

private:
    std::vector<std::string> m_header;
    std::vector<bool> m_right;
    std::vector<std::vector<std::string>> m_rows;
    std::vector<std::size_t> m_rules; // before these rows
};

std::size_t display_width(const std::string& utf8); // code points
std::string shortened(const std::string& utf8, std::size_t width); // "long na..."
std::string wrapped(const std::string& text, const std::string& indent, std::size_t width = 100);

} // namespace ridgepoint::cli
