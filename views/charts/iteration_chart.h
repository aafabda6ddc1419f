#pragma once
// One iteration of reinforcement learning over time: a lane for each set of GPUs, its parts one after the other.

#include "model/post_training/post_training.h"
#include "model/workload/post_training.h"
#include "views/charts/bar_drawing.h"
#include "views/charts/bar_figure.h"

namespace ridgepoint {

class IterationChart final : public BarFigure {
    Q_OBJECT

public:
    explicit IterationChart(QWidget* parent = nullptr);

    // `staleness`: of the plan; with 0 the sides of a division wait for each other.
    void set_iteration(const Iteration& iteration, Placement placement, int staleness);
    void clear();

    struct Piece {
        int lane = 0;
        IterationPart part = IterationPart::wait;
        Seconds from, time;
    };
    [[nodiscard]] const std::vector<Piece>& pieces() const { return m_pieces; }

    [[nodiscard]] QSize sizeHint() const override { return {640, 190}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {280, 150}; }
    [[nodiscard]] QString figure_title() const override;
    [[nodiscard]] QString figure_csv(bool visible_only) const override;

protected:
    void lay_out(const QRectF& target, const QFont& font) override;
    void draw(QPainter& painter, const QRectF& target, const Theme& theme) override;
    [[nodiscard]] HoverText hover_text(int box) const override;
    void box_clicked(int) override {}
    void box_hovered(int) override {}
    [[nodiscard]] QString accessible_text() const override;

private:
    [[nodiscard]] static QColor colour(IterationPart part, const Theme& theme);
    void fill_pieces(Placement placement, int staleness);
    void draw_axis(QPainter& painter, const Theme& theme, double u);

    Iteration m_iteration;
    std::vector<QString> m_lanes;
    std::vector<Piece> m_pieces;
    std::vector<LegendItem> m_legend;
    QRectF m_plot;
};

} // namespace ridgepoint
