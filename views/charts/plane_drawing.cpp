// What a log-log plane draws itself: grid, tick labels, heading, and the overlay that follows the pointer.

#include <cmath>

#include <QGraphicsScene>
#include <QPaintEvent>
#include <QtCharts/QChart>

#include "model/roofline/axis_ticks.h"
#include "model/units/format.h"
#include "views/charts/plane_chart.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

void draw_chip(QPainter& painter, const QRectF& box, const QString& text, const Theme& theme)
{
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.axis);
    painter.drawRoundedRect(box, 3, 3);
    painter.setPen(theme.text_on(theme.axis));
    painter.drawText(box, Qt::AlignCenter, text);
}

} // namespace

void PlaneChart::draw_layer(int layer, QPainter& painter)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    switch (layer) {
    case 1:
        draw_axes(painter);
        break;
    case 5:
        draw_axis_labels(painter);
        draw_heading(painter);
        break;
    default: {
        static constexpr PlaneLayer layers[]
            = {PlaneLayer::regions, PlaneLayer::regions, PlaneLayer::density, PlaneLayer::marks, PlaneLayer::labels};
        draw(layers[layer], painter);
    }
    }
    painter.restore();
}

void PlaneChart::draw_axes(QPainter& painter)
{
    const double label_height = 1.6 * unit();
    const double label_width = 3.6 * unit();
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (const bool major : {false, true}) {
        if (!major && m_moving)
            continue; // the minor grid is a third of the cost of a repaint
        painter.setPen(QPen(major ? m_theme.grid : m_theme.minor_grid, 1));
        for (const Tick& t : log_ticks(m_frame.x, m_plot.width(), label_width))
            if (t.major == major) {
                const double x = std::round(to_pixel({t.position, 0}).x());
                painter.drawLine(QPointF(x, m_plot.top()), QPointF(x, m_plot.bottom()));
            }
        for (const Tick& t : log_ticks(m_frame.y, m_plot.height(), label_height))
            if (t.major == major) {
                const double y = std::round(to_pixel({0, t.position}).y());
                painter.drawLine(QPointF(m_plot.left(), y), QPointF(m_plot.right(), y));
            }
    }
}

void PlaneChart::draw_axis_labels(QPainter& painter)
{
    const double u = unit();
    painter.setPen(QPen(m_theme.axis, 1));
    painter.setBrush(Qt::NoBrush);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.drawLine(m_plot.bottomLeft(), m_plot.bottomRight());
    painter.drawLine(m_plot.topLeft(), m_plot.bottomLeft());
    painter.setRenderHint(QPainter::Antialiasing, true);

    painter.setFont(figure_font(0.92));
    painter.setPen(m_theme.dim_text);
    for (const Tick& t : log_ticks(m_frame.x, m_plot.width(), 3.6 * u)) {
        const double x = to_pixel({t.position, 0}).x();
        painter.drawText(
            QRectF(x - 3 * u, m_plot.bottom() + 0.25 * u, 6 * u, u), Qt::AlignHCenter | Qt::AlignTop, to_qt(t.label));
    }
    for (const Tick& t : log_ticks(m_frame.y, m_plot.height(), 1.6 * u)) {
        const double y = to_pixel({0, t.position}).y();
        painter.drawText(QRectF(m_plot.left() - 5 * u, y - u / 2, 5 * u - 0.4 * u, u),
            Qt::AlignRight | Qt::AlignVCenter, to_qt(t.label));
    }
    painter.setFont(figure_font(0.96, true));
    painter.setPen(m_theme.text);
    const QFontMetricsF metrics(painter.font());
    // Where the whole title has no room its unit says what is plotted.
    const auto fitting = [&](const QString& title, double room) {
        const qsizetype bracket = title.indexOf(QLatin1Char('['));
        const bool fits = metrics.horizontalAdvance(title) <= room || bracket < 0;
        return metrics.elidedText(fits ? title : title.mid(bracket), Qt::ElideRight, room);
    };
    painter.drawText(QRectF(m_plot.left(), m_plot.bottom() + 1.45 * u, m_plot.width(), 1.2 * u), Qt::AlignCenter,
        fitting(m_x_title, m_plot.width()));
    painter.save();
    painter.translate(0.9 * u, m_plot.center().y());
    painter.rotate(-90);
    painter.drawText(QRectF(-m_plot.height() / 2, -0.6 * u, m_plot.height(), 1.2 * u), Qt::AlignCenter,
        fitting(m_y_title, m_plot.height()));
    painter.restore();
}

