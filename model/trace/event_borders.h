#pragma once
// Where events begin and end in text whose brackets and quotes cannot be trusted, as far as a look at the bytes around a place
// can tell. A wrong guess is found out by the scanners. All return `end` (last_event_comma: null) where there is no such place.

namespace ridgepoint {

inline bool is_space(char c) { return static_cast<unsigned char>(c) <= ' '; }
inline const char* skip_space(const char* p, const char* end)
{
    while (p < end && is_space(*p))
        ++p;
    return p;
}

// The next `{` that looks like the start of an event after another: }, {"ph":
const char* next_event(const char* p, const char* end);
// The last place at or before `end` where a comma stands between two events.
const char* last_event_comma(const char* begin, const char* end);
// The bracket that closes the list of events, told by a key of the file's top level behind it: ], "distributedInfo":
const char* closing_bracket(const char* p, const char* end);
// The bracket of a text that ends in ]}.
const char* final_bracket(const char* p, const char* end);

} // namespace ridgepoint
