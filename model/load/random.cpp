#include "model/load/random.h"

#include <cmath>

namespace ridgepoint {
namespace {

// SplitMix64 [Steele, Lea, Flood 2014]: spreads neighbouring seeds and streams over the whole range.
std::uint64_t mixed(std::uint64_t x)
{
    x += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

} // namespace

// P. J. Acklam, "An algorithm for computing the inverse normal cumulative distribution function": one rational function
// in the middle, another in the tails.
double normal_quantile(double p)
{
    constexpr double a[] = {-3.969683028665376e+01, 2.209460984245205e+02, -2.759285104469687e+02, 1.383577518672690e+02, -3.066479806614716e+01, 2.506628277459239e+00};
    constexpr double b[] = {-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02, 6.680131188771972e+01, -1.328068155288572e+01};
    constexpr double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00, -2.549732539343734e+00, 4.374664141464968e+00, 2.938163982698783e+00};
    constexpr double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00, 3.754408661907416e+00};
    constexpr double low = 0.02425;
    const auto tail = [&](double q) {
        return (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) / ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1.0);
    };
    if (p < low)
        return tail(std::sqrt(-2.0 * std::log(p)));
    if (p > 1.0 - low)
        return -tail(std::sqrt(-2.0 * std::log1p(-p)));
    const double q = p - 0.5;
    const double r = q * q;
    return (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q / (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1.0);
}

RandomStream::RandomStream(std::uint64_t seed, std::uint64_t stream)
    : m_engine(mixed(mixed(seed) ^ stream))
{
}

double RandomStream::uniform() { return static_cast<double>(m_engine() >> 11) * 0x1.0p-53; }

double RandomStream::exponential() { return -std::log1p(-uniform()); }

std::uint64_t RandomStream::below(std::uint64_t n) { return static_cast<std::uint64_t>(uniform() * static_cast<double>(n)); }

} // namespace ridgepoint
