#pragma once
// A chart of labelled rectangles: hover, click, keyboard, context menu and export for the breakdown and the memory
// chart.

#include <vector>

#include "views/charts/figure.h"
#include "views/charts/hover_text.h"

namespace ridgepoint {

class BarFigure : public QWidget, public Figure
{
    Q_OBJECT

public:
    explicit BarFigure(QWidget* parent = nullptr);

    void set_theme(const Theme& theme); // instead of the palette's
    [[nodiscard]] const Theme& theme() const { return m_theme; }
    void set_current(int box); // -1: none
    [[nodiscard]] int current() const { return m_current; }

    void paint_figure(QPainter& painter, const QRectF& target, const Theme& theme) override;
    [[nodiscard]] QWidget* figure_widget() override { return this; }

protected:
    struct Box
    { // what can be pointed at, in drawing order
        QRectF rect;
        int tag = 0;
    };

    virtual void lay_out(const QRectF& target, const QFont& font) = 0; // fills m_boxes
    virtual void draw(QPainter& painter, const QRectF& target, const Theme& theme) = 0;
    [[nodiscard]] virtual HoverText hover_text(int box) const = 0;
    virtual void box_clicked(int box) = 0;
    virtual void box_hovered(int box) = 0;
    [[nodiscard]] virtual QString accessible_text() const = 0;
    virtual void draw_pointed(QPainter& painter); // what is hovered and what is current, on the screen only

    void content_changed();
    [[nodiscard]] int hovered() const { return m_hovered; } // -1: none
    [[nodiscard]] QPointF pointer() const { return m_pointer; }
    [[nodiscard]] int box_at(QPointF position) const;

    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void changeEvent(QEvent* event) override;

    std::vector<Box> m_boxes;

private:
    void lay_out_again();
    void hover(int box, QPointF position);

    Theme m_theme;
    bool m_own_theme = false;
    int m_hovered = -1;
    int m_current = -1;
    QPointF m_pointer;
};

} // namespace ridgepoint
