#pragma once
// Colours by meaning, not by name, for light, dark and printed figures. Okabe-Ito set (Okabe & Ito 2008, "Color
// Universal Design"), darkened or lightened where its contrast against the background is below 3:1 for marks or 4.5:1
// for text; the test computes every ratio. Colour never carries a meaning alone: marks have a shape, roofs a dash
// pattern, bars a label.

#include <QColor>
#include <QFont>
#include <QList>
#include <QPainterPath>
#include <QPalette>

#include "model/estimate/estimate.h"
#include "model/roofline/roofline.h"
#include "model/trace/timeline.h"

namespace ridgepoint {

enum class MarkShape : unsigned char { circle, square, triangle, diamond, cross, star };

// Parts of a GPU's memory, bottom to top of the bar.
enum class MemoryPart : unsigned char { weights, gradients, optimizer, activations, kv_cache, workspace, reserve };
inline constexpr std::size_t memory_part_count = 7;

struct Theme
{
    bool dark = false;
    QColor window; // around the figure
    QColor background; // of the figure
    QColor plot; // of the plot area
    QColor grid, minor_grid; // opaque: alpha in grid pens costs milliseconds a repaint
    QColor axis;
    QColor text, dim_text;
    QColor accent; // selection and focus
    QColor roof; // emphasised ceilings
    QColor dim_roof; // ceilings that the plan does not use
    QColor measured_roof; // of a tool's or the user's own measurement
    QColor danger; // does not fit, above the roof
    QColor tooltip, tooltip_text;

    static Theme light();
    static Theme dark_theme();
    static Theme print(); // white, black text, safe in grey
    static Theme from_palette(const QPalette& palette); // light or dark by the lightness of Window and WindowText

    [[nodiscard]] QColor of(OperatorClass c) const;
    [[nodiscard]] QColor of(KernelClass c) const;
    [[nodiscard]] QColor of(StepPart p) const;
    [[nodiscard]] QColor of(MemoryPart p) const;
    [[nodiscard]] QColor of(Resource r) const;
    [[nodiscard]] QColor of(MemoryLevel l) const;
    [[nodiscard]] QColor density(double share) const; // 0..1, one hue, lightness monotone
    [[nodiscard]] QColor text_on(const QColor& fill) const; // black or white, whichever reads better

    bool operator==(const Theme&) const = default;
};

bool is_dark(const QPalette& palette);

// WCAG 2.1, "relative luminance" and "contrast ratio": 1..21.
double relative_luminance(const QColor& c);
double contrast_ratio(const QColor& a, const QColor& b);

MarkShape shape_of(OperatorClass c);
MarkShape shape_of(KernelClass c);
QPainterPath mark_path(MarkShape shape, QPointF centre, double radius); // equal areas for equal radii
QList<qreal> dash_of(Arithmetic a); // in pen widths; empty: solid
QList<qreal> dash_of(MemoryLevel l);
QList<qreal> dash_of_measured_roofs(); // unlike any other's

QString name_of(MemoryPart p);
Bytes part_of(const StageMemory& m, MemoryPart p);

// Fonts in pixels, so that a figure keeps its proportions in a PDF of any resolution.
QFont pixel_font(const QFont& base, double relative_size = 1.0, bool bold = false);

} // namespace ridgepoint
