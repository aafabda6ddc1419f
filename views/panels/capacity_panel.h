#pragma once
// From a question to machines: the three questions as forms, the alternatives with what binds them, and the layout of one to
// take. Computes nothing; who owns it asks, cancels and shows.

#include <optional>

#include <QDate>
#include <QWidget>

#include "model/capacity/capacity.h"

class QCheckBox;
class QComboBox;
class QDateEdit;
class QFormLayout;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;

namespace ridgepoint {

class CellTable;
class CurveFigure;
class Figure;
class NumberBox;
class PartsChart;
class SearchPicker;

enum class CapacityQuestion { finish, machines, serve };

// What the form asks; of each question only its own fields count.
struct CapacityAsked {
    CapacityQuestion question = CapacityQuestion::finish;
    QDate today, deadline; // no deadline: invalid
    double budget = 0; // USD, of the run or of a month; 0: none
    std::string instance; // machines
    int nodes = 1;
    double days = 30;
    std::vector<std::string> models; // machines; empty: the plan's
    std::vector<std::string> instances; // to look at; empty: all of AWS
    std::vector<int> sizes; // finish; empty: those that make sense
    double search_seconds = 2; // for one cluster
};

struct CapacityFound { // one of these
    std::optional<FinishAnswer> finish;
    std::optional<MachinesAnswer> machines;
    std::optional<ServeAnswer> serve;
};

class CapacityPanel final : public QWidget {
    Q_OBJECT

public:
    explicit CapacityPanel(QWidget* parent = nullptr);

    void set_catalogue(const QStringList& instances, const QStringList& models);
    void set_plan(const Plan& plan); // which questions there are; an answer that is shown is of an earlier plan from now on
    void set_question(CapacityQuestion question);
    void set_asked(const CapacityAsked& asked);
    [[nodiscard]] Expected<CapacityAsked> asked() const; // error: a list that cannot be read

    void show_started();
    void show_progress(double fraction);
    void show_found(const CapacityFound& found, const CapacityAsked& asked);
    void show_error(const QString& text);
    void show_cancelled();

    [[nodiscard]] bool is_computing() const { return m_computing; }
    [[nodiscard]] QString summary() const;
    [[nodiscard]] QPushButton* ask_button() const { return m_ask; } // Cancel while it computes
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
    QWidget* build_form();
    QWidget* build_results();
    void add_row(const QString& label, QWidget* field, std::initializer_list<CapacityQuestion> of);
    void show_question();
    void show_alternative(quint64 row);
    void use(quint64 row);
    void set_computing(bool computing);
    [[nodiscard]] CapacityQuestion question() const;

    struct FormRow {
        QWidget* field;
        QList<CapacityQuestion> of;
    };
    CapacityFound m_found;
    CapacityAsked m_shown; // what was asked for it
    QList<FormRow> m_rows;
    bool m_training = true;
    bool m_computing = false;
    bool m_outdated = false; // the answer is of an earlier plan
    QString m_summary_text;

    QComboBox* m_question;
    QFormLayout* m_form = nullptr;
    QDateEdit* m_today;
    QCheckBox* m_by;
    QDateEdit* m_deadline;
    NumberBox* m_budget;
    SearchPicker* m_instance;
    NumberBox* m_nodes;
    NumberBox* m_days;
    QLineEdit* m_models;
    QLineEdit* m_instances;
    QLineEdit* m_sizes;
    NumberBox* m_search;
    QLabel* m_hint;
    QPushButton* m_ask;
    QPushButton* m_use;
    QProgressBar* m_progress;
    QLabel* m_summary;
    QLabel* m_notes;
    PartsChart* m_chart;
    CurveFigure* m_day;
    CellTable* m_table;
};

} // namespace ridgepoint
