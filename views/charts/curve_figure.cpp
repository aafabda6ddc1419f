#include "views/charts/curve_figure.h"

#include <algorithm>
#include <cmath>

#include <QFontMetricsF>

#include "model/units/format.h"
#include "views/items/csv.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    constexpr int tag_stride = 1 << 12; // places of a panel

    double on_axis(double v, bool log) { return log ? std::log10(v) : v; }

    bool drawable(double v, bool log) { return std::isfinite(v) && (!log || v > 0); }

    // Columns in which panels come nearest to a pleasing shape and leave no cell empty.
    std::size_t columns_for(std::size_t panels, QSizeF area, double unit)
    {
        std::size_t best = 1;
        double least = 1e300;
        for (std::size_t columns = 1; columns <= panels; ++columns) {
            const std::size_t rows = (panels + columns - 1) / columns;
            const double width = area.width() / static_cast<double>(columns), height = area.height() / static_cast<double>(rows);
            const double narrow = std::max(0.0, 20 * unit / width - 1) + std::max(0.0, 9 * unit / height - 1);
            const double badness = std::abs(std::log(width / height / 1.8)) + 0.35 * static_cast<double>(rows * columns - panels) + 2 * narrow;
            if (badness < least) {
                least = badness;
                best = columns;
            }
        }
        return best;
    }

} // namespace

CurveFigure::CurveFigure(QWidget* parent) : BarFigure(parent) { content_changed(); }

void CurveFigure::set_content(CurveContent content)
{
    m_content = std::move(content);
    content_changed();
}

CurveFigure::Frame CurveFigure::frame_of(const CurvePanel& panel, const QRectF& cell, double u) const
{
    Frame f;
    f.cell = cell;
    f.plot = QRectF(cell.left() + 4.4 * u, cell.top() + 1.6 * u, std::max(10.0, cell.width() - 5.4 * u), std::max(10.0, cell.height() - 4.5 * u));
    if (panel.x.empty())
        return f;
    double low = 1e300, high = -1e300;
    const auto take = [&](double v) {
        if (drawable(v, panel.log_y)) {
            low = std::min(low, v);
            high = std::max(high, v);
        }
    };
    if (panel.kind != CurveKind::lines) { // stacked
        for (std::size_t i = 0; i < panel.x.size(); ++i) {
            double sum = 0;
            for (const Curve& c : panel.curves)
                sum += std::isfinite(c.values[i]) ? c.values[i] : 0.0;
            take(sum);
        }
    } else {
        for (const Curve& c : panel.curves)
            for (const double v : c.values)
                take(v);
    }
    const double most = high;
    for (const CurveMark& m : panel.marks)
        if (m.across && (panel.log_y ? m.at > low / 30 && m.at < most * 30 : m.at < most * 3 || panel.kind == CurveKind::areas))
            take(m.at); // a limit far away would flatten the curves
    if (panel.log_y) {
        const double a = high > 0 ? std::log10(low) : 0, b = high > 0 ? std::log10(high) : 1;
        const double room = std::max(0.06 * (b - a), 0.1);
        f.y_low = a - room;
        f.y_high = b + room;
    } else {
        f.y_high = high > 0 ? high * 1.1 : 1;
    }
    if (panel.kind == CurveKind::bars) {
        f.x_low = -0.5;
        f.x_high = static_cast<double>(panel.x.size()) - 0.5;
        return f;
    }
    double right = panel.x.back();
    for (const CurveMark& m : panel.marks)
        if (!m.across && m.at < 3 * right)
            right = std::max(right, m.at);
    f.x_low = panel.log_x ? std::log10(panel.x.front()) : panel.x_from;
    f.x_high = on_axis(right, panel.log_x);
    const double span = std::max(f.x_high - f.x_low, panel.log_x ? 0.3 : 1e-12);
    f.x_high = f.x_low + span * (panel.kind == CurveKind::areas ? 1.0 : 1.03);
    return f;
}

double CurveFigure::x_of(const CurvePanel& panel, const Frame& f, double x) const
{
    return f.plot.left() + (on_axis(x, panel.log_x) - f.x_low) / (f.x_high - f.x_low) * f.plot.width();
}

double CurveFigure::y_of(const CurvePanel& panel, const Frame& f, double y) const
{
    return f.plot.bottom() - (on_axis(y, panel.log_y) - f.y_low) / (f.y_high - f.y_low) * f.plot.height();
}

