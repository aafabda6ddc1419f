#pragma once
// Units as types. A quantity knows its dimension (FLOP, byte, second, dollar, joule, token); products and quotients get
// the right type, wrong mixes do not compile. The stored number is always in the base unit named by the alias (bytes,
// not GB; bytes per second, not bits), so that GB against GiB and bit against byte are settled at the factory.

#include <compare>

namespace ridgepoint {

template <int Flop, int Byte, int Second, int Dollar, int Joule, int Token> class Quantity {
public:
    constexpr Quantity() = default;
    constexpr explicit Quantity(double base) : m_value(base) {}

    [[nodiscard]] constexpr double value() const { return m_value; } // in base units

    constexpr Quantity operator-() const { return Quantity{-m_value}; }
    constexpr Quantity& operator+=(Quantity o) { m_value += o.m_value; return *this; }
    constexpr Quantity& operator-=(Quantity o) { m_value -= o.m_value; return *this; }
    constexpr Quantity& operator*=(double k) { m_value *= k; return *this; }
    constexpr Quantity& operator/=(double k) { m_value /= k; return *this; }
    friend constexpr Quantity operator+(Quantity a, Quantity b) { return a += b; }
    friend constexpr Quantity operator-(Quantity a, Quantity b) { return a -= b; }
    friend constexpr Quantity operator*(Quantity a, double k) { return a *= k; }
    friend constexpr Quantity operator*(double k, Quantity a) { return a *= k; }
    friend constexpr Quantity operator/(Quantity a, double k) { return a /= k; }
    friend constexpr auto operator<=>(Quantity, Quantity) = default;

private:
    double m_value = 0.0;
};

template <int F1, int B1, int S1, int D1, int J1, int T1, int F2, int B2, int S2, int D2, int J2, int T2>
constexpr auto operator*(Quantity<F1, B1, S1, D1, J1, T1> a, Quantity<F2, B2, S2, D2, J2, T2> b)
{
    constexpr bool scalar = F1 + F2 == 0 && B1 + B2 == 0 && S1 + S2 == 0 && D1 + D2 == 0 && J1 + J2 == 0 && T1 + T2 == 0;
    if constexpr (scalar)
        return a.value() * b.value();
    else
        return Quantity<F1 + F2, B1 + B2, S1 + S2, D1 + D2, J1 + J2, T1 + T2>{a.value() * b.value()};
}

template <int F1, int B1, int S1, int D1, int J1, int T1, int F2, int B2, int S2, int D2, int J2, int T2>
constexpr auto operator/(Quantity<F1, B1, S1, D1, J1, T1> a, Quantity<F2, B2, S2, D2, J2, T2> b)
{
    constexpr bool scalar = F1 == F2 && B1 == B2 && S1 == S2 && D1 == D2 && J1 == J2 && T1 == T2;
    if constexpr (scalar)
        return a.value() / b.value();
    else
        return Quantity<F1 - F2, B1 - B2, S1 - S2, D1 - D2, J1 - J2, T1 - T2>{a.value() / b.value()};
}

using Flops = Quantity<1, 0, 0, 0, 0, 0>; // a multiply-add counts as two
using Bytes = Quantity<0, 1, 0, 0, 0, 0>;
using Seconds = Quantity<0, 0, 1, 0, 0, 0>;
using Dollars = Quantity<0, 0, 0, 1, 0, 0>;
using Joules = Quantity<0, 0, 0, 0, 1, 0>;
using Tokens = Quantity<0, 0, 0, 0, 0, 1>;
using FlopPerSecond = Quantity<1, 0, -1, 0, 0, 0>;
using BytesPerSecond = Quantity<0, 1, -1, 0, 0, 0>;
using FlopPerByte = Quantity<1, -1, 0, 0, 0, 0>; // arithmetic intensity
using Hertz = Quantity<0, 0, -1, 0, 0, 0>;
using Watts = Quantity<0, 0, -1, 0, 1, 0>;
using DollarsPerSecond = Quantity<0, 0, -1, 1, 0, 0>;
using TokensPerSecond = Quantity<0, 0, -1, 0, 0, 1>;
using DollarsPerToken = Quantity<0, 0, 0, 1, 0, -1>;
using JoulesPerToken = Quantity<0, 0, 0, 0, 1, -1>;
using BytesPerToken = Quantity<0, 1, 0, 0, 0, -1>;
using FlopsPerToken = Quantity<1, 0, 0, 0, 0, -1>;

constexpr Bytes bytes(double v) { return Bytes{v}; }
constexpr Bytes gigabytes(double v) { return Bytes{v * 1e9}; }
constexpr Bytes mebibytes(double v) { return Bytes{v * 1048576.0}; }
constexpr Bytes gibibytes(double v) { return Bytes{v * 1073741824.0}; }
constexpr Seconds seconds(double v) { return Seconds{v}; }
constexpr Seconds milliseconds(double v) { return Seconds{v * 1e-3}; }
constexpr Seconds microseconds(double v) { return Seconds{v * 1e-6}; }
constexpr Seconds hours(double v) { return Seconds{v * 3600.0}; }
constexpr BytesPerSecond gigabytes_per_second(double v) { return BytesPerSecond{v * 1e9}; }
constexpr BytesPerSecond gigabits_per_second(double v) { return BytesPerSecond{v * 1e9 / 8.0}; }
constexpr FlopPerSecond teraflops_per_second(double v) { return FlopPerSecond{v * 1e12}; }
constexpr DollarsPerSecond dollars_per_hour(double v) { return DollarsPerSecond{v / 3600.0}; }

constexpr double in_gigabytes(Bytes b) { return b.value() / 1e9; }
constexpr double in_gibibytes(Bytes b) { return b.value() / 1073741824.0; }
constexpr double in_milliseconds(Seconds s) { return s.value() * 1e3; }
constexpr double in_microseconds(Seconds s) { return s.value() * 1e6; }
constexpr double in_teraflops_per_second(FlopPerSecond f) { return f.value() / 1e12; }
constexpr double in_gigabytes_per_second(BytesPerSecond b) { return b.value() / 1e9; }

} // namespace ridgepoint
