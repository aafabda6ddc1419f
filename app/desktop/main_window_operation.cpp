// The pages of the operation in the main window.

#include "app/desktop/main_window.h"

#include <QAction>
#include <QMenu>
#include <QStatusBar>

#include "app/desktop/operation_pages.h"
#include "views/panels/problems_panel.h"

namespace ridgepoint {

void MainWindow::build_operation()
{
    m_operation = new OperationPages(&m_document, m_results);
    connect(m_operation, &OperationPages::status, this, [this](const QString& text) { statusBar()->showMessage(text); });
    connect(m_operation, &OperationPages::problem, this,
        [this](const Error& error, const QString& subject) { report(static_cast<int>(Problem::Topic::Plan), error, subject); });
}

void MainWindow::build_operation_menu(QMenu* menu)
{
    const QList<QPair<Page, QString>> pages = {{Page::Load, tr("&Load")}, {Page::Interactivity, tr("&Interactivity")}, {Page::Fleet, tr("&Fleet")},
        {Page::BatchContext, tr("&Batch and Context")}, {Page::Passes, tr("Prefill and &Decode")}, {Page::PostTraining, tr("&Post-training")}, {Page::Run, tr("&Run")}, {Page::Capacity, tr("&Capacity")}};
    for (qsizetype i = 0; i < pages.size(); ++i) {
        const Page page = pages[i].first;
        QAction* action = add_action(menu, pages[i].second, QKeySequence(QStringLiteral("Ctrl+Alt+%1").arg(i + 1)));
        connect(action, &QAction::triggered, this, [this, page] { show_page(page); });
        action->setEnabled(false); // until there is such a plan
        m_operation_actions.append({page, action});
    }
}

void MainWindow::show_operation(const EvaluationPointer& result)
{
    m_operation->show(result);
    for (const auto& [page, action] : m_operation_actions)
        action->setEnabled(m_results->is_page_offered(page));
}

} // namespace ridgepoint
