#include "model/measured/training/log_lines.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace ridgepoint {
namespace {

constexpr std::size_t longest_line = std::size_t{64} << 10;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_blank(char c) { return c == ' ' || c == '\t'; }

// ESC [ ... letter, and what is left of it where a tool dropped the ESC byte: "[36m".
std::string without_colours(std::string_view line)
{
    std::string out;
    out.reserve(line.size());
    for (std::size_t i = 0; i < line.size();) {
        const bool escape = line[i] == '\x1b';
        if (escape || line[i] == '[') {
            std::size_t j = i + (escape ? 1 : 0);
            if (j < line.size() && line[j] == '[') {
                ++j;
                const std::size_t digits = j;
                while (j < line.size() && (is_digit(line[j]) || line[j] == ';' || line[j] == '?'))
                    ++j;
                const bool ends = j < line.size() && (escape ? is_letter(line[j]) : line[j] == 'm' && j > digits && (j + 1 == line.size() || line[j + 1] != ']'));
                if (ends) {
                    i = j + 1;
                    continue;
                }
            }
            if (escape) {
                ++i;
                continue;
            }
        }
        out += line[i++];
    }
    return out;
}

std::optional<int> small_number(std::string_view text)
{
    int v = 0;
    const auto r = std::from_chars(text.data(), text.data() + text.size(), v);
    return !text.empty() && r.ec == std::errc{} && r.ptr == text.data() + text.size() && v >= 0 ? std::optional(v) : std::nullopt;
}

// Takes one tag off the front: true if there was one.
bool drop_tag(std::string_view& line, std::optional<int>& rank)
{
    const std::size_t start = std::min(line.find_first_not_of(" \t"), line.size());
    std::string_view at = line.substr(start);
    std::size_t digits = 0;
    while (digits < at.size() && digits < 6 && is_digit(at[digits]))
        ++digits;
    if (digits > 0 && digits + 1 < at.size() && at[digits] == ':' && is_blank(at[digits + 1])) { // srun -l
        rank = small_number(at.substr(0, digits));
        line = at.substr(digits + 2);
        return true;
    }
    if (!at.starts_with('['))
        return false;
    const std::size_t end = at.find(']');
    if (end == std::string_view::npos || end > 40)
        return false;
    std::string_view inside = at.substr(1, end - 1);
    std::string_view after = at.substr(end + 1);
    for (const std::string_view word : {"default", "rank", "Rank "})
        if (inside.starts_with(word) && (after.starts_with(':') || word == "Rank ")) {
            if (const auto n = small_number(inside.substr(word.size()))) {
                rank = n;
                line = after.substr(after.starts_with(':') ? 1 : 0);
                return true;
            }
        }
    if (const std::size_t comma = inside.find(','); comma != std::string_view::npos && (after.starts_with("<std") || after.starts_with(':'))) { // mpirun
        const auto job = small_number(inside.substr(0, comma)), n = small_number(inside.substr(comma + 1));
        const std::size_t colon = after.find(':');
        if (job && n && colon != std::string_view::npos) {
            rank = n;
            line = after.substr(colon + 1);
            return true;
        }
    }
    return false;
}

} // namespace

bool LogLines::raw(std::string_view& line)
{
    if (m_rest.empty())
        return false;
    const std::size_t end = m_rest.find_first_of("\r\n");
    line = m_rest.substr(0, end);
    if (!m_line_goes_on)
        ++m_number;
    m_line_goes_on = end != std::string_view::npos && m_rest[end] == '\r';
    m_rest.remove_prefix(end == std::string_view::npos ? m_rest.size() : end + 1);
    if (m_line_goes_on && m_rest.starts_with('\n')) {
        m_rest.remove_prefix(1);
        m_line_goes_on = false;
    }
    return true;
}

bool LogLines::next(LogLine& line)
{
    std::string_view text;
    if (!raw(text))
        return false;
    line.number = m_number;
    line.rank.reset();
    const std::string clean = without_colours(text.substr(0, longest_line));
    std::string_view rest = clean;
    for (int tags = 0; tags < 3 && drop_tag(rest, line.rank); ++tags) { }
    line.text = rest;
    return true;
}

