#include "views/charts/tornado_chart.h"

#include <algorithm>
#include <cmath>

#include <QFontMetricsF>

#include "model/roofline/axis_ticks.h"
#include "model/units/format.h"
#include "views/charts/bar_drawing.h"
#include "views/charts/counted.h"
#include "views/items/csv.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    constexpr double least = 5e-5; // of the answer: smaller bars are no line wide

    QString signed_percent(double v) { return (v > 0 ? QStringLiteral("+") : QString()) + to_qt(format_percent(v, std::abs(v) < 0.1 ? 1 : 0)); }

    QString value_text(const Knob& knob, double value)
    {
        const QString number = to_qt(format_number(value, 4));
        return knob.factor ? number + QStringLiteral("×") : knob.unit.empty() ? number : QStringLiteral("%1 %2").arg(number, to_qt(knob.unit));
    }

} // namespace

TornadoChart::TornadoChart(QWidget* parent) : BarFigure(parent) { content_changed(); }

void TornadoChart::set_swings(std::vector<Swing> swings, const QString& time_name)
{
    m_swings = std::move(swings);
    m_time_name = time_name;
    sort();
}

void TornadoChart::set_of_cost(bool cost)
{
    m_cost = cost;
    sort();
}

double TornadoChart::change(const Swing& s, bool up) const { return m_cost ? (up ? s.cost_up : s.cost_down) : (up ? s.up : s.down); }

QColor TornadoChart::colour(const Theme& theme, bool up) const { return up ? theme.of(Resource::compute) : theme.of(MemoryPart::optimizer); }

void TornadoChart::sort()
{
    const auto width = [this](std::size_t i) { return std::abs(change(m_swings[i], false)) + std::abs(change(m_swings[i], true)); };
    m_order.clear();
    for (std::size_t i = 0; i < m_swings.size(); ++i)
        if (width(i) > least)
            m_order.push_back(i);
    std::ranges::stable_sort(m_order, [&](std::size_t a, std::size_t b) { return width(a) > width(b); });
    content_changed();
}

QString TornadoChart::figure_title() const
{
    if (m_cost)
        return tr("What the cost per token hangs on");
    return m_time_name.isEmpty() ? tr("What the time hangs on") : tr("What it hangs on: %1").arg(m_time_name.toLower());
}

void TornadoChart::lay_out(const QRectF& target, const QFont& font)
{
    const QFontMetricsF metrics(font);
    const double u = metrics.height();
    double names = 0;
    for (const std::size_t i : m_order)
        names = std::max(names, metrics.horizontalAdvance(to_qt(m_swings[i].knob.label)));
    names = std::min(names, 0.38 * target.width());
    const double top = target.top() + 3.8 * u, bottom = target.bottom() - 3.1 * u;
    const double room = std::max(0.0, bottom - top);
    m_rows = std::min(m_order.size(), static_cast<std::size_t>(room / (1.25 * u)));
    m_pitch = m_rows > 0 ? std::min(room / static_cast<double>(m_rows), std::max(3.2 * u, 0.06 * target.height())) : 0;
    m_plot = QRectF(target.left() + names + 1.6 * u, top, std::max(20.0, target.width() - names - 2.6 * u), m_pitch * static_cast<double>(m_rows));
    m_reach = 0;
    for (std::size_t r = 0; r < m_rows; ++r)
        for (const bool up : {false, true})
            m_reach = std::max(m_reach, std::abs(change(m_swings[m_order[r]], up)));
    const double labels = 4.2 * u; // at either end, beside the longest bar
    const double scale = m_reach > 0 ? std::max(1.0, m_plot.width() / 2 - labels) / m_reach : 0;
    for (std::size_t r = 0; r < m_rows; ++r) {
        const double height = 0.62 * m_pitch, y = m_plot.top() + m_pitch * static_cast<double>(r) + (m_pitch - height) / 2;
        for (const bool up : {false, true}) {
            const double w = change(m_swings[m_order[r]], up) * scale;
            // Both ways may make it better or worse: then one bar would hide the other.
            const bool same_side = change(m_swings[m_order[r]], false) * change(m_swings[m_order[r]], true) > 0;
            const QRectF whole(m_plot.center().x() + std::min(w, 0.0), y, std::abs(w), height);
            m_boxes.push_back({same_side ? QRectF(whole.left(), y + (up ? height / 2 : 0), whole.width(), height / 2) : whole, static_cast<int>(2 * r) + (up ? 1 : 0)});
        }
    }
}

