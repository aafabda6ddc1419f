#include "views/charts/plane_labels.h"

#include <cmath>
#include <numbers>

#include <QFontMetricsF>
#include <QPaintEngine>
#include <QPainterPath>

namespace ridgepoint {
namespace {

QFont weighted(const QFont& font, bool bold)
{
    QFont f(font);
    f.setBold(bold);
    return f;
}

bool is_raster(const QPainter& painter)
{
    return painter.paintEngine() && painter.paintEngine()->type() == QPaintEngine::Raster;
}

} // namespace

void draw_haloed_text(QPainter& painter, QPointF baseline, const QString& text, const QFont& font, const QColor& colour,
    const QColor& halo)
{
    QPainterPath outline;
    outline.addText(baseline, font, text);
    painter.setPen(QPen(halo, 3.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(halo);
    painter.drawPath(outline);
    // In a PDF or SVG the text stays text: it can be searched and copied.
    if (is_raster(painter)) {
        painter.fillPath(outline, colour);
    } else {
        painter.setFont(font);
        painter.setPen(colour);
        painter.drawText(baseline, text);
    }
}

int draw_line_labels(QPainter& painter, const std::vector<LineLabel>& labels, const QRectF& area, const QFont& font,
    const QColor& halo, std::vector<LabelBox> taken, const std::vector<LabelBox>& avoided)
{
    std::vector<LabelRequest> requests;
    for (const LineLabel& l : labels) {
        const QFontMetricsF metrics(weighted(font, l.bold));
        requests.push_back({along_segment(l.from.x(), l.from.y(), l.to.x(), l.to.y(),
            metrics.horizontalAdvance(l.text) + 10.0, metrics.height(), 1.0, 6.0)});
    }
    const auto chosen
        = place_labels(requests, area.left(), area.top(), area.right(), area.bottom(), std::move(taken), avoided);
    int left_out = 0;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        if (!chosen[i]) {
            ++left_out;
            continue;
        }
        const LabelBox& box = requests[i].candidates[*chosen[i]];
        const QFont f = weighted(font, labels[i].bold);
        const QFontMetricsF metrics(f);
        painter.save();
        painter.translate(box.x, box.y);
        painter.rotate(box.angle * 180.0 / std::numbers::pi);
        draw_haloed_text(painter, QPointF(-box.width / 2 + 5.0, metrics.ascent() - metrics.height() / 2),
            labels[i].text, f, labels[i].colour, halo);
        painter.restore();
    }
    return left_out;
}

} // namespace ridgepoint
