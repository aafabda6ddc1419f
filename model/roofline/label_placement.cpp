#include "model/roofline/label_placement.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ridgepoint {
namespace {

struct Vector
{
    double x = 0, y = 0;
};

std::array<Vector, 4> corners(const LabelBox& b)
{
    const Vector along{std::cos(b.angle) * b.width / 2, std::sin(b.angle) * b.width / 2};
    const Vector across{-std::sin(b.angle) * b.height / 2, std::cos(b.angle) * b.height / 2};
    return {Vector{b.x + along.x + across.x, b.y + along.y + across.y},
        Vector{b.x + along.x - across.x, b.y + along.y - across.y},
        Vector{b.x - along.x - across.x, b.y - along.y - across.y},
        Vector{b.x - along.x + across.x, b.y - along.y + across.y}};
}

bool separated(const LabelBox& a, const LabelBox& b)
{
    const auto ca = corners(a);
    const auto cb = corners(b);
    for (const Vector axis :
        {Vector{std::cos(a.angle), std::sin(a.angle)}, Vector{-std::sin(a.angle), std::cos(a.angle)}}) {
        const auto extent = [&](const std::array<Vector, 4>& c) {
            double low = 1e300, high = -1e300;
            for (const Vector& v : c) {
                const double d = v.x * axis.x + v.y * axis.y;
                low = std::min(low, d);
                high = std::max(high, d);
            }
            return std::array{low, high};
        };
        const auto ea = extent(ca);
        const auto eb = extent(cb);
        if (ea[1] <= eb[0] || eb[1] <= ea[0])
            return true;
    }
    return false;
}

} // namespace

bool overlap(const LabelBox& a, const LabelBox& b)
{
    return !separated(a, b) && !separated(b, a);
}

bool inside(const LabelBox& box, double left, double top, double right, double bottom)
{
    for (const Vector& c : corners(box))
        if (c.x < left || c.x > right || c.y < top || c.y > bottom)
            return false;
    return true;
}

std::vector<std::optional<std::size_t>> place_labels(const std::vector<LabelRequest>& requests, double left, double top,
    double right, double bottom, std::vector<LabelBox> taken, const std::vector<LabelBox>& avoided)
{
    const auto is_free = [](const LabelBox& box, const std::vector<LabelBox>& others) {
        return std::ranges::none_of(others, [&](const LabelBox& other) { return overlap(box, other); });
    };
    std::vector<std::optional<std::size_t>> chosen(requests.size());
    for (std::size_t r = 0; r < requests.size(); ++r) {
        const std::vector<LabelBox>& candidates = requests[r].candidates;
        for (std::size_t c = 0; c < candidates.size(); ++c) {
            if (!inside(candidates[c], left, top, right, bottom) || !is_free(candidates[c], taken))
                continue;
            const bool clear = is_free(candidates[c], avoided);
            if (clear || !chosen[r])
                chosen[r] = c;
            if (clear)
                break;
        }
        if (chosen[r])
            taken.push_back(candidates[*chosen[r]]);
    }
    return chosen;
}

std::vector<LabelBox> along_segment(
    double x0, double y0, double x1, double y1, double width, double height, double lift, double inset)
{
    std::vector<LabelBox> out;
    const double length = std::hypot(x1 - x0, y1 - y0);
    inset = std::max(0.0, std::min(inset, (length - width) / 2));
    if (length < width || !(width > 0))
        return out;
    double ux = (x1 - x0) / length;
    double uy = (y1 - y0) / length;
    const double angle = std::atan2(uy, ux);
    // "Above" is towards smaller y for a line read from left to right.
    const double nx = uy;
    const double ny = -ux;
    const double room = length - width - 2 * inset;
    for (const double side : {1.0, -1.0})
        for (const double share : {1.0, 0.875, 0.75, 0.625, 0.5, 0.375, 0.25, 0.125, 0.0}) {
            const double at = inset + width / 2 + share * room;
            const double off = side * (height / 2 + lift);
            out.push_back({x0 + ux * at + nx * off, y0 + uy * at + ny * off, width, height, angle});
        }
    return out;
}

} // namespace ridgepoint
