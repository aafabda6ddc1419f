#include "app/desktop/chart_pages.h"

#include <array>

#include "views/charts/breakdown_chart.h"
#include "views/charts/memory_chart.h"
#include "views/charts/ridgeline_chart.h"
#include "views/charts/roofline_chart.h"
#include "views/export/figures.h"
#include "views/panels/derivations.h"
#include "views/panels/operator_panel.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    constexpr std::array<Page, 5> drawn_pages = {Page::Roofline, Page::Ridgeline, Page::Step, Page::Memory, Page::Operators};

    QString layer_name(const LayerKind& kind)
    {
        QString name = kind.moe ? ChartPages::tr("MoE") : ChartPages::tr("dense");
        if (kind.attention_free)
            name += ChartPages::tr(", no attention");
        if (kind.window > 0)
            name += ChartPages::tr(", window %1").arg(kind.window);
        return name;
    }

    QString title_of(const EvaluationResult& result)
    {
        const Job& job = result.evaluation->job;
        return QStringLiteral("%1 on %2 × %3").arg(to_qt(job.model.name)).arg(job.cluster.nodes).arg(to_qt(job.cluster.node.name));
    }

} // namespace

ChartPages::ChartPages(ResultArea* area)
    : QObject(area)
    , m_area(area)
    , m_roofline(new RooflineChart(area))
    , m_ridgeline(new RidgelineChart(area))
    , m_breakdown(new BreakdownChart(area))
    , m_memory(new MemoryChart(area))
    , m_operators(new OperatorPanel(area))
{
    area->add_page(Page::Roofline, tr("Roofline"), m_roofline);
    area->add_page(Page::Ridgeline, tr("Ridgeline"), m_ridgeline);
    area->add_page(Page::Step, tr("Step"), m_breakdown);
    area->add_page(Page::Memory, tr("Memory"), m_memory);
    area->add_page(Page::Operators, tr("Operators"), m_operators);
    connect(area, &ResultArea::page_shown, this, &ChartPages::refresh_visible);

    const auto chosen = [this](const QList<int>& operators) {
        select(operators);
        emit selection_changed(operators);
    };
    connect(m_roofline, &RooflineChart::selection_changed, this, chosen);
    connect(m_operators, &OperatorPanel::selection_changed, this, chosen);
    connect(m_roofline, &PlaneChart::status_changed, this, &ChartPages::status);
    connect(m_ridgeline, &PlaneChart::status_changed, this, &ChartPages::status);
    connect(m_breakdown, &BreakdownChart::part_clicked, this, [this](StepPart part) { emit explain_requested(to_qt(number_of(part))); });
    connect(m_memory, &MemoryChart::stage_clicked, this, [this](int, MemoryPart part) { emit explain_requested(QStringLiteral("Memory of the fullest stage/%1").arg(name_of(part))); });
}

void ChartPages::show(const EvaluationPointer& result)
{
    m_result = result;
    m_outdated.insert(drawn_pages.begin(), drawn_pages.end());
    refresh_visible();
}

void ChartPages::refresh_visible()
{
    for (const Page page : drawn_pages)
        if (m_area->is_page_visible(page))
            refresh(page);
}

void ChartPages::refresh(Page page)
{
    if (!m_result || m_outdated.erase(page) == 0)
        return;
    const Estimate& estimate = m_result->evaluation->estimate;
    switch (page) {
    case Page::Roofline:
        m_roofline->set_title(title_of(*m_result));
        m_roofline->set_model(m_result->roofline, estimate.operators);
        m_roofline->set_selection(m_selection);
        refresh_roofs();
        break;
    case Page::Ridgeline:
        m_ridgeline->set_title(title_of(*m_result));
        m_ridgeline->set_model(m_result->roofline);
        break;
    case Page::Step:
        m_breakdown->set_breakdown(estimate.breakdown, time_name(estimate), estimate.relative_error);
        break;
    case Page::Memory:
        m_memory->set_memory(estimate.memory);
        break;
    case Page::Operators: {
        QStringList layers;
        for (const auto& kind : m_result->evaluation->job.model.kinds)
            layers << layer_name(kind);
        m_operators->set_operators(estimate.operators, m_result->roofline, layers);
        m_operators->set_selection(m_selection);
        break;
    }
    default: // drawn by others
        break;
    }
}

void ChartPages::show_measured(const PlacedKernels& placed)
{
    auto measured = std::make_shared<MeasuredKernels>();
    for (const MeasuredPoint& point : placed.points) {
        measured->kernels.push_back({point.intensity, point.achieved, point.total, point.kernel_class, static_cast<std::uint32_t>(measured->names.size())});
        measured->names.push_back(point.from_plan ? point.name + " (work from the plan)" : point.name);
    }
    measured->not_placed = placed.not_placed;
    measured->not_placed_time = placed.not_placed_time;
    m_roofline->set_measured(std::move(measured));
}

void ChartPages::show_measured_roofs(std::vector<MeasuredRoof> roofs)
{
    m_roofs = std::move(roofs);
    refresh_roofs();
}

void ChartPages::refresh_roofs()
{
    std::vector<MeasuredRoof> all = m_roofs;
    if (m_result)
        for (MeasuredRoof& r : calibrated_roofs(m_result->evaluation->job))
            all.push_back(std::move(r));
    m_roofline->set_measured_roofs(std::move(all));
}

void ChartPages::clear_measured() { m_roofline->set_measured(nullptr); }

void ChartPages::select(const QList<int>& operators)
{
    if (operators == m_selection)
        return;
    m_selection = operators;
    if (!m_outdated.contains(Page::Roofline))
        m_roofline->set_selection(operators);
    if (!m_outdated.contains(Page::Operators))
        m_operators->set_selection(operators);
}

Figure* ChartPages::figure(Page page) const
{
    switch (page) {
    case Page::Roofline:
        return m_roofline;
    case Page::Ridgeline:
        return m_ridgeline;
    case Page::Step:
        return m_breakdown;
    case Page::Memory:
        return m_memory;
    default:
        return nullptr;
    }
}

} // namespace ridgepoint
