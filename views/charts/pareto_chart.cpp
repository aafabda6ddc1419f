#include "views/charts/pareto_chart.h"

#include <algorithm>
#include <cmath>

#include <QMouseEvent>

#include "model/units/format.h"
#include "views/charts/counted.h"
#include "views/items/csv.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    constexpr double reach = 9; // pixels around a mark that are it
    QString dollars(const FoundPlan& f) { return f.cost_per_token ? to_qt(format(Dollars{f.cost_per_token->value() * 1e6})) : QStringLiteral("–"); }

} // namespace

QString name_of(ParetoAxis axis)
{
    switch (axis) {
    case ParetoAxis::cost:
        return ParetoChart::tr("$ per M tokens");
    case ParetoAxis::headroom:
        return ParetoChart::tr("Memory to spare [GiB]");
    case ParetoAxis::energy:
        return ParetoChart::tr("Energy [J per token]");
    case ParetoAxis::time:
        break;
    }
    return ParetoChart::tr("Time of a step or token [ms]");
}

ParetoChart::ParetoChart(QWidget* parent) : PlaneChart(parent) { refresh(); }

void ParetoChart::set_points(std::vector<FoundPoint> points, std::optional<FoundPlan> own)
{
    m_points = std::move(points);
    m_own = std::move(own);
    m_instances.clear();
    m_least_headroom = 1e300;
    m_most_headroom = 0;
    for (const FoundPoint& p : m_points) {
        if (!m_instances.contains(p.instance))
            m_instances << p.instance;
        m_least_headroom = std::min(m_least_headroom, p.plan.headroom.value());
        m_most_headroom = std::max(m_most_headroom, p.plan.headroom.value());
    }
    refresh();
}

void ParetoChart::set_axis(ParetoAxis axis)
{
    m_axis = axis;
    refresh();
    reset_frame();
}

void ParetoChart::select_id(std::optional<quint64> id)
{
    if (id == m_selected)
        return;
    m_selected = id;
    refresh();
}

void ParetoChart::refresh()
{
    set_axis_titles(tr("Throughput [tokens per second]"), name_of(m_axis));
    qint64 front = 0, unseen = 0;
    for (const FoundPoint& p : m_points) {
        front += p.on_front ? 1 : 0;
        unseen += place(p.plan) ? 0 : 1;
    }
    QStringList parts;
    if (m_own && place(*m_own))
        parts << tr("the star is the plan");
    if (!m_points.empty())
        parts << counted(front, tr("1 plan on the front"), tr("%1 plans on the front"));
    if (unseen > 0)
        parts << tr("%1 without this figure, not plottable").arg(unseen);
    set_heading(figure_title(), parts.join(QStringLiteral(" · ")));
    content_changed();
}

QString ParetoChart::figure_title() const { return tr("Plans found"); }

double ParetoChart::height_of(const FoundPlan& f) const
{
    switch (m_axis) {
    case ParetoAxis::cost:
        return f.cost_per_token ? f.cost_per_token->value() * 1e6 : 0;
    case ParetoAxis::headroom:
        return in_gibibytes(f.headroom);
    case ParetoAxis::energy:
        return f.energy_per_token.value();
    case ParetoAxis::time:
        break;
    }
    return f.time.value() * 1e3;
}

std::optional<LogPoint> ParetoChart::place(const FoundPlan& f) const
{
    const double x = f.tokens_per_second.value(), y = height_of(f);
    if (!(x > 0) || !(y > 0) || !std::isfinite(x) || !std::isfinite(y))
        return std::nullopt;
    return LogPoint{std::log10(x), std::log10(y)};
}

LogFrame ParetoChart::machine_frame() const
{
    std::vector<LogPoint> points;
    for (const FoundPoint& p : m_points)
        if (const auto at = place(p.plan))
            points.push_back(*at);
    if (const auto at = m_own ? place(*m_own) : std::nullopt)
        points.push_back(*at);
    if (points.empty())
        points = {{3, -1}, {5, 1}};
    return frame_around(points, 0.08, 0.25);
}

std::optional<QPointF> ParetoChart::position_of(quint64 id) const
{
    for (const FoundPoint& p : m_points)
        if (const auto at = place(p.plan); p.id == id && at)
            return to_pixel(*at);
    return std::nullopt;
}

int ParetoChart::point_at(QPointF position) const
{
    int best = -1;
    double nearest = reach;
    for (std::size_t i = 0; i < m_points.size(); ++i)
        if (const auto at = place(m_points[i].plan)) {
            const QPointF d = to_pixel(*at) - position;
            if (const double far = std::hypot(d.x(), d.y()); far < nearest) {
                nearest = far;
                best = static_cast<int>(i);
            }
        }
    return best;
}

