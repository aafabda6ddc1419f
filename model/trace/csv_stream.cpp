#include "model/trace/csv_stream.h"

#include <cctype>

namespace ridgepoint {
namespace {

constexpr std::size_t window_size = std::size_t{256} << 10;
constexpr std::size_t longest_record = std::size_t{1} << 20;
constexpr std::size_t most_fields = 4096;

std::string trimmed_lower(std::string_view s)
{
    std::string out;
    for (const char c : s)
        if (c != ' ' || (!out.empty() && out.back() != ' '))
            out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    while (!out.empty() && out.back() == ' ')
        out.pop_back();
    return out;
}

} // namespace

int CsvStream::get()
{
    if (m_used == m_window.size()) {
        m_window.resize(window_size);
        m_window.resize(m_source.read(m_window.data(), window_size));
        m_used = 0;
        if (m_window.empty())
            return -1;
    }
    ++m_bytes;
    return static_cast<unsigned char>(m_window[m_used++]);
}

bool CsvStream::next(std::vector<std::string>& fields)
{
    fields.clear();
    fields.emplace_back();
    if (m_bytes == 0 && m_source.peek(3) == "\xef\xbb\xbf") // a quoted first name begins behind the mark
        for (int i = 0; i < 3; ++i)
            get();
    m_record_line = m_line;
    bool in_quotes = false, was_quote = false;
    std::size_t length = 0;
    for (int c = get();; c = get()) {
        if (c < 0) {
            if (fields.size() == 1 && fields[0].empty())
                return false;
            if (fields.back().ends_with('\r')) // a last line of CRLF without its LF, or a line that was cut out of such a text
                fields.back().pop_back();
            return true;
        }
        if (c == '\n')
            ++m_line;
        if (in_quotes) {
            if (was_quote) {
                was_quote = false;
                if (c == '"') {
                    fields.back() += '"';
                    continue;
                }
                in_quotes = false; // the quote before ended the field
            } else if (c == '"') {
                was_quote = true;
                continue;
            } else if (length < longest_record) {
                fields.back() += static_cast<char>(c);
                ++length;
                continue;
            } else {
                in_quotes = false; // a quote that never closes would take the rest of the file
            }
        }
        if (c == '\n') {
            if (!fields.back().empty() && fields.back().back() == '\r')
                fields.back().pop_back();
            if (fields.size() > 1 || !fields[0].empty())
                return true;
            m_record_line = m_line;
        } else if (c == ',') {
            if (fields.size() < most_fields)
                fields.emplace_back();
        } else if (c == '"' && fields.back().empty()) {
            in_quotes = true;
        } else if (length < longest_record) {
            fields.back() += static_cast<char>(c);
            ++length;
        }
    }
}

std::vector<std::string> csv_fields(std::string_view line)
{
    const auto source = bytes_of(line);
    std::vector<std::string> fields;
    CsvStream(*source).next(fields);
    return fields;
}

ColumnName column_name(std::string_view header)
{
    if (header.starts_with("\xef\xbb\xbf"))
        header.remove_prefix(3);
    const auto open = header.rfind('(');
    if (open == std::string_view::npos || header.find(')', open) == std::string_view::npos)
        return {trimmed_lower(header), {}};
    return {trimmed_lower(header.substr(0, open)), trimmed_lower(header.substr(open + 1, header.find(')', open) - open - 1))};
}

double nanoseconds_per(std::string_view unit)
{
    if (unit == "ns" || unit == "nsec" || unit == "nanoseconds")
        return 1;
    if (unit == "us" || unit == "usec" || unit == "\xc2\xb5s" || unit == "microseconds")
        return 1e3;
    if (unit == "ms" || unit == "msec" || unit == "milliseconds")
        return 1e6;
    if (unit == "s" || unit == "sec" || unit == "seconds")
        return 1e9;
    return 0;
}

} // namespace ridgepoint
