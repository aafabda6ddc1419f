#pragma once
// Pieces that the bar charts share: a segment with its label, a legend that wraps, a linear axis.

#include <vector>

#include <QColor>
#include <QFont>
#include <QPainter>
#include <QString>

#include "views/theme/theme.h"

namespace ridgepoint {

// The longest of `texts` that fits, centred; nothing if none does.
void draw_fitting_text(QPainter& painter, const QRectF& box, const QStringList& texts, const QColor& colour);

struct LegendItem
{
    QColor colour;
    QString text;
    bool hollow = false;
    int tag = 0;
    QRectF box; // filled by lay_out_legend
};
// Left to right in columns of equal width, as many as fit. Answers the height.
double lay_out_legend(std::vector<LegendItem>& items, QPointF top_left, double width, const QFont& font);
void draw_legend(QPainter& painter, const std::vector<LegendItem>& items, const QFont& font, const Theme& theme);

// Diagonal lines over a box: hidden, over capacity.
void draw_hatching(QPainter& painter, const QRectF& box, const QColor& colour, double spacing);

} // namespace ridgepoint
