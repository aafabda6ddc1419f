#include "views/panels/problems_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include "views/panels/verdict_strip.h"
#include "views/widgets/icon.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    QString summary(const Problem& problem)
    {
        const QString place = to_qt(problem.error.place.text());
        const QString where = !place.isEmpty() ? place : problem.subject;
        return where.isEmpty() ? to_qt(problem.error.message) : QStringLiteral("%1 (%2)").arg(to_qt(problem.error.message), where);
    }

    QString details(const Problem& problem)
    {
        const Error& e = problem.error;
        QString text = QStringLiteral("<b>%1</b>").arg(to_qt(e.message).toHtmlEscaped());
        const auto line = [&](const QString& name, const std::string& value) {
            if (!value.empty())
                text += QStringLiteral("<br>%1: %2").arg(name, to_qt(value).toHtmlEscaped());
        };
        line(ProblemsPanel::tr("File"), e.place.file);
        if (e.place.line > 0)
            line(ProblemsPanel::tr("Line"), std::to_string(e.place.line));
        line(ProblemsPanel::tr("JSON pointer"), e.place.pointer);
        line(ProblemsPanel::tr("Found"), e.found);
        line(ProblemsPanel::tr("Expected"), e.expected);
        line(ProblemsPanel::tr("To mend it"), e.hint);
        return text;
    }

} // namespace

ProblemsPanel::ProblemsPanel(QWidget* parent) : QWidget(parent)
{
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(4, 4, 4, 4);
    m_list = new QListWidget(this);
    m_list->setAccessibleName(tr("Problems"));
    m_list->setAlternatingRowColors(true);
    m_list->setWordWrap(true);
    layout->addWidget(m_list, 3);

    auto* side = new QVBoxLayout;
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFocusPolicy(Qt::NoFocus);
    m_detail = new QLabel;
    m_detail->setWordWrap(true);
    m_detail->setMargin(6);
    m_detail->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_detail->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_detail->setFocusPolicy(Qt::NoFocus);
    scroll->setWidget(m_detail);
    side->addWidget(scroll, 1);
    auto* buttons = new QHBoxLayout;
    auto* copy = new QPushButton(tr("Copy"), this);
    copy->setAccessibleName(tr("Copy the problem"));
    auto* clear_button = new QPushButton(tr("Clear"), this);
    clear_button->setAccessibleName(tr("Clear the list of problems"));
    buttons->addWidget(copy);
    buttons->addWidget(clear_button);
    buttons->addStretch(1);
    side->addLayout(buttons);
    layout->addLayout(side, 2);

    connect(m_list, &QListWidget::currentRowChanged, this, &ProblemsPanel::show_current);
    connect(m_list, &QListWidget::itemActivated, this, [this](QListWidgetItem* item) {
        const QString path = item->data(Qt::UserRole).toString();
        if (!path.isEmpty())
            emit field_requested(path);
    });
    connect(copy, &QPushButton::clicked, this, [this] {
        if (QListWidgetItem* item = m_list->currentItem())
            QApplication::clipboard()->setText(item->data(Qt::UserRole + 1).toString());
    });
    connect(clear_button, &QPushButton::clicked, this, &ProblemsPanel::clear);
    refresh();
}

void ProblemsPanel::set_plan_problem(const Error* error)
{
    if (!error && !m_has_plan_problem)
        return;
    m_has_plan_problem = error != nullptr;
    if (error)
        m_plan_problem = {Problem::Topic::Plan, *error, tr("this plan")};
    refresh();
}

void ProblemsPanel::add(const Problem& problem)
{
    m_problems.insert(m_problems.begin(), problem);
    if (m_problems.size() > 200)
        m_problems.pop_back();
    refresh();
}

void ProblemsPanel::clear()
{
    m_problems.clear();
    refresh();
}

QString ProblemsPanel::text_of(int row) const
{
    const QListWidgetItem* item = m_list->item(row);
    return item ? item->text() : QString();
}

void ProblemsPanel::refresh()
{
    m_list->clear();
    const auto append = [this](const Problem& problem) {
        auto* item = new QListWidgetItem(coloured_icon(QStringLiteral("stop"), tone_colour(Tone::Bad, palette())), summary(problem), m_list);
        item->setData(Qt::UserRole, problem.topic == Problem::Topic::Plan ? to_qt(problem.error.place.pointer) : QString());
        item->setData(Qt::UserRole + 1, to_qt(problem.error.text()));
        item->setData(Qt::UserRole + 2, details(problem));
    };
    if (m_has_plan_problem)
        append(m_plan_problem);
    for (const Problem& problem : m_problems)
        append(problem);
    if (m_list->count() > 0)
        m_list->setCurrentRow(0);
    show_current();
    emit count_changed(count());
}

void ProblemsPanel::show_current()
{
    const QListWidgetItem* item = m_list->currentItem();
    m_detail->setText(item ? item->data(Qt::UserRole + 2).toString() : tr("No problems."));
}

} // namespace ridgepoint