HoverText ParetoChart::hover_at(QPointF position)
{
    HoverText t;
    const int i = point_at(position);
    if (i < 0)
        return t;
    const FoundPoint& p = m_points[static_cast<std::size_t>(i)];
    t.anchor = to_pixel(*place(p.plan));
    t.heading = m_instances.size() > 1 ? QStringLiteral("%1: %2").arg(p.instance, p.choice) : p.choice;
    t.rows = {{tr("Throughput"), to_qt(format(p.plan.tokens_per_second))}, {tr("Time"), to_qt(format(p.plan.time))}, {tr("$ per M tokens"), dollars(p.plan)},
        {tr("Memory to spare"), to_qt(format(p.plan.headroom))}, {tr("MFU"), to_qt(format_percent(p.plan.mfu))}, {tr("Bound by"), to_qt(name_of(p.plan.bound))}};
    t.note = p.on_front ? tr("No other plan is better in everything.") : QString();
    return t;
}

void ParetoChart::click_at(QPointF position, Qt::KeyboardModifiers)
{
    const int i = point_at(position);
    if (i < 0)
        return;
    select_id(m_points[static_cast<std::size_t>(i)].id);
    emit point_selected(*m_selected);
}

void ParetoChart::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (const int i = point_at(event->position()); i >= 0)
        emit point_activated(m_points[static_cast<std::size_t>(i)].id);
    else
        PlaneChart::mouseDoubleClickEvent(event);
}

bool ParetoChart::step_selection(int direction)
{
    if (m_points.empty())
        return false;
    const auto at = std::ranges::find_if(m_points, [this](const FoundPoint& p) { return m_selected == p.id; });
    const auto count = static_cast<std::ptrdiff_t>(m_points.size());
    const std::ptrdiff_t next = at == m_points.end() ? (direction > 0 ? 0 : count - 1) : at - m_points.begin() + direction;
    if (next < 0 || next >= count)
        return false;
    const FoundPoint& p = m_points[static_cast<std::size_t>(next)];
    select_id(p.id);
    emit point_selected(p.id);
    if (const auto place_of = place(p.plan))
        set_hover(frame().contains(*place_of) ? hover_at(to_pixel(*place_of)) : HoverText{});
    return true;
}

std::optional<LogFrame> ParetoChart::selection_frame() const
{
    for (const FoundPoint& p : m_points)
        if (const auto at = place(p.plan); at && m_selected == p.id)
            return frame_around({*at}, 0.1, 0.4);
    return std::nullopt;
}

QString ParetoChart::value_text(LogPoint p) const
{
    return tr("%1, %2 %3").arg(to_qt(format(TokensPerSecond{std::pow(10.0, p.x)})), to_qt(format_number(std::pow(10.0, p.y))), name_of(m_axis));
}

QString ParetoChart::accessible_text() const
{
    if (m_points.empty())
        return tr("No plans yet.");
    QString text = tr("Throughput against %1 of %2 plans.").arg(name_of(m_axis)).arg(m_points.size());
    if (m_own)
        text += tr(" The plan itself: %1, %2 per million tokens.").arg(to_qt(format(m_own->tokens_per_second)), dollars(*m_own));
    int told = 0;
    for (const FoundPoint& p : m_points)
        if (p.on_front && told++ < 20)
            text += tr(" %1: %2, %3 per million tokens.").arg(p.choice, to_qt(format(p.plan.tokens_per_second)), dollars(p.plan));
    return text;
}

QString ParetoChart::figure_csv(bool visible_only) const
{
    QString out = csv_line({QStringLiteral("point"), QStringLiteral("plan"), QStringLiteral("instance"), QStringLiteral("on the front"), QStringLiteral("throughput [tokens/s]"),
        QStringLiteral("cost [USD per million tokens]"), QStringLiteral("memory to spare [B]"), QStringLiteral("time [s]"), QStringLiteral("energy [J per token]")});
    std::vector<FoundPoint> points = m_points;
    if (m_own)
        points.push_back({0, *m_own, tr("this plan"), {}, false});
    for (const FoundPoint& p : points) {
        const auto at = place(p.plan);
        if (visible_only && (!at || !frame().contains(*at)))
            continue;
        out += csv_line({QString::number(p.id), p.choice, p.instance, p.on_front ? QStringLiteral("1") : QStringLiteral("0"), csv_number(p.plan.tokens_per_second.value()),
            p.plan.cost_per_token ? csv_number(p.plan.cost_per_token->value() * 1e6) : QString(), csv_number(p.plan.headroom.value()), csv_number(p.plan.time.value()),
            p.plan.energy_per_token.value() > 0 ? csv_number(p.plan.energy_per_token.value()) : QString()});
    }
    return out;
}

} // namespace ridgepoint
