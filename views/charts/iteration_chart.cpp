#include "views/charts/iteration_chart.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <QFontMetricsF>

#include "model/roofline/axis_ticks.h"
#include "model/units/format.h"
#include "views/items/csv.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    QString name_of_part(IterationPart part)
    {
        QString name = to_qt(name_of(part));
        if (!name.isEmpty())
            name[0] = name[0].toUpper();
        return name;
    }

    // In the order in which the learner does them.
    constexpr std::array learning = {IterationPart::old_log_probs, IterationPart::reference, IterationPart::reward, IterationPart::critic, IterationPart::update};

} // namespace

IterationChart::IterationChart(QWidget* parent) : BarFigure(parent) { content_changed(); }

void IterationChart::clear()
{
    m_iteration = {};
    m_lanes.clear();
    m_pieces.clear();
    content_changed();
}

void IterationChart::set_iteration(const Iteration& iteration, Placement placement, int staleness)
{
    m_iteration = iteration;
    m_lanes.clear();
    m_pieces.clear();
    fill_pieces(placement, staleness);
    content_changed();
}

void IterationChart::fill_pieces(Placement placement, int staleness)
{
    const Iteration& it = m_iteration;
    std::array<Seconds, 2> at;
    const auto add = [&](int lane, IterationPart part, Seconds time) {
        if (!(time > Seconds{}))
            return;
        Seconds& now = at[static_cast<std::size_t>(lane)];
        m_pieces.push_back({lane, part, now, time});
        now += time;
    };
    if (placement == Placement::colocated || it.rollout_gpus == 0) {
        m_lanes = {tr("%1 GPUs").arg(it.training_gpus)};
        add(0, IterationPart::rollout, it[IterationPart::rollout]);
        for (const IterationPart part : learning)
            add(0, part, it[part]);
        add(0, IterationPart::synchronize, it[IterationPart::synchronize]);
        add(0, IterationPart::offload, it[IterationPart::offload]);
        return;
    }
    m_lanes = {tr("%1 GPUs roll out").arg(it.rollout_gpus), tr("%1 GPUs learn").arg(it.training_gpus)};
    add(0, IterationPart::rollout, it.rollout_side);
    if (staleness == 0) // the learner has nothing to learn from before
        add(1, IterationPart::wait, it.rollout_side);
    for (const IterationPart part : learning)
        add(1, part, it[part]);
    const Seconds meet = std::max(at[0], at[1]);
    for (const int lane : {0, 1}) {
        add(lane, IterationPart::wait, meet - at[static_cast<std::size_t>(lane)]);
        add(lane, IterationPart::synchronize, it[IterationPart::synchronize]);
    }
}

QColor IterationChart::colour(IterationPart part, const Theme& theme)
{
    switch (part) {
    case IterationPart::rollout:
        return theme.of(StepPart::attention);
    case IterationPart::old_log_probs:
        return theme.of(StepPart::recompute);
    case IterationPart::reference:
        return theme.of(StepPart::elementwise);
    case IterationPart::reward:
        return theme.of(StepPart::optimizer);
    case IterationPart::critic:
        return theme.of(StepPart::ep_exposed);
    case IterationPart::update:
        return theme.of(StepPart::gemm);
    case IterationPart::synchronize:
        return theme.of(StepPart::tp_exposed);
    case IterationPart::offload:
        return theme.of(StepPart::straggler);
    case IterationPart::wait:
        break;
    }
    return theme.of(StepPart::bubble);
}

QString IterationChart::figure_title() const
{
    return m_pieces.empty() ? tr("One iteration") : tr("One iteration: %1, bound by %2").arg(to_qt(format(m_iteration.time)), to_qt(m_iteration.bound));
}

