#include "views/panels/capacity_form.h"

#include <algorithm>

#include <QCheckBox>
#include <QComboBox>
#include <QDateEdit>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "views/widgets/choice_box.h"
#include "views/widgets/number_box.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    NumberBox* number(bool whole, double low, double high, double value, const QString& suffix, const QString& none, QWidget* parent)
    {
        auto* box = new NumberBox(whole, NumberBox::Step::One, parent);
        box->setRange(low, high);
        box->setValue(value);
        if (!suffix.isEmpty())
            box->setSuffix(QLatin1Char(' ') + suffix);
        if (!none.isEmpty())
            box->setSpecialValueText(none);
        return box;
    }

    QDateEdit* day(QDate date, QWidget* parent)
    {
        auto* edit = new QDateEdit(date, parent);
        edit->setDisplayFormat(QStringLiteral("yyyy-MM-dd"));
        edit->setCalendarPopup(true);
        return edit;
    }

    std::vector<std::string> words(const QString& text)
    {
        std::vector<std::string> out;
        for (const QString& word : text.split(QLatin1Char(','), Qt::SkipEmptyParts))
            if (!word.trimmed().isEmpty())
                out.push_back(to_std(word.trimmed()));
        return out;
    }

} // namespace

CapacityForm::CapacityForm(QWidget* parent)
    : QWidget(parent)
    , m_question(new QComboBox(this))
    , m_hint(new QLabel(this))
    , m_form(new QFormLayout)
    , m_today(day(QDate::currentDate(), this))
    , m_by(new QCheckBox(tr("Finish &by"), this))
    , m_deadline(day(QDate::currentDate().addMonths(4), this))
    , m_budget(number(false, 0, 1e15, 0, QStringLiteral("$"), tr("any"), this))
    , m_instance(new SearchPicker(this))
    , m_nodes(number(true, 1, 100'000, 1, {}, {}, this))
    , m_days(number(false, 0.01, 100'000, 30, tr("days"), {}, this))
    , m_models(new QLineEdit(this))
    , m_instances(new QLineEdit(this))
    , m_sizes(new QLineEdit(this))
    , m_search(number(false, 0.05, 3600, 2, QStringLiteral("s"), {}, this))
    , m_ask(new QPushButton(this))
{
    using enum CapacityQuestion;
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 6, 0);
    m_form->setVerticalSpacing(5);
    m_form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    m_question->setAccessibleName(tr("Question"));
    m_question->setMinimumContentsLength(16);
    m_question->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_hint->setWordWrap(true); // outside of the form, which loses the height of hidden rows once one has a height for its width
    layout->addWidget(m_question);
    layout->addWidget(m_hint);
    layout->addLayout(m_form);
    add_row(tr("F&rom"), m_today, {finish, machines});
    m_by->setChecked(true);
    m_deadline->setAccessibleName(tr("Deadline"));
    auto* by = new QWidget(this);
    auto* by_layout = new QHBoxLayout(by);
    by_layout->setContentsMargins(0, 0, 0, 0);
    by_layout->addWidget(m_by);
    by_layout->addWidget(m_deadline, 1);
    m_form->addRow(by);
    m_rows.append({by, {finish}});
    add_row(tr("Bud&get"), m_budget, {finish, serve});
    add_row(tr("&Instance"), m_instance, {machines});
    add_row(tr("&Nodes"), m_nodes, {machines});
    add_row(tr("For"), m_days, {machines});
    m_models->setPlaceholderText(tr("the plan's"));
    add_row(tr("&Models"), m_models, {machines});
    m_instances->setPlaceholderText(tr("all of AWS"));
    m_instances->setToolTip(tr("Instance types to look at, separated by commas"));
    add_row(tr("&Look at"), m_instances, {finish, serve});
    m_sizes->setPlaceholderText(tr("what makes sense"));
    m_sizes->setToolTip(tr("Numbers of instances to look at, separated by commas"));
    add_row(tr("&Sizes"), m_sizes, {finish});
    m_search->setToolTip(tr("Longest search for the layout of one cluster"));
    add_row(tr("Searc&h for"), m_search, {finish, machines});
    m_ask->setMinimumHeight(28);
    layout->addWidget(m_ask);
    layout->addStretch(1);
    connect(m_question, &QComboBox::currentIndexChanged, this, &CapacityForm::show_question);
    connect(m_by, &QCheckBox::toggled, m_deadline, &QWidget::setEnabled);
    set_computing(false);
}

void CapacityForm::add_row(const QString& label, QWidget* field, std::initializer_list<CapacityQuestion> of)
{
    if (field->accessibleName().isEmpty())
        field->setAccessibleName(QString(label).remove(u'&'));
    m_form->addRow(label, field);
    m_rows.append({field, QList<CapacityQuestion>(of)});
}

void CapacityForm::set_catalogue(const QStringList& instances, const QStringList& models)
{
    const QString kept = m_instance->value();
    const QSignalBlocker blocker(m_instance);
    m_instance->clear();
    for (const QString& id : instances)
        m_instance->addItem(id, id);
    if (kept.isEmpty())
        m_instance->setCurrentIndex(-1); // the plan's, once there is one
    else
        m_instance->set_value(kept);
    m_models->setToolTip(tr("<p>Ids of models, separated by commas: %1</p>").arg(models.join(QStringLiteral(", "))));
}

void CapacityForm::set_plan(const Plan& plan)
{
    const bool training = std::holds_alternative<Training>(plan.workload);
    if (m_question->count() == 0 || training != m_training) {
        const QSignalBlocker blocker(m_question);
        m_question->clear();
        if (training) {
            m_question->addItem(tr("Finish this run by a day, within a budget"), static_cast<int>(CapacityQuestion::finish));
            m_question->addItem(tr("What can these machines train?"), static_cast<int>(CapacityQuestion::machines));
        } else {
            m_question->addItem(tr("Serve this load within its limits"), static_cast<int>(CapacityQuestion::serve));
        }
        m_training = training;
        show_question();
    }
    if (m_instance->currentIndex() < 0) {
        m_instance->set_value(to_qt(plan.instance));
        m_nodes->setValue(plan.nodes);
    }
}

void CapacityForm::set_computing(bool computing)
{
    m_ask->setText(computing ? tr("&Cancel") : tr("&Ask"));
    m_ask->setAccessibleName(computing ? tr("Cancel") : tr("Ask"));
}

CapacityQuestion CapacityForm::question() const { return static_cast<CapacityQuestion>(m_question->currentData().toInt()); }

void CapacityForm::set_question(CapacityQuestion question) { m_question->setCurrentIndex(std::max(0, m_question->findData(static_cast<int>(question)))); }

void CapacityForm::show_question()
{
    const CapacityQuestion now = question();
    for (const FormRow& row : m_rows)
        m_form->setRowVisible(row.field, row.of.contains(now));
    switch (now) {
    case CapacityQuestion::finish:
        m_hint->setText(tr("What and how many, and until when must it start? Time and bill are those that nine runs in ten keep."));
        break;
    case CapacityQuestion::machines:
        m_hint->setText(tr("How many tokens of which model can these machines train in that time?"));
        break;
    case CapacityQuestion::serve:
        m_hint->setText(tr("How many instances through the day? The plan's sections load and fleet ask; the budget is of a month."));
        break;
    }
    emit question_changed();
}

void CapacityForm::set_asked(const CapacityAsked& asked)
{
    set_question(asked.question);
    m_today->setDate(asked.today);
    m_by->setChecked(asked.deadline.isValid());
    if (asked.deadline.isValid())
        m_deadline->setDate(asked.deadline);
    m_budget->setValue(asked.budget);
    if (!asked.instance.empty())
        m_instance->set_value(to_qt(asked.instance));
    m_nodes->setValue(asked.nodes);
    m_days->setValue(asked.days);
    const auto joined = [](const std::vector<std::string>& all) {
        QStringList out;
        for (const std::string& s : all)
            out << to_qt(s);
        return out.join(QStringLiteral(", "));
    };
    m_models->setText(joined(asked.models));
    m_instances->setText(joined(asked.instances));
    m_models->setCursorPosition(0); // a long list shows its beginning
    m_instances->setCursorPosition(0);
    QStringList sizes;
    for (const int n : asked.sizes)
        sizes << QString::number(n);
    m_sizes->setText(sizes.join(QStringLiteral(", ")));
    m_search->setValue(asked.search_seconds);
}

Expected<CapacityAsked> CapacityForm::asked() const
{
    CapacityAsked a;
    a.question = question();
    a.today = m_today->date();
    if (m_by->isChecked())
        a.deadline = m_deadline->date();
    a.budget = m_budget->value();
    a.instance = to_std(m_instance->value());
    a.nodes = static_cast<int>(m_nodes->value());
    a.days = m_days->value();
    a.models = words(m_models->text());
    a.instances = words(m_instances->text());
    for (const std::string& word : words(m_sizes->text())) {
        bool ok = false;
        const int n = to_qt(word).toInt(&ok);
        if (!ok || n < 1 || n > 100'000)
            return bad_input("a size is no number of instances", {}, word, "whole numbers from 1 to 100,000, separated by commas");
        a.sizes.push_back(n);
    }
    a.search_seconds = m_search->value();
    if (a.question == CapacityQuestion::finish && !a.deadline.isValid() && a.budget <= 0)
        return bad_input("there is nothing to keep", {}, {}, "a day to finish by, a budget, or both");
    return a;
}

} // namespace ridgepoint
