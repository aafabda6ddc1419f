#pragma once
// The date of commands that judge prices or deadlines: the engine reads no clock.

#include <ctime>
#include <string>

#include "model/units/date.h"

namespace ridgepoint::cli {

// As given, else the day of this machine's clock (UTC).
inline Expected<Date> today_or(const std::string& given)
{
    if (given.empty())
        return Date(static_cast<int>(std::time(nullptr) / 86400));
    Expected<Date> date = parse_date(given);
    if (date)
        return date;
    Error e = date.error();
    e.place.file = "--today";
    return e;
}

} // namespace ridgepoint::cli
