#include "model/units/parse.h"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "model/units/prices.h"

namespace ridgepoint {
namespace {

constexpr Dimension none = {};
constexpr Dimension flop = dimension<Flops>;
constexpr Dimension byte = dimension<Bytes>;
constexpr Dimension second = dimension<Seconds>;
constexpr Dimension dollar = dimension<Dollars>;
constexpr Dimension joule = dimension<Joules>;
constexpr Dimension token = dimension<Tokens>;
constexpr Dimension flop_rate = dimension<FlopPerSecond>;
constexpr Dimension byte_rate = dimension<BytesPerSecond>;
constexpr Dimension intensity = dimension<FlopPerByte>;
constexpr Dimension frequency = dimension<Hertz>;
constexpr Dimension watt = dimension<Watts>;
constexpr Dimension price_rate = dimension<DollarsPerSecond>;
constexpr Dimension token_rate = dimension<TokensPerSecond>;
constexpr Dimension byte_per_token = dimension<BytesPerToken>;
constexpr Dimension traffic_price = dimension<DollarsPerByte>;
constexpr Dimension capacity_price = dimension<DollarsPerByteSecond>;
constexpr Dimension carbon = dimension<GramsPerJoule>;
// Storage throughput is sold per capacity: MB/s per TiB is 1/s.
constexpr double kib = 1024.0;
constexpr double mib = kib * 1024.0;
constexpr double gib = mib * 1024.0;
constexpr double tib = gib * 1024.0;
constexpr double pib = tib * 1024.0;

constexpr std::array units = {
    Unit{"1", none}, Unit{"count", none}, Unit{"ratio", none}, Unit{"%", none, 1.0, 100.0}, Unit{"GPUs", none},
    Unit{"SMs", none}, Unit{"NICs", none}, Unit{"vCPUs", none}, Unit{"drives", none}, Unit{"links", none},
    Unit{"instances", none}, Unit{"connections", none},

    Unit{"FLOP", flop}, Unit{"GFLOP", flop, 1e9}, Unit{"TFLOP", flop, 1e12}, Unit{"PFLOP", flop, 1e15}, Unit{"EFLOP", flop, 1e18},

    Unit{"B", byte}, Unit{"kB", byte, 1e3}, Unit{"MB", byte, 1e6}, Unit{"GB", byte, 1e9}, Unit{"TB", byte, 1e12},
    Unit{"PB", byte, 1e15}, Unit{"KiB", byte, kib}, Unit{"MiB", byte, mib}, Unit{"GiB", byte, gib}, Unit{"TiB", byte, tib},
    Unit{"PiB", byte, pib},

    Unit{"s", second}, Unit{"ms", second, 1.0, 1e3}, Unit{"us", second, 1.0, 1e6}, Unit{"ns", second, 1.0, 1e9},
    Unit{"min", second, 60.0}, Unit{"h", second, 3600.0}, Unit{"days", second, 86400.0},

    Unit{"USD", dollar},
    Unit{"J", joule}, Unit{"kJ", joule, 1e3}, Unit{"Wh", joule, 3600.0}, Unit{"kWh", joule, 3.6e6}, Unit{"MWh", joule, 3.6e9},
    Unit{"tokens", token}, Unit{"Mtokens", token, 1e6}, Unit{"Gtokens", token, 1e9}, Unit{"Ttokens", token, 1e12},

    Unit{"FLOP/s", flop_rate}, Unit{"GFLOP/s", flop_rate, 1e9}, Unit{"TFLOP/s", flop_rate, 1e12},
    Unit{"PFLOP/s", flop_rate, 1e15}, Unit{"EFLOP/s", flop_rate, 1e18},
    // Integer arithmetic is compared with floating point on one axis: an operation counts as a FLOP.
    Unit{"TOP/s", flop_rate, 1e12},

    Unit{"B/s", byte_rate}, Unit{"kB/s", byte_rate, 1e3}, Unit{"MB/s", byte_rate, 1e6}, Unit{"GB/s", byte_rate, 1e9},
    Unit{"TB/s", byte_rate, 1e12}, Unit{"PB/s", byte_rate, 1e15}, Unit{"MiB/s", byte_rate, mib}, Unit{"GiB/s", byte_rate, gib},
    Unit{"TiB/s", byte_rate, tib}, Unit{"bit/s", byte_rate, 1.0, 8.0}, Unit{"Mbit/s", byte_rate, 1e6, 8.0},
    Unit{"Gbit/s", byte_rate, 1e9, 8.0}, Unit{"Tbit/s", byte_rate, 1e12, 8.0},

    Unit{"FLOP/B", intensity},
    Unit{"Hz", frequency}, Unit{"MHz", frequency, 1e6}, Unit{"GHz", frequency, 1e9}, Unit{"1/s", frequency},
    Unit{"requests/s", frequency}, Unit{"IOPS", frequency}, Unit{"MB/s/TiB", frequency, 1e6, tib},
    Unit{"W", watt}, Unit{"kW", watt, 1e3}, Unit{"MW", watt, 1e6},
    Unit{"USD/s", price_rate}, Unit{"USD/h", price_rate, 1.0, 3600.0},
    Unit{"USD/GB", traffic_price, 1.0, 1e9}, Unit{"USD/GB-month", capacity_price, 1.0, 2.628e15}, // of 730 h
    Unit{"g/kWh", carbon, 1.0, 3.6e6},
    Unit{"tokens/s", token_rate}, Unit{"B/token", byte_per_token}, Unit{"KiB/token", byte_per_token, kib},
};

constexpr std::array dimension_names = {
    std::pair{std::string_view("number"), none}, std::pair{std::string_view("operations"), flop},
    std::pair{std::string_view("memory"), byte}, std::pair{std::string_view("time"), second},
    std::pair{std::string_view("money"), dollar}, std::pair{std::string_view("energy"), joule},
    std::pair{std::string_view("tokens"), token}, std::pair{std::string_view("arithmetic"), flop_rate},
    std::pair{std::string_view("bandwidth"), byte_rate}, std::pair{std::string_view("intensity"), intensity},
    std::pair{std::string_view("frequency"), frequency}, std::pair{std::string_view("power"), watt},
    std::pair{std::string_view("price"), price_rate}, std::pair{std::string_view("token rate"), token_rate},
    std::pair{std::string_view("bytes per token"), byte_per_token}, std::pair{std::string_view("traffic price"), traffic_price},
    std::pair{std::string_view("capacity price"), capacity_price}, std::pair{std::string_view("carbon intensity"), carbon},
};

} // namespace

const Unit* find_unit(std::string_view symbol)
{
    for (const Unit& u : units)
        if (u.symbol == symbol)
            return &u;
    return nullptr;
}

std::string_view name_of(const Dimension& d)
{
    for (const auto& [name, known] : dimension_names)
        if (known == d)
            return name;
    return "quantity";
}

const Dimension* find_dimension(std::string_view name)
{
    for (const auto& entry : dimension_names)
        if (entry.first == name)
            return &entry.second;
    return nullptr;
}

std::string units_of(const Dimension& d)
{
    std::string out;
    for (const Unit& u : units) {
        if (u.dimension != d)
            continue;
        if (!out.empty())
            out += ", ";
        out += u.symbol;
    }
    return out;
}

Expected<double> to_base_units(double value, std::string_view unit, const Dimension& expected)
{
    const Unit* u = find_unit(unit);
    if (!u)
        return bad_input("unknown unit", {}, fmt::format("\"{}\"", unit), units_of(expected));
    if (u->dimension != expected)
        return bad_input(fmt::format("this is a unit of {}, not of {}", name_of(u->dimension), name_of(expected)), {},
            fmt::format("\"{}\"", unit), units_of(expected));
    const double base = u->to_base(value);
    if (!std::isfinite(base))
        return bad_input("number too large", {}, fmt::format("{} {}", value, unit), "a finite number");
    return base;
}

Expected<double> parse_base_units(std::string_view text, const Dimension& expected)
{
    constexpr std::string_view blank = " \t";
    const std::size_t from = text.find_first_not_of(blank);
    if (from == std::string_view::npos)
        return bad_input("no number", {}, {}, fmt::format("a number and one of {}", units_of(expected)));
    std::string_view rest = text.substr(from, text.find_last_not_of(blank) - from + 1);
    double value = 0.0;
    const auto [end, ec] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (ec != std::errc{} || !std::isfinite(value))
        return bad_input("not a number", {}, fmt::format("\"{}\"", text), fmt::format("a number and one of {}", units_of(expected)));
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    const std::size_t unit_from = rest.find_first_not_of(blank);
    const std::string_view unit = unit_from == std::string_view::npos ? std::string_view{} : rest.substr(unit_from);
    if (unit.empty() && expected == none)
        return value;
    return to_base_units(value, unit, expected);
}

} // namespace ridgepoint
