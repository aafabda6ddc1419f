// How panels of curves are painted.

#include <algorithm>
#include <array>
#include <cmath>

#include <QFontMetricsF>
#include <QPainterPath>

#include "model/roofline/axis_ticks.h"
#include "views/charts/bar_drawing.h"
#include "views/charts/curve_figure.h"
#include "views/charts/plane_labels.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    // Dash and colour both tell curves apart.
    QPen pen_of(const Curve& curve, const Theme& theme)
    {
        constexpr std::array colours = {Resource::compute, Resource::storage, Resource::network, Resource::latency};
        const auto role = static_cast<std::size_t>(curve.role);
        QPen pen(curve.colour ? curve.colour(theme) : theme.of(colours[role]), curve.role == CurveRole::quiet ? 1.4 : 2.0);
        pen.setCapStyle(Qt::FlatCap);
        pen.setJoinStyle(Qt::RoundJoin);
        static const std::array<QList<qreal>, 4> dashes = {QList<qreal>{}, QList<qreal>{5, 2}, QList<qreal>{2, 1.6}, QList<qreal>{1, 2}};
        if (!dashes[role].isEmpty())
            pen.setDashPattern(dashes[role]);
        return pen;
    }

    QPen pen_of(MarkRole role, const Theme& theme)
    {
        switch (role) {
        case MarkRole::limit:
            return QPen(theme.danger, 1.4, Qt::DashLine);
        case MarkRole::plan:
            return QPen(theme.accent, 1.8, Qt::SolidLine);
        case MarkRole::best:
            return QPen(theme.of(Resource::hbm), 1.8, Qt::DashDotLine);
        case MarkRole::end:
            break;
        }
        return QPen(theme.dim_roof, 1.8, Qt::DashLine);
    }

    QColor fill_of(const Curve& curve, const Theme& theme) { return curve.colour ? curve.colour(theme) : pen_of(curve, theme).color(); }

} // namespace

void CurveFigure::draw(QPainter& painter, const QRectF& target, const Theme& theme)
{
    draw_heading(painter, target, theme);
    for (std::size_t p = 0; p < m_frames.size(); ++p) {
        const CurvePanel& panel = m_content.panels[p];
        draw_axes(painter, panel, m_frames[p], theme);
        painter.save();
        painter.setClipRect(m_frames[p].plot.adjusted(-1, -1, 1, 1));
        if (panel.kind == CurveKind::lines)
            draw_curves(painter, panel, m_frames[p], theme);
        else
            draw_stacked(painter, panel, m_frames[p], theme);
        draw_marks(painter, panel, m_frames[p], theme);
        painter.restore();
    }
    draw_legend_row(painter, theme);
}

void CurveFigure::draw_heading(QPainter& painter, const QRectF& target, const Theme& theme)
{
    const QFont font = painter.font();
    const double u = QFontMetricsF(font).height(), left = target.left() + 0.6 * u, width = target.width() - 1.2 * u;
    painter.setFont(pixel_font(font, 1.15, true));
    painter.setPen(theme.text);
    painter.drawText(QRectF(left, target.top() + 0.4 * u, width, 1.5 * u), Qt::AlignLeft | Qt::AlignVCenter, QFontMetricsF(painter.font()).elidedText(m_content.title, Qt::ElideRight, width));
    painter.setFont(pixel_font(font, 0.94));
    painter.setPen(theme.dim_text);
    if (!m_content.caption.isEmpty())
        painter.drawText(QRectF(left, target.top() + 1.95 * u, width, 1.25 * u), Qt::AlignLeft | Qt::AlignVCenter, QFontMetricsF(painter.font()).elidedText(m_content.caption, Qt::ElideRight, width));
    if (m_content.panels.empty())
        painter.drawText(target.adjusted(u, 3 * u, -u, -u), Qt::AlignCenter | Qt::TextWordWrap, m_content.empty_text.isEmpty() ? tr("Nothing to show yet") : m_content.empty_text);
    painter.setFont(font);
}

