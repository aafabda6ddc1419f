#pragma once
// A time that knows which resources it is made of.
//
// Every time in the engine is homogeneous of degree -1 in the speeds of the resources (double all peaks, bandwidths and
// halve all latencies: the time halves). By Euler's theorem a time T then equals the sum over resources r of
// T * e_r, where e_r = -d ln T / d ln(speed of r) is the elasticity of T. AttributedTime carries the products T * e_r
// through the arithmetic exactly, the way forward-mode differentiation carries derivatives. The regime shares that the
// user sees are e_r: they add up to one, and e_r = 0.3 means that 1 % more of resource r makes the step 0.3 % faster.
//
// A component can be negative inside an exposed time (a faster GPU hides less communication); the total is the truth.

#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "model/units/quantity.h"

namespace ridgepoint {

enum class Resource : unsigned char {
    compute, // tensor and vector units
    hbm, // device memory
    nvlink, // links inside an NVLink domain
    network, // links between nodes: EFA, InfiniBand
    latency, // kernel launch, host, link latency: what no bandwidth mends
    storage, // local NVMe, file system, host link
};
inline constexpr std::size_t resource_count = 6;

constexpr std::string_view name_of(Resource r)
{
    constexpr std::array<std::string_view, resource_count> names = {"compute", "HBM", "NVLink", "network", "latency", "storage"};
    return names[static_cast<std::size_t>(r)];
}

class AttributedTime {
public:
    constexpr AttributedTime() = default;
    constexpr AttributedTime(Resource r, Seconds t) { m_parts[static_cast<std::size_t>(r)] = t.value(); }

    [[nodiscard]] constexpr Seconds total() const
    {
        double sum = 0.0;
        for (double part : m_parts)
            sum += part;
        return Seconds{sum};
    }
    [[nodiscard]] constexpr Seconds part(Resource r) const { return Seconds{m_parts[static_cast<std::size_t>(r)]}; }
    [[nodiscard]] constexpr double share(Resource r) const // elasticity; 0 for a time of zero
    {
        const double sum = total().value();
        return sum > 0.0 ? m_parts[static_cast<std::size_t>(r)] / sum : 0.0;
    }
    // The resource with the largest part: what "bound by" means everywhere.
    [[nodiscard]] constexpr Resource bound() const
    {
        std::size_t best = 0;
        for (std::size_t i = 1; i < resource_count; ++i)
            if (m_parts[i] > m_parts[best])
                best = i;
        return static_cast<Resource>(best);
    }

    constexpr AttributedTime& operator+=(const AttributedTime& o)
    {
        for (std::size_t i = 0; i < resource_count; ++i)
            m_parts[i] += o.m_parts[i];
        return *this;
    }
    constexpr AttributedTime& operator-=(const AttributedTime& o)
    {
        for (std::size_t i = 0; i < resource_count; ++i)
            m_parts[i] -= o.m_parts[i];
        return *this;
    }
    constexpr AttributedTime& operator*=(double k)
    {
        for (double& part : m_parts)
            part *= k;
        return *this;
    }
    friend constexpr AttributedTime operator+(AttributedTime a, const AttributedTime& b) { return a += b; }
    friend constexpr AttributedTime operator-(AttributedTime a, const AttributedTime& b) { return a -= b; }
    friend constexpr AttributedTime operator*(AttributedTime a, double k) { return a *= k; }
    friend constexpr AttributedTime operator*(double k, AttributedTime a) { return a *= k; }

private:
    std::array<double, resource_count> m_parts{};
};

// The larger of two; its elasticities are those of the one that decides.
constexpr AttributedTime larger(const AttributedTime& a, const AttributedTime& b) { return a.total() >= b.total() ? a : b; }
constexpr AttributedTime smaller(const AttributedTime& a, const AttributedTime& b) { return a.total() <= b.total() ? a : b; }

// What of `work` sticks out of `window`; zero if it is hidden whole.
constexpr AttributedTime exposed(const AttributedTime& work, const AttributedTime& window)
{
    return work.total() > window.total() ? work - window : AttributedTime{};
}

// (a^p + b^p)^(1/p): the maximum with a soft knee where both matter (p = infinity: the maximum; p = 1: no overlap).
inline AttributedTime smooth_maximum(const AttributedTime& a, const AttributedTime& b, double p)
{
    const double ta = a.total().value();
    const double tb = b.total().value();
    if (ta <= 0.0)
        return b;
    if (tb <= 0.0)
        return a;
    const bool a_leads = ta >= tb;
    const double ratio = a_leads ? tb / ta : ta / tb; // <= 1
    const double small = std::pow(ratio, p - 1.0);
    const double norm = std::pow(1.0 + small * ratio, (1.0 - p) / p); // (total / leader)^(1-p)
    return a_leads ? norm * a + (norm * small) * b : (norm * small) * a + norm * b;
}

} // namespace ridgepoint