void CurveFigure::lay_out(const QRectF& target, const QFont& font)
{
    const double u = QFontMetricsF(font).height();
    m_frames.clear();
    m_legend.clear();
    if (m_content.panels.empty())
        return;
    const QFontMetricsF metrics(pixel_font(font, 0.92));
    QPointF at(target.left() + 0.8 * u, target.top() + 2.0 * u + (m_content.caption.isEmpty() ? 0.0 : 1.3 * u));
    const auto enter = [&](const QString& name, std::size_t panel, std::size_t index, bool mark) {
        if (name.isEmpty() || std::ranges::any_of(m_legend, [&](const LegendEntry& e) { return e.name == name; }))
            return;
        const double width = metrics.horizontalAdvance(name) + 3.2 * u;
        if (at.x() + width > target.right() && at.x() > target.left() + u)
            at = QPointF(target.left() + 0.8 * u, at.y() + 1.3 * u);
        m_legend.push_back({name, QRectF(at, QSizeF(width, 1.3 * u)), panel, index, mark});
        at.rx() += width;
    };
    for (std::size_t p = 0; p < m_content.panels.size(); ++p)
        for (std::size_t c = 0; c < m_content.panels[p].curves.size(); ++c)
            enter(m_content.panels[p].curves[c].name, p, c, false);
    for (std::size_t p = 0; p < m_content.panels.size(); ++p)
        for (std::size_t m = 0; m < m_content.panels[p].marks.size(); ++m)
            if (!m_content.panels[p].marks[m].across)
                enter(m_content.panels[p].marks[m].name, p, m, true);
    const QRectF area(target.left(), at.y() + 1.7 * u, target.width(), std::max(20.0, target.bottom() - at.y() - 1.9 * u));
    const std::size_t count = m_content.panels.size(), columns = columns_for(count, area.size(), u), rows = (count + columns - 1) / columns;
    const double width = area.width() / static_cast<double>(columns), height = area.height() / static_cast<double>(rows);
    for (std::size_t p = 0; p < count; ++p) {
        const CurvePanel& panel = m_content.panels[p];
        m_frames.push_back(frame_of(panel, {area.left() + width * static_cast<double>(p % columns), area.top() + height * static_cast<double>(p / columns), width, height}, u));
        const Frame& f = m_frames.back();
        const std::size_t places = std::min<std::size_t>(panel.x.size(), tag_stride);
        const auto middle = [&](std::size_t i) { return panel.kind == CurveKind::bars ? f.plot.left() + f.plot.width() * (static_cast<double>(i) + 0.5) / static_cast<double>(places) : x_of(panel, f, panel.x[i]); };
        for (std::size_t i = 0; i < places; ++i) {
            const double left = i == 0 ? f.plot.left() : (middle(i - 1) + middle(i)) / 2;
            const double right = i + 1 == places ? f.plot.right() : (middle(i) + middle(i + 1)) / 2;
            m_boxes.push_back({QRectF(left, f.plot.top(), std::max(0.0, right - left), f.plot.height()), static_cast<int>(p) * tag_stride + static_cast<int>(i)});
        }
    }
}

QPointF CurveFigure::position_of(std::size_t p, std::size_t place, std::size_t curve) const
{
    const CurvePanel& panel = m_content.panels[p];
    const Frame& f = m_frames[p];
    if (panel.kind == CurveKind::bars)
        return {f.plot.left() + f.plot.width() * (static_cast<double>(place) + 0.5) / static_cast<double>(panel.x.size()), y_of(panel, f, panel.curves[curve].values[place])};
    return {x_of(panel, f, panel.x[place]), y_of(panel, f, panel.curves[curve].values[place])};
}

HoverText CurveFigure::text_at(std::size_t p, std::size_t place) const
{
    const CurvePanel& panel = m_content.panels[p];
    HoverText t;
    if (panel.place_text)
        t = panel.place_text(place);
    if (t.heading.isEmpty())
        t.heading = QStringLiteral("%1: %2").arg(panel.x_title, to_qt(format_number(panel.x[place])));
    for (const Curve& c : panel.curves)
        if (std::isfinite(c.values[place]))
            t.rows.append({panel.curves.size() > 1 ? c.name : panel.title, panel.value_text ? panel.value_text(c.values[place]) : QStringLiteral("%1 %2").arg(to_qt(format_number(c.values[place] / panel.scale)), panel.unit)});
    return t;
}

