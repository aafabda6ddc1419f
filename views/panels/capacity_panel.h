#pragma once
// From a question to machines: the form that asks, the alternatives with what binds them, and the layout of one to take.
// Computes nothing; who owns it asks, cancels and shows.

#include <optional>

#include <QWidget>

#include "model/capacity/capacity.h"
#include "views/panels/capacity_form.h"

class QProgressBar;

namespace ridgepoint {

class CellTable;
class CurveFigure;
class Figure;
class PartsChart;

struct CapacityFound { // one of these
    std::optional<FinishAnswer> finish;
    std::optional<MachinesAnswer> machines;
    std::optional<ServeAnswer> serve;
};

class CapacityPanel final : public QWidget {
    Q_OBJECT

public:
    explicit CapacityPanel(QWidget* parent = nullptr);

    void set_plan(const Plan& plan); // an answer that is shown is of an earlier plan from now on
    [[nodiscard]] CapacityForm* form() const { return m_form; }

    void show_started();
    void show_progress(double fraction);
    void show_found(const CapacityFound& found, const CapacityAsked& asked);
    void show_error(const QString& text);
    void show_cancelled();

    [[nodiscard]] bool is_computing() const { return m_computing; }
    [[nodiscard]] QString summary() const;
    [[nodiscard]] QPushButton* ask_button() const { return m_form->ask_button(); }
    [[nodiscard]] QPushButton* use_button() const { return m_use; }
    [[nodiscard]] CellTable* table() const { return m_table; }
    [[nodiscard]] PartsChart* chart() const { return m_chart; }
    [[nodiscard]] CurveFigure* day_chart() const { return m_day; }
    [[nodiscard]] Figure* figure() const;

signals:
    void ask_requested();
    void cancel_requested();
    void use_requested(const ridgepoint::Plan& plan, const QString& name);

private:
    QWidget* build_results();
    void show_alternative(quint64 row);
    void use(quint64 row);
    void set_computing(bool computing);
    [[nodiscard]] bool has_answer() const { return m_found.finish || m_found.machines || m_found.serve; }

    CapacityFound m_found;
    bool m_computing = false;
    bool m_outdated = false; // the answer is of an earlier plan
    QString m_summary_text;

    CapacityForm* m_form;
    QPushButton* m_use;
    QProgressBar* m_progress;
    QLabel* m_summary;
    QLabel* m_notes;
    PartsChart* m_chart;
    CurveFigure* m_day;
    CellTable* m_table;
};

} // namespace ridgepoint
