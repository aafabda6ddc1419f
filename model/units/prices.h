#pragma once
// Quantities that only bills and energy reports know.

#include "model/units/quantity.h"

namespace ridgepoint {

using DollarsPerByte = Quantity<0, -1, 0, 1, 0, 0>; // traffic
using DollarsPerByteSecond = Quantity<0, -1, -1, 1, 0, 0>; // capacity kept for a time
using GramsPerJoule = Quantity<0, 0, 0, 0, -1, 0>; // of CO2 equivalent; grams count as numbers

constexpr Seconds days(double v) { return Seconds{v * 86400.0}; }
constexpr double in_days(Seconds s) { return s.value() / 86400.0; }
constexpr double in_hours(Seconds s) { return s.value() / 3600.0; }
inline constexpr Seconds month{730.0 * 3600.0}; // 8760 h / 12, as bills count

} // namespace ridgepoint
