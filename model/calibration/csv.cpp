#include "model/calibration/csv.h"

#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

#include <fmt/format.h>

namespace ridgepoint {
namespace {
constexpr std::size_t most_bytes = 256u << 20;
constexpr std::size_t most_rows = 2'000'000;
constexpr std::size_t most_columns = 1'000;
} // namespace

int CsvTable::column(std::string_view name) const
{
    for (std::size_t i = 0; i < header.size(); ++i)
        if (header[i] == name)
            return static_cast<int>(i);
    return -1;
}

Expected<CsvTable> parse_csv(std::string_view text, const std::string& file)
{
    CsvTable table;
    table.file = file;
    if (text.starts_with("\xEF\xBB\xBF"))
        text.remove_prefix(3);
    std::vector<std::string> fields;
    std::string field;
    int line = 1, row_line = 1;
    bool quoted = false, any = false;

    const auto end_row = [&]() -> Status {
        fields.push_back(std::move(field));
        field.clear();
        any = false;
        const bool blank = fields.size() == 1 && fields.front().empty();
        if (blank) {
            fields.clear();
            return Done{};
        }
        if (table.header.empty()) {
            table.header = std::move(fields);
        } else {
            if (fields.size() != table.header.size())
                return bad_input("A row is not as long as the header", {file, row_line, {}}, fmt::format("{} fields", fields.size()),
                    fmt::format("{}", table.header.size()));
            table.rows.push_back(std::move(fields));
            table.lines.push_back(row_line);
        }
        fields.clear();
        if (table.rows.size() > most_rows || table.header.size() > most_columns)
            return bad_input("The table is too large", {file, row_line, {}}, "", fmt::format("at most {} rows and {} columns", most_rows, most_columns));
        return Done{};
    };

    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (!any && !quoted && fields.empty() && field.empty())
            row_line = line;
        if (quoted) {
            if (c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
                field += '"';
                ++i;
            } else if (c == '"') {
                quoted = false;
            } else {
                field += c;
                line += c == '\n';
            }
        } else if (c == '"' && field.empty()) {
            quoted = true;
            any = true;
        } else if (c == ',') {
            fields.push_back(std::move(field));
            field.clear();
            any = true;
        } else if (c == '\n') {
            if (Status s = end_row(); !s)
                return s.error();
            ++line;
        } else if (c != '\r') {
            field += c;
            any = true;
        }
    }
    if (quoted)
        return bad_input("A quoted field does not end", {file, row_line, {}});
    if (any || !field.empty())
        if (Status s = end_row(); !s)
            return s.error();
    if (table.header.empty())
        return bad_input("The file is empty", {file, 1, {}}, "", "a header row");
    return table;
}

Expected<CsvTable> read_csv(const std::string& file)
{
    std::ifstream in(file, std::ios::binary);
    if (!in)
        return io_error("The file cannot be read", file);
    in.seekg(0, std::ios::end);
    const auto size = in.tellg();
    if (size < 0)
        return io_error("The file cannot be read", file);
    if (static_cast<std::size_t>(size) > most_bytes)
        return bad_input("The file is too large", {file, 0, {}}, fmt::format("{} bytes", static_cast<std::size_t>(size)), "at most 256 MiB");
    std::string text(static_cast<std::size_t>(size), '\0');
    in.seekg(0);
    in.read(text.data(), size);
    return parse_csv(text, file);
}

std::string csv_field(std::string_view value)
{
    if (value.find_first_of(",\"\n\r") == std::string_view::npos)
        return std::string(value);
    std::string out = "\"";
    for (char c : value) {
        if (c == '"')
            out += '"';
        out += c;
    }
    return out + '"';
}

std::string_view CsvRow::text(std::string_view column) const
{
    const int i = m_table.column(column);
    return i < 0 ? std::string_view{} : std::string_view(m_table.rows[m_row][static_cast<std::size_t>(i)]);
}

double CsvRow::number(std::string_view column) const
{
    const std::string_view s = text(column);
    double v = 0.0;
    const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), v);
    return error == std::errc{} && end == s.data() + s.size() && std::isfinite(v) ? v : std::numeric_limits<double>::quiet_NaN();
}

double CsvRow::number_or(std::string_view column, double fallback) const
{
    const double v = number(column);
    return std::isnan(v) ? fallback : v;
}

} // namespace ridgepoint
