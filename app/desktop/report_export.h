#pragma once
// Writes the report of a result: PDF with vector charts, HTML or Markdown, by the file's name.

#include <QPageSize>

#include "app/desktop/evaluator.h"
#include "model/report/report.h"

namespace ridgepoint {

struct ReportRequest {
    ReportOptions content;
    QPageSize::PageSizeId paper = QPageSize::A4;
};

Status write_report(const EvaluationResult& result, const SpecStore& specs, const QString& file, const ReportRequest& request = {});

} // namespace ridgepoint
