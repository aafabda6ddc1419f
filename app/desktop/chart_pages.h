#pragma once
// The charts and the operator table of one evaluation, linked: what is selected in one is selected in all. Pages that are
// not in front are brought up to date when they come to the front.

#include <memory>
#include <set>

#include <QList>
#include <QObject>

#include "app/desktop/evaluator.h"
#include "app/desktop/result_area.h"
#include "model/calibration/compare.h"
#include "model/calibration/measured_roofs.h"
#include "views/charts/measured_kernels.h"

namespace ridgepoint {

class BreakdownChart;
class Figure;
class MemoryChart;
class OperatorPanel;
class RidgelineChart;
class RooflineChart;

class ChartPages final : public QObject {
    Q_OBJECT

public:
    explicit ChartPages(ResultArea* area);

    void show(const EvaluationPointer& result); // one that succeeded
    void show_measured(const PlacedKernels& placed);
    void clear_measured();
    void show_measured_roofs(std::vector<MeasuredRoof> roofs); // of all open files; those of calibration are added
    void select(const QList<int>& operators); // indices into Estimate::operators
    void clear_selection() { select({}); }
    [[nodiscard]] QList<int> selection() const { return m_selection; }
    [[nodiscard]] Figure* figure(Page page) const; // null: the page is not a figure

    [[nodiscard]] RooflineChart* roofline() const { return m_roofline; }
    [[nodiscard]] OperatorPanel* operators() const { return m_operators; }

signals:
    void explain_requested(const QString& number);
    void status(const QString& text); // what is under the cursor
    void selection_changed(const QList<int>& operators);

private:
    void refresh_visible();
    void refresh(Page page);
    void refresh_roofs();

    ResultArea* m_area;
    RooflineChart* m_roofline;
    RidgelineChart* m_ridgeline;
    BreakdownChart* m_breakdown;
    MemoryChart* m_memory;
    OperatorPanel* m_operators;
    EvaluationPointer m_result;
    std::vector<MeasuredRoof> m_roofs;
    std::set<Page> m_outdated;
    QList<int> m_selection;
};

} // namespace ridgepoint
