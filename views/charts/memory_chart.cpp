#include "views/charts/memory_chart.h"

#include <algorithm>
#include <cmath>

#include <QFontMetricsF>

#include "model/roofline/axis_ticks.h"
#include "model/units/format.h"
#include "views/charts/counted.h"
#include "views/charts/plane_labels.h"
#include "views/items/csv.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

constexpr int tag_stride = 16;

template <typename Visit> void each_part(Visit visit)
{
    for (std::size_t p = 0; p < memory_part_count; ++p)
        visit(static_cast<MemoryPart>(p));
}

} // namespace

MemoryChart::MemoryChart(QWidget* parent)
    : BarFigure(parent)
{
    content_changed();
}

void MemoryChart::set_memory(const MemoryFit& memory)
{
    m_memory = memory;
    content_changed();
}

QSize MemoryChart::sizeHint() const
{
    return {420, 340};
}
QSize MemoryChart::minimumSizeHint() const
{
    return {240, 180};
}

QString MemoryChart::figure_title() const
{
    return tr("Memory per GPU");
}

QString MemoryChart::verdict() const
{
    if (m_memory.stages.empty())
        return {};
    const StageMemory& worst = m_memory.worst();
    const Bytes room = m_memory.headroom();
    const QString where = m_memory.stages.size() > 1 ? tr(" at stage %1").arg(worst.stage + 1) : QString();
    const QString need = tr("%1 of %2%3").arg(to_qt(format(worst.total())), to_qt(format(m_memory.capacity)), where);
    return m_memory.fits() ? tr("%1, %2 free").arg(need, to_qt(format(room)))
                           : tr("%1: %2 too much").arg(need, to_qt(format(-room)));
}

QRectF MemoryChart::column(std::size_t stage) const
{
    const double slot = m_plot.width() / static_cast<double>(std::max<std::size_t>(1, m_memory.stages.size()));
    const double width = std::min(slot * (slot > 8 ? 0.74 : 0.9), 170.0);
    const double middle = m_plot.left() + slot * (static_cast<double>(stage) + 0.5);
    return {middle - width / 2, m_plot.top(), width, m_plot.height()};
}

double MemoryChart::y_of(Bytes bytes) const
{
    return m_plot.bottom() - m_plot.height() * in_gibibytes(bytes) / m_top_gib;
}

void MemoryChart::lay_out(const QRectF& target, const QFont& font)
{
    const QFontMetricsF metrics(font);
    const double u = metrics.height();
    m_legend.clear();
    each_part([&](MemoryPart p) {
        const bool any
            = std::ranges::any_of(m_memory.stages, [p](const StageMemory& m) { return part_of(m, p) > Bytes{}; });
        if (any)
            m_legend.push_back({{}, name_of(p), false, static_cast<int>(p), {}});
    });
    const double head = target.top() + 0.5 * u + 1.5 * u + 1.3 * u;
    const double legend = lay_out_legend(
        m_legend, QPointF(target.left() + 0.6 * u, head + 0.2 * u), target.width() - 1.2 * u, pixel_font(font, 0.92));
    const double top = head + 0.5 * u + legend;
    const double bottom = m_memory.stages.size() > 1 ? 2.9 * u : 1.0 * u;
    m_plot = QRectF(target.left() + 4.6 * u, top, std::max(10.0, target.width() - 4.6 * u - 1.0 * u),
        std::max(10.0, target.bottom() - bottom - top));

    double highest = in_gibibytes(m_memory.capacity);
    for (const StageMemory& m : m_memory.stages)
        highest = std::max(highest, in_gibibytes(m.total()));
    m_top_gib = std::isfinite(highest) && highest > 0 ? highest * 1.12 : 1.0;
    m_capacity_y = y_of(m_memory.capacity);

    for (std::size_t s = 0; s < m_memory.stages.size(); ++s) {
        const QRectF bar = column(s);
        Bytes sum;
        each_part([&](MemoryPart p) {
            const Bytes part = part_of(m_memory.stages[s], p);
            if (!(part > Bytes{}) || !std::isfinite(part.value()))
                return;
            const double low = y_of(sum);
            sum += part;
            m_boxes.push_back({QRectF(QPointF(bar.left(), y_of(sum)), QPointF(bar.right(), low)),
                static_cast<int>(s) * tag_stride + static_cast<int>(p)});
        });
    }
}

