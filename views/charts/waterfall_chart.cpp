#include "views/charts/waterfall_chart.h"

#include <algorithm>
#include <cmath>

#include <QFontMetricsF>

#include "model/roofline/axis_ticks.h"
#include "model/units/format.h"
#include "views/items/csv.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    constexpr double least_shown = 2e-3; // of the larger time: smaller parts are one row together
    constexpr double cut_below = 0.3; // of the axis: smaller differences are drawn on an axis that does not begin at 0

} // namespace

QString signed_time(Seconds t)
{
    return (t.value() < 0 ? QStringLiteral("−") : QStringLiteral("+")) + to_qt(format(Seconds{std::abs(t.value())}));
}

WaterfallChart::WaterfallChart(QWidget* parent) : BarFigure(parent) { content_changed(); }

void WaterfallChart::set_comparison(const PlanComparison* comparison, const QString& name_a, const QString& name_b, const QString& time_name)
{
    m_rows.clear();
    m_sentence = comparison ? to_qt(comparison->sentence) : QString();
    m_time_name = time_name;
    if (comparison)
        add_rows(*comparison, name_a, name_b);
    content_changed();
}

void WaterfallChart::add_rows(const PlanComparison& c, const QString& name_a, const QString& name_b)
{
    const Seconds a = c.a.estimate.time.total(), b = c.b.estimate.time.total();
    m_rows.push_back({QStringLiteral("A  ") + name_a, to_qt(format(a)), 0, a.value(), true, a, b});
    double at = a.value();
    Seconds rest_a, rest_b;
    int rest = 0;
    StepPart last = StepPart::gemm; // of them
    const auto add = [&](const QString& name, Seconds in_a, Seconds in_b) {
        const double next = at + (in_b - in_a).value();
        m_rows.push_back({name, signed_time(in_b - in_a), at, next, false, in_a, in_b});
        at = next;
    };
    for (const Difference& d : c.parts)
        if (std::abs(d.gain().value()) >= least_shown * std::max(a, b).value()) {
            add(to_qt(name_of(d.part)), d.a, d.b);
        } else {
            rest_a += d.a;
            rest_b += d.b;
            ++rest;
            last = d.part;
        }
    if (rest > 0)
        add(rest == 1 ? to_qt(name_of(last)) : tr("%1 other parts").arg(rest), rest_a, rest_b);
    m_rows.push_back({QStringLiteral("B  ") + name_b, to_qt(format(b)), 0, b.value(), true, a, b});
}

QString WaterfallChart::figure_title() const
{
    return m_sentence.isEmpty() ? tr("What makes the difference") : m_sentence.section(QLatin1Char(':'), 0, 0);
}

void WaterfallChart::lay_out(const QRectF& target, const QFont& font)
{
    const QFontMetricsF metrics(font);
    const double u = metrics.height();
    double names = 0;
    m_high = 0;
    double lowest = 1e300;
    for (const Row& r : m_rows) {
        names = std::max(names, metrics.horizontalAdvance(r.name));
        m_high = std::max({m_high, r.from, r.to});
        lowest = std::min(lowest, r.total ? r.to : std::min(r.from, r.to));
    }
    names = std::min(names, 0.36 * target.width());
    m_low = m_high - lowest < cut_below * m_high ? std::max(0.0, lowest - 0.4 * (m_high - lowest)) : 0.0;
    const double top = target.top() + 2.4 * u;
    const double room = std::max(0.0, target.bottom() - 3.0 * u - top);
    m_pitch = m_rows.empty() ? 0 : std::min(room / static_cast<double>(m_rows.size()), std::max(2.6 * u, 0.06 * target.height()));
    m_plot = QRectF(target.left() + names + 1.6 * u, top, std::max(20.0, target.width() - names - 2.6 * u), m_pitch * static_cast<double>(m_rows.size()));
    const double labels = 5.0 * u;
    const double scale = m_high > m_low ? std::max(1.0, m_plot.width() - labels) / (m_high - m_low) : 0;
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const Row& r = m_rows[i];
        const double from = std::max(r.total ? m_low : std::min(r.from, r.to), m_low), to = r.total ? r.to : std::max(r.from, r.to);
        m_boxes.push_back({QRectF(m_plot.left() + (from - m_low) * scale, m_plot.top() + m_pitch * (static_cast<double>(i) + 0.16), std::max(1.0, (to - from) * scale), 0.68 * m_pitch),
            static_cast<int>(i)});
    }
}

