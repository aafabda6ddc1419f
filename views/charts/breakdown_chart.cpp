#include "views/charts/breakdown_chart.h"

#include <algorithm>
#include <cmath>

#include "model/units/format.h"
#include "views/items/csv.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

// Hidden communication has the colour of its exposed part.
std::array<std::pair<StepPart, Seconds>, 5> hidden_parts(const StepBreakdown& b)
{
    return {{{StepPart::tp_exposed, b.tp_hidden}, {StepPart::cp_exposed, b.cp_hidden},
        {StepPart::ep_exposed, b.ep_hidden}, {StepPart::pp_exposed, b.pp_hidden}, {StepPart::dp_exposed, b.dp_hidden}}};
}

} // namespace

BreakdownChart::BreakdownChart(QWidget* parent)
    : BarFigure(parent)
{
    content_changed();
}

void BreakdownChart::set_breakdown(const StepBreakdown& breakdown, const QString& time_name, double relative_error)
{
    m_breakdown = breakdown;
    m_time_name = time_name;
    m_relative_error = std::isfinite(relative_error) ? std::clamp(relative_error, 0.0, 1.0) : 0.0;
    content_changed();
}

void BreakdownChart::set_measured(const std::optional<MeasuredBreakdown>& measured)
{
    m_measured = measured;
    content_changed();
}

bool BreakdownChart::shows(Seconds t)
{
    return t > Seconds{} && std::isfinite(t.value());
}

QString BreakdownChart::communication_name(StepPart p)
{
    switch (p) {
    case StepPart::tp_exposed:
        return QStringLiteral("TP");
    case StepPart::cp_exposed:
        return QStringLiteral("CP");
    case StepPart::ep_exposed:
        return QStringLiteral("EP");
    case StepPart::pp_exposed:
        return QStringLiteral("PP");
    default:
        return QStringLiteral("DP");
    }
}

QSize BreakdownChart::sizeHint() const
{
    return {480, m_measured ? 320 : 270};
}
QSize BreakdownChart::minimumSizeHint() const
{
    return {260, 170};
}

QString BreakdownChart::figure_title() const
{
    const Seconds total = total_of(critical_row);
    if (!shows(total))
        return m_time_name.isEmpty() ? tr("Step breakdown") : m_time_name;
    const QString title = QStringLiteral("%1: %2").arg(m_time_name.isEmpty() ? tr("Time") : m_time_name, to_qt(format(total)));
    return m_relative_error > 0 ? QStringLiteral("%1 ±%2").arg(title, to_qt(format_percent(m_relative_error, 0))) : title;
}

std::vector<BreakdownChart::Segment> BreakdownChart::segments() const
{
    std::vector<Segment> out;
    for (std::size_t p = 0; p < step_part_count; ++p)
        if (const Seconds t = m_breakdown.parts[p].total(); shows(t))
            out.push_back({critical_row, static_cast<StepPart>(p), t});
    for (const auto& [part, t] : hidden_parts(m_breakdown))
        if (shows(t))
            out.push_back({hidden_row, part, t});
    if (m_measured)
        for (std::size_t p = 0; p < step_part_count; ++p)
            if (shows((*m_measured)[p]))
                out.push_back({measured_row, static_cast<StepPart>(p), (*m_measured)[p]});
    return out;
}

Seconds BreakdownChart::total_of(Row row) const
{
    Seconds sum;
    for (const Segment& s : segments())
        if (s.row == row)
            sum += s.time;
    return sum;
}

QString BreakdownChart::row_name(Row row) const
{
    switch (row) {
    case critical_row:
        return m_measured ? tr("Predicted") : tr("Critical path");
    case hidden_row:
        return tr("Hidden");
    default:
        return tr("Measured");
    }
}

QRectF BreakdownChart::box_of(Row row, StepPart part) const
{
    for (const Box& b : m_boxes)
        if (b.tag == row * row_stride + static_cast<int>(part))
            return b.rect;
    return {};
}

QRectF BreakdownChart::bar(StepPart part) const
{
    return box_of(critical_row, part);
}
QRectF BreakdownChart::measured_bar(StepPart part) const
{
    return box_of(measured_row, part);
}

