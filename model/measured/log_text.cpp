#include "model/measured/log_text.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "model/measured/trimmed.h"

namespace ridgepoint {
namespace {

constexpr std::size_t longest_prefix = 160;
constexpr std::size_t longest_header = std::size_t{64} << 10;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

template<typename Take>
void each_line_of(std::string_view text, Take take) // take(line) -> whether to go on
{
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        if (!take(text.substr(0, end)))
            return;
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
}

// "2024-07-19T10:00:00.123Z", "2024-07-19 10:00:00,123": its length; 0: no time stamp.
std::size_t stamp_length(std::string_view line)
{
    constexpr std::string_view form = "dddd-dd-dd dd:dd:dd";
    if (line.size() < form.size())
        return 0;
    for (std::size_t i = 0; i < form.size(); ++i) {
        const bool fits = form[i] == 'd' ? is_digit(line[i]) : form[i] == '-' ? line[i] == '-' || line[i] == '/' : form[i] == ' ' ? line[i] == 'T' || line[i] == ' ' : line[i] == form[i];
        if (!fits)
            return 0;
    }
    std::size_t n = form.size();
    if (n + 1 < line.size() && (line[n] == '.' || line[n] == ',') && is_digit(line[n + 1]))
        for (++n; n < line.size() && is_digit(line[n]);)
            ++n;
    if (n < line.size() && line[n] == 'Z')
        ++n;
    else if (n + 5 < line.size() && (line[n] == '+' || line[n] == '-') && is_digit(line[n + 1]))
        for (++n; n < line.size() && (is_digit(line[n]) || line[n] == ':');)
            ++n;
    return n;
}

enum class Prefix { stamp, stream, rank, tag, bracket, named, piped };

// What of the kind stands before the line's own text, one blank behind it included; 0: nothing.
std::size_t length_of(Prefix kind, std::string_view line)
{
    const auto behind = [&](std::size_t n) { return n == line.size() ? n : line[n] == ' ' || line[n] == '\t' ? n + 1 : std::size_t{0}; };
    const std::string_view head = line.substr(0, longest_prefix);
    switch (kind) {
    case Prefix::stamp: {
        const std::size_t n = stamp_length(line);
        return n == 0 || (n < line.size() && line[n] == '\t') ? 0 : behind(n); // a tab: the first column of a table
    }
    case Prefix::stream: // of containerd: "stdout F ", behind the stamp; P: the line goes on in the next
        return head.size() >= 9 && (head.starts_with("stdout ") || head.starts_with("stderr ")) && (head[7] == 'F' || head[7] == 'P') && head[8] == ' ' ? 9 : 0;
    case Prefix::rank: {
        const std::size_t n = std::min(head.find_first_not_of(" 0123456789"), head.size());
        return n > 0 && n < 10 && n < head.size() && head[n] == ':' && is_digit(head[n - 1]) ? behind(n + 1) : 0;
    }
    case Prefix::tag: {
        const std::size_t mark = head.front() == '[' ? head.find("]<std") : std::string_view::npos;
        const std::size_t close = mark == std::string_view::npos ? mark : head.find('>', mark);
        if (close == std::string_view::npos || close - mark > 12)
            return 0;
        return close + 1 + (close + 1 < line.size() && line[close + 1] == ':' ? 1 : 0);
    }
    case Prefix::bracket: {
        const std::size_t close = head.front() == '[' ? head.find(']') : std::string_view::npos;
        return close == std::string_view::npos || head.substr(1, close - 1).find_first_of("[{\"") != std::string_view::npos ? 0 : behind(close + 1);
    }
    case Prefix::named: {
        std::size_t n = 0;
        while (n < head.size() && (std::isalnum(static_cast<unsigned char>(head[n])) != 0 || head[n] == '-' || head[n] == '_' || head[n] == '.'))
            ++n;
        return n > 0 && n < head.size() && head[n] == ':' && std::isalpha(static_cast<unsigned char>(head[0])) != 0 ? behind(n + 1) : 0;
    }
    case Prefix::piped: {
        const std::size_t bar = head.find(" | ");
        const std::size_t word = head.find_first_of(" \t");
        if (bar == std::string_view::npos || bar == 0 || head.substr(word, bar - word).find_first_not_of(' ') != std::string_view::npos)
            return 0;
        return bar + 3;
    }
    }
    return 0;
}

void remove_colours(std::string& text)
{
    std::size_t to = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\x1b' && i + 1 < text.size() && text[i + 1] == '[') {
            for (i += 2; i < text.size() && (static_cast<unsigned char>(text[i]) < 0x40 || static_cast<unsigned char>(text[i]) > 0x7E); ++i) { }
            continue;
        }
        text[to++] = text[i];
    }
    text.resize(to);
}

constexpr std::array kinds{Prefix::stamp, Prefix::stream, Prefix::rank, Prefix::tag, Prefix::bracket, Prefix::named, Prefix::piped};

// Whether a document begins behind prefixes: then the only line of a text may have one.
bool holds_document(std::string_view line)
{
    for (int i = 0; i < 4; ++i) {
        const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](Prefix k) { return !line.empty() && length_of(k, line) > 0; });
        if (kind == kinds.end())
            return false;
        line.remove_prefix(length_of(*kind, line));
        if (line.starts_with("{\"") || line.starts_with("[{"))
            return true;
    }
    return false;
}

