#pragma once
// The page of the questions of capacity: asks the engine off the GUI thread when the user says so, stops it when the user
// cancels, and takes a layout that was found into the plan.

#include <QObject>

#include "app/desktop/document.h"
#include "app/desktop/evaluator.h"
#include "app/desktop/latest.h"
#include "app/desktop/result_area.h"
#include "views/panels/capacity_panel.h"

namespace ridgepoint {

class CapacityPage final : public QObject {
    Q_OBJECT

public:
    CapacityPage(Document* document, ResultArea* area);
    ~CapacityPage() override;

    [[nodiscard]] static bool offered(const Plan& plan);
    void show(const Plan& plan);
    [[nodiscard]] bool is_busy() const { return m_work.is_busy(); } // until the engine has stopped
    [[nodiscard]] CapacityPanel* panel() const { return m_panel; }

signals:
    void status(const QString& text);

private:
    struct Answer {
        std::optional<Error> error;
        CapacityFound found;
    };
    void ask();
    void cancel();
    void take(const Plan& plan, const QString& name);

    Document* m_document;
    CapacityPanel* m_panel;
    Latest<std::shared_ptr<const Answer>> m_work;
};

} // namespace ridgepoint