bool LogLines::next_with(std::string_view word, LogLine& line)
{
    // Jumps over what cannot match before any line is copied. Colour codes never split a word.
    while (!m_rest.empty()) {
        const std::size_t at = m_rest.find(word);
        if (at == std::string_view::npos) {
            m_rest = {};
            return false;
        }
        const std::size_t start = at == 0 ? 0 : m_rest.find_last_of("\r\n", at - 1) + 1; // npos + 1 is 0
        if (start > 0) {
            m_number += std::count(m_rest.begin(), m_rest.begin() + static_cast<std::ptrdiff_t>(start), '\n');
            m_line_goes_on = m_rest[start - 1] == '\r';
            m_number += m_line_goes_on ? 1 : 0;
            m_rest.remove_prefix(start);
        }
        if (next(line) && line.text.find(word) != std::string::npos)
            return true;
    }
    return false;
}

std::optional<double> leading_number(std::string_view text, std::string_view& rest)
{
    std::size_t i = 0;
    std::array<char, 64> digits{};
    std::size_t n = 0;
    const auto keep = [&](char c) {
        if (n < digits.size())
            digits[n++] = c;
    };
    if (i < text.size() && (text[i] == '-' || text[i] == '+')) {
        if (text[i] == '-')
            keep('-');
        ++i;
    }
    for (const std::string_view word : {"nan", "NaN", "inf", "Inf"})
        if (text.substr(i).starts_with(word) && (i + 3 == text.size() || !is_letter(text[i + 3]))) {
            rest = text.substr(i + 3);
            return std::numeric_limits<double>::quiet_NaN();
        }
    const std::size_t first = i;
    while (i < text.size()) {
        if (is_digit(text[i])) {
            keep(text[i++]);
            continue;
        }
        // A comma is of thousands when exactly three digits follow and some, at most three, stand before.
        const bool group = text[i] == ',' && i > first && i + 3 < text.size() && is_digit(text[i + 1]) && is_digit(text[i + 2]) && is_digit(text[i + 3])
            && (i + 4 >= text.size() || !is_digit(text[i + 4]));
        if (!group)
            break;
        ++i;
    }
    const std::size_t whole = i - first;
    std::size_t fraction = 0;
    if (i < text.size() && text[i] == '.') {
        keep('.');
        ++i;
        while (i < text.size() && is_digit(text[i])) {
            keep(text[i++]);
            ++fraction;
        }
    }
    if (whole + fraction == 0)
        return std::nullopt;
    if (i + 1 < text.size() && (text[i] == 'e' || text[i] == 'E')) {
        std::size_t j = i + 1;
        const bool sign = text[j] == '-' || text[j] == '+';
        if (sign)
            ++j;
        if (j < text.size() && is_digit(text[j])) {
            keep('e');
            if (text[i + 1] == '-')
                keep('-');
            for (; j < text.size() && is_digit(text[j]); ++j)
                keep(text[j]);
            i = j;
        }
    }
    double v = 0;
    const auto r = std::from_chars(digits.data(), digits.data() + n, v);
    if (n == digits.size() || r.ec != std::errc{} || !std::isfinite(v))
        return std::nullopt;
    rest = text.substr(i);
    return v;
}

