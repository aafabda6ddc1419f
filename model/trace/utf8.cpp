#include "model/trace/utf8.h"

namespace ridgepoint {

void append_utf8(std::string& out, unsigned code)
{
    if (code < 0x80) {
        out += static_cast<char>(code);
    } else if (code < 0x800) {
        out += static_cast<char>(0xC0 | (code >> 6));
        out += static_cast<char>(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        out += static_cast<char>(0xE0 | (code >> 12));
        out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
        out += static_cast<char>(0x80 | (code & 0x3F));
    } else {
        out += static_cast<char>(0xF0 | (code >> 18));
        out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
        out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
        out += static_cast<char>(0x80 | (code & 0x3F));
    }
}

std::size_t utf8_length(std::string_view s)
{
    const auto at = [&](std::size_t i) { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0U; };
    const auto follows = [&](std::size_t i) { return (at(i) & 0xC0U) == 0x80U; };
    const unsigned a = at(0);
    if (a < 0x80)
        return 1;
    if (a >= 0xC2 && a <= 0xDF)
        return follows(1) ? 2 : 0;
    if (a >= 0xE0 && a <= 0xEF) {
        const bool low = a == 0xE0 && at(1) < 0xA0;
        const bool surrogate = a == 0xED && at(1) > 0x9F;
        return follows(1) && follows(2) && !low && !surrogate ? 3 : 0;
    }
    if (a >= 0xF0 && a <= 0xF4) {
        const bool low = a == 0xF0 && at(1) < 0x90;
        const bool high = a == 0xF4 && at(1) > 0x8F;
        return follows(1) && follows(2) && follows(3) && !low && !high ? 4 : 0;
    }
    return 0;
}

bool is_utf8(std::string_view text)
{
    while (!text.empty()) {
        const std::size_t n = utf8_length(text);
        if (n == 0)
            return false;
        text.remove_prefix(n);
    }
    return true;
}

std::string utf8_of_latin1(std::string_view text)
{
    std::string out;
    out.reserve(text.size() + 8);
    for (const char c : text)
        append_utf8(out, static_cast<unsigned char>(c));
    return out;
}

} // namespace ridgepoint