void IterationChart::lay_out(const QRectF& target, const QFont& font)
{
    const QFontMetricsF metrics(font);
    const double u = metrics.height();
    m_legend.clear();
    for (const Piece& p : m_pieces)
        if (std::ranges::none_of(m_legend, [&](const LegendItem& i) { return i.tag == static_cast<int>(p.part); }))
            m_legend.push_back({{}, name_of_part(p.part), p.part == IterationPart::wait, static_cast<int>(p.part), {}});
    double names = 0;
    for (const QString& lane : m_lanes)
        names = std::max(names, metrics.horizontalAdvance(lane));
    const double legend = lay_out_legend(m_legend, QPointF(target.left() + 0.6 * u, target.top() + 2.1 * u), target.width() - 1.2 * u, pixel_font(font, 0.92));
    const double top = target.top() + 2.6 * u + legend;
    const double room = std::max(10.0, target.bottom() - 2.9 * u - top);
    const auto lanes = static_cast<double>(std::max<std::size_t>(1, m_lanes.size()));
    const double pitch = std::min(room / lanes, 4.5 * u);
    m_plot = QRectF(target.left() + names + 1.6 * u, top, std::max(20.0, target.width() - names - 3.0 * u), pitch * lanes);
    const double whole = m_iteration.time.value();
    for (std::size_t i = 0; i < m_pieces.size() && whole > 0; ++i) {
        const Piece& p = m_pieces[i];
        const double left = m_plot.left() + p.from.value() / whole * m_plot.width(), width = p.time.value() / whole * m_plot.width();
        m_boxes.push_back({QRectF(left, m_plot.top() + pitch * (p.lane + 0.12), std::max(1.0, width), 0.76 * pitch), static_cast<int>(i)});
    }
}

void IterationChart::draw_axis(QPainter& painter, const Theme& theme, double u)
{
    const double seconds = m_iteration.time.value();
    const double unit = seconds < 2 ? 1e-3 : 1;
    for (const LinearTick& t : linear_ticks(seconds / unit, m_plot.width(), 4.5 * u)) {
        const double x = std::round(m_plot.left() + t.value * unit / seconds * m_plot.width()) + 0.5;
        if (x > m_plot.right() + 1)
            continue;
        painter.setPen(QPen(theme.grid, 1));
        painter.drawLine(QPointF(x, m_plot.top()), QPointF(x, m_plot.bottom()));
        painter.setPen(theme.dim_text);
        painter.drawText(QRectF(x - 3 * u, m_plot.bottom() + 0.2 * u, 6 * u, u), Qt::AlignHCenter | Qt::AlignTop, to_qt(t.label));
    }
    painter.setPen(theme.text);
    painter.drawText(QRectF(m_plot.left(), m_plot.bottom() + 1.3 * u, m_plot.width(), 1.2 * u), Qt::AlignCenter, unit < 1 ? tr("Time [ms]") : tr("Time [s]"));
}

