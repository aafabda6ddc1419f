#pragma once
// What watches the run of the open plan: the levels that its meters should show, the Grafana dashboard and the Prometheus
// rules with them as reference.

#include <QDialog>

#include "model/launch/watch.h"

class QLabel;
class QLineEdit;
class QPushButton;

namespace ridgepoint {

class CellTable;

class WatchDialog final : public QDialog {
    Q_OBJECT

public:
    // `evaluation`: of the plan.
    WatchDialog(const Plan& plan, const Evaluation& evaluation, const QString& folder, QWidget* parent = nullptr);

    [[nodiscard]] QLineEdit* labels() const { return m_labels; }
    [[nodiscard]] QLineEdit* step_metric() const { return m_step_metric; }
    [[nodiscard]] CellTable* table() const { return m_table; }
    [[nodiscard]] QString message() const;
    [[nodiscard]] QPushButton* dashboard_button() const { return m_dashboard; }
    bool save_dashboard(const QString& file);
    bool save_rules(const QString& file);

private:
    [[nodiscard]] Expected<WatchRequest> request() const;
    void update_levels();
    bool save(const Expected<std::string>& text, const QString& file, const std::string& what);
    void choose_and_save(bool dashboard);

    Plan m_plan;
    Evaluation m_evaluation;
    QString m_folder;
    QLineEdit* m_labels;
    QLineEdit* m_step_metric;
    CellTable* m_table;
    QLabel* m_message;
    QPushButton* m_dashboard;
    QPushButton* m_rules;
};

} // namespace ridgepoint