void MemoryChart::draw(QPainter& painter, const QRectF& target, const Theme& theme)
{
    const QFont font = painter.font();
    const double u = QFontMetricsF(font).height();
    const double left = target.left() + 0.6 * u;
    const double width = target.width() - 1.2 * u;
    painter.setFont(pixel_font(font, 1.15, true));
    painter.setPen(theme.text);
    painter.drawText(
        QRectF(left, target.top() + 0.4 * u, width, 1.5 * u), Qt::AlignLeft | Qt::AlignVCenter, figure_title());
    if (m_memory.stages.empty())
        return;
    painter.setFont(pixel_font(font, 0.96));
    painter.setPen(m_memory.fits() ? theme.dim_text : theme.danger);
    painter.drawText(QRectF(left, target.top() + 1.95 * u, width, 1.3 * u), Qt::AlignLeft | Qt::AlignVCenter,
        QFontMetricsF(painter.font()).elidedText(verdict(), Qt::ElideRight, width));
    std::vector<LegendItem> legend = m_legend;
    for (LegendItem& i : legend)
        i.colour = theme.of(static_cast<MemoryPart>(i.tag));
    draw_legend(painter, legend, pixel_font(font, 0.92), theme);

    painter.setFont(pixel_font(font, 0.92));
    for (const LinearTick& t : linear_ticks(m_top_gib, m_plot.height(), 2.2 * u)) {
        const double y = m_plot.bottom() - m_plot.height() * t.value / m_top_gib;
        if (y < m_plot.top() - 0.5)
            continue;
        painter.setPen(QPen(theme.grid, 1));
        painter.drawLine(QPointF(m_plot.left(), std::round(y) + 0.5), QPointF(m_plot.right(), std::round(y) + 0.5));
        painter.setPen(theme.dim_text);
        painter.drawText(QRectF(m_plot.left() - 4 * u, y - u / 2, 4 * u - 0.4 * u, u),
            Qt::AlignRight | Qt::AlignVCenter, to_qt(t.label));
    }
    painter.save();
    painter.translate(target.left() + 0.9 * u, m_plot.center().y());
    painter.rotate(-90);
    painter.setFont(pixel_font(font, 0.96, true));
    painter.setPen(theme.text);
    painter.drawText(QRectF(-m_plot.height() / 2, -0.6 * u, m_plot.height(), 1.2 * u), Qt::AlignCenter, tr("GiB"));
    painter.restore();

    painter.setFont(pixel_font(font, 0.88));
    for (const Box& b : m_boxes) {
        const auto part = static_cast<MemoryPart>(b.tag % tag_stride);
        const QColor fill = theme.of(part);
        painter.setPen(b.rect.height() > 3 && b.rect.width() > 6 ? QPen(theme.background, 1) : QPen(Qt::NoPen));
        painter.setBrush(fill);
        painter.drawRect(b.rect);
        const Bytes bytes = part_of(m_memory.stages[static_cast<std::size_t>(b.tag / tag_stride)], part);
        draw_fitting_text(painter, b.rect,
            {QStringLiteral("%1 %2").arg(name_of(part), to_qt(format(bytes))), to_qt(format(bytes)),
                to_qt(format_number(in_gibibytes(bytes), 2))},
            theme.text_on(fill));
    }

    const double slot = m_plot.width() / static_cast<double>(m_memory.stages.size());
    const QFontMetricsF small(painter.font());
    for (std::size_t s = 0; s < m_memory.stages.size(); ++s) {
        const Bytes over = m_memory.stages[s].total() - m_memory.capacity;
        if (!(over > Bytes{}))
            continue;
        const QRectF bar = column(s);
        const double top = y_of(m_memory.stages[s].total());
        const QRectF excess(bar.left(), top, bar.width(), m_capacity_y - top);
        draw_hatching(painter, excess, theme.danger, std::max(4.0, u * 0.4));
        painter.setPen(QPen(theme.danger, 1.6));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(excess);
        const QString text = QStringLiteral("+%1").arg(to_qt(format(over)));
        const QString number = QStringLiteral("+%1").arg(to_qt(format_number(in_gibibytes(over), 2)));
        for (const QString& t : {text, number})
            if (small.horizontalAdvance(t) < slot - 2) {
                painter.setPen(theme.danger);
                painter.drawText(
                    QRectF(bar.center().x() - slot / 2, top - 1.2 * u, slot, 1.15 * u), Qt::AlignCenter, t);
                break;
            }
    }
    painter.setPen(QPen(m_memory.fits() ? theme.roof : theme.danger, 2, Qt::DashLine));
    painter.drawLine(QPointF(m_plot.left(), m_capacity_y), QPointF(m_plot.right(), m_capacity_y));
    const QString capacity = tr("usable %1").arg(to_qt(format(m_memory.capacity)));
    draw_haloed_text(painter, QPointF(m_plot.right() - small.horizontalAdvance(capacity) - 3, m_capacity_y - 0.3 * u),
        capacity, painter.font(), m_memory.fits() ? theme.text : theme.danger, theme.background);

    painter.setPen(QPen(theme.axis, 1));
    painter.drawLine(m_plot.bottomLeft(), m_plot.bottomRight());
    if (m_memory.stages.size() < 2)
        return;
    painter.setFont(pixel_font(font, 0.92));
    const QFontMetricsF metrics(painter.font());
    const double label = metrics.horizontalAdvance(QString::number(m_memory.stages.back().stage + 1)) + 6;
    const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil(label / slot)));
    painter.setPen(theme.dim_text);
    for (std::size_t s = 0; s < m_memory.stages.size(); ++s)
        if (s % every == 0)
            painter.drawText(QRectF(column(s).center().x() - 3 * u, m_plot.bottom() + 0.25 * u, 6 * u, u),
                Qt::AlignHCenter | Qt::AlignTop, QString::number(m_memory.stages[s].stage + 1));
    painter.setFont(pixel_font(font, 0.96, true));
    painter.setPen(theme.text);
    painter.drawText(QRectF(m_plot.left(), m_plot.bottom() + 1.45 * u, m_plot.width(), 1.2 * u), Qt::AlignCenter,
        tr("Pipeline stage"));
}

