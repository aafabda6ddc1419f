#include "views/charts/hover_text.h"

#include <algorithm>

#include <QFontMetricsF>

namespace ridgepoint {
namespace {

constexpr double widest = 340;
constexpr double padding = 9;

} // namespace

QString HoverText::plain() const
{
    QString out = heading;
    for (const auto& [name, value] : rows)
        out += QStringLiteral("\n%1: %2").arg(name, value);
    if (!note.isEmpty())
        out += QLatin1Char('\n') + note;
    return out;
}

void draw_hover_text(
    QPainter& painter, const HoverText& text, const QRectF& area, const QFont& font, const Theme& theme)
{
    if (text.empty())
        return;
    QFont bold(font);
    bold.setBold(true);
    const QFontMetricsF metrics(font);
    const QFontMetricsF bold_metrics(bold);
    constexpr int flags = Qt::TextWrapAnywhere;
    constexpr int word_flags = Qt::TextWordWrap;

    double name_width = 0, value_width = 0;
    for (const auto& [name, value] : text.rows) {
        name_width = std::max(name_width, metrics.horizontalAdvance(name));
        value_width = std::max(value_width, metrics.horizontalAdvance(value));
    }
    const double gap = metrics.height();
    const double most = std::min(widest, area.width() - 2 * padding - 8);
    const double inner
        = std::clamp(std::max(name_width + gap + value_width, bold_metrics.horizontalAdvance(text.heading) + 1), 120.0,
            std::max(120.0, most));
    const QRectF heading = bold_metrics.boundingRect(QRectF(0, 0, inner, 1e4), flags, text.heading);
    const QRectF note
        = text.note.isEmpty() ? QRectF() : metrics.boundingRect(QRectF(0, 0, inner, 1e4), word_flags, text.note);
    const double row = metrics.height() * 1.12;
    double height = heading.height() + 4 + row * static_cast<double>(text.rows.size());
    if (!note.isEmpty())
        height += note.height() + 5;

    QRectF box(0, 0, inner + 2 * padding, height + 2 * padding - 2);
    box.moveTopLeft(text.anchor + QPointF(16, 14));
    if (box.right() > area.right() - 4)
        box.moveRight(text.anchor.x() - 16);
    if (box.bottom() > area.bottom() - 4)
        box.moveBottom(text.anchor.y() - 14);
    box.moveLeft(std::clamp(box.left(), area.left() + 4, std::max(area.left() + 4, area.right() - 4 - box.width())));
    box.moveTop(std::clamp(box.top(), area.top() + 4, std::max(area.top() + 4, area.bottom() - 4 - box.height())));

    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.axis, 1));
    painter.setBrush(theme.tooltip);
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    double y = box.top() + padding - 2;
    const double x = box.left() + padding;
    painter.setPen(theme.tooltip_text);
    painter.setFont(bold);
    painter.drawText(QRectF(x, y, inner, heading.height() + 1), flags, text.heading);
    y += heading.height() + 4;
    painter.setFont(font);
    for (const auto& [name, value] : text.rows) {
        painter.setPen(theme.dim_text);
        painter.drawText(QRectF(x, y, inner, row), Qt::AlignLeft | Qt::AlignVCenter, name);
        painter.setPen(theme.tooltip_text);
        painter.drawText(QRectF(x, y, inner, row), Qt::AlignRight | Qt::AlignVCenter,
            metrics.elidedText(value, Qt::ElideRight, inner - metrics.horizontalAdvance(name) - 6));
        y += row;
    }
    if (!note.isEmpty()) {
        painter.setPen(theme.dim_text);
        painter.drawText(QRectF(x, y + 5, inner, note.height() + 1), word_flags, text.note);
    }
    painter.restore();
}

} // namespace ridgepoint