std::vector<NamedNumber> named_numbers(std::string_view line)
{
    std::vector<NamedNumber> out;
    std::size_t start = 0; // of the next name
    std::size_t i = 0;
    while (i < line.size()) {
        const char c = line[i];
        if (c == '|' || c == ';' || c == '{' || (c == ',' && (i + 1 == line.size() || !is_digit(line[i + 1])))) {
            start = ++i;
            continue;
        }
        if (c == ']' || (is_blank(c) && i + 1 < line.size() && is_blank(line[i + 1]) && i > start)) {
            const std::size_t next = line.find_first_not_of(" \t", i + 1);
            // The blanks of an aligned "name   : value" belong to the name.
            if (c == ']' || (next != std::string_view::npos && line[next] != ':' && line[next] != '='))
                start = i + 1;
            ++i;
            continue;
        }
        if (is_blank(c) && line.substr(i).starts_with(" - ")) { // Python's logging
            i += 3;
            start = i;
            continue;
        }
        if (c != ':' && c != '=') {
            ++i;
            continue;
        }
        std::size_t v = i + 1;
        while (v < line.size() && (is_blank(line[v]) || line[v] == '\'' || line[v] == '"') && v < i + 64)
            ++v;
        const bool clock = c == ':' && v == i + 1 && i > 0 && is_digit(line[i - 1]); // 12:34
        std::string_view rest;
        const auto value = clock ? std::nullopt : leading_number(line.substr(v), rest);
        if (!value) {
            i = std::max(i + 1, v > i + 1 && v < line.size() ? v : i + 1);
            if (!clock)
                start = i;
            continue;
        }
        NamedNumber field;
        field.name = trimmed(line.substr(start, i - start));
        while (!field.name.empty() && std::string_view("'\"([/").find(field.name.front()) != std::string_view::npos)
            field.name.remove_prefix(1);
        while (!field.name.empty() && std::string_view("'\"").find(field.name.back()) != std::string_view::npos)
            field.name.remove_suffix(1);
        field.value = *value;
        std::size_t end = line.size() - rest.size();
        const std::size_t unit = end;
        field.text = line.substr(v, end - v);
        while (end < line.size() && !is_blank(line[end]) && std::string_view("|,;}'\"").find(line[end]) == std::string_view::npos) {
            if (line[end] == '=' && end + 1 < line.size() && is_digit(line[end + 1])) { // "epoch=0/global_step=100"
                end = unit;
                break;
            }
            ++end;
        }
        field.unit = line.substr(unit, end - unit);
        if (field.unit.empty() && end + 1 < line.size() && line[end] == ' ')
            for (const std::string_view word : {"ms", "s", "us", "sec", "seconds", "GiB", "GB", "MiB", "MB", "%"})
                if (line.substr(end + 1).starts_with(word) && (end + 1 + word.size() == line.size() || is_blank(line[end + 1 + word.size()]) || line[end + 1 + word.size()] == '|' || line[end + 1 + word.size()] == ',')) {
                    field.unit = line.substr(end + 1, word.size());
                    end += 1 + word.size();
                    break;
                }
        if (!field.name.empty())
            out.push_back(field);
        start = i = std::max(end, i + 1);
    }
    return out;
}

std::optional<std::int64_t> step_in(std::string_view line)
{
    const auto lower = [](char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c); };
    for (const std::string_view word : {"iteration", "step", "iter", "batch"})
        for (std::size_t at = 0; at + word.size() < line.size(); ++at) {
            if (!std::equal(word.begin(), word.end(), line.begin() + static_cast<std::ptrdiff_t>(at), [&](char a, char b) { return a == lower(b); }))
                continue;
            if (at > 0 && is_letter(line[at - 1]))
                continue;
            std::size_t j = at + word.size();
            if (lower(line[j]) == 's' && word != "iter" && j + 1 < line.size())
                ++j;
            while (j < line.size() && std::string_view(" \t:=[#").find(line[j]) != std::string_view::npos)
                ++j;
            if (j == at + word.size() || j >= line.size() || !is_digit(line[j]))
                continue;
            std::string_view rest;
            const auto v = leading_number(line.substr(j), rest);
            if (v && *v < 1e15 && *v == std::floor(*v))
                return static_cast<std::int64_t>(*v);
        }
    return std::nullopt;
}

double count_factor(std::string_view unit)
{
    if (unit.empty() || (unit.size() > 1 && is_letter(unit[1])))
        return 1;
    switch (unit[0]) {
    case 'K':
    case 'k':
        return 1e3;
    case 'M':
        return 1e6;
    case 'B':
    case 'G':
        return 1e9;
    case 'T':
        return 1e12;
    default:
        return 1;
    }
}

std::optional<double> bytes_factor(std::string_view unit)
{
    struct Unit {
        std::string_view name;
        double bytes;
    };
    static constexpr std::array units{Unit{"GiB", 1073741824.0}, Unit{"MiB", 1048576.0}, Unit{"KiB", 1024.0}, Unit{"TiB", 1099511627776.0}, Unit{"GB", 1e9}, Unit{"MB", 1e6}, Unit{"KB", 1e3},
        Unit{"kB", 1e3}, Unit{"TB", 1e12}, Unit{"B", 1}};
    unit = trimmed(unit);
    for (const Unit& u : units)
        if (unit.starts_with(u.name) && (unit.size() == u.name.size() || !is_letter(unit[u.name.size()])))
            return u.bytes;
    return std::nullopt;
}

} // namespace ridgepoint
