#pragma once
// Everything that went wrong, in one list instead of a storm of message boxes: what, where, what would mend it.

#include <vector>

#include <QWidget>

#include "model/base/error.h"

class QLabel;
class QListWidget;

namespace ridgepoint {

struct Problem {
    enum class Topic { Plan, File, Trace, Specs, Export, Settings };
    Topic topic = Topic::Plan;
    Error error;
    QString subject; // file name or field
};

class ProblemsPanel final : public QWidget {
    Q_OBJECT

public:
    explicit ProblemsPanel(QWidget* parent = nullptr);

    void set_plan_problem(const Error* error); // the one of the current plan; null: it is well
    void add(const Problem& problem); // stays until cleared
    void clear();
    [[nodiscard]] int count() const { return static_cast<int>(m_problems.size()) + (m_has_plan_problem ? 1 : 0); }
    [[nodiscard]] QString text_of(int row) const; // as shown

signals:
    void count_changed(int count);
    void field_requested(const QString& path); // activated a problem of a field

private:
    void refresh();
    void show_current();

    std::vector<Problem> m_problems;
    Problem m_plan_problem;
    bool m_has_plan_problem = false;
    QListWidget* m_list = nullptr;
    QLabel* m_detail = nullptr;
};

} // namespace ridgepoint
