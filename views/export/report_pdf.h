#pragma once
// The report as PDF: A4 or Letter, numbered pages, text as text, charts as vectors. Writes what model/report built and adds no word
// of its own but page numbers.

#include <functional>

#include <QPageSize>
#include <QRectF>
#include <QString>

#include "model/report/report.h"

class QPainter;

namespace ridgepoint {

// Draws the figure of that name into the rectangle, in vectors. False: no such figure, it is left out.
using FigurePainter = std::function<bool(const std::string& figure, QPainter& painter, const QRectF& area)>;

struct PdfSummary {
    int pages = 0;
    int figures = 0;
};

// Needs a QGuiApplication (fonts), no display. Errors: io when the file cannot be written.
Expected<PdfSummary> write_report_pdf(const Report& report, const FigurePainter& figures, const QString& file, const QString& creator,
    QPageSize::PageSizeId paper = QPageSize::A4);

} // namespace ridgepoint
