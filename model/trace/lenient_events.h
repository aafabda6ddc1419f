#pragma once
// The tolerant path: events one at a time from text that is not valid JSON. It reads bare words (NaN, inf) as missing
// values, control bytes, broken UTF-8, stray commas and unescaped quotes and backslashes in strings; an event that makes
// no sense even so is left out, counted with its place, and reading goes on at the next one or, behind the last, at the
// bracket of the list, so that the metadata after it are not lost.

#include <cstdint>

#include "model/trace/event_table.h"

namespace ridgepoint {

struct LenientScan {
    const char* next = nullptr; // first byte not used: behind the array's bracket, or at an event that is not complete
    bool array_ended = false;
};

// `begin` is between events. `last`: no text follows `end`, so that an incomplete event is incomplete for good.
LenientScan scan_lenient(const char* begin, const char* end, bool last, std::uint64_t offset, EventTable& table);

} // namespace ridgepoint
