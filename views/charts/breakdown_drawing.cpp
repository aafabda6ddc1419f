// How the bars of the step are laid out and painted.

#include "views/charts/breakdown_chart.h"

#include <algorithm>
#include <cmath>

#include <QFontMetricsF>

#include "model/roofline/axis_ticks.h"
#include "model/units/format.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

struct TimeUnit
{
    double seconds;
    const char* name;
};
TimeUnit unit_for(double longest)
{
    for (const TimeUnit u : {TimeUnit{1.0, "s"}, TimeUnit{1e-3, "ms"}, TimeUnit{1e-6, "µs"}})
        if (longest >= 2.0 * u.seconds)
            return u;
    return {1e-6, "µs"};
}

} // namespace

void BreakdownChart::lay_out(const QRectF& target, const QFont& font)
{
    const QFontMetricsF metrics(font);
    const double u = metrics.height();
    m_rows.clear();
    m_legend.clear();
    m_longest = std::max({total_of(critical_row).value() * (1.0 + m_relative_error), total_of(hidden_row).value(),
        total_of(measured_row).value()});
    const std::vector<Segment> all = segments();

    double names = 0;
    std::vector<Row> rows;
    for (const Row row : {critical_row, measured_row, hidden_row})
        if (row == critical_row || shows(total_of(row))) {
            rows.push_back(row);
            names = std::max(names, metrics.horizontalAdvance(row_name(row)));
        }
    const double top = target.top() + 2.2 * u;
    m_plot = QRectF(target.left() + names + 1.4 * u, top, std::max(10.0, target.width() - names - 3.2 * u), 0);

    std::vector<StepPart> named;
    for (const Segment& s : all)
        if (s.row != hidden_row && std::ranges::find(named, s.part) == named.end())
            named.push_back(s.part);
    std::ranges::sort(named);
    const double sum = total_of(critical_row).value();
    const double measured_sum = total_of(measured_row).value();
    for (const StepPart p : named) {
        QString text = to_qt(name_of(p));
        if (sum > 0)
            text += QStringLiteral("  %1 · %2")
                        .arg(to_qt(format(m_breakdown[p].total())),
                            to_qt(format_percent(m_breakdown[p].total().value() / sum)));
        if (m_measured && measured_sum > 0)
            text += tr(" · measured %1").arg(to_qt(format((*m_measured)[static_cast<std::size_t>(p)])));
        m_legend.push_back({{}, text, false, static_cast<int>(p), {}});
    }
    for (const Segment& s : all)
        if (s.row == hidden_row)
            m_legend.push_back({{}, tr("%1 hidden  %2").arg(communication_name(s.part), to_qt(format(s.time))), true,
                static_cast<int>(s.part), {}});

    const QFont small = pixel_font(font, 0.92);
    const double legend = lay_out_legend(m_legend, {}, target.width() - 1.2 * u, small);
    const double below = 2.9 * u + legend + 0.4 * u; // axis, legend
    const double room = std::max(1.0 * u, target.bottom() - top - below) / static_cast<double>(rows.size());
    const double height = std::clamp(room * 0.72, 0.9 * u, 5.0 * u);
    const double pitch = std::min(room, height + 0.9 * u);
    double y = top + 0.3 * u;
    for (const Row row : rows) {
        const double h = row == hidden_row ? height * 0.72 : height;
        m_rows.emplace_back(row, QRectF(m_plot.left(), y, m_plot.width(), h));
        double x = m_plot.left();
        for (const Segment& s : all)
            if (s.row == row && m_longest > 0) {
                const double w = m_plot.width() * s.time.value() / m_longest;
                m_boxes.push_back({QRectF(x, y, w, h), row * row_stride + static_cast<int>(s.part)});
                x += w;
            }
        y += pitch;
    }
    m_plot.setBottom(y - pitch + height + 0.3 * u);
    for (LegendItem& i : m_legend) {
        i.box.translate(target.left() + 0.6 * u, m_plot.bottom() + 2.9 * u);
        if (!i.hollow)
            m_boxes.push_back({i.box, legend_tag + i.tag});
    }
}

void BreakdownChart::draw_axis(QPainter& painter, const Theme& theme, double u)
{
    if (!(m_longest > 0))
        return;
    const TimeUnit unit = unit_for(m_longest);
    for (const LinearTick& t : linear_ticks(m_longest / unit.seconds, m_plot.width(), 4.5 * u)) {
        const double x = std::round(m_plot.left() + m_plot.width() * t.value * unit.seconds / m_longest);
        if (x > m_plot.right() + 0.5)
            continue;
        painter.setPen(QPen(theme.grid, 1));
        painter.drawLine(QPointF(x + 0.5, m_plot.top()), QPointF(x + 0.5, m_plot.bottom()));
        painter.setPen(theme.dim_text);
        painter.drawText(
            QRectF(x - 3 * u, m_plot.bottom() + 0.2 * u, 6 * u, u), Qt::AlignHCenter | Qt::AlignTop, to_qt(t.label));
    }
    painter.setPen(QPen(theme.axis, 1));
    painter.drawLine(m_plot.bottomLeft(), m_plot.bottomRight());
    painter.setPen(theme.text);
    painter.drawText(QRectF(m_plot.left(), m_plot.bottom() + 1.3 * u, m_plot.width(), 1.1 * u), Qt::AlignCenter,
        tr("Time [%1]").arg(QString::fromUtf8(unit.name)));
}

