#include "views/charts/bar_drawing.h"

#include <algorithm>
#include <cmath>

#include <QFontMetricsF>

namespace ridgepoint {

void draw_fitting_text(QPainter& painter, const QRectF& box, const QStringList& texts, const QColor& colour)
{
    const QFontMetricsF metrics(painter.font());
    if (box.height() < metrics.height() * 0.95)
        return;
    for (const QString& text : texts)
        if (metrics.horizontalAdvance(text) + 6 <= box.width()) {
            painter.setPen(colour);
            painter.drawText(box, Qt::AlignCenter, text);
            return;
        }
}

double lay_out_legend(std::vector<LegendItem>& items, QPointF top_left, double width, const QFont& font)
{
    const QFontMetricsF metrics(font);
    const double u = metrics.height();
    double widest = 0;
    for (const LegendItem& i : items)
        widest = std::max(widest, metrics.horizontalAdvance(i.text) + 2.2 * u);
    if (items.empty() || !(widest > 0))
        return 0;
    const int columns = std::clamp(static_cast<int>(width / widest), 1, static_cast<int>(items.size()));
    const int rows = (static_cast<int>(items.size()) + columns - 1) / columns;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const int column = static_cast<int>(i) % columns;
        const int row = static_cast<int>(i) / columns;
        items[i].box = QRectF(
            top_left.x() + column * widest, top_left.y() + row * 1.35 * u, std::min(widest - 0.4 * u, width), 1.25 * u);
    }
    return rows * 1.35 * u;
}

void draw_legend(QPainter& painter, const std::vector<LegendItem>& items, const QFont& font, const Theme& theme)
{
    painter.save();
    painter.setFont(font);
    const QFontMetricsF metrics(font);
    const double u = metrics.height();
    for (const LegendItem& i : items) {
        const QRectF swatch(i.box.left() + 0.15 * u, i.box.center().y() - 0.36 * u, 0.72 * u, 0.72 * u);
        painter.setPen(QPen(i.colour, 1));
        painter.setBrush(i.hollow ? QBrush(theme.background) : QBrush(i.colour));
        painter.drawRect(swatch);
        if (i.hollow)
            draw_hatching(painter, swatch, i.colour, 4);
        painter.setPen(theme.text);
        painter.drawText(i.box.adjusted(1.2 * u, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
            metrics.elidedText(i.text, Qt::ElideRight, i.box.width() - 1.2 * u));
    }
    painter.restore();
}

void draw_hatching(QPainter& painter, const QRectF& box, const QColor& colour, double spacing)
{
    painter.save();
    painter.setClipRect(box, Qt::IntersectClip);
    painter.setPen(QPen(colour, 1.2));
    for (double at = box.left() - box.height(); at < box.right(); at += spacing)
        painter.drawLine(QPointF(at, box.bottom()), QPointF(at + box.height(), box.top()));
    painter.restore();
}

} // namespace ridgepoint
