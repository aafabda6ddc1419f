#pragma once
// Writes the report of a result: PDF with vector charts, HTML or Markdown, by the file's name.

#include "app/desktop/evaluator.h"

namespace ridgepoint {

Status write_report(const EvaluationResult& result, const SpecStore& specs, const QString& file);

} // namespace ridgepoint
