#pragma once
// Numbers as traces write them, without a detour over double: absolute nanoseconds since 1970 need 61 bits.

#include <cstdint>
#include <optional>
#include <string_view>

namespace ridgepoint {

// Microseconds as decimal text (1712195495740538.694, "17.0", 1.5e3, with or without quotes) to nanoseconds, rounded to
// nearest. None: not a number, or beyond 64 bits of nanoseconds.
std::optional<std::int64_t> nanoseconds_from_microseconds(std::string_view text);
// PyTorch nightlies of 18 March to 3 April 2024 wrote microseconds, a point, and the nanoseconds without leading zeros
// [pytorch/kineto dfd563dd, mended by #896]: "20.7" is 20.007 us. Whether a stretch of a trace was written so: its times
// have fractions of differing lengths, some end in a zero (which no writer that drops digits leaves), and none of many
// begins with one. False if there are too few to tell.
bool fractions_are_unpadded(std::string_view events);
std::optional<std::int64_t> nanoseconds_from_unpadded(std::string_view text);

// A whole number, quoted or not; "stream 7" and "7.0" give 7. Unsigned values above 2^63 wrap (only used as an identity).
std::optional<std::int64_t> whole_number(std::string_view text);

} // namespace ridgepoint
