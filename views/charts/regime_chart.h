#pragma once
// The regime map: two knobs as axes, each cell in the colour of what bounds it, hatched where the plan does not fit and left
// blank where it cannot run; contour lines of time or cost; the plan as a star. Hover tells a cell's numbers, a click takes
// its two values.

#include <memory>
#include <optional>

#include "model/whatif/map_grid.h"
#include "views/charts/bar_drawing.h"
#include "views/charts/figure.h"
#include "views/charts/hover_text.h"

namespace ridgepoint {

class RegimeChart final : public QWidget, public Figure {
    Q_OBJECT

public:
    explicit RegimeChart(QWidget* parent = nullptr);

    void set_map(std::shared_ptr<const RegimeMap> map, double plan_x, double plan_y, const QString& time_name); // where the plan is
    void set_measure(MapMeasure measure);
    void set_title(const QString& title);
    void set_theme(const Theme& theme); // instead of the palette's

    void paint_figure(QPainter& painter, const QRectF& target, const Theme& theme) override;
    [[nodiscard]] QString figure_title() const override;
    [[nodiscard]] QString figure_csv(bool visible_only) const override;
    [[nodiscard]] QWidget* figure_widget() override { return this; }
    [[nodiscard]] QSize sizeHint() const override { return {640, 420}; }

    [[nodiscard]] std::optional<std::size_t> cell_at(QPointF position) const;
    [[nodiscard]] QPointF centre_of(std::size_t cell) const;
    [[nodiscard]] QRectF plot_area() const { return m_plot; }
    [[nodiscard]] HoverText hover_text(std::size_t cell) const;

signals:
    void cell_chosen(double x, double y);
    void status_changed(const QString& text);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void lay_out(const QRectF& target);
    void rebuild(); // contours, legend and accessible text, after new contents
    void draw(QPainter& painter, const QRectF& target, const Theme& theme, double pixels);
    void draw_axes(QPainter& painter, const QRectF& target, const Theme& theme);
    void draw_contours(QPainter& painter, const Theme& theme, std::vector<QRectF> taken);
    std::vector<QRectF> draw_region_names(QPainter& painter, const Theme& theme); // where they are
    void draw_plan(QPainter& painter, const Theme& theme);
    [[nodiscard]] QImage picture(const Theme& theme, double pixels) const;
    [[nodiscard]] QPointF place(double i, double j) const; // of a position in cells
    [[nodiscard]] std::optional<QPointF> plan_position() const;
    [[nodiscard]] QString level_text(double level) const;
    void point_at(std::optional<std::size_t> cell);
    [[nodiscard]] QString accessible_text() const;

    std::shared_ptr<const RegimeMap> m_map;
    double m_plan_x = 0, m_plan_y = 0;
    MapMeasure m_measure = MapMeasure::time;
    std::vector<ContourLine> m_contours;
    std::vector<LegendItem> m_legend;
    QString m_title, m_time_name;
    Theme m_theme;
    bool m_own_theme = false;
    QRectF m_plot;
    QImage m_picture; // of the screen; null: to be drawn
    std::optional<std::size_t> m_pointed;
};

QString knob_value_text(const Knob& knob, double value); // "8,192 tokens", "0.5×"

} // namespace ridgepoint