void TornadoChart::draw(QPainter& painter, const QRectF& target, const Theme& theme)
{
    const QFont font = painter.font();
    const double u = QFontMetricsF(font).height();
    painter.setFont(pixel_font(font, 1.15, true));
    painter.setPen(theme.text);
    painter.drawText(QRectF(target.left() + 0.6 * u, target.top() + 0.4 * u, target.width() - 1.2 * u, 1.5 * u), Qt::AlignLeft | Qt::AlignVCenter,
        QFontMetricsF(painter.font()).elidedText(figure_title(), Qt::ElideRight, target.width() - 1.2 * u));
    const QFont small = pixel_font(font, 0.92);
    if (m_order.empty()) {
        painter.setFont(font);
        painter.setPen(theme.dim_text);
        painter.drawText(target, Qt::AlignCenter, m_cost ? tr("Nothing moves the cost: the plan has no price") : tr("Nothing to show yet"));
        return;
    }
    std::vector<LegendItem> legend = {{colour(theme, false), tr("turned down"), false, 0, {}}, {colour(theme, true), tr("turned up"), false, 1, {}}};
    lay_out_legend(legend, {target.left() + 0.6 * u, target.top() + 2.05 * u}, target.width() - 1.2 * u, small);
    draw_legend(painter, legend, small, theme);

    painter.setFont(small);
    const double half = m_reach > 0 ? (m_plot.width() / 2 - 4.2 * u) / m_reach : 0; // pixels of a change of 1
    const double ends = m_plot.width() / 2 / std::max(half, 1e-9);
    for (const LinearTick& t : linear_ticks(100 * ends, m_plot.width() / 2, 4.5 * u))
        for (const double side : {-1.0, 1.0}) {
            const double x = std::round(m_plot.center().x() + side * t.value / 100 * half) + 0.5;
            if (x < m_plot.left() || x > m_plot.right() || (t.value == 0.0 && side < 0))
                continue;
            painter.setPen(QPen(t.value == 0.0 ? theme.axis : theme.grid, 1));
            painter.drawLine(QPointF(x, m_plot.top()), QPointF(x, m_plot.bottom()));
            painter.setPen(theme.dim_text);
            painter.drawText(QRectF(x - 3 * u, m_plot.bottom() + 0.2 * u, 6 * u, u), Qt::AlignHCenter | Qt::AlignTop,
                t.value == 0.0 ? QStringLiteral("0") : (side < 0 ? QStringLiteral("−") : QStringLiteral("+")) + to_qt(t.label));
        }
    const QString more = m_order.size() > m_rows ? tr(" · %1 with less effect").arg(m_order.size() - m_rows) : QString();
    painter.setPen(theme.text);
    painter.drawText(QRectF(target.left() + 0.6 * u, m_plot.bottom() + 1.4 * u, target.width() - 1.2 * u, 1.2 * u), Qt::AlignCenter,
        (m_cost ? tr("Change of the cost per token [%]") : tr("Change of the time [%]")) + more);

    for (std::size_t r = 0; r < m_rows; ++r) {
        const QRectF line(target.left() + 0.6 * u, m_plot.top() + m_pitch * static_cast<double>(r), m_plot.left() - target.left() - 1.2 * u, m_pitch);
        painter.setPen(theme.text);
        painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, QFontMetricsF(small).elidedText(to_qt(m_swings[m_order[r]].knob.label), Qt::ElideRight, line.width()));
    }
    for (const Box& b : m_boxes) {
        const bool up = b.tag % 2 == 1;
        const Swing& s = m_swings[m_order[static_cast<std::size_t>(b.tag / 2)]];
        painter.setPen(Qt::NoPen);
        painter.setBrush(colour(theme, up));
        painter.drawRect(b.rect);
        if (std::abs(change(s, up)) * half < 1)
            continue;
        const bool right = change(s, up) > 0;
        const bool other_too = change(s, !up) * change(s, up) > 0 && std::abs(change(s, !up)) > std::abs(change(s, up));
        if (other_too)
            continue; // the longer bar of this side has the label
        painter.setPen(theme.text);
        const QRectF room(right ? b.rect.right() + 4 : b.rect.left() - 4 - 8 * u, b.rect.center().y() - 0.6 * u, 8 * u, 1.2 * u);
        painter.drawText(room, (right ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter, signed_percent(change(s, up)));
    }
}

