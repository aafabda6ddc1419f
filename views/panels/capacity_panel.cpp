#include "views/panels/capacity_panel.h"

#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QVBoxLayout>

#include "views/panels/capacity_tables.h"
#include "views/widgets/cell_table.h"
#include "views/widgets/text.h"

namespace ridgepoint {

CapacityPanel::CapacityPanel(QWidget* parent)
    : QWidget(parent)
    , m_form(new CapacityForm)
    , m_use(new QPushButton(tr("&Use This Layout"), this))
    , m_progress(new QProgressBar(this))
    , m_summary(new QLabel(this))
    , m_notes(new QLabel(this))
    , m_chart(new PartsChart(this))
    , m_day(new CurveFigure(this))
    , m_table(new CellTable(tr("Alternatives"), this))
{
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setMinimumWidth(280);
    scroll->setWidget(m_form);
    auto* across = new QSplitter(Qt::Horizontal, this);
    across->addWidget(scroll);
    across->addWidget(build_results());
    across->setStretchFactor(1, 1);
    across->setChildrenCollapsible(false);
    across->setSizes({300, 900});
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 6, 6, 2);
    layout->addWidget(across);

    connect(m_form->ask_button(), &QPushButton::clicked, this, [this] {
        if (m_computing)
            emit cancel_requested();
        else
            emit ask_requested();
    });
    connect(m_form, &CapacityForm::question_changed, this, [this] { m_day->setVisible(m_form->question() == CapacityQuestion::serve); });
    connect(m_use, &QPushButton::clicked, this, [this] {
        if (const auto row = m_table->selected_id())
            use(*row);
    });
    connect(m_table, &CellTable::row_selected, this, &CapacityPanel::show_alternative);
    connect(m_table, &CellTable::row_activated, this, &CapacityPanel::use);
    set_computing(false);
    m_summary_text = tr("Fill in the question and ask; every cluster gets the best layout that a search finds.");
    m_summary->setText(m_summary_text);
}

QWidget* CapacityPanel::build_results()
{
    m_summary->setWordWrap(true);
    m_summary->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_summary->setTextFormat(Qt::PlainText);
    m_summary->setAccessibleName(tr("Answer"));
    m_notes->setWordWrap(true);
    m_notes->setTextFormat(Qt::PlainText);
    m_progress->setRange(0, 1000);
    m_progress->setFixedWidth(110);
    m_progress->setTextVisible(false);
    m_progress->setMaximumHeight(14);
    m_progress->setAccessibleName(tr("Share of the clusters that were looked at"));
    m_use->setEnabled(false);
    m_use->setToolTip(tr("Takes instance, nodes and layout of the selected alternative into the plan; undo brings the old ones back"));
    m_chart->setAccessibleName(tr("Alternatives, chart"));
    m_day->setAccessibleName(tr("Instances through the day, chart"));
    auto* line = new QHBoxLayout;
    line->addWidget(m_summary, 1);
    line->addWidget(m_progress);
    line->addWidget(m_use);
    auto* charts = new QSplitter(Qt::Horizontal);
    charts->addWidget(m_chart);
    charts->addWidget(m_day);
    charts->setChildrenCollapsible(false);
    auto* rows = new QSplitter(Qt::Vertical);
    rows->addWidget(m_table);
    rows->addWidget(charts);
    rows->setStretchFactor(0, 1);
    rows->setStretchFactor(1, 1);
    rows->setChildrenCollapsible(false);
    auto* side = new QWidget;
    auto* layout = new QVBoxLayout(side);
    layout->setContentsMargins(4, 0, 0, 0);
    layout->setSpacing(4);
    layout->addLayout(line);
    layout->addWidget(rows, 1);
    layout->addWidget(m_notes);
    return side;
}

void CapacityPanel::set_plan(const Plan& plan)
{
    m_form->set_plan(plan);
    if (has_answer() && !m_outdated && !m_computing) {
        m_outdated = true;
        m_summary->setText(tr("Of an earlier plan: %1").arg(m_summary_text));
    }
}

void CapacityPanel::set_computing(bool computing)
{
    m_computing = computing;
    m_progress->setVisible(computing);
    m_progress->setValue(0);
    m_form->set_computing(computing);
}

void CapacityPanel::show_started()
{
    set_computing(true);
    m_summary->setText(tr("Looking at clusters…"));
}

void CapacityPanel::show_progress(double fraction)
{
    if (m_computing)
        m_progress->setValue(static_cast<int>(1000 * fraction));
}

void CapacityPanel::show_found(const CapacityFound& found, const CapacityAsked& asked)
{
    set_computing(false);
    m_found = found;
    m_outdated = false;
    m_summary_text = capacity_summary(found, asked);
    m_summary->setText(m_summary_text);
    const QStringList notes = capacity_notes(found);
    m_notes->setText(notes.join(QStringLiteral(". ")) + QLatin1Char('.'));
    fill_capacity_table(m_table, found, asked);
    m_chart->set_groups(tr("Alternatives"), capacity_parts(found, asked));
    m_day->setVisible(asked.question == CapacityQuestion::serve);
    const int rows = m_table->model()->rowCount();
    m_use->setEnabled(false);
    if (rows > 0) {
        m_table->select_id(0);
        show_alternative(0);
    }
}

void CapacityPanel::show_error(const QString& text)
{
    set_computing(false);
    m_summary->setText(text);
}

void CapacityPanel::show_cancelled()
{
    set_computing(false);
    m_summary->setText(has_answer() ? tr("Cancelled; what is shown is an earlier answer") : tr("Cancelled"));
}

void CapacityPanel::show_alternative(quint64 row)
{
    const CapacityChoice choice = capacity_choice(m_found, row);
    m_use->setEnabled(choice.plan.has_value());
    m_use->setAccessibleName(choice.plan ? tr("Use this layout: %1").arg(choice.name) : tr("Use this layout"));
    if (m_found.serve)
        m_day->set_content(capacity_day(m_found, row));
}

void CapacityPanel::use(quint64 row)
{
    if (const CapacityChoice choice = capacity_choice(m_found, row); choice.plan)
        emit use_requested(*choice.plan, choice.name);
}

QString CapacityPanel::summary() const { return m_summary->text(); }

Figure* CapacityPanel::figure() const { return m_chart; }

} // namespace ridgepoint
