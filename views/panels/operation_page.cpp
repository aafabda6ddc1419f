#include "views/panels/operation_page.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

#include "views/widgets/cell_table.h"

namespace ridgepoint {

OperationPage::OperationPage(const QList<QWidget*>& charts, CellTable* table, Qt::Orientation chart_order, QWidget* parent)
    : QWidget(parent)
    , m_summary(new QLabel(this))
    , m_progress(new QProgressBar(this))
    , m_button(new QToolButton(this))
{
    m_summary->setWordWrap(true);
    m_summary->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_summary->setTextFormat(Qt::PlainText);
    m_summary->setAccessibleName(tr("What was found"));
    m_progress->setRange(0, 0); // the engine does not tell how far it is
    m_progress->setTextVisible(false);
    m_progress->setFixedWidth(110);
    m_progress->setMaximumHeight(14);
    m_progress->setAccessibleName(tr("Computing"));
    m_button->setMinimumHeight(24);
    auto* line = new QHBoxLayout;
    line->addWidget(m_summary, 1);
    line->addWidget(m_progress);
    line->addWidget(m_button);

    auto* row = new QSplitter(chart_order, this);
    for (QWidget* chart : charts)
        row->addWidget(chart);
    row->setChildrenCollapsible(false);
    QWidget* content = row;
    if (table) {
        auto* rows = new QSplitter(Qt::Vertical, this);
        rows->addWidget(row);
        rows->addWidget(table);
        rows->setStretchFactor(0, 7);
        rows->setStretchFactor(1, 2);
        rows->setSizes({520, 170});
        rows->setCollapsible(0, false);
        content = rows;
    }
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 6, 6, 2);
    layout->setSpacing(4);
    layout->addLayout(line);
    layout->addWidget(content, 1);
    connect(m_button, &QToolButton::clicked, this, [this] {
        if (m_computing)
            emit cancel_requested();
        else
            emit compute_requested();
    });
    set_computing(false);
}

void OperationPage::set_computing(bool computing)
{
    m_computing = computing;
    m_progress->setVisible(computing);
    m_button->setVisible(computing || m_cancelled);
    m_button->setText(computing ? tr("&Cancel") : tr("&Compute"));
}

void OperationPage::show_started()
{
    m_cancelled = false;
    if (!m_computing)
        m_summary->setText(tr("Computing; what is shown is of an earlier plan"));
    set_computing(true);
}

void OperationPage::show_done(const QString& summary, const QString& details)
{
    m_cancelled = false;
    m_summary->setText(summary);
    m_summary->setToolTip(details);
    set_computing(false);
}

void OperationPage::show_error(const QString& text) { show_done(text); }

void OperationPage::show_cancelled()
{
    m_cancelled = true;
    m_summary->setText(tr("Cancelled; what is shown is of an earlier plan"));
    set_computing(false);
}

QString OperationPage::summary() const { return m_summary->text(); }

} // namespace ridgepoint
