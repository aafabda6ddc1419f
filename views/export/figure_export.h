#pragma once
// Figures as files: PNG, SVG and PDF, the same painting code as on the screen.

#include <QByteArray>
#include <QImage>
#include <QSizeF>
#include <QString>

#include "model/base/error.h"
#include "views/charts/figure.h"

namespace ridgepoint {

enum class FigureFormat { png, svg, pdf };

struct FigureOptions
{
    QSizeF size = {960, 600}; // in pixels at 96 dpi: 10 x 6.25 inch
    double scale = 2; // PNG: pixels per unit
    Theme theme = Theme::light();
    QString footer; // plan, version, catalogue date; empty: no footer
    QString creator = QStringLiteral("Ridgepoint");
};

// Paints `figure` into `target` of any painter, at 96 dpi units scaled to fill it; `size` is the size the figure is
// laid out for. The report uses this with its page's painter.
void paint_chart(Figure& figure, QPainter& painter, const QRectF& target, QSizeF size, const Theme& theme);

Expected<QByteArray> render_figure(Figure& figure, FigureFormat format, const FigureOptions& options);
Status write_figure(Figure& figure, const QString& file, const FigureOptions& options); // format by the file's suffix
QImage figure_image(Figure& figure, const FigureOptions& options);

// The line at the foot of figures exported from menus: plan, version, catalogue date. Set by the program when these
// change.
void set_figure_source(const QString& line);
QString figure_source();

// Asks for size, theme and file, and writes; remembers the choices. Problems are shown to the user.
void export_figure_dialog(Figure& figure, QWidget* parent);

} // namespace ridgepoint