QRectF TornadoChart::bar(const std::string& knob, bool up) const
{
    for (const Box& b : m_boxes)
        if ((b.tag % 2 == 1) == up && m_swings[m_order[static_cast<std::size_t>(b.tag / 2)]].knob.id == knob)
            return b.rect;
    return {};
}

HoverText TornadoChart::hover_text(int box) const
{
    HoverText t;
    if (box < 0 || static_cast<std::size_t>(box) >= m_boxes.size())
        return t;
    const Box& b = m_boxes[static_cast<std::size_t>(box)];
    const Swing& s = m_swings[m_order[static_cast<std::size_t>(b.tag / 2)]];
    const bool up = b.tag % 2 == 1;
    const Outcome& o = up ? s.at_high : s.at_low;
    t.anchor = b.rect.center();
    t.heading = to_qt(s.knob.label);
    t.rows.append({up ? tr("Turned up to") : tr("Turned down to"), value_text(s.knob, up ? s.high : s.low)});
    if (o.possible()) {
        t.rows.append({tr("Time"), QStringLiteral("%1 (%2)").arg(to_qt(format(o.time)), signed_percent(up ? s.up : s.down))});
        if (o.cost_per_token)
            t.rows.append({tr("$ per M tokens"), QStringLiteral("%1 (%2)").arg(to_qt(format(Dollars{o.cost_per_token->value() * 1e6})), signed_percent(up ? s.cost_up : s.cost_down))});
        if (!o.fits())
            t.note = tr("Does not fit in memory then.");
    } else {
        t.note = to_qt(o.impossible);
    }
    return t;
}

void TornadoChart::box_clicked(int box)
{
    emit knob_clicked(to_qt(m_swings[m_order[static_cast<std::size_t>(m_boxes[static_cast<std::size_t>(box)].tag / 2)]].knob.id));
}

QString TornadoChart::accessible_text() const
{
    if (m_order.empty())
        return tr("Nothing to show yet.");
    QString text;
    for (const std::size_t i : m_order)
        text += tr("%1 from %2 to %3: %4 to %5. ")
                    .arg(to_qt(m_swings[i].knob.label), value_text(m_swings[i].knob, m_swings[i].low), value_text(m_swings[i].knob, m_swings[i].high),
                        signed_percent(change(m_swings[i], false)), signed_percent(change(m_swings[i], true)));
    return text.trimmed();
}

QString TornadoChart::figure_csv(bool) const
{
    QString out = csv_line({QStringLiteral("knob"), QStringLiteral("label"), QStringLiteral("unit"), QStringLiteral("low"), QStringLiteral("high"),
        QStringLiteral("change of time at low"), QStringLiteral("change of time at high"), QStringLiteral("change of cost at low"), QStringLiteral("change of cost at high")});
    for (const Swing& s : m_swings)
        out += csv_line({to_qt(s.knob.id), to_qt(s.knob.label), to_qt(s.knob.unit), csv_number(s.low), csv_number(s.high), csv_number(s.down), csv_number(s.up),
            csv_number(s.cost_down), csv_number(s.cost_up)});
    return out;
}

} // namespace ridgepoint
