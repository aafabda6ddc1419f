#pragma once
// Small multiples: panels of curves, bars or stacked areas over a linear or logarithmic axis, with limits and marks as lines.
// Panels of one group share what they are drawn over: pointing at a place of one shows that place in all.

#include <functional>
#include <vector>

#include "views/charts/bar_figure.h"

namespace ridgepoint {

enum class CurveKind { lines, bars, areas };
// Of lines: order of meaning, not of appearance. Of bars and areas the colour is given apart.
enum class CurveRole { first, second, third, quiet };

struct Curve {
    QString name; // the same in two panels: one entry of the legend
    std::vector<double> values; // one per place; not a number: none here
    CurveRole role = CurveRole::first;
    std::function<QColor(const Theme&)> colour = {}; // instead of the role's
};

enum class MarkRole { limit, plan, best, end };
struct CurveMark {
    double at = 0;
    QString name; // in the legend, or beside a line across
    MarkRole role = MarkRole::limit;
    bool across = false; // a value of the vertical axis; else a place
};

struct CurvePanel {
    QString title; // "Time to first token"
    QString unit; // of the values, as the axis shows them
    double scale = 1; // values per unit of the axis: 1e-3 for seconds shown in ms
    QString x_title; // with unit in brackets
    CurveKind kind = CurveKind::lines;
    bool log_x = false, log_y = false;
    double x_from = 0; // where a linear axis begins
    int group = 0;
    std::vector<double> x; // rising
    std::vector<Curve> curves;
    std::vector<CurveMark> marks;
    std::function<QString(double)> value_text; // "1.23 ms" of a value; empty: the number with the unit
    std::function<HoverText(std::size_t)> place_text; // heading, rows before the curves' own, note
};

struct CurveContent {
    QString title, caption;
    std::vector<CurvePanel> panels;
    QString empty_text; // where there are no panels
};

class CurveFigure final : public BarFigure {
    Q_OBJECT

public:
    explicit CurveFigure(QWidget* parent = nullptr);

    void set_content(CurveContent content);
    [[nodiscard]] const CurveContent& content() const { return m_content; }

    [[nodiscard]] QSize sizeHint() const override { return {640, 420}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {280, 180}; }
    [[nodiscard]] QString figure_title() const override { return m_content.title; }
    [[nodiscard]] QString figure_csv(bool visible_only) const override; // one row a value
    [[nodiscard]] QPointF position_of(std::size_t panel, std::size_t place, std::size_t curve) const; // for tests
    [[nodiscard]] HoverText text_at(std::size_t panel, std::size_t place) const;

signals:
    void place_chosen(int panel, int place); // click, Enter

protected:
    void lay_out(const QRectF& target, const QFont& font) override;
    void draw(QPainter& painter, const QRectF& target, const Theme& theme) override;
    void draw_pointed(QPainter& painter) override;
    [[nodiscard]] HoverText hover_text(int box) const override;
    void box_clicked(int box) override;
    void box_hovered(int) override {}
    [[nodiscard]] QString accessible_text() const override;

private:
    struct Frame { // of a panel
        QRectF cell, plot;
        double x_low = 0, x_high = 1, y_low = 0, y_high = 1; // log10 where the axis is logarithmic
    };
    [[nodiscard]] Frame frame_of(const CurvePanel& panel, const QRectF& cell, double unit) const;
    [[nodiscard]] double x_of(const CurvePanel& panel, const Frame& f, double x) const;
    [[nodiscard]] double y_of(const CurvePanel& panel, const Frame& f, double y) const;
    void draw_heading(QPainter& painter, const QRectF& target, const Theme& theme);
    void draw_axes(QPainter& painter, const CurvePanel& panel, const Frame& f, const Theme& theme);
    void draw_curves(QPainter& painter, const CurvePanel& panel, const Frame& f, const Theme& theme);
    void draw_stacked(QPainter& painter, const CurvePanel& panel, const Frame& f, const Theme& theme);
    void draw_marks(QPainter& painter, const CurvePanel& panel, const Frame& f, const Theme& theme);
    void draw_legend_row(QPainter& painter, const Theme& theme);

    struct LegendEntry {
        QString name;
        QRectF box;
        std::size_t panel = 0, index = 0;
        bool mark = false;
    };
    CurveContent m_content;
    std::vector<Frame> m_frames;
    std::vector<LegendEntry> m_legend;
};

} // namespace ridgepoint
