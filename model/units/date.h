#pragma once
// Calendar dates (Gregorian, no time zone). Nothing in the engine reads a clock: today comes in as a value.

#include <compare>
#include <string>
#include <string_view>

#include "model/base/error.h"
#include "model/units/quantity.h"

namespace ridgepoint {

class Date {
public:
    constexpr Date() = default; // 1970-01-01
    constexpr explicit Date(int days_since_1970) : m_days(days_since_1970) {}

    [[nodiscard]] constexpr int days() const { return m_days; } // since 1970-01-01
    [[nodiscard]] std::string text() const; // "2026-11-30"
    [[nodiscard]] Date plus(Seconds duration) const; // rounded up to whole days; at most to the last day of 9999
    [[nodiscard]] Date minus(Seconds duration) const; // likewise downwards; not before 0001
    friend constexpr auto operator<=>(Date, Date) = default;
    friend constexpr int operator-(Date a, Date b) { return a.m_days - b.m_days; }

private:
    int m_days = 0;
};

// "2026-11-30" and nothing else: four, two and two digits, a day that there is, years 1970 to 9999.
Expected<Date> parse_date(std::string_view text);
// Dates of sources: also "2026" and "2026-11", taken as their last day.
Expected<Date> parse_source_date(std::string_view text);

} // namespace ridgepoint
