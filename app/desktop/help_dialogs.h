#pragma once
// Shortcut sheet and About.

#include <QDialog>
#include <QList>

class QAction;

namespace ridgepoint {

QDialog* make_shortcuts_dialog(const QList<QAction*>& actions, QWidget* parent); // deletes itself when closed
QDialog* make_about_dialog(QWidget* parent);

} // namespace ridgepoint
