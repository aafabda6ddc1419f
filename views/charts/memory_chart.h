#pragma once
// Memory of one GPU per pipeline stage, stacked by purpose, against what the GPU has.

#include "views/charts/bar_drawing.h"
#include "views/charts/bar_figure.h"

namespace ridgepoint {

class MemoryChart final : public BarFigure
{
    Q_OBJECT

public:
    explicit MemoryChart(QWidget* parent = nullptr);

    void set_memory(const MemoryFit& memory);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;
    [[nodiscard]] QString figure_title() const override;
    [[nodiscard]] QString figure_csv(bool visible_only) const override;

    // Where a part of a stage is drawn; null if it is empty. For tests and for tool tips from outside.
    [[nodiscard]] QRectF bar(std::size_t stage, MemoryPart part) const;
    [[nodiscard]] double capacity_line() const { return m_capacity_y; }

signals:
    void stage_clicked(int stage, ridgepoint::MemoryPart part);
    void stage_hovered(int stage); // -1: none

protected:
    void lay_out(const QRectF& target, const QFont& font) override;
    void draw(QPainter& painter, const QRectF& target, const Theme& theme) override;
    [[nodiscard]] HoverText hover_text(int box) const override;
    void box_clicked(int box) override;
    void box_hovered(int box) override;
    [[nodiscard]] QString accessible_text() const override;

private:
    [[nodiscard]] QString verdict() const;
    [[nodiscard]] QRectF column(std::size_t stage) const;
    [[nodiscard]] double y_of(Bytes bytes) const;

    MemoryFit m_memory;
    QRectF m_plot;
    double m_top_gib = 1; // of the axis
    double m_capacity_y = 0;
    std::vector<LegendItem> m_legend;
};

} // namespace ridgepoint
