#pragma once
// Where the time of the step goes: one stacked bar of the critical path, communication hidden behind computation
// beneath it, and a measured bar to compare with. Widths are times; every part is named in the legend and, where it
// fits, on the bar.

#include <array>
#include <optional>

#include "views/charts/bar_drawing.h"
#include "views/charts/bar_figure.h"

namespace ridgepoint {

using MeasuredBreakdown = std::array<Seconds, step_part_count>; // by StepPart

class BreakdownChart final : public BarFigure
{
    Q_OBJECT

public:
    explicit BreakdownChart(QWidget* parent = nullptr);

    // "Step time", "Time per output token"; the error bar is drawn below the predicted row's end.
    void set_breakdown(const StepBreakdown& breakdown, const QString& time_name, double relative_error = 0);
    void set_measured(const std::optional<MeasuredBreakdown>& measured);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;
    [[nodiscard]] QString figure_title() const override;
    [[nodiscard]] QString figure_csv(bool visible_only) const override;

    [[nodiscard]] QRectF bar(StepPart part) const; // on the critical path; null if it takes no time
    [[nodiscard]] QRectF measured_bar(StepPart part) const;
    [[nodiscard]] QRectF error_bar() const; // null without one
    [[nodiscard]] QRectF time_area() const { return m_plot; }

signals:
    void part_clicked(ridgepoint::StepPart part);
    void part_hovered(int part); // -1: none

protected:
    void lay_out(const QRectF& target, const QFont& font) override;
    void draw(QPainter& painter, const QRectF& target, const Theme& theme) override;
    [[nodiscard]] HoverText hover_text(int box) const override;
    void box_clicked(int box) override;
    void box_hovered(int box) override;
    [[nodiscard]] QString accessible_text() const override;

private:
    static constexpr int row_stride = 100; // a box's tag: row x row_stride + part,
    static constexpr int legend_tag = 1000; // or legend_tag + part
    static bool shows(Seconds t); // more than nothing
    static QString communication_name(StepPart p); // "TP"

    enum Row { critical_row, hidden_row, measured_row };
    struct Segment
    {
        Row row = critical_row;
        StepPart part = StepPart::gemm;
        Seconds time;
    };
    [[nodiscard]] std::vector<Segment> segments() const;
    [[nodiscard]] Seconds total_of(Row row) const;
    [[nodiscard]] QString row_name(Row row) const;
    [[nodiscard]] QRectF box_of(Row row, StepPart part) const;
    void draw_axis(QPainter& painter, const Theme& theme, double u);
    void draw_error_bar(QPainter& painter, const Theme& theme, double u);

    StepBreakdown m_breakdown;
    QString m_time_name;
    double m_relative_error = 0;
    std::optional<MeasuredBreakdown> m_measured;
    QRectF m_plot;
    double m_longest = 0; // seconds at the right end
    std::vector<std::pair<Row, QRectF>> m_rows;
    std::vector<LegendItem> m_legend;
};

} // namespace ridgepoint