QRectF MemoryChart::bar(std::size_t stage, MemoryPart part) const
{
    for (const Box& b : m_boxes)
        if (b.tag == static_cast<int>(stage) * tag_stride + static_cast<int>(part))
            return b.rect;
    return {};
}

HoverText MemoryChart::hover_text(int box) const
{
    HoverText t;
    if (box < 0 || static_cast<std::size_t>(box) >= m_boxes.size())
        return t;
    const int tag = m_boxes[static_cast<std::size_t>(box)].tag;
    const StageMemory& m = m_memory.stages[static_cast<std::size_t>(tag / tag_stride)];
    const auto part = static_cast<MemoryPart>(tag % tag_stride);
    t.anchor = m_boxes[static_cast<std::size_t>(box)].rect.center();
    t.heading = m_memory.stages.size() > 1 ? tr("%1, stage %2").arg(name_of(part)).arg(m.stage + 1) : name_of(part);
    const Bytes bytes = part_of(m, part);
    t.rows.append({tr("Size"), QStringLiteral("%1 (%2)").arg(to_qt(format(bytes)), to_qt(format_decimal(bytes)))});
    t.rows.append({tr("Of the stage's need"), to_qt(format_percent(bytes / m.total()))});
    t.rows.append({tr("Stage needs"), to_qt(format(m.total()))});
    t.rows.append({tr("Usable"), to_qt(format(m_memory.capacity))});
    const Bytes room = m_memory.capacity - m.total();
    t.rows.append({room >= Bytes{} ? tr("Free") : tr("Too much"), to_qt(format(room >= Bytes{} ? room : -room))});
    return t;
}

void MemoryChart::box_clicked(int box)
{
    const int tag = m_boxes[static_cast<std::size_t>(box)].tag;
    emit stage_clicked(
        m_memory.stages[static_cast<std::size_t>(tag / tag_stride)].stage, static_cast<MemoryPart>(tag % tag_stride));
}

void MemoryChart::box_hovered(int box)
{
    emit stage_hovered(box < 0
            ? -1
            : m_memory.stages[static_cast<std::size_t>(m_boxes[static_cast<std::size_t>(box)].tag / tag_stride)].stage);
}

QString MemoryChart::accessible_text() const
{
    if (m_memory.stages.empty())
        return tr("Nothing to show yet.");
    QString text
        = counted(static_cast<qint64>(m_memory.stages.size()), tr("1 pipeline stage."), tr("%1 pipeline stages."))
        + QLatin1Char(' ') + verdict() + QLatin1Char('.');
    each_part([&](MemoryPart p) {
        if (const Bytes b = part_of(m_memory.worst(), p); b > Bytes{})
            text += QStringLiteral(" %1 %2.").arg(name_of(p), to_qt(format(b)));
    });
    return text;
}

QString MemoryChart::figure_csv(bool) const
{
    QStringList header{QStringLiteral("stage")};
    each_part([&](MemoryPart p) { header << name_of(p).toLower() + QStringLiteral(" [B]"); });
    header << QStringLiteral("total [B]") << QStringLiteral("usable [B]");
    QString out = csv_line(header);
    for (const StageMemory& m : m_memory.stages) {
        QStringList cells{QString::number(m.stage + 1)};
        each_part([&](MemoryPart p) { cells << csv_number(part_of(m, p).value()); });
        cells << csv_number(m.total().value()) << csv_number(m_memory.capacity.value());
        out += csv_line(cells);
    }
    return out;
}

} // namespace ridgepoint
