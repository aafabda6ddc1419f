#pragma once
// Lines of a text, free of blanks around them.

#include <cstdint>
#include <string_view>

namespace ridgepoint {

inline std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && static_cast<unsigned char>(text.front()) <= ' ')
        text.remove_prefix(1);
    while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ')
        text.remove_suffix(1);
    return text;
}

template<typename Take>
void each_line(std::string_view text, Take take)
{
    for (std::int64_t n = 1; !text.empty(); ++n) {
        const std::size_t end = text.find('\n');
        if (!take(trimmed(text.substr(0, end)), n))
            return;
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
}

} // namespace ridgepoint
