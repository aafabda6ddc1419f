#include "model/trace/number_text.h"

#include <algorithm>
#include <charconv>

namespace ridgepoint {
namespace {

std::string_view without_quotes(std::string_view s)
{
    while (!s.empty() && (s.front() == '"' || static_cast<unsigned char>(s.front()) <= ' '))
        s.remove_prefix(1);
    while (!s.empty() && (s.back() == '"' || static_cast<unsigned char>(s.back()) <= ' '))
        s.remove_suffix(1);
    return s;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

} // namespace

std::optional<std::int64_t> nanoseconds_from_microseconds(std::string_view text)
{
    std::string_view s = without_quotes(text);
    const bool negative = !s.empty() && s.front() == '-';
    if (negative || (!s.empty() && s.front() == '+'))
        s.remove_prefix(1);

    // digits * 10^exponent microseconds; 18 digits always fit, later ones only move the exponent.
    std::int64_t digits = 0;
    int count = 0;
    int exponent = 0;
    bool any = false;
    std::size_t i = 0;
    const auto take = [&](char c, bool fraction) {
        any = true;
        if (count < 18) {
            digits = digits * 10 + (c - '0');
            count += digits != 0;
            exponent -= fraction;
        } else {
            exponent += !fraction;
        }
    };
    for (; i < s.size() && is_digit(s[i]); ++i)
        take(s[i], false);
    // Absolute times with three decimals have 19 digits: count those beyond 18 apart, below.
    std::string_view rest = s.substr(std::min(i, s.size()));
    if (count >= 16 && rest.size() > 1 && rest.front() == '.' && exponent == 0) {
        std::int64_t ns = digits; // whole microseconds, at most 18 digits
        std::int64_t fraction = 0;
        std::size_t k = 1;
        int places = 0;
        bool up = false;
        for (; k < rest.size() && is_digit(rest[k]); ++k) {
            if (places < 3)
                fraction = fraction * 10 + (rest[k] - '0'), ++places;
            else if (places == 3)
                up = rest[k] >= '5', ++places;
        }
        if (k == rest.size()) {
            for (; places < 3; ++places)
                fraction *= 10;
            if (__builtin_mul_overflow(ns, std::int64_t{1000}, &ns) || __builtin_add_overflow(ns, fraction + up, &ns))
                return std::nullopt;
            return negative ? -ns : ns;
        }
    }
    if (i < s.size() && s[i] == '.')
        for (++i; i < s.size() && is_digit(s[i]); ++i)
            take(s[i], true);
    if (!any)
        return std::nullopt;
    if (i < s.size() && (s[i] == 'e' || s[i] == 'E')) {
        ++i;
        if (i < s.size() && s[i] == '+')
            ++i;
        int e = 0;
        const auto [end, error] = std::from_chars(s.data() + i, s.data() + s.size(), e);
        if (error != std::errc{} || e > 400 || e < -400)
            return std::nullopt;
        i = static_cast<std::size_t>(end - s.data());
        exponent += e;
    }
    if (i != s.size())
        return std::nullopt;
    exponent += 3; // to nanoseconds
    if (digits == 0)
        return 0;
    bool up = false;
    for (; exponent < 0 && digits != 0; ++exponent) {
        up = digits % 10 >= 5;
        digits /= 10;
    }
    if (exponent < 0)
        up = false; // far below half a nanosecond
    digits += up;
    for (; exponent > 0; --exponent)
        if (__builtin_mul_overflow(digits, std::int64_t{10}, &digits))
            return std::nullopt;
    return negative ? -digits : digits;
}

std::optional<std::int64_t> whole_number(std::string_view text)
{
    std::string_view s = without_quotes(text);
    if (s.starts_with("stream "))
        s.remove_prefix(7);
    if (s.empty())
        return std::nullopt;
    const char* end = s.data() + s.size();
    std::int64_t value = 0;
    auto result = std::from_chars(s.data(), end, value);
    if (result.ec == std::errc::result_out_of_range && s.front() != '-') {
        std::uint64_t big = 0;
        result = std::from_chars(s.data(), end, big);
        value = static_cast<std::int64_t>(big);
    }
    if (result.ec != std::errc{})
        return std::nullopt;
    const std::string_view rest(result.ptr, static_cast<std::size_t>(end - result.ptr));
    if (!rest.empty() && (rest.front() != '.' || rest.find_first_not_of("0", 1) != std::string_view::npos))
        return std::nullopt;
    return value;
}

} // namespace ridgepoint
