#pragma once
// Text on lines of a log-log plane: placed without overlap, drawn along the line with a halo.

#include <vector>

#include <QColor>
#include <QFont>
#include <QPainter>
#include <QString>

#include "model/roofline/label_placement.h"

namespace ridgepoint {

struct LineLabel
{
    QString text;
    QPointF from, to; // pixels, left to right
    QColor colour;
    bool bold = false;
};

// In order of priority. Answers how many had no room.
int draw_line_labels(QPainter& painter, const std::vector<LineLabel>& labels, const QRectF& area, const QFont& font,
    const QColor& halo, std::vector<LabelBox> taken = {}, const std::vector<LabelBox>& avoided = {});
void draw_haloed_text(QPainter& painter, QPointF baseline, const QString& text, const QFont& font, const QColor& colour,
    const QColor& halo);

} // namespace ridgepoint