void CurveFigure::draw_legend_row(QPainter& painter, const Theme& theme)
{
    const QFont font = painter.font();
    painter.setFont(pixel_font(font, 0.92));
    const double u = QFontMetricsF(font).height();
    for (const LegendEntry& e : m_legend) {
        const CurvePanel& panel = m_content.panels[e.panel];
        const QPointF from(e.box.left(), e.box.center().y()), to(e.box.left() + 1.7 * u, e.box.center().y());
        if (e.mark) {
            painter.setPen(pen_of(panel.marks[e.index].role, theme));
            painter.drawLine(QPointF(from.x() + 0.9 * u, e.box.top() + 2), QPointF(from.x() + 0.9 * u, e.box.bottom() - 2));
        } else if (panel.kind == CurveKind::lines) {
            painter.setPen(pen_of(panel.curves[e.index], theme));
            painter.drawLine(from, to);
        } else {
            painter.fillRect(QRectF(from.x() + 0.6 * u, from.y() - 0.36 * u, 0.72 * u, 0.72 * u), fill_of(panel.curves[e.index], theme));
        }
        painter.setPen(theme.text);
        painter.drawText(e.box.adjusted(2.1 * u, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, e.name);
    }
    painter.setFont(font);
}

void CurveFigure::draw_axes(QPainter& painter, const CurvePanel& panel, const Frame& f, const Theme& theme)
{
    const QFont font = painter.font();
    const double u = QFontMetricsF(font).height();
    const QRectF& plot = f.plot;
    painter.setFont(pixel_font(font, 1.0, true));
    painter.setPen(theme.text);
    const QString title = QStringLiteral("%1 [%2]").arg(panel.title, panel.unit);
    painter.drawText(QRectF(f.cell.left() + 0.8 * u, f.cell.top(), f.cell.width() - 1.6 * u, 1.4 * u), Qt::AlignLeft | Qt::AlignVCenter,
        QFontMetricsF(painter.font()).elidedText(title, Qt::ElideRight, f.cell.width() - 1.6 * u));
    painter.setFont(pixel_font(font, 0.92));
    const auto grid_line = [&](QPointF a, QPointF b, bool major) {
        painter.setPen(QPen(major ? theme.grid : theme.minor_grid, 1));
        painter.drawLine(a, b);
    };
    const auto level = [&](double y, const QString& label, bool major) {
        y = std::round(y) + 0.5;
        grid_line({plot.left(), y}, {plot.right(), y}, major);
        painter.setPen(theme.dim_text);
        painter.drawText(QRectF(f.cell.left(), y - u / 2, plot.left() - f.cell.left() - 0.4 * u, u), Qt::AlignRight | Qt::AlignVCenter, label);
    };
    if (panel.log_y) {
        const double shift = std::log10(panel.scale);
        for (const Tick& t : log_ticks({f.y_low - shift, f.y_high - shift}, plot.height(), 1.7 * u))
            level(plot.bottom() - (t.position + shift - f.y_low) / (f.y_high - f.y_low) * plot.height(), to_qt(t.label), t.major);
    } else {
        for (const LinearTick& t : linear_ticks(f.y_high / panel.scale, plot.height(), 1.6 * u))
            if (const double y = y_of(panel, f, t.value * panel.scale); y >= plot.top() - 0.5)
                level(y, to_qt(t.label), true);
    }
    const auto place = [&](double x, const QString& label, bool major, bool line) {
        x = std::round(x) + 0.5;
        if (line)
            grid_line({x, plot.top()}, {x, plot.bottom()}, major);
        painter.setPen(theme.dim_text);
        painter.drawText(QRectF(x - 3 * u, plot.bottom() + 0.2 * u, 6 * u, u), Qt::AlignHCenter | Qt::AlignTop, label);
    };
    if (panel.kind == CurveKind::bars) {
        const double slot = plot.width() / static_cast<double>(std::max<std::size_t>(1, panel.x.size()));
        const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil(2.2 * u / slot)));
        for (std::size_t i = 0; i < panel.x.size(); i += every)
            place(plot.left() + slot * (static_cast<double>(i) + 0.5), QString::number(panel.x[i]), true, false);
    } else if (panel.log_x) {
        for (const Tick& t : log_ticks({f.x_low, f.x_high}, plot.width(), 3.4 * u))
            place(plot.left() + (t.position - f.x_low) / (f.x_high - f.x_low) * plot.width(), to_qt(t.label), t.major, true);
    } else if (panel.x_from > 0) { // linear_ticks() begins at 0: its step, from the first one past the beginning
        const std::vector<LinearTick> ticks = linear_ticks(f.x_high - f.x_low, plot.width(), 3.4 * u);
        const double step = ticks.size() > 1 ? ticks[1].value : 0;
        for (double v = step > 0 ? std::ceil(f.x_low / step) * step : f.x_high + 1; v <= f.x_high; v += step)
            place(x_of(panel, f, v), QString::number(v, 'g', 6), true, true);
    } else {
        for (const LinearTick& t : linear_ticks(f.x_high, plot.width(), 3.4 * u))
            if (const double x = x_of(panel, f, t.value); x <= plot.right() + 0.5)
                place(x, to_qt(t.label), true, true);
    }
    painter.setPen(theme.text);
    painter.drawText(QRectF(plot.left(), plot.bottom() + 1.25 * u, plot.width(), 1.2 * u), Qt::AlignCenter, QFontMetricsF(painter.font()).elidedText(panel.x_title, Qt::ElideRight, plot.width()));
    painter.setPen(QPen(theme.axis, 1));
    painter.drawLine(plot.bottomLeft(), plot.bottomRight());
    painter.drawLine(plot.topLeft(), plot.bottomLeft());
    painter.setFont(font);
}

