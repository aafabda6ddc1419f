#pragma once
// The report's figures, drawn by the chart widgets without a window.

#include <memory>

#include "model/roofline/roofline.h"
#include "views/export/report_pdf.h"

namespace ridgepoint {

class ReportFigures {
public:
    ReportFigures(const Evaluation& evaluation, const RooflineModel& roofline);
    ~ReportFigures();

    // Knows "roofline", "ridgeline", "breakdown" and "memory"; lives as long as this object.
    [[nodiscard]] FigurePainter painter() const;

private:
    struct Charts;
    std::unique_ptr<Charts> m_charts;
};

QString time_name(const Estimate& estimate); // "Step time", "Time per output token", "Time to first token"

} // namespace ridgepoint
