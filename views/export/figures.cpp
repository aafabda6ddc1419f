#include "views/export/figures.h"

#include <QCoreApplication>

#include "views/charts/breakdown_chart.h"
#include "views/charts/memory_chart.h"
#include "views/charts/ridgeline_chart.h"
#include "views/charts/roofline_chart.h"
#include "views/export/figure_export.h"

namespace ridgepoint {
namespace {

    // Charts are laid out for a page-wide figure at 96 dpi and scaled to the page's units.
    constexpr double layout_width = 900;

} // namespace

struct ReportFigures::Charts {
    RooflineChart roofline;
    RidgelineChart ridgeline;
    BreakdownChart breakdown;
    MemoryChart memory;

    Figure* find(const std::string& name)
    {
        if (name == "roofline")
            return &roofline;
        if (name == "ridgeline")
            return &ridgeline;
        if (name == "breakdown")
            return &breakdown;
        if (name == "memory")
            return &memory;
        return nullptr;
    }
};

ReportFigures::ReportFigures(const Evaluation& evaluation, const RooflineModel& roofline) : m_charts(std::make_unique<Charts>())
{
    m_charts->roofline.set_model(roofline, evaluation.estimate.operators);
    m_charts->ridgeline.set_model(roofline);
    m_charts->breakdown.set_breakdown(evaluation.estimate.breakdown, time_name(evaluation.estimate), evaluation.estimate.relative_error);
    m_charts->memory.set_memory(evaluation.estimate.memory);
}

ReportFigures::~ReportFigures() = default;

FigurePainter ReportFigures::painter() const
{
    return [charts = m_charts.get()](const std::string& name, QPainter& painter, const QRectF& area) {
        Figure* figure = charts->find(name);
        if (!figure)
            return false;
        const QSizeF size(layout_width, layout_width * area.height() / area.width());
        paint_chart(*figure, painter, area, size, Theme::print());
        return true;
    };
}

QString time_name(const Estimate& estimate)
{
    if (estimate.training)
        return QCoreApplication::translate("Figures", "Step time");
    if (estimate.serving && estimate.serving->tpot > Seconds{})
        return QCoreApplication::translate("Figures", "Time per output token");
    return QCoreApplication::translate("Figures", "Time to first token");
}

} // namespace ridgepoint
