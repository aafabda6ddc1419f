#pragma once
// Boundaries and points of the ridgeline plane, in log10 coordinates. Private to the ridgeline chart.

#include <optional>
#include <utility>
#include <vector>

#include "views/charts/ridgeline_chart.h"
#include "views/charts/roofline_scene.h"

namespace ridgepoint {

struct RidgelineChart::Scene
{
    enum class Boundary { compute_memory, memory_network, compute_network };

    struct Network
    {
        MemoryLevel level = MemoryLevel::network;
        double balance = 0; // log10 of W_M / W_N
    };
    struct Line
    {
        Boundary kind = Boundary::compute_memory;
        MemoryLevel level = MemoryLevel::network;
        double balance = 0; // of its network; of compute_memory: where the line begins
        QString label;
        QString explanation;
        QLineSeries* series = nullptr;
    };

    RooflineModel model;
    QString title;
    int current = -1;
    int last_hovered = -1;

    double machine_balance = 0; // log10 of P / W_M
    bool has_machine = false;
    std::vector<Network> networks;
    const Network* shaded = nullptr; // whose regions are coloured: the one that limits the whole step
    std::vector<Line> lines;
    std::vector<int> points; // plottable, longest first
    int without_network = 0;
    double longest = 0;

    void rebuild(const RooflineModel& next); // series pointers are lost
    [[nodiscard]] std::optional<std::pair<LogPoint, LogPoint>> segment(const Line& line, const LogFrame& frame) const;
    [[nodiscard]] LogFrame machine_frame() const;
    [[nodiscard]] Resource region_at(LogPoint p, MemoryLevel network) const;
    [[nodiscard]] int point_at(QPointF pixel, const RidgelineChart& chart) const;
    [[nodiscard]] double radius(const RidgelinePoint& p, double unit) const;
    static LogPoint place(const RidgelinePoint& p);
};

} // namespace ridgepoint
