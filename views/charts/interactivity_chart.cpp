#include "views/charts/interactivity_chart.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <QKeyEvent>

#include "model/units/format.h"
#include "views/charts/counted.h"
#include "views/charts/plane_labels.h"
#include "views/items/csv.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    constexpr double reach = 9; // pixels around a mark that are it
    constexpr std::array shapes = {MarkShape::circle, MarkShape::square, MarkShape::triangle, MarkShape::diamond};
    constexpr std::array resources = {Resource::compute, Resource::storage, Resource::hbm, Resource::network, Resource::nvlink};

    bool plottable(const ParetoPoint& p) { return p.per_user.value() > 0 && p.per_gpu.value() > 0; }
    LogPoint place_of(const ParetoPoint& p) { return {std::log10(p.per_user.value()), std::log10(p.per_gpu.value())}; }
    QString per_million(DollarsPerToken d) { return to_qt(format(Dollars{d.value() * 1e6})); }

} // namespace

InteractivityChart::InteractivityChart(QWidget* parent) : PlaneChart(parent)
{
    set_axis_titles(tr("Interactivity [output tokens per second of a user]"), tr("Throughput [output tokens per second of a GPU]"));
    refresh();
}

void InteractivityChart::set_title(const QString& title)
{
    m_heading = title;
    refresh();
}

void InteractivityChart::set_points(std::vector<ParetoPoint> points, std::optional<ParetoPoint> own)
{
    std::erase_if(points, [](const ParetoPoint& p) { return !plottable(p); });
    m_points = std::move(points);
    m_own = own && plottable(*own) ? std::move(own) : std::nullopt;
    m_tps.clear();
    m_rent.reset();
    for (const ParetoPoint& p : m_points) {
        if (std::ranges::find(m_tps, p.tp) == m_tps.end())
            m_tps.push_back(p.tp);
        if (p.per_output_token && !m_rent)
            m_rent = p.per_output_token->value() * p.per_gpu.value();
    }
    // Lines of equal cost run across only if every layout pays for the same GPUs.
    if (m_rent && std::ranges::any_of(m_points, [this](const ParetoPoint& p) { return !p.per_output_token || std::abs(p.per_output_token->value() * p.per_gpu.value() / *m_rent - 1) > 0.01; }))
        m_rent.reset();
    refresh();
}

void InteractivityChart::select(std::optional<std::pair<int, int>> point)
{
    if (point == m_selected)
        return;
    m_selected = point;
    refresh();
}

void InteractivityChart::refresh()
{
    QStringList parts;
    if (!m_points.empty())
        parts << counted(static_cast<qint64>(m_points.size()), tr("1 layout fits"), tr("%1 layouts fit")) << tr("the front is joined");
    if (m_own)
        parts << tr("the star is the plan");
    if (!m_points.empty())
        parts << tr("a click takes a layout into the plan");
    set_heading(figure_title(), parts.join(QStringLiteral(" · ")));
    content_changed();
}

QString InteractivityChart::figure_title() const { return m_heading.isEmpty() ? tr("Throughput against interactivity") : tr("Throughput against interactivity: %1").arg(m_heading); }

LogFrame InteractivityChart::machine_frame() const
{
    std::vector<LogPoint> points;
    for (const ParetoPoint& p : m_points)
        points.push_back(place_of(p));
    if (m_own)
        points.push_back(place_of(*m_own));
    return points.empty() ? LogFrame{{0, 3}, {0, 4}} : frame_around(points, 0.12, 0.4);
}

QPointF InteractivityChart::position_of(const ParetoPoint& p) const { return to_pixel(place_of(p)); }

int InteractivityChart::point_at(QPointF position) const
{
    int best = -1;
    double nearest = reach;
    for (std::size_t i = 0; i < m_points.size(); ++i) {
        const QPointF d = position_of(m_points[i]) - position;
        if (const double far = std::hypot(d.x(), d.y()); far < nearest) {
            nearest = far;
            best = static_cast<int>(i);
        }
    }
    return best;
}

HoverText InteractivityChart::text_of(const ParetoPoint& p) const
{
    HoverText t;
    t.anchor = position_of(p);
    t.heading = tr("tp %1, %2 on a replica").arg(p.tp).arg(counted(p.concurrency, tr("1 sequence"), tr("%1 sequences")));
    t.rows = {{tr("A user gets"), to_qt(format(p.per_user))}, {tr("A GPU gives"), to_qt(format(p.per_gpu))}, {tr("Time to first token"), to_qt(format(p.ttft))},
        {tr("Time per output token"), to_qt(format(p.tpot))}};
    if (p.per_output_token)
        t.rows.append({tr("Million output tokens"), per_million(*p.per_output_token)});
    return t;
}

