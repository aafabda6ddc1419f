#pragma once
// Draws the figures that model/report writes as SVG with the painter itself: lines, rectangles, circles and text in the
// classes of the report, in the colours of paper. Qt's own SVG renderer sizes text by the device's resolution, which a PDF
// makes unreadable.

#include <string>

#include <QSizeF>

class QPainter;
class QRectF;

namespace ridgepoint {

QSizeF svg_figure_size(const std::string& svg); // of its view box; empty: not such a figure
void draw_svg_figure(const std::string& svg, QPainter& painter, const QRectF& area); // scaled to the width of the area

} // namespace ridgepoint
