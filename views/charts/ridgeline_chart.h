#pragma once
// The ridgeline plane (Checconi, Tithi, Petrini 2022, arXiv:2209.01368): x = FLOP per HBM byte, y = HBM byte per
// network byte. With peak P, memory bandwidth W_M and network bandwidth W_N the three times F/P, M/W_M, N/W_N are equal
// in pairs on x = P/W_M (vertical), y = W_M/W_N (horizontal) and x y = P/W_N (hyperbola); they bound the compute-,
// memory- and network-bound regions. One set of lines for NVLink and one for the network between nodes.

#include <memory>

#include "views/charts/plane_chart.h"

namespace ridgepoint {

class RidgelineChart final : public PlaneChart
{
    Q_OBJECT

public:
    explicit RidgelineChart(QWidget* parent = nullptr);
    ~RidgelineChart() override;

    void set_model(const RooflineModel& model);
    void set_title(const QString& title);

    [[nodiscard]] QString figure_title() const override;
    [[nodiscard]] QString figure_csv(bool visible_only) const override;
    [[nodiscard]] int current() const; // index into RooflineModel::ridgeline; -1: none

    // Which resource bounds a point of the plane against one of the two networks.
    [[nodiscard]] Resource region_at(LogPoint p, MemoryLevel network) const;

signals:
    void point_clicked(int index); // -1: deselected
    void hovered(int index); // -1: nothing

protected:
    void draw(PlaneLayer layer, QPainter& painter) override;
    void frame_changed() override;
    void theme_changed() override;
    [[nodiscard]] LogFrame machine_frame() const override;
    HoverText hover_at(QPointF position) override;
    void click_at(QPointF position, Qt::KeyboardModifiers modifiers) override;
    bool step_selection(int direction) override;
    [[nodiscard]] std::optional<LogFrame> selection_frame() const override;
    [[nodiscard]] QString accessible_text() const override;
    [[nodiscard]] QString value_text(LogPoint p) const override;

private:
    struct Scene;
    void refresh();
    void choose(int point);
    void draw_regions(QPainter& painter);
    void draw_marks(QPainter& painter);
    void draw_labels(QPainter& painter);

    std::unique_ptr<Scene> m_scene;
};

} // namespace ridgepoint
