#include "model/measured/delimited_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>

namespace ridgepoint {
namespace {

constexpr std::size_t longest_quoted = std::size_t{1} << 20;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Digits and the two marks only, sign and unit gone.
bool says_comma(std::string_view s)
{
    const auto comma = s.rfind(',');
    if (comma == std::string_view::npos)
        return std::count(s.begin(), s.end(), '.') > 1; // 134.221.568
    const std::size_t behind = s.size() - comma - 1;
    const auto point = s.rfind('.');
    if (point != std::string_view::npos)
        return point < comma;
    return s.find(',') == comma && (behind != 3 || comma == 0 || comma > 3 || s.front() == '0');
}

bool says_point(std::string_view s)
{
    const auto point = s.rfind('.');
    if (point == std::string_view::npos)
        return std::count(s.begin(), s.end(), ',') > 1;
    const auto comma = s.rfind(',');
    if (comma != std::string_view::npos)
        return comma < point;
    return s.find('.') == point && (s.size() - point - 1 != 3 || s.front() == '0');
}

} // namespace

std::size_t DelimitedText::end_of_field() const
{
    std::size_t i = 0;
    while (i < m_rest.size() && m_rest[i] != m_separator && m_rest[i] != '\n')
        ++i;
    return i;
}

std::string DelimitedText::quoted_field()
{
    // m_rest starts behind the opening quote.
    std::string field;
    const std::size_t end = std::min(m_rest.size(), longest_quoted);
    std::size_t i = 0;
    int lines = 0;
    while (i < end) {
        if (m_rest[i] == '"') {
            if (i + 1 < m_rest.size() && m_rest[i + 1] == '"') {
                field += '"';
                i += 2;
                continue;
            }
            m_rest.remove_prefix(i + 1);
            m_line += lines;
            // What stands between the closing quote and the separator belongs to the field.
            const auto stop = end_of_field();
            field += trimmed(m_rest.substr(0, stop));
            m_rest.remove_prefix(stop);
            return field;
        }
        lines += m_rest[i] == '\n' ? 1 : 0;
        field += m_rest[i++];
    }
    const auto stop = end_of_field();
    field = '"' + std::string(m_rest.substr(0, stop));
    m_rest.remove_prefix(stop);
    return field;
}

bool DelimitedText::next(std::vector<std::string>& fields)
{
    fields.clear();
    m_after_blank = false;
    for (;;) { // blank lines
        const auto end = m_rest.find('\n');
        if (m_rest.empty())
            return false;
        if (!trimmed(m_rest.substr(0, end)).empty())
            break;
        m_after_blank = true;
        ++m_line;
        m_rest.remove_prefix(end == std::string_view::npos ? m_rest.size() : end + 1);
    }
    m_record_line = m_line;
    for (;;) {
        std::string field;
        const auto start = std::min(m_rest.size(), m_rest.find_first_not_of(" "));
        if (start < m_rest.size() && m_rest[start] == '"') {
            m_rest.remove_prefix(start + 1);
            field = quoted_field();
        } else {
            const auto stop = end_of_field();
            field = trimmed(m_rest.substr(0, stop));
            m_rest.remove_prefix(stop);
        }
        if (fields.size() < most_fields)
            fields.push_back(std::move(field));
        if (m_rest.empty())
            return true;
        const char c = m_rest.front();
        m_rest.remove_prefix(1);
        if (c == '\n') {
            ++m_line;
            return true;
        }
    }
}

char separator_of(std::string_view header)
{
    char best = ',';
    std::ptrdiff_t most = 0;
    for (const char c : {',', ';', '\t'}) {
        const auto n = std::count(header.begin(), header.end(), c);
        if (n > most) {
            most = n;
            best = c;
        }
    }
    return best;
}

std::string plain_name(std::string_view text)
{
    std::string out;
    for (const char c : text)
        if (std::isalnum(static_cast<unsigned char>(c)) != 0)
            out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

std::vector<std::string_view> words_of(std::string_view line)
{
    std::vector<std::string_view> out;
    for (;;) {
        const auto start = line.find_first_not_of(" \t\r\n");
        if (start == std::string_view::npos)
            return out;
        const auto end = std::min(line.size(), line.find_first_of(" \t\r\n", start));
        out.push_back(line.substr(start, end - start));
        line.remove_prefix(end);
    }
}

DecimalMark decimal_mark_of(const std::vector<std::string>& values)
{
    std::size_t comma = 0, point = 0;
    for (const std::string& v : values) {
        std::string s;
        bool number = !v.empty();
        for (const char c : v) {
            if (is_digit(c) || c == ',' || c == '.')
                s += c;
            else if (std::isalpha(static_cast<unsigned char>(c)) != 0)
                number = false;
        }
        if (!number || s.empty() || !is_digit(s.back()))
            continue;
        comma += says_comma(s) ? 1 : 0;
        point += says_point(s) ? 1 : 0;
    }
    return comma > point ? DecimalMark::comma : DecimalMark::point;
}

std::optional<double> number_in(std::string_view text, DecimalMark mark)
{
    text = trimmed(text);
    if (text.size() > 64)
        return std::nullopt;
    std::string s;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        if (c == ' ' || c == '\'' || c == (mark == DecimalMark::point ? ',' : '.'))
            continue;
        if (c == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) == 0xA0) { // no-break space
            ++i;
            continue;
        }
        if (c == 0xE2 && text.substr(i, 3) == "\xE2\x80\xAF") { // narrow no-break space
            i += 2;
            continue;
        }
        s += c == ',' ? '.' : static_cast<char>(c);
    }
    std::string_view n = s;
    if (n.starts_with('+'))
        n.remove_prefix(1);
    const std::string lower = plain_name(n);
    if (lower == "inf" || lower == "infinity")
        return n.starts_with('-') ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
    double v = 0;
    const auto r = std::from_chars(n.data(), n.data() + n.size(), v);
    if (n.empty() || r.ec != std::errc{} || r.ptr != n.data() + n.size() || std::isnan(v))
        return std::nullopt;
    return v;
}

} // namespace ridgepoint