void CurveFigure::draw_curves(QPainter& painter, const CurvePanel& panel, const Frame& f, const Theme& theme)
{
    for (std::size_t c = panel.curves.size(); c-- > 0;) { // the first lies on top
        const Curve& curve = panel.curves[c];
        const QPen pen = pen_of(curve, theme);
        QPolygonF line;
        const auto finish = [&] {
            painter.setPen(pen);
            painter.setBrush(Qt::NoBrush);
            if (line.size() > 1)
                painter.drawPolyline(line);
            painter.setPen(Qt::NoPen);
            painter.setBrush(pen.color());
            for (const QPointF& p : line)
                painter.drawEllipse(p, 2.2, 2.2);
            line.clear();
        };
        for (std::size_t i = 0; i < panel.x.size(); ++i)
            if (const double v = curve.values[i]; std::isfinite(v) && (!panel.log_y || v > 0))
                line << QPointF(x_of(panel, f, panel.x[i]), y_of(panel, f, v));
            else
                finish();
        finish();
    }
}

void CurveFigure::draw_stacked(QPainter& painter, const CurvePanel& panel, const Frame& f, const Theme& theme)
{
    std::vector<double> below(panel.x.size(), 0.0);
    const double slot = f.plot.width() / static_cast<double>(std::max<std::size_t>(1, panel.x.size()));
    for (const Curve& curve : panel.curves) {
        const QColor fill = fill_of(curve, theme);
        QPolygonF area, back;
        for (std::size_t i = 0; i < panel.x.size(); ++i) {
            const double top = below[i] + (std::isfinite(curve.values[i]) ? curve.values[i] : 0.0);
            if (panel.kind == CurveKind::bars) {
                const QRectF bar(QPointF(f.plot.left() + slot * (static_cast<double>(i) + 0.12), y_of(panel, f, top)), QPointF(f.plot.left() + slot * (static_cast<double>(i) + 0.88), y_of(panel, f, below[i])));
                painter.fillRect(bar, fill);
            } else {
                area << QPointF(x_of(panel, f, panel.x[i]), y_of(panel, f, top));
                back.prepend({x_of(panel, f, panel.x[i]), y_of(panel, f, below[i])});
            }
            below[i] = top;
        }
        if (panel.kind == CurveKind::areas) {
            painter.setPen(QPen(theme.background, 1));
            painter.setBrush(fill);
            painter.drawPolygon(area + back);
        }
    }
}

void CurveFigure::draw_marks(QPainter& painter, const CurvePanel& panel, const Frame& f, const Theme& theme)
{
    const QFont small = pixel_font(painter.font(), 0.88);
    const double u = QFontMetricsF(painter.font()).height();
    for (const CurveMark& m : panel.marks) {
        painter.setPen(pen_of(m.role, theme));
        if (!m.across) {
            const double x = x_of(panel, f, m.at);
            painter.drawLine(QPointF(x, f.plot.top()), QPointF(x, f.plot.bottom()));
            continue;
        }
        const double y = y_of(panel, f, m.at);
        if (!(y >= f.plot.top() - 0.5 && y <= f.plot.bottom() + 0.5))
            continue;
        painter.drawLine(QPointF(f.plot.left(), y), QPointF(f.plot.right(), y));
        const bool under = y - 1.2 * u < f.plot.top();
        draw_haloed_text(painter, QPointF(f.plot.left() + 0.4 * u, under ? y + 1.0 * u : y - 0.3 * u), m.name, small, pen_of(m.role, theme).color(), theme.plot);
    }
}

} // namespace ridgepoint