// Whether nearly all lines have the prefix. A launcher's own words, in front or at the end, have none; a short text has no such room.
bool all_have(Prefix kind, std::string_view text)
{
    std::size_t lines = 0, bare = 0;
    const auto allowed = [&] { return std::max<std::size_t>(2, lines / 20); };
    each_line_of(text, [&](std::string_view line) {
        if (trimmed(line).empty())
            return true;
        ++lines;
        bare += length_of(kind, line) > 0 ? 0 : 1;
        return bare <= allowed();
    });
    return bare <= (lines < 8 ? 0 : allowed()) && (lines > 1 || (lines == 1 && holds_document(trimmed(text))));
}

std::string without(Prefix kind, std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    each_line_of(text, [&](std::string_view line) {
        out += trimmed(line).empty() ? line : line.substr(length_of(kind, line));
        out += '\n';
        return true;
    });
    return out;
}

// Fields of a line by the separator that it has most of; 1: none.
std::size_t fields_of(std::string_view line, char separator)
{
    bool quoted = false;
    std::size_t n = 1;
    for (const char c : line) {
        quoted ^= c == '"';
        n += !quoted && c == separator ? 1 : 0;
    }
    return n;
}

} // namespace

std::string without_line_prefixes(std::string_view text)
{
    std::string out;
    if (text.find("\x1b[") != std::string_view::npos) {
        out = text;
        remove_colours(out);
    }
    for (int i = 0; i < 4; ++i) {
        const std::string_view now = out.empty() ? text : std::string_view(out);
        const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](Prefix k) { return all_have(k, now); });
        if (kind == kinds.end())
            break;
        out = without(*kind, now);
    }
    return out;
}

std::vector<std::size_t> data_starts(std::string_view text)
{
    constexpr std::size_t most = 3, most_lines = 5000;
    std::vector<std::size_t> starts;
    std::size_t at = 0, lines = 0;
    bool document = false, table = false;
    each_line_of(text, [&](std::string_view line) {
        const std::size_t here = at;
        at = std::min(at + line.size() + 1, text.size());
        if (lines++ == 0)
            return true;
        const std::string_view content = trimmed(line);
        // '[' begins tags of logs as well: a list has its first value, or nothing, behind it.
        if (!document && !content.empty() && (content.front() == '{' || (content.front() == '[' && (content.size() == 1 || std::string_view("{[\"").find(content[1]) != std::string_view::npos)))) {
            document = true;
            starts.push_back(here);
        }
        if (!table && content.size() < longest_header)
            for (const char separator : {',', ';', '\t'}) {
                const std::string_view next = text.substr(at, std::min(text.find('\n', at), text.size()) - at);
                const std::size_t n = fields_of(content, separator);
                if (n < 3 || table || next.size() > longest_header || fields_of(next, separator) != n)
                    continue;
                table = true;
                starts.push_back(here);
            }
        return starts.size() < most && lines < most_lines && !(document && table);
    });
    return starts;
}

} // namespace ridgepoint
