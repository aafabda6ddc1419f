// How the plans of a search are painted.

#include <algorithm>
#include <array>

#include "model/units/format.h"
#include "views/charts/pareto_chart.h"
#include "views/charts/plane_labels.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    constexpr std::array shapes = {MarkShape::circle, MarkShape::square, MarkShape::triangle, MarkShape::diamond, MarkShape::star};

    QColor instance_colour(int i, const Theme& theme)
    {
        constexpr std::array resources = {Resource::compute, Resource::network, Resource::hbm, Resource::nvlink, Resource::storage};
        return theme.of(resources[static_cast<std::size_t>(i) % resources.size()]);
    }

} // namespace

QColor ParetoChart::colour_of(const FoundPoint& p) const
{
    if (m_instances.size() > 1)
        return instance_colour(static_cast<int>(m_instances.indexOf(p.instance)), theme());
    const double span = m_most_headroom - m_least_headroom;
    return theme().density(span > 0 ? 0.25 + 0.75 * (p.plan.headroom.value() - m_least_headroom) / span : 0.7);
}

void ParetoChart::draw(PlaneLayer layer, QPainter& painter)
{
    if (layer == PlaneLayer::labels)
        return draw_key(painter);
    if (layer != PlaneLayer::marks)
        return;
    painter.setClipRect(plot_area());
    QPolygonF front;
    for (const FoundPoint& p : m_points)
        if (const auto at = place(p.plan); at && p.on_front)
            front << to_pixel(*at);
    std::sort(front.begin(), front.end(), [](const QPointF& a, const QPointF& b) { return a.x() < b.x(); });
    painter.setPen(QPen(theme().dim_roof, 1.2, Qt::DashLine));
    painter.setBrush(Qt::NoBrush);
    if (front.size() <= 60) // more make a cloud, no line
        painter.drawPolyline(front);
    for (std::size_t k = m_points.size(); k-- > 0;) {
        const FoundPoint& p = m_points[k];
        const auto at = place(p.plan);
        if (!at || !frame().contains(*at))
            continue;
        const MarkShape shape = shapes[static_cast<std::size_t>(std::max<qsizetype>(0, m_instances.indexOf(p.instance))) % shapes.size()];
        painter.setPen(QPen(p.on_front ? theme().text : theme().plot, 1));
        painter.setBrush(colour_of(p));
        painter.drawPath(mark_path(shape, to_pixel(*at), p.on_front ? 5.5 : 4));
    }
    if (const auto at = m_own ? place(*m_own) : std::nullopt; at && frame().contains(*at)) {
        painter.setPen(QPen(theme().plot, 1.2));
        painter.setBrush(theme().accent);
        painter.drawPath(mark_path(MarkShape::star, to_pixel(*at), 8));
    }
    for (const FoundPoint& p : m_points)
        if (const auto at = place(p.plan); at && m_selected == p.id) {
            painter.setBrush(Qt::NoBrush);
            painter.setPen(QPen(theme().accent, 2.4));
            painter.drawEllipse(to_pixel(*at), 9, 9);
        }
    painter.setClipping(false);
}

void ParetoChart::draw_key(QPainter& painter)
{
    if (m_points.empty())
        return;
    const QFont font = figure_font(0.9);
    const QFontMetricsF metrics(font);
    const double u = unit();
    painter.setFont(font);
    QPointF at(plot_area().left() + 0.5 * u, plot_area().top() - 0.85 * u); // above the plot: the front may lie anywhere in it
    if (m_instances.size() > 1) {
        for (qsizetype i = 0; i < std::min<qsizetype>(m_instances.size(), 8); ++i) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(instance_colour(static_cast<int>(i), theme()));
            painter.drawPath(mark_path(shapes[static_cast<std::size_t>(i) % shapes.size()], at, 4.5));
            draw_haloed_text(painter, at + QPointF(0.8 * u, 0.3 * u), m_instances[i], font, theme().text, theme().plot);
            at.rx() += metrics.horizontalAdvance(m_instances[i]) + 2.2 * u;
        }
        return;
    }
    const QString low = tr("Memory to spare: %1").arg(to_qt(format(Bytes{m_least_headroom}))), high = to_qt(format(Bytes{m_most_headroom}));
    draw_haloed_text(painter, at + QPointF(-0.3 * u, 0.3 * u), low, font, theme().text, theme().plot);
    const double left = at.x() + metrics.horizontalAdvance(low) + 0.2 * u;
    painter.setPen(Qt::NoPen);
    for (int i = 0; i < 24; ++i) {
        painter.setBrush(theme().density(0.25 + 0.75 * i / 23.0));
        painter.drawRect(QRectF(left + i * 3, at.y() - 0.35 * u, 3.5, 0.7 * u));
    }
    draw_haloed_text(painter, QPointF(left + 76, at.y() + 0.3 * u), high, font, theme().text, theme().plot);
}

} // namespace ridgepoint
