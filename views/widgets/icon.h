#pragma once
// Icons drawn from SVG in the colour of the text around them, so that one file serves both themes and every scale.

#include <QIcon>
#include <QString>

namespace ridgepoint {

// `name`: file under :/ridgepoint/icons without ".svg". An unknown name gives an empty icon. Shapes filled or stroked
// with "currentColor" take the palette's text colour at the moment of painting.
QIcon themed_icon(const QString& name);

// The same in one fixed colour (verdict marks).
QIcon coloured_icon(const QString& name, const QColor& colour);

} // namespace ridgepoint