QRectF BreakdownChart::error_bar() const
{
    const double sum = total_of(critical_row).value();
    if (!(m_relative_error > 0) || !(sum > 0) || !(m_longest > 0) || m_rows.empty())
        return {};
    const double scale = m_plot.width() / m_longest;
    const double left = m_plot.left() + sum * (1.0 - m_relative_error) * scale;
    const double right = m_plot.left() + sum * (1.0 + m_relative_error) * scale;
    const double below = m_rows.front().second.bottom();
    return {left, below + 1, right - left, 7};
}

void BreakdownChart::draw_error_bar(QPainter& painter, const Theme& theme, double u)
{
    const QRectF bar = error_bar();
    if (bar.isNull())
        return;
    const double y = std::round(bar.center().y()) + 0.5;
    painter.setPen(QPen(theme.text, std::max(1.2, 0.09 * u)));
    painter.drawLine(QPointF(bar.left(), y), QPointF(bar.right(), y));
    for (const double x : {bar.left(), bar.right()})
        painter.drawLine(QPointF(x, bar.top()), QPointF(x, bar.bottom()));
}

void BreakdownChart::draw(QPainter& painter, const QRectF& target, const Theme& theme)
{
    const QFont font = painter.font();
    const double u = QFontMetricsF(font).height();
    painter.setFont(pixel_font(font, 1.15, true));
    painter.setPen(theme.text);
    painter.drawText(QRectF(target.left() + 0.6 * u, target.top() + 0.4 * u, target.width() - 1.2 * u, 1.5 * u),
        Qt::AlignLeft | Qt::AlignVCenter,
        QFontMetricsF(painter.font()).elidedText(figure_title(), Qt::ElideRight, target.width() - 1.2 * u));
    painter.setFont(pixel_font(font, 0.92));
    draw_axis(painter, theme, u);

    for (const auto& [row, box] : m_rows) {
        painter.setFont(pixel_font(font, 0.96));
        painter.setPen(theme.text);
        painter.drawText(
            QRectF(target.left() + 0.6 * u, box.top(), m_plot.left() - target.left() - 1.0 * u, box.height()),
            Qt::AlignLeft | Qt::AlignVCenter, row_name(row));
    }
    painter.setFont(pixel_font(font, 0.9));
    for (const Box& b : m_boxes) {
        if (b.tag >= legend_tag)
            continue;
        const auto row = static_cast<Row>(b.tag / row_stride);
        const auto part = static_cast<StepPart>(b.tag % row_stride);
        const QColor fill = theme.of(part);
        const double sum = total_of(row).value();
        Seconds time;
        for (const Segment& s : segments())
            if (s.row == row && s.part == part)
                time = s.time;
        const QString percent = to_qt(format_percent(sum > 0 ? time.value() / sum : 0, 0));
        if (row == hidden_row) {
            painter.setPen(QPen(fill, 1));
            painter.setBrush(theme.background);
            painter.drawRect(b.rect);
            draw_hatching(painter, b.rect, fill, 6);
            const QString name = communication_name(part);
            const QRectF middle(b.rect.center().x() - 1.2 * u, b.rect.top() + 2, 2.4 * u, b.rect.height() - 4);
            if (b.rect.width() > 3 * u && b.rect.height() > u)
                painter.fillRect(middle, theme.background);
            draw_fitting_text(painter, b.rect.width() > 3 * u ? b.rect : QRectF(), {name}, theme.text);
        } else {
            painter.setPen(b.rect.width() > 3 ? QPen(theme.background, 1) : QPen(Qt::NoPen));
            painter.setBrush(fill);
            painter.drawRect(b.rect);
            const QString name = to_qt(name_of(part));
            draw_fitting_text(
                painter, b.rect, {QStringLiteral("%1 %2").arg(name, percent), name, percent}, theme.text_on(fill));
        }
    }
    draw_error_bar(painter, theme, u);
    std::vector<LegendItem> legend = m_legend;
    for (LegendItem& i : legend)
        i.colour = theme.of(static_cast<StepPart>(i.tag));
    draw_legend(painter, legend, pixel_font(font, 0.92), theme);
}

} // namespace ridgepoint
