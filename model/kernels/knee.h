#pragma once
// The roofline knee of the kernel laws: (compute^4 + memory^4)^(1/4), with the shares that Euler's theorem gives each
// part. Power 4 is two square roots, where the general smooth_maximum (units/) needs std::pow, and it was as good as any
// power in the fits.

#include <algorithm>
#include <cmath>

#include "model/units/attributed_time.h"

namespace ridgepoint {

// (a^4 + b^4)^(1/4), a and b >= 0
inline double knee_total(double a, double b)
{
    const double top = std::max(a, b);
    if (top <= 0.0)
        return 0.0;
    const double ra = (a / top) * (a / top);
    const double rb = (b / top) * (b / top);
    return top * std::sqrt(std::sqrt(ra * ra + rb * rb));
}

// (a^-4 + b^-4)^(-1/4): the smaller, softened; a and b > 0
inline double soft_minimum(double a, double b)
{
    const double low = std::min(a, b);
    const double ra = (low / a) * (low / a);
    const double rb = (low / b) * (low / b);
    return low / std::sqrt(std::sqrt(ra * ra + rb * rb));
}

// Seconds of compute against seconds of memory, where the memory side holds `latency` seconds that no bandwidth mends.
inline AttributedTime knee(double compute, double memory, double latency)
{
    const double side = memory + latency;
    const double top = std::max(compute, side);
    if (top <= 0.0)
        return {};
    const double rc = (compute / top) * (compute / top);
    const double rs = (side / top) * (side / top);
    const double c4 = rc * rc;
    const double s4 = rs * rs;
    const double total = top * std::sqrt(std::sqrt(c4 + s4));
    const double compute_part = total * c4 / (c4 + s4);
    const double side_part = total - compute_part;
    AttributedTime t(Resource::compute, Seconds{compute_part});
    if (side > 0.0) {
        t += AttributedTime(Resource::hbm, Seconds{side_part * memory / side});
        t += AttributedTime(Resource::latency, Seconds{side_part * latency / side});
    }
    return t;
}

} // namespace ridgepoint
