#include "views/charts/ridgeline_chart.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <QtCharts/QLineSeries>

#include "model/units/format.h"
#include "views/charts/counted.h"
#include "views/charts/ridgeline_scene.h"
#include "views/items/csv.h"
#include "views/widgets/text.h"

namespace ridgepoint {

RidgelineChart::RidgelineChart(QWidget* parent)
    : PlaneChart(parent)
    , m_scene(std::make_unique<Scene>())
{
    refresh();
}
RidgelineChart::~RidgelineChart() = default;

void RidgelineChart::set_model(const RooflineModel& model)
{
    const int old = m_scene->current;
    for (const Scene::Line& line : m_scene->lines)
        remove_line(line.series);
    m_scene->rebuild(model);
    for (Scene::Line& line : m_scene->lines)
        line.series = add_line();
    m_scene->current = old >= 0 && static_cast<std::size_t>(old) < model.ridgeline.size() ? old : -1;
    theme_changed();
    refresh();
}

void RidgelineChart::set_title(const QString& title)
{
    m_scene->title = title;
    refresh();
}

int RidgelineChart::current() const
{
    return m_scene->current;
}
QString RidgelineChart::figure_title() const
{
    return m_scene->title.isEmpty() ? tr("Ridgeline") : tr("Ridgeline: %1").arg(m_scene->title);
}

void RidgelineChart::refresh()
{
    set_axis_titles(tr("Arithmetic intensity [FLOP per HBM byte]"), tr("Memory intensity [HBM byte per network byte]"));
    QStringList parts;
    if (!m_scene->points.empty())
        parts << counted(static_cast<qint64>(m_scene->points.size()), tr("1 point"), tr("%1 points"));
    if (m_scene->without_network > 0)
        parts << tr("%1 without network bytes, not plottable").arg(m_scene->without_network);
    if (m_scene->shaded)
        parts << tr("regions of %1").arg(level_name(m_scene->shaded->level));
    set_heading(figure_title(), parts.join(QStringLiteral(" · ")));
    content_changed();
}

void RidgelineChart::theme_changed()
{
    for (const Scene::Line& line : m_scene->lines) {
        if (!line.series)
            continue;
        QPen pen(line.kind == Scene::Boundary::compute_memory ? theme().roof : theme().of(line.level), 2.0);
        pen.setCapStyle(Qt::FlatCap);
        if (const QList<qreal> dash = dash_of(line.level);
            !dash.isEmpty() && line.kind != Scene::Boundary::compute_memory)
            pen.setDashPattern(dash);
        line.series->setPen(pen);
    }
}

void RidgelineChart::frame_changed()
{
    for (const Scene::Line& line : m_scene->lines) {
        QList<QPointF> points;
        if (const auto ends = m_scene->segment(line, frame()))
            points = {{std::pow(10.0, ends->first.x), std::pow(10.0, ends->first.y)},
                {std::pow(10.0, ends->second.x), std::pow(10.0, ends->second.y)}};
        line.series->replace(points);
    }
}

LogFrame RidgelineChart::machine_frame() const
{
    return m_scene->machine_frame();
}

Resource RidgelineChart::region_at(LogPoint p, MemoryLevel network) const
{
    return m_scene->region_at(p, network);
}

HoverText RidgelineChart::hover_at(QPointF position)
{
    const int index = m_scene->point_at(position, *this);
    if (index != m_scene->last_hovered) {
        m_scene->last_hovered = index;
        emit hovered(index);
    }
    HoverText t;
    if (index >= 0) {
        const RidgelinePoint& p = m_scene->model.ridgeline[static_cast<std::size_t>(index)];
        const LogPoint at = Scene::place(p);
        t.anchor = to_pixel(at);
        t.heading = QString::fromStdString(p.label);
        t.rows.append({tr("Time"), to_qt(format(p.total_time))});
        t.rows.append({tr("FLOP per HBM byte"), to_qt(format_number(p.arithmetic_intensity.value()))});
        t.rows.append(
            {tr("HBM byte per byte of %1").arg(level_name(p.network)), to_qt(format_number(p.memory_intensity))});
        t.rows.append({tr("FLOP per byte of %1").arg(level_name(p.network)),
            to_qt(format_number(p.arithmetic_intensity.value() * p.memory_intensity))});
        t.rows.append({tr("Region"), to_qt(name_of(m_scene->region_at(at, p.network)))});
        return t;
    }
    for (const Scene::Line& line : m_scene->lines) {
        const auto ends = m_scene->segment(line, frame());
        if (!ends)
            continue;
        const QPointF a = to_pixel(ends->first), d = to_pixel(ends->second) - a;
        const double s
            = std::clamp(QPointF::dotProduct(position - a, d) / std::max(1e-9, QPointF::dotProduct(d, d)), 0.0, 1.0);
        const QPointF near = a + s * d;
        if (std::hypot(near.x() - position.x(), near.y() - position.y()) > 4.0)
            continue;
        t.anchor = near;
        t.heading = line.label;
        t.note = line.explanation;
        return t;
    }
    return t;
}

void RidgelineChart::choose(int point)
{
    if (point == m_scene->current)
        return;
    m_scene->current = point;
    refresh();
    emit point_clicked(point);
}

void RidgelineChart::click_at(QPointF position, Qt::KeyboardModifiers)
{
    const int point = m_scene->point_at(position, *this);
    choose(point == m_scene->current ? -1 : point);
}

bool RidgelineChart::step_selection(int direction)
{
    const std::vector<int>& order = m_scene->points; // longest first
    if (order.empty())
        return false;
    const auto at = std::ranges::find(order, m_scene->current);
    std::ptrdiff_t next = at == order.end() ? (direction > 0 ? 0 : static_cast<std::ptrdiff_t>(order.size()) - 1)
                                            : at - order.begin() + direction;
    if (next < 0 || next >= static_cast<std::ptrdiff_t>(order.size()))
        return false;
    choose(order[static_cast<std::size_t>(next)]);
    const LogPoint p = Scene::place(m_scene->model.ridgeline[static_cast<std::size_t>(m_scene->current)]);
    set_hover(frame().contains(p) ? hover_at(to_pixel(p)) : HoverText{});
    return true;
}

std::optional<LogFrame> RidgelineChart::selection_frame() const
{
    if (m_scene->current < 0)
        return std::nullopt;
    const LogPoint at = Scene::place(m_scene->model.ridgeline[static_cast<std::size_t>(m_scene->current)]);
    if (!std::isfinite(at.x) || !std::isfinite(at.y))
        return std::nullopt;
    return frame_around({at}, 0.5, 1.5);
}

QString RidgelineChart::value_text(LogPoint p) const
{
    return tr("%1, %2 HBM byte per network byte")
        .arg(to_qt(format(FlopPerByte{std::pow(10.0, p.x)})), to_qt(format_number(std::pow(10.0, p.y))));
}

QString RidgelineChart::accessible_text() const
{
    QString text = tr("Computation against memory against network, both axes logarithmic.");
    for (const int i : m_scene->points) {
        const RidgelinePoint& p = m_scene->model.ridgeline[static_cast<std::size_t>(i)];
        text += QLatin1Char(' ')
            + tr("%1: %2, bound by %3.")
                  .arg(QString::fromStdString(p.label), to_qt(format(p.total_time)),
                      to_qt(name_of(m_scene->region_at(Scene::place(p), p.network))));
    }
    return text;
}

QString RidgelineChart::figure_csv(bool visible_only) const
{
    QString out
        = csv_line({QStringLiteral("label"), QStringLiteral("network"), QStringLiteral("arithmetic intensity [FLOP/B]"),
            QStringLiteral("memory intensity [B/B]"), QStringLiteral("time [s]"), QStringLiteral("whole step")});
    for (const RidgelinePoint& p : m_scene->model.ridgeline) {
        if (visible_only && !frame().contains(Scene::place(p)))
            continue;
        out += csv_line({QString::fromStdString(p.label), to_qt(name_of(p.network)),
            csv_number(p.arithmetic_intensity.value()), csv_number(p.memory_intensity),
            csv_number(p.total_time.value()), p.whole_step ? QStringLiteral("1") : QStringLiteral("0")});
    }
    return out;
}

void RidgelineChart::draw(PlaneLayer layer, QPainter& painter)
{
    switch (layer) {
    case PlaneLayer::regions:
        draw_regions(painter);
        break;
    case PlaneLayer::density:
        break;
    case PlaneLayer::marks:
        draw_marks(painter);
        break;
    case PlaneLayer::labels:
        draw_labels(painter);
        break;
    }
}

} // namespace ridgepoint