HoverText CurveFigure::hover_text(int box) const
{
    if (box < 0 || static_cast<std::size_t>(box) >= m_boxes.size())
        return {};
    const int tag = m_boxes[static_cast<std::size_t>(box)].tag;
    HoverText t = text_at(static_cast<std::size_t>(tag / tag_stride), static_cast<std::size_t>(tag % tag_stride));
    t.anchor = m_boxes[static_cast<std::size_t>(box)].rect.center();
    return t;
}

void CurveFigure::box_clicked(int box)
{
    const int tag = m_boxes[static_cast<std::size_t>(box)].tag;
    emit place_chosen(tag / tag_stride, tag % tag_stride);
}

// A line through the place in every panel of the group, and its values; of the keyboard's place while no other is pointed at.
void CurveFigure::draw_pointed(QPainter& painter)
{
    const int box = hovered() >= 0 ? hovered() : hasFocus() ? current() : -1;
    if (box < 0 || static_cast<std::size_t>(box) >= m_boxes.size())
        return;
    const int tag = m_boxes[static_cast<std::size_t>(box)].tag;
    const auto pointed = static_cast<std::size_t>(tag / tag_stride), place = static_cast<std::size_t>(tag % tag_stride);
    for (std::size_t p = 0; p < m_content.panels.size(); ++p) {
        const CurvePanel& panel = m_content.panels[p];
        if (panel.group != m_content.panels[pointed].group || place >= panel.x.size() || panel.curves.empty())
            continue;
        const double x = std::round(position_of(p, place, 0).x()) + 0.5;
        painter.setPen(QPen(theme().accent, 1, Qt::DotLine));
        painter.drawLine(QPointF(x, m_frames[p].plot.top()), QPointF(x, m_frames[p].plot.bottom()));
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(theme().accent, 2));
        if (panel.kind == CurveKind::lines)
            for (std::size_t c = 0; c < panel.curves.size(); ++c)
                if (drawable(panel.curves[c].values[place], panel.log_y))
                    painter.drawEllipse(position_of(p, place, c), 4, 4);
    }
    HoverText text = hover_text(box);
    text.anchor = hovered() >= 0 ? pointer() : QPointF(position_of(pointed, place, 0).x(), m_frames[pointed].plot.center().y());
    draw_hover_text(painter, text, rect(), pixel_font(font(), 0.94), theme());
}

QString CurveFigure::accessible_text() const
{
    if (m_content.panels.empty())
        return m_content.empty_text.isEmpty() ? tr("Nothing to show yet.") : m_content.empty_text;
    QString text = m_content.caption;
    for (std::size_t p = 0; p < m_content.panels.size(); ++p) {
        const CurvePanel& panel = m_content.panels[p];
        text += QStringLiteral(" %1 [%2], %3:").arg(panel.title, panel.unit, panel.x_title);
        for (const std::size_t place : {std::size_t{0}, panel.x.size() / 2, panel.x.size() - 1})
            if (place < panel.x.size())
                text += QLatin1Char(' ') + text_at(p, place).plain().replace(QLatin1Char('\n'), QStringLiteral(", ")) + QLatin1Char('.');
    }
    return text.trimmed();
}

QString CurveFigure::figure_csv(bool) const
{
    QString out = csv_line({QStringLiteral("quantity"), QStringLiteral("curve"), QStringLiteral("over"), QStringLiteral("place"), QStringLiteral("value")});
    for (const CurvePanel& panel : m_content.panels) {
        const QString quantity = QStringLiteral("%1 [%2]").arg(panel.title, panel.unit);
        for (const Curve& c : panel.curves)
            for (std::size_t i = 0; i < panel.x.size(); ++i)
                out += csv_line({quantity, c.name, panel.x_title, csv_number(panel.x[i]), csv_number(c.values[i] / panel.scale)});
        for (const CurveMark& m : panel.marks)
            out += csv_line({quantity, m.name, panel.x_title, m.across ? QString() : csv_number(m.at), m.across ? csv_number(m.at / panel.scale) : QString()});
    }
    return out;
}

} // namespace ridgepoint
