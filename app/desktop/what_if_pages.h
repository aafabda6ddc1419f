#pragma once
// The pages that ask "what if" of the plan: search, regime map, sensitivity and comparison. Wires their panels to the document
// and computes off the GUI thread; what is not in front is computed when it comes to the front.

#include <memory>
#include <optional>
#include <set>

#include <QObject>
#include <QTimer>

#include "app/desktop/document.h"
#include "app/desktop/evaluator.h"
#include "app/desktop/latest.h"
#include "app/desktop/result_area.h"
#include "app/desktop/searcher.h"
#include "model/whatif/comparison.h"
#include "views/panels/map_panel.h"
#include "views/panels/sensitivity_panel.h"

namespace ridgepoint {

class ComparePanel;

class WhatIfPages final : public QObject {
    Q_OBJECT

public:
    WhatIfPages(Document* document, ResultArea* area);
    ~WhatIfPages() override;

    void show(const EvaluationPointer& result); // one that succeeded
    void start_search();
    void compare_with(const Plan& plan, const QString& name); // plan A
    void keep_for_comparison(); // the plan as it is now becomes plan A
    [[nodiscard]] bool is_busy() const; // of the map, sensitivity and comparison

    [[nodiscard]] Searcher& searcher() { return m_searcher; }
    [[nodiscard]] SearchPanel* search() const { return m_search; }
    [[nodiscard]] MapPanel* map() const { return m_map; }
    [[nodiscard]] SensitivityPanel* sensitivity() const { return m_sensitivity; }
    [[nodiscard]] ComparePanel* compare() const { return m_compare; }

signals:
    void status(const QString& text);
    void problem(const ridgepoint::Error& error, const QString& subject);
    void compare_file_requested();
    void field_requested(const QString& path);

private:
    struct MapResult {
        MapRequest asked;
        std::shared_ptr<const RegimeMap> map;
        std::optional<Error> error;
        double milliseconds = 0;
    };
    struct Compared {
        std::optional<Expected<PlanComparison>> comparison;
        std::optional<BreakEven> even;
    };

    void refresh_visible();
    void refresh(Page page);
    void refresh_search();
    void refresh_map();
    void refresh_sensitivity();
    void refresh_comparison();
    void open_found(const SearchPoint& point);
    void take_values(const QString& x, double x_value, const QString& y, double y_value);

    Document* m_document;
    ResultArea* m_area;
    SearchPanel* m_search;
    MapPanel* m_map;
    SensitivityPanel* m_sensitivity;
    ComparePanel* m_compare;
    EvaluationPointer m_result;
    std::shared_ptr<const SpecStore> m_specs; // of m_result
    std::set<Page> m_outdated;
    std::shared_ptr<const SearchSnapshot> m_found;
    std::optional<std::pair<Plan, QString>> m_plan_a;
    QTimer m_settle; // edits that come fast are computed once
    Searcher m_searcher;
    Latest<MapResult> m_map_work;
    Latest<Sensitivity> m_sensitivity_work;
    Latest<Compared> m_compare_work;
};

} // namespace ridgepoint
