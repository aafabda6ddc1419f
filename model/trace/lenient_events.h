#pragma once
// The tolerant path: events one at a time from text that is not valid JSON. It reads bare words (NaN, inf) as missing
// values, control bytes, broken UTF-8, stray commas and unescaped quotes and backslashes in strings; an event that makes
// no sense even so is left out, counted with its place, and reading goes on at the next one.

#include <cstdint>

#include "model/trace/event_table.h"

namespace ridgepoint {

struct LenientScan {
    const char* next = nullptr; // first byte not used: behind the array's bracket, or at an event that is not complete
    bool array_ended = false;
};

// `begin` is between events. `last`: no text follows `end`, so that an incomplete event is incomplete for good.
LenientScan scan_lenient(const char* begin, const char* end, bool last, std::uint64_t offset, EventTable& table);

// The last place at or before `end` where a comma stands between two events, as far as a look at the bytes around it
// can tell; null if there is none. A wrong guess is found out by the scanners.
const char* last_event_comma(const char* begin, const char* end);

} // namespace ridgepoint
