#include "views/export/figure_export.h"

#include <cmath>

#include <QBuffer>
#include <QFileInfo>
#include <QImage>
#include <QPageSize>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>

#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

constexpr double footer_height = 22; // units of 1/96 inch
constexpr double most_pixels = 16000; // a side: QImage and viewers get slow and large beyond

Error problem(const QString& message, const QString& hint = {})
{
    Error e = io_error(to_std(message), {});
    e.hint = to_std(hint);
    return e;
}

void draw_footer(QPainter& painter, const QRectF& area, const FigureOptions& options, const QFont& font)
{
    painter.fillRect(area, options.theme.background);
    painter.setFont(pixel_font(font, 0.82));
    painter.setPen(options.theme.dim_text);
    painter.drawText(area.adjusted(8, 0, -8, 0), Qt::AlignLeft | Qt::AlignVCenter,
        QFontMetricsF(painter.font()).elidedText(options.footer, Qt::ElideRight, area.width() - 16));
}

// In units of 1/96 inch; the painter's scale does the rest.
void paint_sheet(Figure& figure, QPainter& painter, const FigureOptions& options)
{
    const bool footer = !options.footer.isEmpty();
    const QRectF sheet(QPointF(), options.size);
    QRectF body = sheet;
    if (footer)
        body.setBottom(sheet.bottom() - footer_height);
    paint_chart(figure, painter, body, body.size(), options.theme);
    if (footer)
        draw_footer(painter, QRectF(sheet.left(), body.bottom(), sheet.width(), footer_height), options,
            figure.figure_widget()->font());
}

QByteArray svg_bytes(Figure& figure, const FigureOptions& options)
{
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setResolution(96);
    generator.setSize(options.size.toSize());
    generator.setViewBox(QRectF(QPointF(), options.size));
    generator.setTitle(figure.figure_title());
    generator.setDescription(options.footer);
    QPainter painter(&generator);
    paint_sheet(figure, painter, options);
    painter.end();
    return buffer.data();
}

QByteArray pdf_bytes(Figure& figure, const FigureOptions& options)
{
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    {
        QPdfWriter writer(&buffer);
        writer.setTitle(figure.figure_title());
        writer.setCreator(options.creator);
        writer.setPageSize(QPageSize(options.size * (72.0 / 96.0), QPageSize::Point, {}, QPageSize::ExactMatch));
        writer.setPageMargins(QMarginsF());
        writer.setResolution(1200);
        QPainter painter(&writer);
        painter.scale(1200.0 / 96.0, 1200.0 / 96.0);
        paint_sheet(figure, painter, options);
    }
    return buffer.data();
}

} // namespace

void paint_chart(Figure& figure, QPainter& painter, const QRectF& target, QSizeF size, const Theme& theme)
{
    if (target.isEmpty() || size.isEmpty())
        return;
    painter.save();
    painter.translate(target.topLeft());
    painter.scale(target.width() / size.width(), target.height() / size.height());
    figure.paint_figure(painter, QRectF(QPointF(), size), theme);
    painter.restore();
}

QImage figure_image(Figure& figure, const FigureOptions& options)
{
    const QSizeF pixels = options.size * options.scale;
    QImage image(pixels.toSize(), QImage::Format_RGB32);
    if (image.isNull())
        return image;
    image.fill(options.theme.background);
    image.setDotsPerMeterX(static_cast<int>(std::lround(96.0 * options.scale / 0.0254)));
    image.setDotsPerMeterY(image.dotsPerMeterX());
    QPainter painter(&image);
    painter.scale(options.scale, options.scale);
    paint_sheet(figure, painter, options);
    return image;
}

Expected<QByteArray> render_figure(Figure& figure, FigureFormat format, const FigureOptions& options)
{
    const double scale = format == FigureFormat::png ? options.scale : 1.0;
    const QSizeF pixels = options.size * scale;
    if (!(pixels.width() >= 100 && pixels.height() >= 80 && pixels.width() <= most_pixels
            && pixels.height() <= most_pixels))
        return problem(
            QStringLiteral("A figure of %1 x %2 pixels cannot be written").arg(pixels.width()).arg(pixels.height()),
            QStringLiteral("Choose a size between 100 x 80 and 16000 x 16000 pixels"));
    switch (format) {
    case FigureFormat::svg:
        return svg_bytes(figure, options);
    case FigureFormat::pdf:
        return pdf_bytes(figure, options);
    case FigureFormat::png:
        break;
    }
    const QImage image = figure_image(figure, options);
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    if (image.isNull() || !image.save(&buffer, "PNG"))
        return problem(QStringLiteral("There is not enough memory for an image of %1 x %2 pixels")
                           .arg(pixels.width())
                           .arg(pixels.height()),
            QStringLiteral("Choose a smaller size or scale"));
    return bytes;
}

Status write_figure(Figure& figure, const QString& file, const FigureOptions& options)
{
    const QString suffix = QFileInfo(file).suffix().toLower();
    FigureFormat format = FigureFormat::png;
    if (suffix == QStringLiteral("svg"))
        format = FigureFormat::svg;
    else if (suffix == QStringLiteral("pdf"))
        format = FigureFormat::pdf;
    else if (suffix != QStringLiteral("png"))
        return bad_input("The format of a figure is told by the end of its name", {to_std(file), 0, {}}, to_std(suffix),
            ".png, .svg or .pdf");
    const Expected<QByteArray> bytes = render_figure(figure, format, options);
    if (!bytes)
        return bytes.error();
    QSaveFile out(file); // an interrupted write leaves the old file
    if (!out.open(QIODevice::WriteOnly) || out.write(*bytes) != bytes->size() || !out.commit())
        return io_error(to_std(out.errorString()), to_std(file));
    return Done{};
}

} // namespace ridgepoint
