#pragma once
// The questions of capacity as a form: one question at a time, with its own fields.

#include <string>
#include <vector>

#include <QDate>
#include <QWidget>

#include "model/base/error.h"
#include "model/project/plan.h"

class QCheckBox;
class QComboBox;
class QDateEdit;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPushButton;

namespace ridgepoint {

class NumberBox;
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

class CapacityForm final : public QWidget {
    Q_OBJECT

public:
    explicit CapacityForm(QWidget* parent = nullptr);

    void set_catalogue(const QStringList& instances, const QStringList& models);
    void set_plan(const Plan& plan); // which questions there are
    void set_question(CapacityQuestion question);
    void set_asked(const CapacityAsked& asked);
    void set_computing(bool computing);
    [[nodiscard]] CapacityQuestion question() const;
    [[nodiscard]] Expected<CapacityAsked> asked() const; // error: a list that cannot be read, nothing to keep
    [[nodiscard]] QPushButton* ask_button() const { return m_ask; } // Cancel while it computes

signals:
    void question_changed();

private:
    void add_row(const QString& label, QWidget* field, std::initializer_list<CapacityQuestion> of);
    void show_question();

    struct FormRow {
        QWidget* field;
        QList<CapacityQuestion> of;
    };
    QList<FormRow> m_rows;
    bool m_training = true;
    QComboBox* m_question;
    QLabel* m_hint;
    QFormLayout* m_form;
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
    QPushButton* m_ask;
};

} // namespace ridgepoint
