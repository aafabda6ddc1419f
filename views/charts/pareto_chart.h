#pragma once
// The plans that a search found: throughput to the right, what it costs (or how much memory is to spare) upward. The front
// is marked and joined, the other best plans lie around it; colour is the instance, or the memory to spare where there is
// only one.

#include <optional>
#include <vector>

#include "model/search/search.h"
#include "views/charts/plane_chart.h"

namespace ridgepoint {

struct FoundPoint {
    quint64 id = 0;
    FoundPlan plan;
    QString choice; // "tp 8, pp 4, ..."
    QString instance;
    bool on_front = false;
};

enum class ParetoAxis { cost, headroom, energy, time };
QString name_of(ParetoAxis axis); // "$ per M tokens"

class ParetoChart final : public PlaneChart {
    Q_OBJECT

public:
    explicit ParetoChart(QWidget* parent = nullptr);

    // `own`: the plan that is searched for better ones, a star.
    void set_points(std::vector<FoundPoint> points, std::optional<FoundPlan> own = {});
    void set_axis(ParetoAxis axis);
    void select_id(std::optional<quint64> id); // emits nothing
    [[nodiscard]] std::optional<quint64> selected_id() const { return m_selected; }
    [[nodiscard]] std::optional<QPointF> position_of(quint64 id) const; // view coordinates; none: not plottable

    [[nodiscard]] QString figure_title() const override;
    [[nodiscard]] QString figure_csv(bool visible_only) const override;

signals:
    void point_selected(quint64 id); // by the user
    void point_activated(quint64 id); // double click

protected:
    void draw(PlaneLayer layer, QPainter& painter) override;
    void frame_changed() override {}
    void theme_changed() override {}
    [[nodiscard]] LogFrame machine_frame() const override;
    HoverText hover_at(QPointF position) override;
    void click_at(QPointF position, Qt::KeyboardModifiers modifiers) override;
    bool step_selection(int direction) override;
    [[nodiscard]] std::optional<LogFrame> selection_frame() const override;
    [[nodiscard]] QString accessible_text() const override;
    [[nodiscard]] QString value_text(LogPoint p) const override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;

private:
    [[nodiscard]] double height_of(const FoundPlan& f) const; // 0: not plottable
    [[nodiscard]] std::optional<LogPoint> place(const FoundPlan& f) const;
    [[nodiscard]] int point_at(QPointF position) const;
    [[nodiscard]] QColor colour_of(const FoundPoint& p) const;
    void refresh();
    void draw_key(QPainter& painter);

    std::vector<FoundPoint> m_points; // the front first, by throughput
    std::optional<FoundPlan> m_own;
    QStringList m_instances;
    double m_least_headroom = 0, m_most_headroom = 0;
    ParetoAxis m_axis = ParetoAxis::cost;
    std::optional<quint64> m_selected;
};

} // namespace ridgepoint
