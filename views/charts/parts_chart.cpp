#include "views/charts/parts_chart.h"

#include <algorithm>
#include <cmath>

#include <QFontMetricsF>

#include "views/items/csv.h"

namespace ridgepoint {
namespace {

    constexpr int tag_stride = 1 << 12; // rows of a group
    constexpr double widest_names = 0.42; // of a group

    double end_of(const PartsGroup& group)
    {
        double most = group.limit.value_or(0.0), at = 0;
        for (const PartRow& r : group.rows) {
            const double from = group.hanging && !r.whole ? at : 0.0;
            at = group.hanging && !r.whole ? at + r.value : at;
            most = std::max({most, from, from + r.value});
        }
        return most;
    }

} // namespace

PartsChart::PartsChart(QWidget* parent) : BarFigure(parent) { content_changed(); }

void PartsChart::set_groups(const QString& title, std::vector<PartsGroup> groups)
{
    m_title = title;
    m_groups = std::move(groups);
    content_changed();
}

void PartsChart::lay_out(const QRectF& target, const QFont& font)
{
    const double u = QFontMetricsF(font).height();
    m_frames.assign(m_groups.size(), {});
    if (m_groups.empty())
        return;
    const QRectF area(target.left() + 0.4 * u, target.top() + 0.3 * u, std::max(10.0, target.width() - 0.8 * u), std::max(10.0, target.height() - 0.6 * u));
    const auto count = static_cast<double>(m_groups.size());
    std::size_t rows = 0;
    for (const PartsGroup& g : m_groups)
        rows = std::max(rows, g.rows.size());
    // Beside one another unless that leaves the bars no room.
    const bool beside = area.width() / count >= 26 * u || area.height() < (static_cast<double>(rows) + 2) * 1.2 * u * count;
    for (std::size_t g = 0; g < m_groups.size(); ++g) {
        const auto i = static_cast<double>(g);
        m_frames[g].cell = beside ? QRectF(area.left() + area.width() / count * i, area.top(), area.width() / count, area.height())
                                  : QRectF(area.left(), area.top() + area.height() / count * i, area.width(), area.height() / count);
        lay_out_group(m_groups[g], m_frames[g], static_cast<int>(g) * tag_stride, font);
    }
}

void PartsChart::lay_out_group(const PartsGroup& group, Frame& f, int tag, const QFont& font)
{
    const double u = QFontMetricsF(font).height();
    const QFontMetricsF metrics(pixel_font(font, 0.94, true)); // the widest a row can be
    double names = 0, texts = 0;
    for (const PartRow& r : group.rows) {
        names = std::max(names, metrics.horizontalAdvance(r.name));
        texts = std::max(texts, metrics.horizontalAdvance(r.text));
    }
    names = std::min(names, widest_names * f.cell.width());
    const double top = f.cell.top() + 1.6 * u;
    f.pitch = std::min(std::max(1.0, f.cell.bottom() - 0.2 * u - top) / static_cast<double>(std::max<std::size_t>(1, group.rows.size())), 1.9 * u);
    f.plot = QRectF(f.cell.left() + names + 1.2 * u, top, std::max(20.0, f.cell.width() - names - texts - 2.6 * u), f.pitch * static_cast<double>(group.rows.size()));
    const double most = end_of(group);
    f.scale = most > 0 ? f.plot.width() / most : 0;
    double at = 0;
    for (std::size_t i = 0; i < group.rows.size(); ++i) {
        const PartRow& r = group.rows[i];
        const double from = group.hanging && !r.whole ? at : 0.0;
        if (group.hanging && !r.whole)
            at += r.value;
        const double left = std::min(from, from + r.value), width = std::abs(r.value);
        m_boxes.push_back({QRectF(f.plot.left() + left * f.scale, f.plot.top() + f.pitch * (static_cast<double>(i) + 0.14), std::max(1.0, width * f.scale), 0.72 * f.pitch), tag + static_cast<int>(i)});
    }
}

void PartsChart::draw(QPainter& painter, const QRectF& target, const Theme& theme)
{
    if (m_groups.empty()) {
        painter.setPen(theme.dim_text);
        painter.drawText(target, Qt::AlignCenter | Qt::TextWordWrap, tr("Nothing to show yet"));
        return;
    }
    std::size_t box = 0;
    for (std::size_t g = 0; g < m_groups.size(); ++g) {
        draw_group(painter, m_groups[g], m_frames[g], box, theme);
        box += m_groups[g].rows.size();
    }
}

void PartsChart::draw_group(QPainter& painter, const PartsGroup& group, const Frame& f, std::size_t first_box, const Theme& theme)
{
    const QFont font = painter.font();
    const double u = QFontMetricsF(font).height();
    painter.setFont(pixel_font(font, 1.0, true));
    painter.setPen(theme.text);
    const QRectF heading(f.cell.left() + 0.4 * u, f.cell.top(), f.cell.width() - 0.8 * u, 1.4 * u);
    const QFont small = pixel_font(font, 0.92);
    const double limit_width = group.limit ? QFontMetricsF(small).horizontalAdvance(group.limit_name) + 2.4 * u : 0;
    painter.drawText(heading, Qt::AlignLeft | Qt::AlignVCenter, QFontMetricsF(painter.font()).elidedText(group.title, Qt::ElideRight, heading.width() - limit_width));
    if (group.rows.empty()) {
        painter.setFont(pixel_font(font, 0.94));
        painter.setPen(theme.dim_text);
        painter.drawText(f.cell.adjusted(0.4 * u, 1.8 * u, -0.4 * u, 0), Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, group.empty_text);
        painter.setFont(font);
        return;
    }
    const double relative = std::clamp(0.94 * f.pitch / (1.05 * u), 0.6, 0.94); // rows that are low have small letters
    for (std::size_t i = 0; i < group.rows.size(); ++i) {
        const PartRow& r = group.rows[i];
        const QRectF box = m_boxes[first_box + i].rect;
        const double top = f.plot.top() + f.pitch * static_cast<double>(i);
        painter.setFont(pixel_font(font, relative, r.whole));
        const QFontMetricsF metrics(painter.font());
        painter.setPen(theme.text);
        const QRectF name(f.cell.left() + 0.4 * u, top, f.plot.left() - f.cell.left() - 0.9 * u, f.pitch);
        painter.drawText(name, Qt::AlignRight | Qt::AlignVCenter, metrics.elidedText(r.name, Qt::ElideRight, name.width()));
        painter.setPen(Qt::NoPen);
        painter.setBrush(r.colour ? r.colour(theme) : theme.of(Resource::compute));
        painter.drawRect(box);
        painter.setPen(theme.text);
        painter.drawText(QPointF(box.right() + 0.4 * u, top + (f.pitch + metrics.ascent() - metrics.descent()) / 2), r.text);
        if (group.hanging && i + 1 < group.rows.size() && !r.whole) { // to where the next begins
            painter.setPen(QPen(theme.axis, 1, Qt::DotLine));
            const double x = std::round(box.right()) + 0.5;
            painter.drawLine(QPointF(x, box.bottom()), QPointF(x, m_boxes[first_box + i + 1].rect.top()));
        }
    }
    if (group.limit) {
        const double x = std::round(f.plot.left() + *group.limit * f.scale) + 0.5;
        painter.setPen(QPen(theme.danger, 1.4, Qt::DashLine));
        painter.drawLine(QPointF(x, f.plot.top()), QPointF(x, f.plot.bottom()));
        const double from = heading.right() - limit_width + 0.4 * u; // what the line is, in the heading: rows have no room
        painter.drawLine(QPointF(from, heading.center().y()), QPointF(from + 1.4 * u, heading.center().y()));
        painter.setFont(small);
        painter.drawText(QRectF(from + 1.7 * u, heading.top(), limit_width, heading.height()), Qt::AlignLeft | Qt::AlignVCenter, group.limit_name);
    }
    painter.setFont(font);
}

QRectF PartsChart::bar(std::size_t group, std::size_t row) const
{
    const int tag = static_cast<int>(group) * tag_stride + static_cast<int>(row);
    const auto found = std::ranges::find(m_boxes, tag, &Box::tag);
    return found == m_boxes.end() ? QRectF() : found->rect;
}

HoverText PartsChart::hover_text(int box) const
{
    HoverText t;
    if (box < 0 || static_cast<std::size_t>(box) >= m_boxes.size())
        return t;
    const int tag = m_boxes[static_cast<std::size_t>(box)].tag;
    const PartsGroup& group = m_groups[static_cast<std::size_t>(tag / tag_stride)];
    const PartRow& r = group.rows[static_cast<std::size_t>(tag % tag_stride)];
    t.anchor = m_boxes[static_cast<std::size_t>(box)].rect.center();
    t.heading = QStringLiteral("%1: %2").arg(r.name, r.text);
    t.rows = r.details;
    return t;
}

void PartsChart::box_clicked(int box)
{
    const int tag = m_boxes[static_cast<std::size_t>(box)].tag;
    emit row_chosen(tag / tag_stride, tag % tag_stride);
}

QString PartsChart::accessible_text() const
{
    if (m_groups.empty())
        return tr("Nothing to show yet.");
    QString text;
    for (const PartsGroup& g : m_groups) {
        text += g.title + QStringLiteral(". ");
        for (const PartRow& r : g.rows)
            text += QStringLiteral("%1: %2. ").arg(r.name, r.text);
        if (g.rows.empty())
            text += g.empty_text + QLatin1Char(' ');
    }
    return text.trimmed();
}

QString PartsChart::figure_csv(bool) const
{
    QString out = csv_line({QStringLiteral("group"), QStringLiteral("unit"), QStringLiteral("part"), QStringLiteral("value")});
    for (const PartsGroup& g : m_groups)
        for (const PartRow& r : g.rows)
            out += csv_line({g.title, g.unit, r.name, csv_number(r.value)});
    return out;
}

} // namespace ridgepoint
