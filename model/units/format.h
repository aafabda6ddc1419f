#pragma once
// Quantities as people read them. Locale-free ('.' decimal); three significant digits unless asked otherwise.

#include <string>

#include "model/units/quantity.h"

namespace ridgepoint {

std::string format_si(double value, const std::string& unit, int digits = 3); // "1.98 PFLOP/s", "12.0 us"
std::string format_iec(Bytes value, int digits = 3); // "79.6 GiB"

std::string format(Flops v);
std::string format(Bytes v); // IEC: memory is bought in GB and used in GiB; see format_decimal for traffic
std::string format_decimal(Bytes v); // "85.9 GB"
std::string format(Seconds v); // "812 us", "4.21 s", "3 h 12 min", "21.4 days"
std::string format(FlopPerSecond v);
std::string format(BytesPerSecond v);
std::string format(FlopPerByte v);
std::string format(Dollars v); // "$12.40", "$1,234,000"
std::string format(TokensPerSecond v);
std::string format(Watts v);
std::string format_percent(double fraction, int decimals = 1); // 0.412 -> "41.2 %"
std::string format_number(double v, int digits = 3); // plain, no unit, no exponent between 1e-3 and 1e6
std::string group_thousands(double whole); // "1,234,567"

} // namespace ridgepoint
