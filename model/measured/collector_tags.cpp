#include "model/measured/collector_tags.h"

#include <algorithm>

namespace ridgepoint {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Letters of the pattern stand for a digit, anything else for itself.
bool fits(std::string_view text, std::string_view pattern)
{
    if (text.size() < pattern.size())
        return false;
    for (std::size_t i = 0; i < pattern.size(); ++i)
        if (pattern[i] == 'd' ? !is_digit(text[i]) : text[i] != pattern[i])
            return false;
    return true;
}

// RFC 3339 and one blank; 0: none.
std::size_t stamp_of(std::string_view line)
{
    if (!fits(line, "dddd-dd-ddTdd:dd:dd"))
        return 0;
    std::size_t i = 19;
    if (i < line.size() && line[i] == '.')
        for (++i; i < line.size() && is_digit(line[i]);)
            ++i;
    if (i < line.size() && line[i] == 'Z')
        ++i;
    else if (i < line.size() && (line[i] == '+' || line[i] == '-') && fits(line.substr(i + 1), "dd:dd"))
        i += 6;
    else
        return 0;
    return i == line.size() ? i : line[i] == ' ' ? i + 1 : 0;
}

std::size_t tag_of(std::string_view line)
{
    if (line.starts_with("[pod/")) {
        const std::size_t end = line.find(']');
        return end == std::string_view::npos || end > 300 ? 0 : end + (end + 1 < line.size() && line[end + 1] == ' ' ? 2 : 1);
    }
    const std::size_t bar = line.substr(0, 80).find(" | ");
    if (bar == 0 || bar == std::string_view::npos)
        return 0;
    const std::string_view name = line.substr(0, line.find(' '));
    const bool service = line.find_first_not_of(' ', name.size()) == bar + 1 && name.find('-') != std::string_view::npos && is_digit(name.back());
    return service ? bar + 3 : 0;
}

std::size_t prefix_of(std::string_view line)
{
    const std::size_t tag = tag_of(line);
    return tag + stamp_of(line.substr(tag));
}

} // namespace

std::string without_collector_tags(std::string_view text)
{
    text.remove_prefix(std::min(text.find_first_not_of("\r\n"), text.size()));
    if (prefix_of(text.substr(0, text.find('\n'))) == 0)
        return {};
    std::string out;
    out.reserve(text.size());
    std::size_t tagged = 0, bare = 0;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        const std::string_view line = text.substr(0, end == std::string_view::npos ? end : end + 1);
        text.remove_prefix(line.size());
        const std::size_t prefix = prefix_of(line.substr(0, line.find_last_not_of("\r\n") + 1));
        ++(prefix > 0 ? tagged : bare);
        out += line.substr(prefix);
    }
    return tagged >= bare ? out : std::string();
}

} // namespace ridgepoint
