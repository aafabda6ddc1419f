#include "model/trace/table_events.h"

#include <charconv>
#include <cmath>

namespace ridgepoint {

TableColumns::TableColumns(const std::vector<std::string>& header)
{
    for (std::size_t i = 0; i < header.size(); ++i) {
        const ColumnName c = column_name(header[i]);
        const double ns = nanoseconds_per(c.unit);
        m_columns.emplace(c.name, Column{i, ns > 0 ? ns : 1});
    }
}

const TableColumns::Column* TableColumns::find(std::initializer_list<std::string_view> names) const
{
    for (const std::string_view name : names)
        if (const auto at = m_columns.find(std::string(name)); at != m_columns.end())
            return &at->second;
    return nullptr;
}

std::string_view TableColumns::cell(const std::vector<std::string>& row, std::initializer_list<std::string_view> names) const
{
    const Column* c = find(names);
    return c && c->index < row.size() ? std::string_view(row[c->index]) : std::string_view();
}

std::optional<std::int64_t> TableColumns::time(const std::vector<std::string>& row, std::initializer_list<std::string_view> names) const
{
    const Column* c = find(names);
    return c && c->index < row.size() ? scaled_whole(row[c->index], c->ns) : std::nullopt;
}

std::optional<std::int64_t> TableColumns::whole(const std::vector<std::string>& row, std::initializer_list<std::string_view> names) const
{
    return scaled_whole(cell(row, names), 1);
}

std::optional<TableColumns> find_header(std::string_view head, const std::function<bool(const TableColumns&)>& is_header)
{
    if (head.starts_with("\xef\xbb\xbf"))
        head.remove_prefix(3);
    for (int lines = 0; !head.empty() && lines < 1000; ++lines) {
        const std::size_t end = head.find('\n');
        const std::string_view line = head.substr(0, end);
        head.remove_prefix(end == std::string_view::npos ? head.size() : end + 1);
        if (line.size() > 8192 || line.find(',') == std::string_view::npos)
            continue;
        TableColumns columns(csv_fields(line));
        if (is_header(columns))
            return columns;
    }
    return std::nullopt;
}

std::optional<std::int64_t> scaled_whole(std::string_view text, double scale)
{
    std::string plain;
    for (const char c : text.substr(0, 64))
        if (c != ',' && c != ' ')
            plain += c;
    if (plain.empty())
        return std::nullopt;
    const char* const end = plain.data() + plain.size();
    std::int64_t whole = 0;
    if (const auto r = std::from_chars(plain.data(), end, whole); r.ec == std::errc{} && r.ptr == end) {
        const auto factor = static_cast<std::int64_t>(scale);
        return __builtin_mul_overflow(whole, factor, &whole) ? std::nullopt : std::optional(whole);
    }
    double value = 0;
    if (const auto r = std::from_chars(plain.data(), end, value); r.ec != std::errc{} || r.ptr != end)
        return std::nullopt;
    value *= scale;
    return std::abs(value) < 9.2e18 ? std::optional(static_cast<std::int64_t>(std::llround(value))) : std::nullopt;
}

} // namespace ridgepoint
