#pragma once
// A log-log plane: Qt Charts frame and lines, own layers for grid, marks and labels, and the interaction that every
// such chart has. Subclasses draw layers and answer what is under the pointer.
//
// Wheel zooms both axes about the cursor (Shift: x, Ctrl: y, over an axis: that one), left drag draws a zoom box, Shift
// or middle drag pans, a press that moves less than 4 px is a click, double click on nothing resets. Arrows and W A S D
// pan and zoom, + - 0 zoom, F fits the selection, Home shows the machine frame, [ ] and Tab walk the marks, P pins the
// hover box, Alt+Left/Right walk the views seen before. New data never move the view.

#include <memory>
#include <optional>

#include <QBasicTimer>
#include <QtCharts/QChartView>

#include "model/roofline/log_frame.h"
#include "views/charts/figure.h"
#include "views/charts/hover_text.h"

class QLineSeries;
class QLogValueAxis;
class QMenu;

namespace ridgepoint {

// Bottom to top. Lines of Qt Charts lie between marks and labels.
enum class PlaneLayer { regions, density, marks, labels };

class PlaneChart : public QChartView, public Figure
{
    Q_OBJECT

public:
    explicit PlaneChart(QWidget* parent = nullptr);
    ~PlaneChart() override;

    void set_theme(const Theme& theme); // instead of the palette's
    [[nodiscard]] const Theme& theme() const { return m_theme; }

    [[nodiscard]] const LogFrame& frame() const { return m_frame; }
    void show_frame(const LogFrame& frame, bool remember = true);
    void reset_frame(); // the machine's frame
    void fit_selection();
    void go_back();
    void go_forward();
    [[nodiscard]] bool can_go_back() const { return m_history.can_go_back(); }
    [[nodiscard]] bool can_go_forward() const { return m_history.can_go_forward(); }

    [[nodiscard]] QPointF to_pixel(LogPoint p) const; // view coordinates
    [[nodiscard]] LogPoint to_plane(QPointF pixel) const;
    [[nodiscard]] QRectF plot_area() const { return m_plot; }
    [[nodiscard]] const HoverText& hover() const { return m_hover; }

    void paint_figure(QPainter& painter, const QRectF& target, const Theme& theme) override;
    [[nodiscard]] QWidget* figure_widget() override { return this; }

signals:
    void frame_shown();
    void status_changed(const QString& text); // value under the cursor, for a status bar

protected:
    virtual void draw(PlaneLayer layer, QPainter& painter) = 0;
    virtual void frame_changed() = 0; // range or plot area: lines have to be extended to the new ends
    virtual void theme_changed() = 0;
    [[nodiscard]] virtual LogFrame machine_frame() const = 0;
    virtual HoverText hover_at(QPointF position) = 0;
    virtual void click_at(QPointF position, Qt::KeyboardModifiers modifiers) = 0;
    virtual bool step_selection(int direction) = 0; // false: nothing to walk
    [[nodiscard]] virtual std::optional<LogFrame> selection_frame() const = 0;
    virtual void add_menu_actions(QMenu* menu, QPointF position);
    virtual void place_controls(); // child widgets over the chart, in the first line of the heading
    [[nodiscard]] virtual double controls_width() const { return 0; }
    [[nodiscard]] virtual QString accessible_text() const = 0;
    [[nodiscard]] virtual QString value_text(LogPoint p) const = 0; // "12.3 FLOP/B, 45.6 TFLOP/s"

    void set_axis_titles(const QString& x, const QString& y);
    void set_heading(const QString& title, const QString& caption);
    void content_changed(); // redraws layers and regenerates the accessible text
    void set_hover(const HoverText& hover);
    [[nodiscard]] QFont figure_font(double relative = 1.0, bool bold = false) const;
    [[nodiscard]] double unit() const; // height of a line of text: the measure of every margin
    [[nodiscard]] QRectF heading_area() const;
    [[nodiscard]] bool is_exporting() const { return m_exporting; }
    [[nodiscard]] bool is_moving() const { return m_moving; } // a drag is in progress: leave out the minor grid
    [[nodiscard]] QLineSeries* add_line();
    void remove_line(QLineSeries* line);

    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void changeEvent(QEvent* event) override;
    void timerEvent(QTimerEvent* event) override;
    bool event(QEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    class Layer;
    enum class Drag { none, undecided, box, pan };

    void lay_out(QSizeF size);
    void apply_frame(); // to Qt Charts; late, so that many changes between two paints cost one
    void apply_theme();
    void remember_frame();
    void redraw();
    void draw_layer(int layer, QPainter& painter);
    void draw_axes(QPainter& painter);
    void draw_axis_labels(QPainter& painter);
    void draw_heading(QPainter& painter);
    void draw_overlay(QPainter& painter);
    void draw_crosshair(QPainter& painter);
    void zoom(double factor, QPointF about, bool x, bool y);
    void pan(double x_share, double y_share);
    void update_hover();
    bool handle_key(QKeyEvent* event);

    Theme m_theme;
    bool m_own_theme = false;
    LogFrame m_frame;
    FrameHistory m_history;
    QRectF m_plot;
    QSizeF m_size;
    QString m_x_title, m_y_title, m_title, m_caption;
    QLogValueAxis* m_x_axis;
    QLogValueAxis* m_y_axis;
    QList<Layer*> m_layers;
    QPixmap m_cache;
    bool m_cache_valid = false;
    bool m_frame_applied = false;
    bool m_exporting = false;
    bool m_moving = false;
    std::optional<LogFrame> m_machine; // the machine's frame when content last changed
    QBasicTimer m_settle; // a view that stays this long is remembered
    Drag m_drag = Drag::none;
    QPointF m_press, m_pointer;
    LogFrame m_press_frame;
    bool m_pointer_inside = false;
    bool m_pinned = false;
    HoverText m_hover;
};

} // namespace ridgepoint
