#pragma once
// The part of a log-log plane that a chart shows, and how zooming, panning and going back change it. All in log10.

#include <vector>

namespace ridgepoint {

struct LogPoint
{
    double x = 0, y = 0; // log10
};

struct LogRange
{
    double low = 0, high = 1; // log10, low < high
    [[nodiscard]] double span() const { return high - low; }
    [[nodiscard]] double at(double share) const { return low + share * span(); }
    [[nodiscard]] double share_of(double value) const { return (value - low) / span(); }
    [[nodiscard]] bool contains(double value) const { return value >= low && value <= high; }
    bool operator==(const LogRange&) const = default;
};

// Spans between 0.1 and 14 decades inside 1e-9..1e12: beyond them, repeated zooming ends in equal or infinite limits.
LogRange clamped(LogRange range);
LogRange zoomed(LogRange range, double about, double factor); // factor > 1: closer; `about` keeps its place
LogRange panned(LogRange range, double share); // of the span; positive: towards larger values
LogRange snapped_to_decades(double low_value, double high_value); // plain values, > 0

struct LogFrame
{
    LogRange x, y;
    [[nodiscard]] bool contains(LogPoint p) const { return x.contains(p.x) && y.contains(p.y); }
    bool operator==(const LogFrame&) const = default;
};
LogFrame clamped(LogFrame frame);
LogFrame frame_around(const std::vector<LogPoint>& points, double margin, double least_span); // in decades

// Views seen before, like the pages of a browser: a new one drops those that lie ahead.
class FrameHistory
{
public:
    void visit(const LogFrame& frame);
    [[nodiscard]] bool can_go_back() const { return m_at > 0; }
    [[nodiscard]] bool can_go_forward() const { return m_at + 1 < m_frames.size(); }
    LogFrame back();
    LogFrame forward();
    [[nodiscard]] std::size_t size() const { return m_frames.size(); }

    static constexpr std::size_t longest = 100;

private:
    std::vector<LogFrame> m_frames;
    std::size_t m_at = 0;
};

} // namespace ridgepoint
