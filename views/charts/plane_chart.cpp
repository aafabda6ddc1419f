#include "views/charts/plane_chart.h"

#include <cmath>

#include <QAccessible>
#include <QGraphicsItem>
#include <QGraphicsLayout>
#include <QGraphicsScene>
#include <QtCharts/QChart>
#include <QtCharts/QLegend>
#include <QtCharts/QLineSeries>
#include <QtCharts/QLogValueAxis>

namespace ridgepoint {
namespace {

// Among the children of a QChart: its background is -1, the plot area 0, lines of series 4.
constexpr double layer_z[] = {0.4, 0.5, 1, 2, 20, 21};
enum { regions_layer, axes_layer, density_layer, marks_layer, labels_layer, heading_layer, layer_count };

constexpr int settle_ms = 500;

QLogValueAxis* make_axis(QChart* chart, Qt::Alignment side)
{
    auto* axis = new QLogValueAxis;
    axis->setBase(10);
    axis->setRange(0.1, 10);
    chart->addAxis(axis, side);
    axis->setLabelsVisible(false);
    axis->setGridLineVisible(false);
    axis->setMinorGridLineVisible(false);
    axis->setLineVisible(false);
    axis->setVisible(false);
    return axis;
}

} // namespace

class PlaneChart::Layer final : public QGraphicsItem
{
public:
    Layer(PlaneChart* owner, int index)
        : QGraphicsItem(owner->chart())
        , m_owner(owner)
        , m_index(index)
    {
        setZValue(layer_z[index]);
        setAcceptedMouseButtons(Qt::NoButton);
    }
    [[nodiscard]] QRectF boundingRect() const override { return {QPointF(), m_owner->m_size}; }
    void paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) override
    {
        m_owner->draw_layer(m_index, *painter);
    }
    void size_changes() { prepareGeometryChange(); }

private:
    PlaneChart* m_owner;
    int m_index;
};

PlaneChart::PlaneChart(QWidget* parent)
    : QChartView(new QChart, parent)
    , m_theme(Theme::from_palette(palette()))
{
    QChart* c = chart();
    c->legend()->hide();
    c->setMargins({});
    c->layout()->setContentsMargins(0, 0, 0, 0);
    c->setBackgroundRoundness(0);
    c->setBackgroundPen(Qt::NoPen);
    c->setPlotAreaBackgroundVisible(true);
    c->setAnimationOptions(QChart::NoAnimation);
    m_x_axis = make_axis(c, Qt::AlignBottom);
    m_y_axis = make_axis(c, Qt::AlignLeft);
    for (int i = 0; i < layer_count; ++i)
        m_layers.append(new Layer(this, i));
    setRubberBand(QChartView::NoRubberBand);
    setViewportUpdateMode(QGraphicsView::NoViewportUpdate);
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    viewport()->setMouseTracking(true);
    setMinimumSize(280, 200);
    apply_theme();
}

PlaneChart::~PlaneChart() = default;

void PlaneChart::set_theme(const Theme& theme)
{
    m_own_theme = true;
    m_theme = theme;
    apply_theme();
    theme_changed();
    redraw();
}

void PlaneChart::apply_theme()
{
    chart()->setBackgroundBrush(m_theme.background);
    chart()->setPlotAreaBackgroundBrush(m_theme.plot);
    chart()->setPlotAreaBackgroundPen(Qt::NoPen);
    setBackgroundBrush(m_theme.background);
}

QFont PlaneChart::figure_font(double relative, bool bold) const
{
    return pixel_font(font(), relative, bold);
}
double PlaneChart::unit() const
{
    return QFontMetricsF(figure_font()).height();
}

QPointF PlaneChart::to_pixel(LogPoint p) const
{
    return {m_plot.left() + m_frame.x.share_of(p.x) * m_plot.width(),
        m_plot.bottom() - m_frame.y.share_of(p.y) * m_plot.height()};
}

LogPoint PlaneChart::to_plane(QPointF pixel) const
{
    if (m_plot.isEmpty())
        return {};
    return {m_frame.x.at((pixel.x() - m_plot.left()) / m_plot.width()),
        m_frame.y.at((m_plot.bottom() - pixel.y()) / m_plot.height())};
}

void PlaneChart::set_axis_titles(const QString& x, const QString& y)
{
    m_x_title = x;
    m_y_title = y;
    redraw();
}

void PlaneChart::set_heading(const QString& title, const QString& caption)
{
    m_title = title;
    m_caption = caption;
    redraw();
}

QLineSeries* PlaneChart::add_line()
{
    auto* line = new QLineSeries;
    chart()->addSeries(line);
    line->attachAxis(m_x_axis);
    line->attachAxis(m_y_axis);
    return line;
}

void PlaneChart::remove_line(QLineSeries* line)
{
    chart()->removeSeries(line);
    delete line;
}

