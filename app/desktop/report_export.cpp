#include "app/desktop/report_export.h"

#include <QFileInfo>

#include "app/desktop/options.h"
#include "app/desktop/text_file.h"
#include "views/export/figures.h"
#include "views/export/report_pdf.h"
#include "views/widgets/text.h"

namespace ridgepoint {
Status write_report(const EvaluationResult& result, const SpecStore& specs, const QString& file, const ReportRequest& request)
{
    if (!result.evaluation)
        return result.evaluation.error();
    const QString suffix = QFileInfo(file).suffix().toLower();
    const Report report = build_report(result.plan, *result.evaluation, specs, request.content);
    if (suffix == QStringLiteral("html") || suffix == QStringLiteral("htm"))
        return write_text_file(to_html(report, *result.evaluation), file, "The report");
    if (suffix == QStringLiteral("md"))
        return write_text_file(to_markdown(report), file, "The report");
    if (suffix != QStringLiteral("pdf"))
        return bad_input("The kind of report is told by the name of its file", {}, to_std(file), "a name that ends in .pdf, .html or .md");
    ReportFigures figures(*result.evaluation, result.roofline);
    const auto summary = write_report_pdf(report, figures.painter(), file, QStringLiteral("Ridgepoint %1").arg(version_text()), request.paper);
    if (!summary)
        return summary.error();
    return Done{};
}

} // namespace ridgepoint