void PlaneChart::draw_heading(QPainter& painter)
{
    const double u = unit();
    const double reserved = m_exporting ? 0.0 : controls_width();
    double y = 0.4 * u;
    const double left = 0.6 * u;
    const double width = m_size.width() - left - 0.8 * u - reserved;
    if (!m_title.isEmpty()) {
        painter.setFont(figure_font(1.15, true));
        painter.setPen(m_theme.text);
        painter.drawText(QRectF(left, y, width, 1.5 * u), Qt::AlignLeft | Qt::AlignVCenter,
            QFontMetricsF(painter.font()).elidedText(m_title, Qt::ElideRight, width));
        y += 1.55 * u;
    }
    if (m_size.height() > 22 * u) {
        painter.setFont(figure_font(0.92));
        painter.setPen(m_theme.dim_text);
        const double whole = m_size.width() - left - 0.8 * u;
        painter.drawText(QRectF(left, y, whole, 1.2 * u), Qt::AlignLeft | Qt::AlignVCenter,
            QFontMetricsF(painter.font()).elidedText(m_caption, Qt::ElideRight, whole));
    }
}

void PlaneChart::paintEvent(QPaintEvent* event)
{
    const double ratio = devicePixelRatioF();
    const QSize pixels = (QSizeF(viewport()->size()) * ratio).toSize();
    if (!m_cache_valid || m_cache.size() != pixels) {
        apply_frame();
        if (m_cache.size() != pixels)
            m_cache = QPixmap(pixels);
        m_cache.setDevicePixelRatio(ratio);
        m_cache.fill(m_theme.background);
        QPainter painter(&m_cache);
        painter.setRenderHint(QPainter::Antialiasing);
        const QRectF area(QPointF(), m_size);
        scene()->render(&painter, area, area);
        m_cache_valid = true;
    }
    QPainter painter(viewport());
    painter.setClipRegion(event->region());
    painter.drawPixmap(0, 0, m_cache);
    draw_overlay(painter);
}

void PlaneChart::draw_crosshair(QPainter& painter)
{
    const double u = unit();
    const QPointF at(std::floor(m_pointer.x()) + 0.5, std::floor(m_pointer.y()) + 0.5);
    painter.setPen(QPen(m_theme.axis, 1, Qt::DotLine));
    painter.drawLine(QPointF(at.x(), m_plot.top()), QPointF(at.x(), m_plot.bottom()));
    painter.drawLine(QPointF(m_plot.left(), at.y()), QPointF(m_plot.right(), at.y()));
    const LogPoint value = to_plane(m_pointer);
    painter.setFont(figure_font(0.9));
    draw_chip(painter, QRectF(at.x() - 1.9 * u, m_plot.bottom() + 2, 3.8 * u, 1.2 * u),
        to_qt(format_number(std::pow(10.0, value.x))), m_theme);
    draw_chip(painter, QRectF(m_plot.left() - 3.9 * u, at.y() - 0.6 * u, 3.8 * u, 1.2 * u),
        to_qt(format_number(std::pow(10.0, value.y))), m_theme);
}

void PlaneChart::draw_overlay(QPainter& painter)
{
    painter.setRenderHint(QPainter::Antialiasing);
    if (m_drag == Drag::box) {
        QColor fill = m_theme.accent;
        fill.setAlpha(40);
        painter.setPen(QPen(m_theme.accent, 1));
        painter.setBrush(fill);
        painter.drawRect(QRectF(m_press, m_pointer).normalized() & m_plot);
    } else if (m_pointer_inside && m_drag == Drag::none && m_plot.contains(m_pointer)) {
        draw_crosshair(painter);
    }
    if (!m_hover.empty()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(m_theme.accent, 2));
        painter.drawEllipse(m_hover.anchor, 4, 4);
        draw_hover_text(painter, m_hover, QRectF(QPointF(), m_size), figure_font(0.94), m_theme);
    }
    if (hasFocus()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(m_theme.accent, 1));
        painter.drawRect(QRectF(QPointF(), m_size).adjusted(0.5, 0.5, -0.5, -0.5));
    }
}

} // namespace ridgepoint
