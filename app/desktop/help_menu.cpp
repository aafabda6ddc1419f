// The Help menu of the main window.

#include "app/desktop/main_window.h"

#include <QAction>
#include <QLayout>
#include <QMenu>
#include <QMenuBar>
#include <QToolButton>

#include "app/desktop/help_dialogs.h"
#include "app/desktop/help_window.h"

namespace ridgepoint {

void MainWindow::build_help_menu()
{
    QMenu* menu = menuBar()->addMenu(tr("&Help"));
    QAction* palette = add_action(menu, tr("&Commands…"), QKeySequence(QStringLiteral("Ctrl+Shift+P")), QStringLiteral("commands"));
    connect(palette, &QAction::triggered, this, &MainWindow::show_palette);
    QAction* shortcuts = add_action(menu, tr("&Keyboard Shortcuts"), QKeySequence(QStringLiteral("?")));
    shortcuts->setShortcuts({QKeySequence(QStringLiteral("?")), QKeySequence(QStringLiteral("F1"))});
    connect(shortcuts, &QAction::triggered, this, [this] { make_shortcuts_dialog(all_actions(), this)->open(); });
    QAction* accuracy = menu->addAction(tr("A&ccuracy"));
    connect(accuracy, &QAction::triggered, this, [this] { make_help_window(QStringLiteral("accuracy"), tr("Accuracy"), this)->show(); });
    QAction* about = menu->addAction(tr("&About Ridgepoint"));
    connect(about, &QAction::triggered, this, [this] { make_about_dialog(this)->open(); });
    auto* button = new QToolButton(menuBar()->cornerWidget());
    button->setDefaultAction(palette);
    button->setAutoRaise(true);
    button->setToolButtonStyle(Qt::ToolButtonIconOnly);
    button->setAccessibleName(tr("Commands"));
    button->setFocusPolicy(Qt::NoFocus);
    menuBar()->cornerWidget()->layout()->addWidget(button);
}

} // namespace ridgepoint
