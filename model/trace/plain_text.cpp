#include <charconv>

#include "model/trace/event_table.h"

namespace ridgepoint {
namespace {

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

constexpr unsigned replacement = 0xFFFD;

// Line breaks and tabs part words; other control bytes are damage inside one.
bool parts_words(unsigned code) { return code == '\n' || code == '\t' || code == '\r'; }
bool control(unsigned code) { return code < 0x20 || code == 0x7F; }

// Length of the valid UTF-8 sequence at the front; 0 if there is none [Unicode 15, table 3-7].
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

bool hex4(std::string_view s, unsigned& code)
{
    if (s.size() < 4)
        return false;
    const auto r = std::from_chars(s.data(), s.data() + 4, code, 16);
    return r.ec == std::errc{} && r.ptr == s.data() + 4;
}

} // namespace

std::string plain_text(std::string_view s)
{
    if (s.size() >= 2 && s.front() == '"' && s.back() == '"')
        s = s.substr(1, s.size() - 2);
    std::string out;
    out.reserve(s.size());
    for (std::size_t i = 0; i < s.size();) {
        const auto c = static_cast<unsigned char>(s[i]);
        if (c == '\\' && i + 1 < s.size()) {
            const char next = s[i + 1];
            unsigned code = 0;
            if (next == '"' || next == '\\' || next == '/') {
                out += next;
                i += 2;
            } else if (next == 'n' || next == 't' || next == 'r' || next == 'b' || next == 'f') {
                out += ' ';
                i += 2;
            } else if (next == 'u' && hex4(s.substr(i + 2), code)) {
                i += 6;
                unsigned low = 0;
                if (code >= 0xD800 && code < 0xDC00 && s.substr(i, 2) == "\\u" && hex4(s.substr(i + 2), low) && low >= 0xDC00 && low < 0xE000) {
                    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
                    i += 6;
                }
                if (!control(code) || parts_words(code))
                    append_utf8(out, code >= 0xD800 && code < 0xE000 ? replacement : control(code) ? ' ' : code);
            } else {
                out += '\\';
                ++i;
            }
        } else if (control(c)) {
            if (parts_words(c))
                out += ' ';
            ++i;
        } else if (const std::size_t n = utf8_length(s.substr(i)); n > 0) {
            out.append(s.substr(i, n));
            i += n;
        } else {
            append_utf8(out, replacement);
            ++i;
        }
    }
    return out;
}

} // namespace ridgepoint
