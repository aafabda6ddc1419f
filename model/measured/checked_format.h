#pragma once
// A format whose reader may rely on what its recogniser found: given anything else, it is an error instead.

#include "model/measured/measured.h"

namespace ridgepoint {

template <auto Recognises, auto Read> TextFormat checked_format(std::string_view name)
{
    return {name, Recognises, [](std::string_view text, const std::string& file) -> Expected<Measured> {
                if (!Recognises(text))
                    return bad_input("a file of another kind than its reader", Place{file, 0, {}});
                return Read(text, file);
            }};
}

} // namespace ridgepoint
