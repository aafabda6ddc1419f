#pragma once
// From the time of plan A to that of plan B: a bar that hangs where the one before it ended for every part of the step that
// differs, so that what is seen adds up.

#include <optional>

#include "model/whatif/comparison.h"
#include "views/charts/bar_figure.h"

namespace ridgepoint {

class WaterfallChart final : public BarFigure {
    Q_OBJECT

public:
    explicit WaterfallChart(QWidget* parent = nullptr);

    void set_comparison(const PlanComparison* comparison, const QString& name_a, const QString& name_b, const QString& time_name); // null: none

    [[nodiscard]] QSize sizeHint() const override { return {480, 320}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {320, 180}; }
    [[nodiscard]] QString figure_title() const override;
    [[nodiscard]] QString figure_csv(bool visible_only) const override;
    [[nodiscard]] int row_count() const { return static_cast<int>(m_rows.size()); }
    [[nodiscard]] QRectF bar(int row) const { return m_boxes[static_cast<std::size_t>(row)].rect; } // A, parts, B

protected:
    void lay_out(const QRectF& target, const QFont& font) override;
    void draw(QPainter& painter, const QRectF& target, const Theme& theme) override;
    [[nodiscard]] HoverText hover_text(int box) const override;
    void box_clicked(int) override {}
    void box_hovered(int) override {}
    [[nodiscard]] QString accessible_text() const override;

private:
    struct Row {
        QString name, label;
        double from = 0, to = 0; // seconds; a total starts at 0
        bool total = false;
        Seconds a, b;
    };
    void add_rows(const PlanComparison& c, const QString& name_a, const QString& name_b);

    std::vector<Row> m_rows;
    QString m_sentence, m_time_name;
    QRectF m_plot;
    double m_low = 0, m_high = 0, m_pitch = 0;
};

QString signed_time(Seconds t); // "+1.20 s", "−300 ms"

} // namespace ridgepoint
