// Whole passes on a roofline, and how they wander as the work grows.

#include <algorithm>
#include <cmath>

#include <QComboBox>

#include "model/units/format.h"
#include "views/charts/plane_labels.h"
#include "views/charts/roofline_chart.h"
#include "views/charts/roofline_scene.h"
#include "views/items/csv.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

constexpr double reach = 8; // pixels

LogPoint place_of(const RooflinePathPoint& p)
{
    return {std::log10(p.intensity.value()), std::log10(p.achieved.value() / 1e12)};
}

bool plottable(const RooflinePathPoint& p)
{
    return p.intensity.value() > 0 && p.achieved.value() > 0 && std::isfinite(p.intensity.value())
        && std::isfinite(p.achieved.value());
}

} // namespace

void RooflineChart::set_paths(std::vector<RooflinePath> paths)
{
    for (RooflinePath& path : paths)
        std::erase_if(path.points, [](const RooflinePathPoint& p) { return !plottable(p); });
    m_paths = std::move(paths);
    m_path_step = -1;
    refresh();
}

void RooflineChart::set_levels_offered(bool offered)
{
    if (!offered)
        set_level(MemoryLevel::hbm);
    m_level_box->setVisible(offered);
}

bool RooflineChart::shows_paths() const
{
    return !m_paths.empty() && m_scene->level == MemoryLevel::hbm;
}

void RooflineChart::draw_paths(QPainter& painter)
{
    if (!shows_paths())
        return;
    painter.setClipRect(plot_area());
    for (const RooflinePath& path : m_paths) {
        const QColor colour = theme().of(path.look);
        QPolygonF line;
        for (const RooflinePathPoint& p : path.points)
            line << to_pixel(place_of(p));
        painter.setPen(QPen(colour, 1.6));
        painter.setBrush(Qt::NoBrush);
        painter.drawPolyline(line);
        if (line.size() > 1) { // which way it grows
            const QPointF tip = line.back(), d = tip - line[line.size() - 2];
            if (const double length = std::hypot(d.x(), d.y()); length > 8) {
                const QPointF along = d / length, side(-along.y(), along.x());
                painter.drawPolyline(QPolygonF{tip - along * 12 + side * 5, tip, tip - along * 12 - side * 5});
            }
        }
        for (const RooflinePathPoint& p : path.points) {
            painter.setPen(QPen(theme().plot, 1));
            painter.setBrush(colour);
            painter.drawPath(mark_path(shape_of(path.look), to_pixel(place_of(p)), 3.6));
        }
    }
    const QFont font = figure_font(0.88);
    const QFontMetricsF metrics(font);
    std::vector<QRectF> taken;
    for (const bool names : {false, true}) // stars above all lines, names where there is room
        for (const RooflinePath& path : m_paths)
            for (std::size_t i = 0; i < path.points.size(); ++i) {
                const RooflinePathPoint& p = path.points[i];
                const QPointF at = to_pixel(place_of(p));
                if (!frame().contains(place_of(p)))
                    continue;
                if (!names && p.of_plan) {
                    painter.setPen(QPen(theme().plot, 1.2));
                    painter.setBrush(theme().accent);
                    painter.drawPath(mark_path(MarkShape::star, at, 8));
                    taken.emplace_back(at.x() - 8, at.y() - 8, 16, 16);
                } else if (names && (i == 0 || i + 1 == path.points.size() || p.of_plan)) {
                    const QRectF box(at.x() + 9, at.y() + 2, metrics.horizontalAdvance(p.label), metrics.height());
                    const bool free = std::ranges::none_of(taken, [&](const QRectF& other) { return other.intersects(box); });
                    if (free && box.right() < plot_area().right()) {
                        draw_haloed_text(painter, QPointF(box.left(), box.top() + metrics.ascent()), p.label, font, theme().text, theme().plot);
                        taken.push_back(box);
                    }
                }
            }
    painter.setClipping(false);
}

