#pragma once
// How far the answer swings when one figure of the hardware, the price or an assumption is turned down and up: a row each,
// the widest on top, about the plan's answer in the middle.

#include "model/whatif/sensitivity.h"
#include "views/charts/bar_figure.h"

namespace ridgepoint {

class TornadoChart final : public BarFigure {
    Q_OBJECT

public:
    explicit TornadoChart(QWidget* parent = nullptr);

    void set_swings(std::vector<Swing> swings, const QString& time_name);
    void set_of_cost(bool cost); // else of time
    [[nodiscard]] bool is_of_cost() const { return m_cost; }

    [[nodiscard]] QSize sizeHint() const override { return {480, 360}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {320, 180}; }
    [[nodiscard]] QString figure_title() const override;
    [[nodiscard]] QString figure_csv(bool visible_only) const override;
    [[nodiscard]] QRectF bar(const std::string& knob, bool up) const; // null: not shown

signals:
    void knob_clicked(const QString& id);

protected:
    void lay_out(const QRectF& target, const QFont& font) override;
    void draw(QPainter& painter, const QRectF& target, const Theme& theme) override;
    [[nodiscard]] HoverText hover_text(int box) const override;
    void box_clicked(int box) override;
    void box_hovered(int) override {}
    [[nodiscard]] QString accessible_text() const override;

private:
    [[nodiscard]] double change(const Swing& s, bool up) const;
    [[nodiscard]] QColor colour(const Theme& theme, bool up) const;
    void sort();

    std::vector<Swing> m_swings;
    std::vector<std::size_t> m_order; // those that move what is shown, widest first
    std::size_t m_rows = 0; // of them with room
    QString m_time_name;
    bool m_cost = false;
    QRectF m_plot;
    double m_pitch = 0, m_reach = 0; // of a row in pixels; relative change at either end
};

} // namespace ridgepoint
