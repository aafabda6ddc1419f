#include "model/measured/metrics/local_dates.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "model/measured/metrics/metric_formats.h"
#include "model/measured/trimmed.h"

namespace ridgepoint {
namespace {

struct LocalDate {
    int first = 0, second = 0, year = 0;
    std::string_view clock; // "10:00:15"
    int hours_added = 0; // of PM, and -12 of 12 AM
};

bool take_number(std::string_view& text, std::size_t most, int& value)
{
    std::size_t n = 0;
    for (value = 0; n < text.size() && n < most && std::isdigit(static_cast<unsigned char>(text[n])) != 0; ++n)
        value = value * 10 + (text[n] - '0');
    text.remove_prefix(n);
    return n > 0;
}

bool take_mark(std::string_view& text)
{
    if (text.empty() || std::string_view("/.-").find(text.front()) == std::string_view::npos)
        return false;
    text.remove_prefix(1);
    return true;
}

std::optional<LocalDate> local_date(std::string_view text)
{
    LocalDate d;
    text = trimmed(text);
    if (!take_number(text, 2, d.first) || !take_mark(text) || !take_number(text, 2, d.second) || !take_mark(text) || !take_number(text, 4, d.year) || d.year < 1970)
        return std::nullopt;
    while (!text.empty() && (text.front() == ',' || text.front() == ' '))
        text.remove_prefix(1);
    const std::size_t end = std::min(text.find(' '), text.size());
    d.clock = text.substr(0, end);
    const std::string_view half = trimmed(text.substr(end));
    std::string_view hours = d.clock;
    int hour = 0;
    if (!take_number(hours, 2, hour))
        return std::nullopt;
    if (half == "PM" || half == "pm")
        d.hours_added = hour < 12 ? 12 : 0;
    else if (half == "AM" || half == "am")
        d.hours_added = hour == 12 ? -12 : 0;
    else if (!half.empty())
        return std::nullopt;
    return d;
}

} // namespace

std::vector<std::optional<double>> column_times(const std::vector<std::string>& cells)
{
    std::vector<std::optional<double>> times(cells.size());
    bool day_first = false, month_first = false;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        times[i] = unix_seconds(cells[i]);
        if (const auto d = times[i] ? std::nullopt : local_date(cells[i])) {
            day_first = day_first || d->first > 12;
            month_first = month_first || d->second > 12;
        }
    }
    if (day_first == month_first)
        return times;
    for (std::size_t i = 0; i < cells.size(); ++i)
        if (const auto d = times[i] ? std::nullopt : local_date(cells[i]))
            if (const auto t = unix_seconds(fmt::format("{:04}-{:02}-{:02} {}", d->year, day_first ? d->second : d->first, day_first ? d->first : d->second, d->clock)))
                times[i] = *t + d->hours_added * 3600.0;
    return times;
}

} // namespace ridgepoint
