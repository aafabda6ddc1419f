// What lies under the pointer of a roofline.

#include <cmath>

#include <QLocale>

#include "model/units/format.h"
#include "views/charts/roofline_chart.h"
#include "views/charts/roofline_scene.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

constexpr double reach = 6; // pixels

double distance(QPointF a, QPointF b)
{
    return std::hypot(a.x() - b.x(), a.y() - b.y());
}

double distance_to_segment(QPointF p, QPointF a, QPointF b)
{
    const QPointF d = b - a;
    const double length2 = QPointF::dotProduct(d, d);
    const double t = length2 > 0 ? std::clamp(QPointF::dotProduct(p - a, d) / length2, 0.0, 1.0) : 0.0;
    return distance(p, a + t * d);
}

} // namespace

// Small marks lie above large ones, so the smallest that is hit wins.
const RooflineMark* RooflineChart::mark_at(QPointF position) const
{
    if (!plot_area().contains(position))
        return nullptr;
    const RooflineMark* best = nullptr;
    double best_radius = 1e300;
    for (const RooflineMark& m : m_scene->marks) {
        if (!frame().contains(m.at))
            continue;
        const double radius = mark_radius(m.share, unit());
        if (distance(to_pixel(m.at), position) <= radius + 2.0 && radius < best_radius) {
            best = &m;
            best_radius = radius;
        }
    }
    return best;
}

HoverText RooflineChart::hover_of(const RooflineMark& m) const
{
    HoverText t;
    t.anchor = to_pixel(m.at);
    t.heading = m.name;
    t.rows.append({tr("Where"), m.detail});
    if (m.operators.size() == 1) {
        t.rows.append({tr("Runs per step"), to_qt(format_number(m.count))});
        t.rows.append({tr("Time each"), to_qt(format(m.time_each))});
    } else {
        t.rows.append({tr("Operators"), QLocale().toString(m.operators.size())});
    }
    t.rows.append({tr("Time in the step"), to_qt(format(m.time_total))});
    t.rows.append({tr("Of the time plotted here"), to_qt(format_percent(m.share))});
    if (!m.shape.isEmpty())
        t.rows.append({tr("m × n × k"), m.shape});
    t.rows.append({tr("Intensity"), to_qt(format(m.intensity))});
    t.rows.append({tr("Achieved"), to_qt(format(m.achieved))});
    t.rows.append({tr("Of the roof"), to_qt(format_percent(m.of_roof))});
    t.rows.append({tr("Limited by"), to_qt(name_of(m.bound))});
    if (m.of_roof > 1.005)
        t.note = tr("Above its roof: check FLOP counting, precision and sparsity.");
    return t;
}

HoverText RooflineChart::hover_of_measured(std::size_t i) const
{
    const MeasuredKernel& k = m_scene->measured->kernels[m_scene->kernel[i]];
    const LogPoint at{m_scene->x[i], m_scene->y[i]};
    const double of_roof = std::pow(10.0, at.y - m_scene->roof_at(at.x));
    HoverText t;
    t.anchor = to_pixel(at);
    t.heading = k.name < m_scene->measured->names.size() ? to_qt(m_scene->measured->names[k.name]) : tr("Kernel");
    if (t.heading.size() > 160)
        t.heading = t.heading.left(157) + QStringLiteral("…");
    t.rows.append({tr("Measured"), to_qt(name_of(k.kernel_class))});
    t.rows.append({tr("Time"), to_qt(format(k.time))});
    t.rows.append({tr("Intensity"), to_qt(format(k.intensity))});
    t.rows.append({tr("Achieved"), to_qt(format(k.achieved))});
    t.rows.append({tr("Of the highest roof"), to_qt(format_percent(of_roof))});
    if (of_roof > 1.005)
        t.note = tr("Above the roof: check FLOP counting, precision, sparsity and boost clock.");
    return t;
}

HoverText RooflineChart::hover_of_roofs(QPointF position) const
{
    HoverText t;
    for (const auto& [at, label] : m_scene->ridges())
        if (frame().contains(at) && distance(to_pixel(at), position) <= reach + 2) {
            t.anchor = to_pixel(at);
            t.heading = tr("Ridge point");
            t.rows.append({tr("Ceiling"), label});
            t.rows.append({tr("Intensity"), to_qt(format(FlopPerByte{std::pow(10.0, at.x)}))});
            t.note = tr("Left of it memory bounds, right of it computation.");
            return t;
        }
    for (const RoofLine& roof : m_scene->roofs) {
        const auto ends = m_scene->segment(roof, frame());
        if (!ends || distance_to_segment(position, to_pixel(ends->first), to_pixel(ends->second)) > 4.0)
            continue;
        const LogPoint at = to_plane(position);
        const double x = roof.slope ? (at.x + at.y - roof.value) / 2.0 : at.x;
        t.anchor = to_pixel({x, roof.slope ? x + roof.value : roof.value});
        t.heading = roof.label;
        t.rows.append({tr("At"), to_qt(format(FlopPerByte{std::pow(10.0, x)}))});
        t.rows.append({tr("Attainable"),
            to_qt(format(FlopPerSecond{std::pow(10.0, (roof.slope ? x + roof.value : roof.value) + 12.0)}))});
        if (roof.measured()) {
            t.rows.append({tr("Source"), roof.source});
            t.note = roof.note;
        } else if (roof.slope && roof.level != m_scene->level)
            t.note = tr("Of %1: compare with it the intensity per byte of that level.").arg(level_name(roof.level));
        else if (!roof.slope && !roof.emphasised)
            t.note = tr("The plan does not use this precision.");
        return t;
    }
    return t;
}

HoverText RooflineChart::hover_at(QPointF position)
{
    const RooflineMark* mark = mark_at(position);
    const int index = mark ? mark->operators.front() : -1;
    if (index != m_last_hovered) {
        m_last_hovered = index;
        emit hovered(index);
    }
    if (mark)
        return hover_of(*mark);
    if (HoverText path = hover_of_paths(position); !path.empty())
        return path;
    if (HoverText roofs = hover_of_roofs(position); !roofs.empty() && roofs.heading == tr("Ridge point"))
        return roofs;
    if (m_scene->shows_measured() && plot_area().contains(position)) {
        const LogPoint at = to_plane(position);
        const auto nearest = m_scene->index.nearest(
            at.x, at.y, plot_area().width() / frame().x.span(), plot_area().height() / frame().y.span(), reach);
        if (nearest)
            return hover_of_measured(*nearest);
    }
    return hover_of_roofs(position);
}

} // namespace ridgepoint
