#include <charconv>

#include "model/trace/event_table.h"
#include "model/trace/utf8.h"

namespace ridgepoint {
namespace {

constexpr unsigned replacement = 0xFFFD;

// Line breaks and tabs part words; other control bytes are damage inside one.
bool parts_words(unsigned code) { return code == '\n' || code == '\t' || code == '\r'; }
bool control(unsigned code) { return code < 0x20 || code == 0x7F; }

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
