#pragma once
// Words of a POSIX shell, in both directions: names of plans and models may hold quotes, blanks, newlines and $(), and what
// comes back was written by anybody.

#include <string>
#include <string_view>
#include <vector>

#include "model/base/error.h"

namespace ridgepoint {

// One word that the shell reads as exactly `text`. Plain words stay as they are, others stand in single quotes; control
// characters and bytes that are no ASCII become $'\n' and $'\xc3' (bash), so that no name adds a line to a script.
std::string shell_quote(std::string_view text);

struct ShellWord {
    std::string text; // without quotes
    int line = 0; // from 1
    bool expands = false; // the shell would replace a part of it: $NAME, ${NAME}, $(...), `...`; `text` has it as written
};
using ShellCommand = std::vector<ShellWord>; // between newlines, ; & | ( ) < >

inline constexpr std::size_t most_shell_bytes = std::size_t{1} << 20;
inline constexpr std::size_t most_shell_words = 100'000;

// Comments are dropped, lines continue after a backslash. Nothing is expanded and nothing is run. Errors: a quote or a
// substitution that never ends, a NUL byte, more than the bounds above.
Expected<std::vector<ShellCommand>> split_shell(std::string_view text, const std::string& file);

} // namespace ridgepoint
