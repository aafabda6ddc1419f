// From the open plan to what runs and watches it, and from launch arguments to a plan.

#include "app/desktop/main_window.h"

#include <QAction>
#include <QMenu>
#include <QStatusBar>

#include "app/desktop/launch_dialog.h"
#include "app/desktop/launch_import_dialog.h"
#include "app/desktop/watch_dialog.h"
#include "views/panels/problems_panel.h"
#include "views/widgets/text.h"

namespace ridgepoint {

void MainWindow::build_launch_menu(QMenu* menu)
{
    connect(add_action(menu, tr("&Launch Files…"), QKeySequence(QStringLiteral("Ctrl+L"))), &QAction::triggered, this, [this] {
        LaunchDialog(m_document.plan(), m_document.specs(), directory_for_dialogs(), this).exec();
    });
    connect(add_action(menu, tr("&Watch the Run…"), QKeySequence(QStringLiteral("Ctrl+Shift+L"))), &QAction::triggered, this, [this] {
        if (m_result && m_result->evaluation)
            WatchDialog(m_result->plan, *m_result->evaluation, directory_for_dialogs(), this).exec();
        else if (m_result)
            report(static_cast<int>(Problem::Topic::Plan), m_result->evaluation.error(), tr("Watching the run"));
    });
    connect(add_action(menu, tr("Import Launch Ar&guments…"), QKeySequence(QStringLiteral("Ctrl+Shift+I"))), &QAction::triggered, this, [this] {
        LaunchImportDialog dialog(m_document.specs(), to_qt(m_document.plan().instance), directory_for_dialogs(), this);
        if (dialog.exec() == QDialog::Accepted && dialog.read() && may_lose_changes()) {
            m_document.start(dialog.read()->plan);
            statusBar()->showMessage(tr("A plan from launch arguments of %1").arg(to_qt(name_of(dialog.read()->framework))), 8000);
        }
    });
}

} // namespace ridgepoint
