#pragma once
// Units as people write them. One table: symbol, dimension and exact factor to the base unit (bytes, FLOP, seconds,
// dollars, joules, tokens). "GB" is 1e9 bytes and "GiB" is 2^30; "Gbit/s" is a network rate in bits; case matters.

#include <string>
#include <string_view>
#include <vector>

#include "model/base/error.h"
#include "model/units/quantity.h"

namespace ridgepoint {

// Exponents of the base units, in the order of Quantity's parameters.
struct Dimension {
    int flop = 0, byte = 0, second = 0, dollar = 0, joule = 0, token = 0;
    constexpr bool operator==(const Dimension&) const = default;
};

template <int F, int B, int S, int D, int J, int T> constexpr Dimension dimension_of(Quantity<F, B, S, D, J, T>)
{
    return {F, B, S, D, J, T};
}
template <typename Q> inline constexpr Dimension dimension = dimension_of(Q{});
template <> inline constexpr Dimension dimension<double> = Dimension{}; // counts and ratios

struct Unit {
    std::string_view symbol;
    Dimension dimension;
    double multiply = 1.0; // base = value * multiply / divide: both exact in binary, so that the result is rounded once
    double divide = 1.0;

    [[nodiscard]] constexpr double to_base(double value) const { return value * multiply / divide; }
};

const Unit* find_unit(std::string_view symbol); // nullptr: unknown
std::string_view name_of(const Dimension& d); // "bandwidth", "time", ...; "quantity" for one without a name
const Dimension* find_dimension(std::string_view name); // inverse of name_of
std::string units_of(const Dimension& d); // "B/s, GB/s, Gbit/s": what an error message offers

// value in `unit` -> base units. Unknown unit or wrong dimension: bad_input without a place (the caller knows it).
Expected<double> to_base_units(double value, std::string_view unit, const Dimension& expected);

// "3.35 TB/s", "400 Gbit/s", "80GiB"; the number must be finite.
Expected<double> parse_base_units(std::string_view text, const Dimension& expected);
template <typename Q> Expected<Q> parse_quantity(std::string_view text)
{
    Expected<double> v = parse_base_units(text, dimension<Q>);
    if (!v)
        return v.error();
    return Q{*v};
}

} // namespace ridgepoint
