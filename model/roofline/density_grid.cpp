#include "model/roofline/density_grid.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

namespace ridgepoint {

double DensityGrid::shade(int column, int row) const
{
    const float w = at(column, row);
    if (w <= 0 || largest <= 0)
        return 0;
    constexpr double range = 1000.0; // weights over three decades are told apart
    return std::log1p(range * w / largest) / std::log1p(range);
}

DensityGrid density_grid(std::span<const float> x, std::span<const float> y, std::span<const float> weights,
    const LogFrame& frame, int width, int height)
{
    assert(x.size() == y.size() && (weights.empty() || weights.size() == x.size()));
    DensityGrid g;
    g.width = std::clamp(width, 1, 16384);
    g.height = std::clamp(height, 1, 16384);
    g.cells.assign(static_cast<std::size_t>(g.width) * static_cast<std::size_t>(g.height), 0.0F);
    const auto x_scale = static_cast<float>(g.width / frame.x.span());
    const auto y_scale = static_cast<float>(g.height / frame.y.span());
    const auto x_low = static_cast<float>(frame.x.low);
    const auto y_low = static_cast<float>(frame.y.low);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const float cx = (x[i] - x_low) * x_scale;
        const float cy = (y[i] - y_low) * y_scale;
        if (!(cx >= 0)) {
            ++g.left;
        } else if (cx > static_cast<float>(g.width)) {
            ++g.right;
        } else if (!(cy >= 0)) {
            ++g.below;
        } else if (cy > static_cast<float>(g.height)) {
            ++g.above;
        } else {
            ++g.inside;
            const auto column = static_cast<std::size_t>(std::min(static_cast<int>(cx), g.width - 1));
            const auto row = static_cast<std::size_t>(std::min(static_cast<int>(cy), g.height - 1));
            g.cells[row * static_cast<std::size_t>(g.width) + column] += weights.empty() ? 1.0F : weights[i];
        }
    }
    g.largest = *std::ranges::max_element(g.cells);
    return g;
}

std::vector<std::size_t> largest_indices(std::span<const float> values, std::size_t count)
{
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto larger
        = [&](std::size_t a, std::size_t b) { return values[a] != values[b] ? values[a] > values[b] : a < b; };
    count = std::min(count, order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(), larger);
    order.resize(count);
    return order;
}

} // namespace ridgepoint
