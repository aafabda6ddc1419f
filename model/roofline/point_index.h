#pragma once
// Which of many points is nearest: a uniform grid over their bounding box, built once per data set, asked at every
// mouse move. Distances are in pixels, so the two axes have their own scale at every zoom.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ridgepoint {

class PointIndex
{
public:
    PointIndex() = default;
    PointIndex(std::span<const float> x, std::span<const float> y); // log10; copied

    // Nearest point within `radius` pixels of (x, y), where one decade is x_scale or y_scale pixels. Ties: lowest
    // index.
    [[nodiscard]] std::optional<std::size_t> nearest(
        double x, double y, double x_scale, double y_scale, double radius) const;
    [[nodiscard]] std::size_t size() const { return m_x.size(); }

private:
    static constexpr int cells = 256;
    [[nodiscard]] int column_of(double x) const;
    [[nodiscard]] int row_of(double y) const;

    std::vector<float> m_x, m_y;
    std::vector<std::uint32_t> m_start; // cells * cells + 1 offsets into m_order
    std::vector<std::uint32_t> m_order;
    double m_left = 0, m_bottom = 0, m_width = 1, m_height = 1;
};

} // namespace ridgepoint