void WaterfallChart::draw(QPainter& painter, const QRectF& target, const Theme& theme)
{
    const QFont font = painter.font();
    const double u = QFontMetricsF(font).height();
    painter.setFont(pixel_font(font, 1.15, true));
    painter.setPen(theme.text);
    painter.drawText(QRectF(target.left() + 0.6 * u, target.top() + 0.4 * u, target.width() - 1.2 * u, 1.5 * u), Qt::AlignLeft | Qt::AlignVCenter,
        QFontMetricsF(painter.font()).elidedText(figure_title(), Qt::ElideRight, target.width() - 1.2 * u));
    if (m_rows.empty())
        return;
    const QFont small = pixel_font(font, 0.94);
    painter.setFont(small);
    const bool milli = m_high < 2.0, micro = m_high < 2e-3;
    const double unit = micro ? 1e-6 : milli ? 1e-3 : 1.0;
    const double scale = (m_plot.width() - 5.0 * u) / std::max(m_high - m_low, 1e-300);
    // linear_ticks() begins at 0: the step of as many ticks as fit, from the first one past the cut.
    const std::vector<LinearTick> ticks = linear_ticks((m_high - m_low) / unit, m_plot.width(), 5 * u);
    const double step = ticks.size() > 1 ? ticks[1].value : 0;
    for (double v = step > 0 ? std::ceil(m_low / unit / step) * step : m_high; step > 0 && v * unit <= m_low + m_plot.width() / scale; v += step) {
        const double x = std::round(m_plot.left() + (v * unit - m_low) * scale) + 0.5;
        painter.setPen(QPen(theme.grid, 1));
        painter.drawLine(QPointF(x, m_plot.top()), QPointF(x, m_plot.bottom()));
        painter.setPen(theme.dim_text);
        painter.drawText(QRectF(x - 3 * u, m_plot.bottom() + 0.2 * u, 6 * u, u), Qt::AlignHCenter | Qt::AlignTop, QString::number(v, 'g', 6));
    }
    painter.setPen(theme.text);
    const QString axis = tr("%1 [%2]").arg(m_time_name.isEmpty() ? tr("Time") : m_time_name, micro ? QStringLiteral("µs") : milli ? QStringLiteral("ms") : QStringLiteral("s"));
    painter.drawText(QRectF(target.left() + 0.6 * u, m_plot.bottom() + 1.35 * u, target.width() - 1.2 * u, 1.2 * u), Qt::AlignCenter,
        m_low > 0 ? tr("%1 · the axis does not begin at 0").arg(axis) : axis);

    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const Row& r = m_rows[i];
        const QRectF box = m_boxes[i].rect;
        const QRectF name(target.left() + 0.6 * u, box.top(), m_plot.left() - target.left() - 1.2 * u, box.height());
        painter.setFont(r.total ? pixel_font(font, 0.94, true) : small);
        painter.setPen(theme.text);
        painter.drawText(name, Qt::AlignRight | Qt::AlignVCenter, QFontMetricsF(painter.font()).elidedText(r.name, Qt::ElideRight, name.width()));
        painter.setPen(Qt::NoPen);
        painter.setBrush(r.total ? theme.of(Resource::compute) : r.to < r.from ? theme.of(Resource::hbm) : theme.of(Resource::network));
        painter.drawRect(box);
        painter.setPen(theme.text);
        painter.drawText(QRectF(box.right() + 4, box.top(), 8 * u, box.height()), Qt::AlignLeft | Qt::AlignVCenter, r.label);
        if (i + 1 < m_rows.size()) { // to where the next begins
            const double x = m_plot.left() + (r.to - m_low) * scale;
            painter.setPen(QPen(theme.axis, 1, Qt::DotLine));
            painter.drawLine(QPointF(x, box.bottom()), QPointF(x, m_boxes[i + 1].rect.top()));
        }
    }
}

HoverText WaterfallChart::hover_text(int box) const
{
    HoverText t;
    if (box < 0 || static_cast<std::size_t>(box) >= m_rows.size())
        return t;
    const Row& r = m_rows[static_cast<std::size_t>(box)];
    t.anchor = m_boxes[static_cast<std::size_t>(box)].rect.center();
    t.heading = r.name;
    t.rows = {{tr("In A"), to_qt(format(r.a))}, {tr("In B"), to_qt(format(r.b))}, {tr("Difference"), signed_time(r.b - r.a)}};
    return t;
}

QString WaterfallChart::accessible_text() const
{
    if (m_rows.empty())
        return tr("Nothing to compare yet.");
    QString text = m_sentence + QStringLiteral(". ");
    for (const Row& r : m_rows)
        text += QStringLiteral("%1: %2. ").arg(r.name, r.label);
    return text.trimmed();
}

QString WaterfallChart::figure_csv(bool) const
{
    QString out = csv_line({QStringLiteral("part"), QStringLiteral("A [s]"), QStringLiteral("B [s]"), QStringLiteral("B - A [s]")});
    for (const Row& r : m_rows)
        if (!r.total)
            out += csv_line({r.name, csv_number(r.a.value()), csv_number(r.b.value()), csv_number((r.b - r.a).value())});
    if (!m_rows.empty())
        out += csv_line({QStringLiteral("total"), csv_number(m_rows.front().a.value()), csv_number(m_rows.front().b.value()), csv_number((m_rows.front().b - m_rows.front().a).value())});
    return out;
}

} // namespace ridgepoint
