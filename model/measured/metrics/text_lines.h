#pragma once
// Lines of a text, free of blanks around them.

#include <cstdint>
#include <string_view>

#include "model/measured/trimmed.h"

namespace ridgepoint {

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
