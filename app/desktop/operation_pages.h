#pragma once
// The pages that ask how a plan runs: load, interactivity, fleet, memory and whole passes of a serving plan, post-training of
// a fine-tuning one, the run of a training one to its end. Computes off the GUI thread, and only what is in front; what an overtaken plan found is dropped.

#include <array>
#include <memory>
#include <set>

#include <QObject>
#include <QTimer>

#include "app/desktop/document.h"
#include "app/desktop/evaluator.h"
#include "app/desktop/latest.h"
#include "app/desktop/result_area.h"
#include "model/project/operation.h"
#include "model/project/run_answer.h"
#include "views/charts/operation_curves.h"
#include "views/charts/roofline_chart.h"

namespace ridgepoint {

class CapacityPage;
class CellTable;
class InteractivityChart;
class IterationChart;
class OperationPage;
class PartsChart;

class OperationPages final : public QObject {
    Q_OBJECT

public:
    OperationPages(Document* document, ResultArea* area);
    ~OperationPages() override;

    void show(const EvaluationPointer& result); // one that succeeded
    [[nodiscard]] bool is_busy() const;
    [[nodiscard]] Figure* figure(Page page) const; // null: none of these

    [[nodiscard]] OperationPage* page(Page page) const;
    [[nodiscard]] CapacityPage* capacity() const { return m_capacity; }
    [[nodiscard]] CurveFigure* load_chart() const { return m_load_chart; }
    [[nodiscard]] InteractivityChart* interactivity_chart() const { return m_interactivity_chart; }
    [[nodiscard]] CurveFigure* fleet_chart() const { return m_fleet_chart; }
    [[nodiscard]] CurveFigure* memory_chart() const { return m_memory_chart; }
    [[nodiscard]] RooflineChart* pass_chart() const { return m_pass_chart; }
    [[nodiscard]] IterationChart* iteration_chart() const { return m_iteration_chart; }
    [[nodiscard]] CurveFigure* division_chart() const { return m_division_chart; }
    [[nodiscard]] CurveFigure* run_chart() const { return m_run_chart; }
    [[nodiscard]] PartsChart* run_parts() const { return m_run_parts; }
    [[nodiscard]] CellTable* run_table() const { return m_run_table; }
    [[nodiscard]] CellTable* load_table() const { return m_load_table; }
    [[nodiscard]] CellTable* interactivity_table() const { return m_interactivity_table; }
    [[nodiscard]] CellTable* division_table() const { return m_division_table; }

signals:
    void status(const QString& text);
    void problem(const ridgepoint::Error& error, const QString& subject);

private:
    // What a computation found; empty when it was given up half-way.
    struct Found {
        std::optional<Error> error;
        std::optional<LoadAnswer> load;
        std::optional<FleetAnswer> fleet;
        std::vector<ParetoPoint> points;
        std::vector<MemorySweep> memory;
        std::vector<RooflinePath> paths;
        std::optional<PostTrainingAnswer> post_training;
        std::optional<RunAnswer> run;
    };
    using FoundPointer = std::shared_ptr<const Found>;

    void build_pages();
    void connect_charts();
    void offer_pages();
    void refresh_visible();
    void refresh(Page page);
    void request(Page page, std::function<void(Found&, const std::stop_token&)> work);
    void show_found(Page page, const EvaluationPointer& result, const Found& found);
    void show_interactivity(const EvaluationResult& result, const Found& found);
    void show_run(const RunAnswer& answer);
    void show_post_training(const EvaluationResult& result, const PostTrainingAnswer& answer);
    void cancel(Page page);
    void take_point(int tp, int concurrency);
    void take_division(int rollout_gpus);
    [[nodiscard]] std::size_t index_of(Page page) const;

    Document* m_document;
    ResultArea* m_area;
    CapacityPage* m_capacity;
    CurveFigure* m_load_chart;
    InteractivityChart* m_interactivity_chart;
    CurveFigure* m_fleet_chart;
    CurveFigure* m_memory_chart;
    RooflineChart* m_pass_chart;
    IterationChart* m_iteration_chart;
    CurveFigure* m_division_chart;
    CurveFigure* m_run_chart;
    PartsChart* m_run_parts;
    CellTable* m_load_table;
    CellTable* m_interactivity_table;
    CellTable* m_fleet_table;
    CellTable* m_division_table;
    CellTable* m_run_table;
    std::array<OperationPage*, 7> m_pages{};
    EvaluationPointer m_result;
    std::shared_ptr<const SpecStore> m_specs; // of m_result
    std::set<Page> m_outdated;
    QTimer m_settle; // edits that come fast are computed once
    std::array<std::unique_ptr<Latest<FoundPointer>>, 7> m_work;
};

} // namespace ridgepoint
