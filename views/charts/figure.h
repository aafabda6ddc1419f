#pragma once
// What every chart can do beside being a widget: paint itself anywhere (screen, PDF, SVG, PNG) and say its numbers.

#include <QPainter>
#include <QRectF>
#include <QString>
#include <QWidget>

#include "views/theme/theme.h"

namespace ridgepoint {

class Figure
{
public:
    virtual ~Figure() = default;

    // Paints the whole figure, laid out for `target`'s size in the painter's units (pixels at 96 dpi), without what
    // belongs to the screen only (hover, focus).
    virtual void paint_figure(QPainter& painter, const QRectF& target, const Theme& theme) = 0;
    [[nodiscard]] virtual QString figure_title() const = 0;
    // One header row with units in brackets, RFC 4180, '.' decimal. `visible_only`: what the current view shows.
    [[nodiscard]] virtual QString figure_csv(bool visible_only) const = 0;
    [[nodiscard]] virtual QWidget* figure_widget() = 0;
};

} // namespace ridgepoint
