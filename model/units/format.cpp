#include "model/units/format.h"

#include <array>
#include <cmath>

#include <fmt/format.h>

namespace ridgepoint {
namespace {

// Significant digits without an exponent: 1234 stays "1230" only if asked for fewer digits than it has before the
// point, so whole parts are never rounded away.
std::string significant(double v, int digits)
{
    if (v == 0.0)
        return "0";
    const int magnitude = static_cast<int>(std::floor(std::log10(std::fabs(v)))) + 1;
    return fmt::format("{:.{}f}", v, std::max(0, digits - magnitude));
}

std::string scaled(double value, double base, const std::array<const char*, 6>& prefixes, const std::string& unit, int digits)
{
    double v = value;
    std::size_t i = 0;
    while (std::fabs(v) >= base * 0.9995 && i + 1 < prefixes.size()) {
        v /= base;
        ++i;
    }
    return significant(v, digits) + " " + prefixes[i] + unit;
}

} // namespace

std::string format_si(double value, const std::string& unit, int digits)
{
    if (!std::isfinite(value))
        return "n/a";
    if (value != 0.0 && std::fabs(value) < 0.9995) {
        static constexpr std::array<const char*, 5> small = {"", "m", "u", "n", "p"};
        double v = value;
        std::size_t i = 0;
        while (std::fabs(v) < 0.9995 && i + 1 < small.size()) {
            v *= 1e3;
            ++i;
        }
        return significant(v, digits) + " " + small[i] + unit;
    }
    return scaled(value, 1e3, {"", "k", "M", "G", "T", "P"}, unit, digits);
}

std::string format_iec(Bytes value, int digits)
{
    if (!std::isfinite(value.value()))
        return "n/a";
    return scaled(value.value(), 1024.0, {"", "Ki", "Mi", "Gi", "Ti", "Pi"}, "B", digits);
}

std::string format(Flops v)
{
    if (std::fabs(v.value()) >= 1e18)
        return significant(v.value() / 1e18, 3) + " EFLOP";
    return format_si(v.value(), "FLOP");
}
std::string format(Bytes v) { return format_iec(v); }
std::string format_decimal(Bytes v) { return format_si(v.value(), "B"); }

std::string format(Seconds v)
{
    const double s = v.value();
    if (!std::isfinite(s))
        return "n/a";
    if (std::fabs(s) < 120.0)
        return format_si(s, "s");
    if (std::fabs(s) < 7200.0)
        return significant(s / 60.0, 3) + " min";
    if (std::fabs(s) < 48.0 * 3600.0)
        return significant(s / 3600.0, 3) + " h";
    return significant(s / 86400.0, 3) + " days";
}

std::string format(FlopPerSecond v) { return format_si(v.value(), "FLOP/s"); }
std::string format(BytesPerSecond v) { return format_si(v.value(), "B/s"); }
std::string format(FlopPerByte v) { return format_number(v.value()) + " FLOP/B"; }

std::string format(Dollars v)
{
    if (!std::isfinite(v.value()))
        return "n/a";
    const double d = std::fabs(v.value());
    const std::string sign = v.value() < 0 ? "-" : "";
    if (d < 1.0)
        return fmt::format("{}${}", sign, significant(d, 3));
    if (d < 1000.0)
        return fmt::format("{}${:.2f}", sign, d);
    return sign + "$" + group_thousands(d);
}

std::string format(TokensPerSecond v) { return format_number(v.value(), 4) + " tokens/s"; }
std::string format(Watts v) { return format_si(v.value(), "W"); }

std::string format_percent(double fraction, int decimals)
{
    return std::isfinite(fraction) ? fmt::format("{:.{}f} %", fraction * 100.0, decimals) : "n/a";
}

std::string format_number(double v, int digits)
{
    if (!std::isfinite(v))
        return "n/a";
    if (v != 0.0 && std::fabs(v) < 1e-3)
        return fmt::format("{:.{}e}", v, digits - 1);
    if (std::fabs(v) >= 1e4)
        return group_thousands(v);
    return significant(v, digits);
}

std::string group_thousands(double whole)
{
    std::string digits = fmt::format("{:.0f}", std::fabs(whole));
    for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3)
        digits.insert(static_cast<std::size_t>(at), ",");
    return (whole < 0 ? "-" : "") + digits;
}

} // namespace ridgepoint
