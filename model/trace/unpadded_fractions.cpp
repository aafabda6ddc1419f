#include <algorithm>
#include <string>

#include "model/trace/number_text.h"

namespace ridgepoint {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

} // namespace

bool fractions_are_unpadded(std::string_view events)
{
    constexpr std::size_t enough = 64; // 0.9^64: a padded trace shows a leading zero with 99.9 %
    constexpr std::string_view key = "\"ts\"";
    std::size_t seen = 0;
    std::size_t shorter = 0;
    std::size_t ending_in_zero = 0;
    for (std::size_t at = events.find(key); at != std::string_view::npos; at = events.find(key, at)) {
        at += key.size();
        while (at < events.size() && (events[at] == ' ' || events[at] == ':'))
            ++at;
        while (at < events.size() && is_digit(events[at]))
            ++at;
        if (at >= events.size() || events[at] != '.')
            continue;
        const std::size_t begin = ++at;
        while (at < events.size() && is_digit(events[at]))
            ++at;
        const std::string_view fraction = events.substr(begin, at - begin);
        if (fraction.empty() || at == events.size())
            continue;
        if (fraction.size() > 3 || (fraction.size() > 1 && fraction.front() == '0'))
            return false;
        ++seen;
        shorter += fraction.size() < 3;
        ending_in_zero += fraction.size() > 1 && fraction.back() == '0';
    }
    return seen >= enough && shorter > 0 && ending_in_zero > 0;
}

std::optional<std::int64_t> nanoseconds_from_unpadded(std::string_view text)
{
    const std::size_t point = text.find('.');
    if (point == std::string_view::npos)
        return nanoseconds_from_microseconds(text);
    const auto end = std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(point) + 1, text.end(), is_digit);
    const auto digits = static_cast<std::size_t>(end - text.begin()) - point - 1;
    if (digits == 0 || digits > 2)
        return nanoseconds_from_microseconds(text);
    std::string padded(text.substr(0, point + 1));
    padded.append(3 - digits, '0').append(text.substr(point + 1));
    return nanoseconds_from_microseconds(padded);
}

} // namespace ridgepoint