HoverText InteractivityChart::hover_at(QPointF position)
{
    if (const int i = point_at(position); i >= 0) {
        const ParetoPoint& p = m_points[static_cast<std::size_t>(i)];
        HoverText t = text_of(p);
        t.note = p.front ? tr("No other layout is better in both. A click takes it into the plan.") : tr("A click takes it into the plan.");
        return t;
    }
    if (m_own)
        if (const QPointF d = position_of(*m_own) - position; std::hypot(d.x(), d.y()) < reach) {
            HoverText t = text_of(*m_own);
            t.note = tr("The plan as it is.");
            return t;
        }
    return {};
}

void InteractivityChart::click_at(QPointF position, Qt::KeyboardModifiers)
{
    const int i = point_at(position);
    if (i < 0)
        return select(std::nullopt);
    const ParetoPoint p = m_points[static_cast<std::size_t>(i)];
    select(std::pair(p.tp, p.concurrency));
    emit point_chosen(p.tp, p.concurrency);
}

void InteractivityChart::keyPressEvent(QKeyEvent* event)
{
    if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && m_selected)
        emit point_chosen(m_selected->first, m_selected->second);
    else
        PlaneChart::keyPressEvent(event);
}

bool InteractivityChart::step_selection(int direction)
{
    const auto at = std::ranges::find_if(m_points, [this](const ParetoPoint& p) { return m_selected == std::pair(p.tp, p.concurrency); });
    const auto count = static_cast<std::ptrdiff_t>(m_points.size());
    const std::ptrdiff_t next = at == m_points.end() ? (direction > 0 ? 0 : count - 1) : at - m_points.begin() + direction;
    if (next < 0 || next >= count)
        return false;
    const ParetoPoint& p = m_points[static_cast<std::size_t>(next)];
    select(std::pair(p.tp, p.concurrency));
    emit point_selected(p.tp, p.concurrency);
    set_hover(frame().contains(place_of(p)) ? text_of(p) : HoverText{});
    return true;
}

std::optional<LogFrame> InteractivityChart::selection_frame() const
{
    for (const ParetoPoint& p : m_points)
        if (m_selected == std::pair(p.tp, p.concurrency))
            return frame_around({place_of(p)}, 0.1, 0.4);
    return std::nullopt;
}

QString InteractivityChart::value_text(LogPoint p) const
{
    return tr("%1 of a user, %2 of a GPU").arg(to_qt(format(TokensPerSecond{std::pow(10.0, p.x)})), to_qt(format(TokensPerSecond{std::pow(10.0, p.y)})));
}

QString InteractivityChart::accessible_text() const
{
    if (m_points.empty())
        return tr("No layout fits, or none has been computed yet.");
    QString text = tr("Tokens per second of a GPU over those of a user, for %1 layouts.").arg(m_points.size());
    const auto told = [](const ParetoPoint& p) { return tr(" tp %1 with %2 sequences: %3 of a user, %4 of a GPU.").arg(p.tp).arg(p.concurrency).arg(to_qt(format(p.per_user)), to_qt(format(p.per_gpu))); };
    if (m_own)
        text += tr(" The plan:") + told(*m_own);
    for (const ParetoPoint& p : m_points)
        if (p.front)
            text += told(p);
    return text;
}

QString InteractivityChart::figure_csv(bool visible_only) const
{
    QString out = csv_line({QStringLiteral("point"), QStringLiteral("tp"), QStringLiteral("concurrency"), QStringLiteral("per user [tokens/s]"), QStringLiteral("per GPU [tokens/s]"),
        QStringLiteral("time to first token [s]"), QStringLiteral("time per output token [s]"), QStringLiteral("cost [USD per million output tokens]"), QStringLiteral("on the front")});
    const auto add = [&](const ParetoPoint& p, const QString& name) {
        if (!visible_only || frame().contains(place_of(p)))
            out += csv_line({name, QString::number(p.tp), QString::number(p.concurrency), csv_number(p.per_user.value()), csv_number(p.per_gpu.value()), csv_number(p.ttft.value()),
                csv_number(p.tpot.value()), p.per_output_token ? csv_number(p.per_output_token->value() * 1e6) : QString(), p.front ? QStringLiteral("1") : QStringLiteral("0")});
    };
    for (const ParetoPoint& p : m_points)
        add(p, QStringLiteral("layout"));
    if (m_own)
        add(*m_own, QStringLiteral("this plan"));
    return out;
}

