#pragma once
// The day on this machine: tells how old prices are. The engine reads no clock.

#include <optional>

#include <QDate>

#include "model/units/date.h"
#include "views/widgets/text.h"

namespace ridgepoint {

inline std::optional<Date> date_of(QDate day)
{
    const Expected<Date> date = parse_date(to_std(day.toString(Qt::ISODate)));
    return date ? std::optional(*date) : std::nullopt;
}

inline std::optional<Date> today() { return date_of(QDate::currentDate()); }

} // namespace ridgepoint
