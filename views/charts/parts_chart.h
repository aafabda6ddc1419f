#pragma once
// What a whole is made of: a bar for each part that hangs where the one before it ended, so that what is seen adds up; or
// bars beside one another, against a limit. Several such groups in one figure: where the time of a run goes, and its bill.

#include <functional>
#include <optional>

#include "views/charts/bar_figure.h"

namespace ridgepoint {

struct PartRow {
    QString name, text; // "steps", "49.7 days, 76 %"
    double value = 0; // in the group's own unit
    std::function<QColor(const Theme&)> colour;
    QList<std::pair<QString, QString>> details; // when pointed at
    bool whole = false; // from 0, in bold
};

struct PartsGroup {
    QString title; // "Where the wall time goes"
    QString unit; // of the values, for CSV
    bool hanging = true;
    std::vector<PartRow> rows;
    std::optional<double> limit; // a line across all bars
    QString limit_name;
    QString empty_text; // where there are no rows
};

class PartsChart final : public BarFigure {
    Q_OBJECT

public:
    explicit PartsChart(QWidget* parent = nullptr);

    void set_groups(const QString& title, std::vector<PartsGroup> groups);
    [[nodiscard]] const std::vector<PartsGroup>& groups() const { return m_groups; }

    [[nodiscard]] QSize sizeHint() const override { return {640, 240}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {280, 110}; }
    [[nodiscard]] QString figure_title() const override { return m_title; }
    [[nodiscard]] QString figure_csv(bool visible_only) const override;
    [[nodiscard]] QRectF bar(std::size_t group, std::size_t row) const; // for tests

signals:
    void row_chosen(int group, int row); // click, Enter

protected:
    void lay_out(const QRectF& target, const QFont& font) override;
    void draw(QPainter& painter, const QRectF& target, const Theme& theme) override;
    [[nodiscard]] HoverText hover_text(int box) const override;
    void box_clicked(int box) override;
    void box_hovered(int) override {}
    [[nodiscard]] QString accessible_text() const override;

private:
    struct Frame { // of a group
        QRectF cell, plot;
        double pitch = 0, scale = 0; // pixels of a row, pixels per unit
    };
    void lay_out_group(const PartsGroup& group, Frame& frame, int tag, const QFont& font);
    void draw_group(QPainter& painter, const PartsGroup& group, const Frame& frame, std::size_t first_box, const Theme& theme);

    QString m_title;
    std::vector<PartsGroup> m_groups;
    std::vector<Frame> m_frames;
};

} // namespace ridgepoint
