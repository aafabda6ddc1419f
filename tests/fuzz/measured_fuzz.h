#pragma once
// Any bytes as a file of a family of formats: reading ends, with content that holds together or with an error.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "model/measured/measured.h"

namespace ridgepoint {

// Each format is also given what it does not recognise: readers stand alone.
template<typename Check>
void fuzz_formats(const std::vector<TextFormat>& formats, std::string_view text, Check check)
{
    for (const TextFormat& format : formats) {
        format.recognises(text);
        const auto m = format.read(text, "fuzz");
        if (!m && m.error().message.empty())
            std::abort();
        if (m)
            check(*m);
    }
}

} // namespace ridgepoint
