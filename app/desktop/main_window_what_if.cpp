// The "what if" pages of the main window.

#include "app/desktop/main_window.h"

#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QStatusBar>

#include "app/desktop/what_if_pages.h"
#include "views/panels/plan_editor.h"
#include "views/panels/problems_panel.h"

namespace ridgepoint {

void MainWindow::build_what_if()
{
    m_what_if = new WhatIfPages(&m_document, m_results);
    connect(m_what_if, &WhatIfPages::status, this, [this](const QString& text) { statusBar()->showMessage(text); });
    connect(m_what_if, &WhatIfPages::problem, this,
        [this](const Error& error, const QString& subject) { report(static_cast<int>(Problem::Topic::Plan), error, subject); });
    connect(m_what_if, &WhatIfPages::compare_file_requested, this, [this] { compare_with({}); });
    connect(m_what_if, &WhatIfPages::field_requested, this, [this](const QString& path) {
        m_editor_dock->show();
        m_editor->focus_field(path);
    });
}

bool MainWindow::compare_with(const QString& wanted)
{
    const QString file = wanted.isEmpty() ? QFileDialog::getOpenFileName(this, tr("Compare with a plan"), directory_for_dialogs(), tr("Ridgepoint plans (*.ridgepoint)")) : wanted;
    if (file.isEmpty())
        return false;
    const Expected<Plan> plan = load_plan(file.toStdString());
    if (!plan) {
        report(static_cast<int>(Problem::Topic::File), plan.error(), file);
        return false;
    }
    m_what_if->compare_with(*plan, plan->name.empty() ? QFileInfo(file).completeBaseName() : QString::fromStdString(plan->name));
    return true;
}

} // namespace ridgepoint