std::size_t InteractivityChart::series_of(int tp) const { return static_cast<std::size_t>(std::ranges::find(m_tps, tp) - m_tps.begin()); }

void InteractivityChart::draw(PlaneLayer layer, QPainter& painter)
{
    if (layer == PlaneLayer::regions)
        draw_prices(painter);
    else if (layer == PlaneLayer::marks)
        draw_points(painter);
    else if (layer == PlaneLayer::labels)
        draw_key(painter);
}

// A GPU's rent over its tokens: the same height costs the same.
void InteractivityChart::draw_prices(QPainter& painter)
{
    if (!m_rent)
        return;
    const QFont font = figure_font(0.88);
    const double u = unit();
    double last = 1e300;
    for (int decade = -4; decade <= 6; ++decade)
        for (const double step : {1.0, 2.0, 5.0}) {
            const double dollars = step * std::pow(10.0, decade), y = std::log10(*m_rent * 1e6 / dollars);
            if (!frame().y.contains(y))
                continue;
            const QPointF from = to_pixel({frame().x.low, y}), to = to_pixel({frame().x.high, y});
            painter.setPen(QPen(theme().dim_roof, 1, Qt::DotLine));
            painter.drawLine(from, to);
            const QString text = tr("%1 per M").arg(to_qt(format(Dollars{dollars})));
            if (std::abs(from.y() - last) > 1.3 * u && from.y() - 1.2 * u > plot_area().top()) {
                draw_haloed_text(painter, from + QPointF(0.4 * u, -0.25 * u), text, font, theme().dim_text, theme().plot); // few layouts are slow for users and costly
                last = from.y();
            }
        }
}

void InteractivityChart::draw_points(QPainter& painter)
{
    painter.setClipRect(plot_area());
    QPolygonF front;
    for (const ParetoPoint& p : m_points)
        if (p.front)
            front << position_of(p);
    std::sort(front.begin(), front.end(), [](const QPointF& a, const QPointF& b) { return a.x() < b.x(); });
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme().roof, 1.6));
    painter.drawPolyline(front);
    for (const bool on_front : {false, true})
        for (const ParetoPoint& p : m_points) {
            if (p.front != on_front || !frame().contains(place_of(p)))
                continue;
            const std::size_t series = series_of(p.tp);
            painter.setPen(QPen(p.front ? theme().text : theme().plot, 1));
            painter.setBrush(theme().of(resources[series % resources.size()]));
            painter.drawPath(mark_path(shapes[series % shapes.size()], position_of(p), p.front ? 5.5 : 4));
        }
    if (m_own && frame().contains(place_of(*m_own))) {
        painter.setPen(QPen(theme().plot, 1.2));
        painter.setBrush(theme().accent);
        painter.drawPath(mark_path(MarkShape::star, position_of(*m_own), 8));
    }
    for (const ParetoPoint& p : m_points)
        if (m_selected == std::pair(p.tp, p.concurrency)) {
            painter.setBrush(Qt::NoBrush);
            painter.setPen(QPen(theme().accent, 2.4));
            painter.drawEllipse(position_of(p), 9, 9);
        }
    painter.setClipping(false);
}

void InteractivityChart::draw_key(QPainter& painter)
{
    const QFont font = figure_font(0.9);
    const QFontMetricsF metrics(font);
    const double u = unit();
    painter.setFont(font);
    QPointF at(plot_area().left() + 0.5 * u, plot_area().top() - 0.85 * u);
    for (std::size_t i = 0; i < m_tps.size(); ++i) {
        const QString name = tr("tp %1").arg(m_tps[i]);
        if (at.x() + metrics.horizontalAdvance(name) + 2 * u > plot_area().right())
            break;
        painter.setPen(QPen(theme().plot, 1));
        painter.setBrush(theme().of(resources[i % resources.size()]));
        painter.drawPath(mark_path(shapes[i % shapes.size()], at, 4.5));
        painter.setPen(theme().text);
        painter.drawText(QPointF(at.x() + 0.8 * u, at.y() + 0.33 * u), name);
        at.rx() += metrics.horizontalAdvance(name) + 2.2 * u;
    }
}

} // namespace ridgepoint
