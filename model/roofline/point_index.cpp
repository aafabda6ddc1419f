#include "model/roofline/point_index.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace ridgepoint {

PointIndex::PointIndex(std::span<const float> x, std::span<const float> y)
    : m_x(x.begin(), x.end())
    , m_y(y.begin(), y.end())
{
    assert(x.size() == y.size());
    if (m_x.empty())
        return;
    const auto [left, right] = std::ranges::minmax(m_x);
    const auto [bottom, top] = std::ranges::minmax(m_y);
    m_left = left;
    m_bottom = bottom;
    m_width = std::max(1e-6, static_cast<double>(right) - left);
    m_height = std::max(1e-6, static_cast<double>(top) - bottom);

    m_start.assign(static_cast<std::size_t>(cells) * cells + 1, 0);
    std::vector<std::uint32_t> cell(m_x.size());
    for (std::size_t i = 0; i < m_x.size(); ++i) {
        cell[i] = static_cast<std::uint32_t>(row_of(m_y[i]) * cells + column_of(m_x[i]));
        ++m_start[cell[i] + 1];
    }
    for (std::size_t c = 1; c < m_start.size(); ++c)
        m_start[c] += m_start[c - 1];
    m_order.resize(m_x.size());
    std::vector<std::uint32_t> next(m_start.begin(), m_start.end() - 1);
    for (std::size_t i = 0; i < m_x.size(); ++i)
        m_order[next[cell[i]]++] = static_cast<std::uint32_t>(i);
}

int PointIndex::column_of(double x) const
{
    return static_cast<int>(std::clamp((x - m_left) / m_width * cells, 0.0, cells - 1.0));
}
int PointIndex::row_of(double y) const
{
    return static_cast<int>(std::clamp((y - m_bottom) / m_height * cells, 0.0, cells - 1.0));
}

std::optional<std::size_t> PointIndex::nearest(double x, double y, double x_scale, double y_scale, double radius) const
{
    if (m_x.empty() || !(x_scale > 0) || !(y_scale > 0) || !std::isfinite(x) || !std::isfinite(y))
        return std::nullopt;
    const int first_column = column_of(x - radius / x_scale);
    const int last_column = column_of(x + radius / x_scale);
    const int first_row = row_of(y - radius / y_scale);
    const int last_row = row_of(y + radius / y_scale);
    double best = radius * radius;
    std::optional<std::size_t> found;
    for (int row = first_row; row <= last_row; ++row)
        for (int column = first_column; column <= last_column; ++column) {
            const auto c = static_cast<std::size_t>(row * cells + column);
            for (std::uint32_t k = m_start[c]; k < m_start[c + 1]; ++k) {
                const std::size_t i = m_order[k];
                const double dx = (m_x[i] - x) * x_scale;
                const double dy = (m_y[i] - y) * y_scale;
                const double d = dx * dx + dy * dy;
                if (d < best || (d == best && (!found || i < *found))) {
                    best = d;
                    found = i;
                }
            }
        }
    return found;
}

} // namespace ridgepoint
