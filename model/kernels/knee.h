#pragma once
// The roofline knee of the kernel laws: (compute^4 + memory^4)^(1/4), with the shares that Euler's theorem gives each
// part. Power 4 is two square roots, where the general smooth_maximum (units/) needs std::pow, and it was as good as
// any power in the fits.

#include <cmath>

#include "model/units/attributed_time.h"

namespace ridgepoint {

// The area of a tile cut to what there is: the product of two softened minima, (a^-4 + b^-4)^(-1/4) each. All > 0.
inline double cut_tile(double rows, double tile_rows, double columns, double tile_columns)
{
    const auto fourth = [](double v) { return (v * v) * (v * v); };
    const double sum = (fourth(rows) + fourth(tile_rows)) * (fourth(columns) + fourth(tile_columns));
    return (rows * tile_rows) * (columns * tile_columns) / std::sqrt(std::sqrt(sum));
}

// Seconds of compute against seconds of memory, where the memory side holds `latency` seconds that no bandwidth mends;
// `before` is latency and `beside` memory time that nothing overlaps.
inline AttributedTime knee(double compute, double memory, double latency, double before = 0.0, double beside = 0.0)
{
    const double side = memory + latency;
    const double c4 = (compute * compute) * (compute * compute);
    const double s4 = (side * side) * (side * side);
    const double sum = c4 + s4;
    double side_part = 0.0;
    double compute_part = 0.0;
    double memory_share = 0.0;
    if (sum > 0.0) {
        const double total = std::sqrt(std::sqrt(sum));
        side_part = total * (s4 / sum);
        compute_part = total - side_part;
        memory_share = side > 0.0 ? memory / side : 0.0;
    }
    const double memory_part = side_part * memory_share;
    AttributedTime t(Resource::compute, Seconds{compute_part});
    t += AttributedTime(Resource::hbm, Seconds{memory_part + beside});
    t += AttributedTime(Resource::latency, Seconds{side_part - memory_part + before});
    return t;
}

} // namespace ridgepoint