void RooflineChart::draw_path_legend(QPainter& painter)
{
    if (!shows_paths())
        return;
    const QFont font = figure_font(0.92);
    const QFontMetricsF metrics(font);
    const double u = unit();
    painter.setFont(font);
    double x = legend().empty() ? plot_area().left() : legend().back().box.right();
    const double y = plot_area().top() - 0.9 * u;
    for (const RooflinePath& path : m_paths) {
        const double width = metrics.horizontalAdvance(path.name) + 3.2 * u;
        if (x + width > plot_area().right())
            break;
        const QColor colour = theme().of(path.look);
        painter.setPen(QPen(colour, 1.6));
        painter.drawLine(QPointF(x, y), QPointF(x + 1.6 * u, y));
        painter.setPen(QPen(theme().plot, 1));
        painter.setBrush(colour);
        painter.drawPath(mark_path(shape_of(path.look), QPointF(x + 0.8 * u, y), 4));
        painter.setPen(theme().text);
        painter.drawText(QPointF(x + 2.0 * u, y + 0.33 * u), path.name);
        x += width;
    }
}

HoverText RooflineChart::hover_of_path(std::size_t path, std::size_t point) const
{
    const RooflinePathPoint& p = m_paths[path].points[point];
    HoverText t;
    t.anchor = to_pixel(place_of(p));
    t.heading = QStringLiteral("%1: %2").arg(m_paths[path].name, p.label);
    t.rows.append({tr("Time of the pass"), to_qt(format(p.time))});
    t.rows.append({tr("Intensity"), to_qt(format(p.intensity))});
    t.rows.append({tr("Achieved"), to_qt(format(p.achieved))});
    t.rows.append({tr("Of the highest roof"), to_qt(format_percent(std::pow(10.0, place_of(p).y - m_scene->roof_at(place_of(p).x))))});
    t.rows.append({tr("Limited by"), to_qt(name_of(p.bound))});
    if (p.of_plan)
        t.note = tr("The plan as it is.");
    return t;
}

HoverText RooflineChart::hover_of_paths(QPointF position) const
{
    if (!shows_paths() || !plot_area().contains(position))
        return {};
    double nearest = reach;
    HoverText found;
    for (std::size_t path = 0; path < m_paths.size(); ++path)
        for (std::size_t i = 0; i < m_paths[path].points.size(); ++i) {
            const QPointF d = to_pixel(place_of(m_paths[path].points[i])) - position;
            if (const double far = std::hypot(d.x(), d.y()); far < nearest) {
                nearest = far;
                found = hover_of_path(path, i);
            }
        }
    return found;
}

bool RooflineChart::step_paths(int direction)
{
    if (!shows_paths())
        return false;
    int count = 0;
    for (const RooflinePath& path : m_paths)
        count += static_cast<int>(path.points.size());
    const int next = m_path_step < 0 ? (direction > 0 ? 0 : count - 1) : m_path_step + direction;
    if (next < 0 || next >= count) {
        m_path_step = -1;
        return false;
    }
    m_path_step = next;
    int rest = next;
    for (std::size_t path = 0; path < m_paths.size(); ++path) {
        if (rest < static_cast<int>(m_paths[path].points.size())) {
            set_hover(hover_of_path(path, static_cast<std::size_t>(rest)));
            break;
        }
        rest -= static_cast<int>(m_paths[path].points.size());
    }
    return true;
}

QString RooflineChart::paths_csv(bool visible_only) const
{
    QString out;
    for (const RooflinePath& path : m_paths)
        for (const RooflinePathPoint& p : path.points)
            if (!visible_only || frame().contains(place_of(p)))
                out += csv_line({p.of_plan ? QStringLiteral("plan") : QStringLiteral("predicted"), path.name, p.label, QStringLiteral("pass"), QStringLiteral("1"), csv_number(p.time.value()),
                    csv_number(p.time.value()), csv_number(p.intensity.value()), csv_number(p.achieved.value()),
                    csv_number(std::pow(10.0, place_of(p).y - m_scene->roof_at(place_of(p).x))), to_qt(name_of(p.bound))});
    return out;
}

QString RooflineChart::paths_text() const
{
    QString text;
    for (const RooflinePath& path : m_paths)
        for (std::size_t i = 0; i < path.points.size(); ++i)
            if (const RooflinePathPoint& p = path.points[i]; i == 0 || i + 1 == path.points.size() || p.of_plan)
                text += tr("%1, %2%3: %4, limited by %5. ").arg(path.name, p.label, p.of_plan ? tr(" (the plan)") : QString(), to_qt(format(p.achieved)), to_qt(name_of(p.bound)));
    return text.trimmed();
}

} // namespace ridgepoint