void IterationChart::draw(QPainter& painter, const QRectF& target, const Theme& theme)
{
    const QFont font = painter.font();
    const double u = QFontMetricsF(font).height();
    painter.setFont(pixel_font(font, 1.15, true));
    painter.setPen(m_pieces.empty() || m_iteration.fits ? theme.text : theme.danger);
    const QString title = m_pieces.empty() || m_iteration.fits ? figure_title() : tr("%1; does not fit in memory").arg(figure_title());
    painter.drawText(QRectF(target.left() + 0.6 * u, target.top() + 0.4 * u, target.width() - 1.2 * u, 1.5 * u), Qt::AlignLeft | Qt::AlignVCenter,
        QFontMetricsF(painter.font()).elidedText(title, Qt::ElideRight, target.width() - 1.2 * u));
    if (m_pieces.empty())
        return;
    const QFont small = pixel_font(font, 0.92);
    for (LegendItem& i : m_legend)
        i.colour = colour(static_cast<IterationPart>(i.tag), theme);
    draw_legend(painter, m_legend, small, theme);
    painter.setFont(small);
    draw_axis(painter, theme, u);
    const double pitch = m_plot.height() / static_cast<double>(m_lanes.size());
    painter.setPen(theme.text);
    for (std::size_t lane = 0; lane < m_lanes.size(); ++lane)
        painter.drawText(QRectF(target.left() + 0.6 * u, m_plot.top() + pitch * static_cast<double>(lane), m_plot.left() - target.left() - 1.2 * u, pitch), Qt::AlignRight | Qt::AlignVCenter, m_lanes[lane]);
    for (const Box& b : m_boxes) {
        const Piece& p = m_pieces[static_cast<std::size_t>(b.tag)];
        const QColor fill = colour(p.part, theme);
        const bool waits = p.part == IterationPart::wait;
        painter.setPen(QPen(waits ? fill : theme.background, 1));
        painter.setBrush(waits ? theme.background : fill);
        painter.drawRect(b.rect);
        if (waits)
            draw_hatching(painter, b.rect, fill, 6);
        else
            draw_fitting_text(painter, b.rect, {QStringLiteral("%1 %2").arg(name_of_part(p.part), to_qt(format(p.time))), name_of_part(p.part), to_qt(format(p.time))}, theme.text_on(fill));
    }
    const Rollout& r = m_iteration.rollout; // when half and nine tenths of the answers are there
    if (m_iteration[IterationPart::rollout] > Seconds{} && m_pieces.front().part == IterationPart::rollout && r.time <= m_pieces.front().time * 1.001)
        for (const Seconds done : {r.half, r.most}) {
            const double x = m_plot.left() + done / m_iteration.time * m_plot.width();
            painter.setPen(QPen(theme.background, 1.6, Qt::DashLine));
            painter.drawLine(QPointF(x, m_boxes.front().rect.top()), QPointF(x, m_boxes.front().rect.bottom()));
        }
}

HoverText IterationChart::hover_text(int box) const
{
    HoverText t;
    if (box < 0 || static_cast<std::size_t>(box) >= m_boxes.size())
        return t;
    const Piece& p = m_pieces[static_cast<std::size_t>(m_boxes[static_cast<std::size_t>(box)].tag)];
    t.anchor = m_boxes[static_cast<std::size_t>(box)].rect.center();
    t.heading = QStringLiteral("%1, %2").arg(name_of_part(p.part), m_lanes[static_cast<std::size_t>(p.lane)]);
    t.rows.append({tr("Time"), to_qt(format(p.time))});
    t.rows.append({tr("Of the iteration"), to_qt(format_percent(p.time / m_iteration.time))});
    if (p.part == IterationPart::rollout) {
        const Rollout& r = m_iteration.rollout;
        t.rows.append({tr("Half of the answers after"), to_qt(format(r.half))});
        t.rows.append({tr("Nine tenths after"), to_qt(format(r.most))});
        t.rows.append({tr("The last after"), to_qt(format(r.time))});
        t.rows.append({tr("With full batches throughout"), to_qt(format(r.work))});
    } else if (p.part == IterationPart::synchronize) {
        t.rows.append({tr("To each rollout GPU"), to_qt(format_decimal(m_iteration.weights))});
        t.rows.append({tr("On the wire"), to_qt(format(m_iteration.synchronize_bytes_time))});
    } else if (p.part == IterationPart::offload) {
        t.rows.append({tr("Of each GPU, each way"), to_qt(format_decimal(m_iteration.offloaded))});
    }
    return t;
}

QString IterationChart::accessible_text() const
{
    if (m_pieces.empty())
        return tr("Nothing to show yet.");
    QString text = figure_title() + QLatin1Char('.');
    for (const Piece& p : m_pieces)
        text += QStringLiteral(" %1: %2 %3.").arg(m_lanes[static_cast<std::size_t>(p.lane)], name_of_part(p.part), to_qt(format(p.time)));
    return text;
}

QString IterationChart::figure_csv(bool) const
{
    QString out = csv_line({QStringLiteral("GPUs"), QStringLiteral("part"), QStringLiteral("from [s]"), QStringLiteral("time [s]")});
    for (const Piece& p : m_pieces)
        out += csv_line({m_lanes[static_cast<std::size_t>(p.lane)], to_qt(name_of(p.part)), csv_number(p.from.value()), csv_number(p.time.value())});
    return out;
}

} // namespace ridgepoint
