#include "model/roofline/log_frame.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace ridgepoint {
namespace {

constexpr double least_span = 0.1;
constexpr double largest_span = 14.0;
constexpr double lowest = -9.0; // below about 1e-12 Qt Charts keeps an old mapping
constexpr double highest = 12.0;

} // namespace

LogRange clamped(LogRange r)
{
    if (!std::isfinite(r.low) || !std::isfinite(r.high))
        return {0.0, 1.0};
    if (r.low > r.high)
        std::swap(r.low, r.high);
    const double span = std::clamp(r.span(), least_span, largest_span);
    const double middle = (r.low + r.high) / 2.0;
    double low = middle - span / 2.0;
    low = std::clamp(low, lowest, highest - span);
    return {low, low + span};
}

LogRange zoomed(LogRange r, double about, double factor)
{
    const double span = std::clamp(r.span() / factor, least_span, largest_span);
    const double low = about - r.share_of(about) * span;
    return clamped(LogRange{low, low + span});
}

LogRange panned(LogRange r, double share)
{
    const double by = share * r.span();
    return clamped(LogRange{r.low + by, r.high + by});
}

LogRange snapped_to_decades(double low_value, double high_value)
{
    assert(low_value > 0 && high_value > 0);
    constexpr double rounding = 1e-9; // 1e3 is its own decade although log10 may say 2.9999999999999996
    LogRange r{std::floor(std::log10(low_value) + rounding), std::ceil(std::log10(high_value) - rounding)};
    if (r.high <= r.low)
        r.high = r.low + 1.0;
    return clamped(r);
}

LogFrame clamped(LogFrame f)
{
    return {clamped(f.x), clamped(f.y)};
}

LogFrame frame_around(const std::vector<LogPoint>& points, double margin, double least)
{
    if (points.empty())
        return {};
    LogFrame f{{points[0].x, points[0].x}, {points[0].y, points[0].y}};
    for (const LogPoint& p : points) {
        f.x = {std::min(f.x.low, p.x), std::max(f.x.high, p.x)};
        f.y = {std::min(f.y.low, p.y), std::max(f.y.high, p.y)};
    }
    const auto widened = [&](LogRange r) {
        const double half = std::max(r.span() / 2.0 + margin, least / 2.0);
        const double middle = (r.low + r.high) / 2.0;
        return LogRange{middle - half, middle + half};
    };
    return clamped(LogFrame{widened(f.x), widened(f.y)});
}

void FrameHistory::visit(const LogFrame& frame)
{
    if (!m_frames.empty() && m_frames[m_at] == frame)
        return;
    if (!m_frames.empty())
        m_frames.resize(m_at + 1);
    m_frames.push_back(frame);
    if (m_frames.size() > longest)
        m_frames.erase(m_frames.begin());
    m_at = m_frames.size() - 1;
}

LogFrame FrameHistory::back()
{
    assert(can_go_back());
    return m_frames[--m_at];
}

LogFrame FrameHistory::forward()
{
    assert(can_go_forward());
    return m_frames[++m_at];
}

} // namespace ridgepoint