void PlaneChart::content_changed()
{
    const LogFrame machine = machine_frame();
    const bool at_machine = !m_machine || m_frame == *m_machine;
    if (at_machine && (!m_machine || machine != *m_machine)) {
        m_frame = clamped(machine);
        m_history = {};
        m_history.visit(m_frame);
    }
    m_machine = clamped(machine);
    m_frame_applied = false;
    setAccessibleName(figure_title());
    setAccessibleDescription(accessible_text());
    QAccessibleEvent changed(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&changed);
    if (!m_pinned)
        m_hover = {};
    redraw();
}

void PlaneChart::redraw()
{
    m_cache_valid = false;
    viewport()->update();
}

void PlaneChart::set_hover(const HoverText& hover)
{
    m_hover = hover;
    viewport()->update();
}

void PlaneChart::show_frame(const LogFrame& frame, bool remember)
{
    const LogFrame next = clamped(frame);
    if (next == m_frame)
        return;
    m_frame = next;
    m_frame_applied = false;
    if (remember) {
        m_settle.stop();
        m_history.visit(m_frame);
    }
    if (!m_pinned)
        m_hover = {};
    redraw();
    emit frame_shown();
}

void PlaneChart::remember_frame()
{
    m_settle.stop();
    m_history.visit(m_frame);
}

void PlaneChart::reset_frame()
{
    show_frame(machine_frame());
}

void PlaneChart::fit_selection()
{
    if (const std::optional<LogFrame> frame = selection_frame())
        show_frame(*frame);
}

void PlaneChart::go_back()
{
    remember_frame();
    if (m_history.can_go_back()) {
        m_frame = m_history.back();
        m_frame_applied = false;
        redraw();
        emit frame_shown();
    }
}

void PlaneChart::go_forward()
{
    if (m_history.can_go_forward()) {
        m_frame = m_history.forward();
        m_frame_applied = false;
        redraw();
        emit frame_shown();
    }
}

QRectF PlaneChart::heading_area() const
{
    return {m_plot.left(), 0, m_plot.width(), m_plot.top()};
}

void PlaneChart::lay_out(QSizeF size)
{
    const double u = unit();
    const double title = m_title.isEmpty() ? 0.0 : 1.55 * u;
    const bool roomy = size.height() > 22 * u;
    const double top = 0.55 * u + title + (roomy ? 1.3 * u : 0.0) + 1.75 * u;
    const double left = 1.5 * u + 3.4 * u;
    const double bottom = 1.35 * u + 1.75 * u;
    m_size = size;
    m_plot = QRectF(
        left, top, std::max(20.0, size.width() - left - 1.7 * u), std::max(20.0, size.height() - top - bottom));
    for (Layer* layer : m_layers)
        layer->size_changes();
    chart()->resize(size);
    chart()->setPlotArea(m_plot);
    scene()->setSceneRect(QRectF(QPointF(), size));
    m_frame_applied = false;
}

void PlaneChart::apply_frame()
{
    if (m_frame_applied)
        return;
    m_frame_applied = true;
    m_x_axis->setRange(std::pow(10.0, m_frame.x.low), std::pow(10.0, m_frame.x.high));
    m_y_axis->setRange(std::pow(10.0, m_frame.y.low), std::pow(10.0, m_frame.y.high));
    frame_changed();
}

void PlaneChart::paint_figure(QPainter& painter, const QRectF& target, const Theme& theme)
{
    const Theme shown = m_theme;
    const QSizeF size = m_size;
    m_exporting = true;
    m_theme = theme;
    apply_theme();
    theme_changed();
    lay_out(target.size());
    apply_frame();
    painter.setRenderHint(QPainter::Antialiasing);
    // Without a source rectangle the scene's own is taken, which grows with what lies outside the plot.
    scene()->render(&painter, target, chart()->mapRectToScene(chart()->rect()));
    m_exporting = false;
    m_theme = shown;
    apply_theme();
    theme_changed();
    if (!size.isEmpty())
        lay_out(size);
    redraw();
}

void PlaneChart::place_controls() { }

void PlaneChart::resizeEvent(QResizeEvent* event)
{
    QChartView::resizeEvent(event);
    lay_out(viewport()->size());
    place_controls();
    redraw();
}

void PlaneChart::changeEvent(QEvent* event)
{
    QChartView::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && !m_own_theme) {
        m_theme = Theme::from_palette(palette());
        apply_theme();
        theme_changed();
        redraw();
    } else if (event->type() == QEvent::FontChange && !m_size.isEmpty()) {
        lay_out(m_size);
        place_controls();
        redraw();
    }
}

void PlaneChart::timerEvent(QTimerEvent* event)
{
    if (event->timerId() == m_settle.timerId())
        remember_frame();
    else
        QChartView::timerEvent(event);
}

void PlaneChart::zoom(double factor, QPointF about, bool x, bool y)
{
    const LogPoint at = to_plane(about);
    LogFrame next = m_frame;
    if (x)
        next.x = zoomed(next.x, at.x, factor);
    if (y)
        next.y = zoomed(next.y, at.y, factor);
    show_frame(next, false);
    m_settle.start(settle_ms, this);
}

void PlaneChart::pan(double x_share, double y_share)
{
    show_frame({panned(m_frame.x, x_share), panned(m_frame.y, y_share)}, false);
    m_settle.start(settle_ms, this);
}

} // namespace ridgepoint
