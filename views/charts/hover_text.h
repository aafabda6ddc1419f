#pragma once
// The box beside the pointer: a heading and rows of name and value. Drawn by the chart itself, so that it follows the
// theme, can be pinned and appears in screenshots.

#include <utility>

#include <QFont>
#include <QList>
#include <QPainter>
#include <QString>

#include "views/theme/theme.h"

namespace ridgepoint {

struct HoverText
{
    QString heading; // empty: nothing to show
    QList<std::pair<QString, QString>> rows;
    QString note;
    QPointF anchor; // of the thing that is described
    [[nodiscard]] bool empty() const { return heading.isEmpty(); }
    [[nodiscard]] QString plain() const; // one line per row, for the clipboard and screen readers
};

// Beside `text.anchor`, moved so that it stays inside `area`.
void draw_hover_text(
    QPainter& painter, const HoverText& text, const QRectF& area, const QFont& font, const Theme& theme);

} // namespace ridgepoint