HoverText BreakdownChart::hover_text(int box) const
{
    HoverText t;
    if (box < 0 || static_cast<std::size_t>(box) >= m_boxes.size())
        return t;
    const Box& b = m_boxes[static_cast<std::size_t>(box)];
    const auto row = b.tag >= legend_tag ? critical_row : static_cast<Row>(b.tag / row_stride);
    const auto part = static_cast<StepPart>(b.tag >= legend_tag ? b.tag - legend_tag : b.tag % row_stride);
    t.anchor = b.rect.center();
    if (row == hidden_row) {
        t.heading = tr("%1 communication, hidden").arg(communication_name(part));
        for (const auto& [p, time] : hidden_parts(m_breakdown))
            if (p == part)
                t.rows.append({tr("Time"), to_qt(format(time))});
        t.note = tr("Runs behind computation: not part of the step time.");
        return t;
    }
    t.heading = to_qt(name_of(part));
    const AttributedTime& predicted = m_breakdown[part];
    const double sum = total_of(critical_row).value();
    if (sum > 0)
        t.rows.append({tr("Predicted"),
            QStringLiteral("%1 (%2)").arg(
                to_qt(format(predicted.total())), to_qt(format_percent(predicted.total().value() / sum)))});
    if (m_measured) {
        const Seconds time = (*m_measured)[static_cast<std::size_t>(part)];
        const double all = total_of(measured_row).value();
        t.rows.append({tr("Measured"),
            QStringLiteral("%1 (%2)").arg(
                to_qt(format(time)), to_qt(format_percent(all > 0 ? time.value() / all : 0)))});
    }
    for (std::size_t r = 0; r < resource_count; ++r)
        if (const double share = predicted.share(static_cast<Resource>(r)); std::abs(share) >= 0.005)
            t.rows.append(
                {tr("Bound by %1").arg(to_qt(name_of(static_cast<Resource>(r)))), to_qt(format_percent(share, 0))});
    return t;
}

void BreakdownChart::box_clicked(int box)
{
    const int tag = m_boxes[static_cast<std::size_t>(box)].tag;
    emit part_clicked(static_cast<StepPart>(tag >= legend_tag ? tag - legend_tag : tag % row_stride));
}

void BreakdownChart::box_hovered(int box)
{
    const int tag = box < 0 ? -1 : m_boxes[static_cast<std::size_t>(box)].tag;
    emit part_hovered(tag < 0 ? -1 : tag >= legend_tag ? tag - legend_tag : tag % row_stride);
}

QString BreakdownChart::accessible_text() const
{
    std::vector<Segment> all = segments();
    if (all.empty())
        return tr("Nothing to show yet.");
    std::ranges::stable_sort(
        all, [](const Segment& a, const Segment& b) { return a.row != b.row ? a.row < b.row : a.time > b.time; });
    QString text;
    for (const Segment& s : all) {
        const double sum = total_of(s.row).value();
        const QString name = s.row == hidden_row ? communication_name(s.part) : to_qt(name_of(s.part));
        text += QStringLiteral("%1: %2 %3, %4. ")
                    .arg(row_name(s.row), name, to_qt(format(s.time)), to_qt(format_percent(s.time.value() / sum, 0)));
    }
    return text.trimmed();
}

QString BreakdownChart::figure_csv(bool) const
{
    QString out = csv_line(
        {QStringLiteral("row"), QStringLiteral("part"), QStringLiteral("time [s]"), QStringLiteral("share of row")});
    for (const Segment& s : segments()) {
        const QString row = s.row == critical_row ? QStringLiteral("critical path")
            : s.row == hidden_row                 ? QStringLiteral("hidden")
                                                  : QStringLiteral("measured");
        const QString name = s.row == hidden_row ? communication_name(s.part) : to_qt(name_of(s.part));
        out += csv_line({row, name, csv_number(s.time.value()), csv_number(s.time.value() / total_of(s.row).value())});
    }
    return out;
}

} // namespace ridgepoint
