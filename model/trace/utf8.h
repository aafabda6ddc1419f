#pragma once
// UTF-8 in files that promise nothing about it.

#include <cstddef>
#include <string>
#include <string_view>

namespace ridgepoint {

void append_utf8(std::string& out, unsigned code); // a code point, not checked
// Length of the valid sequence at the front; 0 if there is none [Unicode 15, table 3-7].
std::size_t utf8_length(std::string_view text);
bool is_utf8(std::string_view text);
// Each byte as the character of Latin-1 (ISO 8859-1), which most of Windows-1252 is as well.
std::string utf8_of_latin1(std::string_view text);

} // namespace ridgepoint
