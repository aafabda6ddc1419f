#include "views/export/report_pdf.h"

#include <algorithm>

#include <QFile>
#include <QFileInfo>
#include <QFontMetricsF>
#include <QImage>
#include <QPainter>
#include <QPdfWriter>
#include <QPicture>
#include <QSvgRenderer>

#include "views/export/page_flow.h"
#include "views/export/svg_figure.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    constexpr int units_per_inch = 720; // tenths of a point
    constexpr double millimetre = units_per_inch / 25.4;
    constexpr double heading_room = 600;

    // Of the 505 pt wide column; the breakdown is a bar and its legend.
    double figure_height(const std::string& figure) { return figure == "breakdown" ? 1700 : 2700; }
    const QColor quiet(0x55, 0x5b, 0x64);

    QStringList to_list(const std::vector<std::string>& texts)
    {
        QStringList list;
        for (const std::string& text : texts)
            list << to_qt(text);
        return list;
    }

    // As wide as the text; 0: no picture.
    double picture_height(const PageFlow& flow, const std::string& svg)
    {
        const QSizeF size = svg.empty() ? QSizeF() : svg_figure_size(svg);
        return size.isEmpty() ? 0.0 : flow.content().width() * size.height() / size.width();
    }

    bool add_picture(PageFlow& flow, const std::string& svg)
    {
        const double height = picture_height(flow, svg);
        if (height <= 0.0)
            return false;
        flow.add_figure(height, [svg](QPainter& painter, const QRectF& area) { draw_svg_figure(svg, painter, area); });
        return true;
    }

    int add_section(PageFlow& flow, const ReportSection& section, const FigurePainter& figures)
    {
        int drawn = 0;
        const double height = figure_height(section.figure);
        // A figure stays with its heading.
        const double keep = heading_room + (section.figure.empty() ? picture_height(flow, section.svg) : height);
        flow.add_text(to_qt(section.title), {.size = 140, .bold = true, .space_before = 140, .space_after = 60, .keep = keep});
        for (const std::string& paragraph : section.paragraphs)
            flow.add_text(to_qt(paragraph), {.size = 95, .space_after = 60});
        if (!section.figure.empty() && figures) {
            // Asked once on paper that is thrown away: an unknown figure must not leave a hole.
            QPicture probe;
            QPainter probe_painter(&probe);
            if (figures(section.figure, probe_painter, QRectF(0, 0, 5000, height))) {
                flow.add_figure(height, [name = section.figure, figures](QPainter& painter, const QRectF& area) { figures(name, painter, area); });
                ++drawn;
            }
        }
        if (!section.svg.empty() && add_picture(flow, section.svg))
            ++drawn;
        for (const ReportTable& table : section.tables) {
            if (!table.title.empty())
                flow.add_text(to_qt(table.title), {.size = 95, .bold = true, .space_before = 60, .space_after = 30, .keep = heading_room});
            std::vector<QStringList> rows;
            for (const auto& row : table.rows)
                rows.push_back(to_list(row));
            flow.add_table(to_list(table.header), rows);
            if (!table.note.empty())
                flow.add_text(to_qt(table.note), {.size = 80, .colour = quiet, .space_after = 80});
        }
        return drawn;
    }

    // In the upper right corner of the first page, at most 40 mm wide and 16 mm high.
    void draw_logo(QPainter& painter, const std::string& logo, const QRectF& content)
    {
        const auto place = [&](QSizeF size) {
            size.scale(QSizeF(40, 16) * millimetre, Qt::KeepAspectRatio);
            return QRectF(QPointF(content.right() - size.width(), content.top()), size);
        };
        const QByteArray bytes = QByteArray::fromStdString(logo);
        if (QImage image; image.loadFromData(bytes, "PNG")) {
            painter.drawImage(place(image.size()), image);
        } else if (QSvgRenderer svg; svg.load(bytes)) {
            svg.render(&painter, place(svg.defaultSize()));
        }
    }

    void draw_margins(QPainter& painter, const Report& report, const PageFlow& flow, int page)
    {
        const QRectF content = flow.content();
        painter.setPen(quiet);
        painter.setFont(PageFlow::font(75, false));
        const QFontMetricsF metrics(painter.font());
        const QString number = QStringLiteral("%1/%2").arg(page + 1).arg(flow.page_count());
        const double number_width = metrics.horizontalAdvance(number) + 20;
        const QRectF foot(content.left(), flow.page_size().height() - 13 * millimetre, content.width(), metrics.height() + 2);
        painter.drawText(foot, Qt::AlignRight | Qt::AlignVCenter, number);
        painter.drawText(foot, Qt::AlignLeft | Qt::AlignVCenter, metrics.elidedText(to_qt(report.footer), Qt::ElideRight, foot.width() - number_width - 100));
        if (page > 0)
            painter.drawText(QRectF(content.left(), 9 * millimetre, content.width(), metrics.height() + 2), Qt::AlignLeft | Qt::AlignVCenter,
                metrics.elidedText(to_qt(report.title), Qt::ElideRight, content.width()));
    }

} // namespace

Expected<PdfSummary> write_report_pdf(const Report& report, const FigurePainter& figures, const QString& file, const QString& creator, QPageSize::PageSizeId paper)
{
    QFile out(file);
    if (!out.open(QIODevice::WriteOnly))
        return io_error("The report cannot be written: " + to_std(out.errorString()), to_std(file));
    QPdfWriter writer(&out);
    writer.setPdfVersion(QPagedPaintDevice::PdfVersion_1_6);
    writer.setResolution(units_per_inch);
    writer.setPageSize(QPageSize(paper));
    writer.setPageMargins(QMarginsF());
    writer.setTitle(to_qt(report.title));
    writer.setCreator(creator);

    PageFlow flow(QSizeF(writer.width(), writer.height()), QMarginsF(17, 16, 17, 18) * millimetre);
    if (!report.logo.empty())
        flow.add_space(18 * millimetre);
    flow.add_text(to_qt(report.title), {.size = 220, .bold = true, .space_after = 30});
    if (!report.subtitle.empty())
        flow.add_text(to_qt(report.subtitle), {.size = 105, .colour = quiet, .space_after = 100});
    if (!report.fields.empty()) {
        QStringList fields;
        for (const auto& [name, value] : report.fields)
            fields << QStringLiteral("%1: %2").arg(to_qt(name), to_qt(value));
        flow.add_text(fields.join(QStringLiteral("   ")), {.size = 90, .space_after = 80});
    }
    PdfSummary summary;
    for (const ReportSection& section : report.sections)
        summary.figures += add_section(flow, section, figures);
    summary.pages = flow.page_count();

    QPainter painter;
    if (!painter.begin(&writer))
        return io_error("The report cannot be written", to_std(file));
    painter.setRenderHint(QPainter::Antialiasing);
    for (int page = 0; page < flow.page_count(); ++page) {
        if (page > 0)
            writer.newPage();
        flow.draw_page(page, painter);
        draw_margins(painter, report, flow, page);
        if (page == 0 && !report.logo.empty())
            draw_logo(painter, report.logo, flow.content());
    }
    if (!painter.end() || !out.flush())
        return io_error("The report could not be written to its end: " + to_std(out.errorString()), to_std(file));
    return summary;
}

} // namespace ridgepoint
