#pragma once
// Interactivity against throughput: tokens per second of a user to the right, of a GPU upward, over tensor parallelism and
// concurrency. Colour and shape are the tensor parallelism, the front is joined, the star is the plan, and lines across tell
// what a million output tokens cost where a price is known. A click takes a point into the plan.

#include <optional>
#include <vector>

#include "model/fleet/fleet.h"
#include "views/charts/plane_chart.h"

namespace ridgepoint {

class InteractivityChart final : public PlaneChart {
    Q_OBJECT

public:
    explicit InteractivityChart(QWidget* parent = nullptr);

    void set_points(std::vector<ParetoPoint> points, std::optional<ParetoPoint> own);
    void set_title(const QString& title);
    void select(std::optional<std::pair<int, int>> point); // tp and concurrency; emits nothing
    [[nodiscard]] std::optional<std::pair<int, int>> selected() const { return m_selected; }
    [[nodiscard]] QPointF position_of(const ParetoPoint& p) const; // view coordinates
    // Dollars per second of a GPU that does useful work; none without a price.
    [[nodiscard]] std::optional<double> dollars_per_gpu_second() const { return m_rent; }

    [[nodiscard]] QString figure_title() const override;
    [[nodiscard]] QString figure_csv(bool visible_only) const override;

signals:
    void point_selected(int tp, int concurrency); // by the user: keyboard
    void point_chosen(int tp, int concurrency); // click, Enter

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
    void keyPressEvent(QKeyEvent* event) override;

private:
    void refresh();
    [[nodiscard]] int point_at(QPointF position) const;
    [[nodiscard]] HoverText text_of(const ParetoPoint& p) const;
    [[nodiscard]] std::size_t series_of(int tp) const;
    void draw_prices(QPainter& painter);
    void draw_points(QPainter& painter);
    void draw_key(QPainter& painter);

    std::vector<ParetoPoint> m_points; // by tp and concurrency
    std::optional<ParetoPoint> m_own;
    std::vector<int> m_tps;
    std::optional<double> m_rent;
    std::optional<std::pair<int, int>> m_selected;
    QString m_heading;
};

} // namespace ridgepoint
