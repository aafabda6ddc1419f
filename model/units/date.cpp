#include "model/units/date.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>

#include <fmt/format.h>

namespace ridgepoint {
namespace {

using namespace std::chrono;

constexpr double seconds_per_day = 86400.0;
const int earliest = sys_days(year(1) / 1 / 1).time_since_epoch().count();
const int latest = sys_days(year(9999) / 12 / 31).time_since_epoch().count();

Error not_a_date(std::string_view text, const char* expected) { return bad_input("this is not a date", {}, fmt::format("\"{}\"", text.substr(0, 40)), expected); }

// The digits of text[from, from + count), or -1.
int digits(std::string_view text, std::size_t from, std::size_t count)
{
    int value = 0;
    for (std::size_t i = from; i < from + count; ++i) {
        if (i >= text.size() || text[i] < '0' || text[i] > '9')
            return -1;
        value = 10 * value + (text[i] - '0');
    }
    return value;
}

Date moved(int days, double by) { return Date(static_cast<int>(std::clamp(days + by, static_cast<double>(earliest), static_cast<double>(latest)))); }

} // namespace

std::string Date::text() const
{
    const year_month_day d{sys_days{std::chrono::days{m_days}}};
    return fmt::format("{:04d}-{:02d}-{:02d}", static_cast<int>(d.year()), static_cast<unsigned>(d.month()), static_cast<unsigned>(d.day()));
}

Date Date::plus(Seconds duration) const { return moved(m_days, std::ceil(duration.value() / seconds_per_day - 1e-9)); }
Date Date::minus(Seconds duration) const { return moved(m_days, -std::ceil(duration.value() / seconds_per_day - 1e-9)); }

Expected<Date> parse_date(std::string_view text)
{
    constexpr const char* expected = "a date as 2026-11-30 (year 1970 to 9999)";
    if (text.size() != 10 || text[4] != '-' || text[7] != '-')
        return not_a_date(text, expected);
    const int y = digits(text, 0, 4), m = digits(text, 5, 2), d = digits(text, 8, 2);
    if (y < 1970 || m < 1 || d < 1)
        return not_a_date(text, expected);
    const year_month_day date{year(y), month(static_cast<unsigned>(m)), day(static_cast<unsigned>(d))};
    if (!date.ok())
        return bad_input("there is no such day", {}, fmt::format("\"{}\"", text), expected);
    return Date(static_cast<int>(sys_days(date).time_since_epoch().count()));
}

Expected<Date> parse_source_date(std::string_view text)
{
    if (text.size() == 4)
        return parse_date(std::string(text) + "-12-31");
    const Expected<Date> first = parse_date(text.size() == 7 ? std::string(text) + "-01" : std::string(text));
    if (!first || text.size() != 7)
        return first;
    const year_month_day d{sys_days{std::chrono::days{first->days()}}};
    return Date(static_cast<int>(sys_days(year_month_day_last{d.year(), month_day_last{d.month()}}).time_since_epoch().count()));
}

} // namespace ridgepoint
