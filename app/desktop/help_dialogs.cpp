#include "app/desktop/help_dialogs.h"

#include <QAction>
#include <QApplication>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "app/desktop/options.h"

namespace ridgepoint {
namespace {

    QDialog* make_dialog(const QString& title, QWidget* content, QWidget* parent)
    {
        auto* dialog = new QDialog(parent);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->setWindowTitle(title);
        auto* layout = new QVBoxLayout(dialog);
        layout->addWidget(content, 1);
        auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, dialog);
        QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
        layout->addWidget(buttons);
        return dialog;
    }

    void add(QTreeWidgetItem* group, const QString& what, const QString& keys) { group->addChild(new QTreeWidgetItem({what, keys})); }

} // namespace

QDialog* make_shortcuts_dialog(const QList<QAction*>& actions, QWidget* parent)
{
    auto* tree = new QTreeWidget;
    tree->setAccessibleName(QDialog::tr("Keyboard shortcuts"));
    tree->setHeaderLabels({QDialog::tr("Action"), QDialog::tr("Keys")});
    tree->setRootIsDecorated(false);
    tree->setAlternatingRowColors(true);
    auto* window = new QTreeWidgetItem(tree, {QDialog::tr("Window")});
    for (const QAction* action : actions) {
        QStringList keys;
        for (const QKeySequence& sequence : action->shortcuts())
            keys << sequence.toString(QKeySequence::NativeText);
        if (!keys.isEmpty())
            add(window, action->text().remove(u'&'), keys.join(QStringLiteral(", ")));
    }
    auto* chart = new QTreeWidgetItem(tree, {QDialog::tr("Charts")});
    add(chart, QDialog::tr("Zoom about the cursor"), QDialog::tr("Wheel"));
    add(chart, QDialog::tr("Zoom one axis"), QDialog::tr("Shift + wheel (x), Ctrl + wheel (y), wheel over an axis"));
    add(chart, QDialog::tr("Box zoom"), QDialog::tr("Drag"));
    add(chart, QDialog::tr("Pan"), QDialog::tr("Shift + drag, middle drag, arrows, A, D"));
    add(chart, QDialog::tr("Zoom in, out, reset"), QDialog::tr("+ or W, - or S, 0 or Home, double click"));
    add(chart, QDialog::tr("Fit the selection"), QDialog::tr("F"));
    add(chart, QDialog::tr("Next or previous operator by time"), QDialog::tr("], ["));
    add(chart, QDialog::tr("Select, add, clear"), QDialog::tr("Click, Ctrl + click, Esc"));
    auto* editor = new QTreeWidgetItem(tree, {QDialog::tr("Plan editor")});
    add(editor, QDialog::tr("Step a number; sizes double and halve"), QDialog::tr("Up, Down"));
    add(editor, QDialog::tr("Write large numbers"), QDialog::tr("15.6T, 4k, 2e9"));
    tree->expandAll();
    tree->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    auto* dialog = make_dialog(QDialog::tr("Keyboard shortcuts"), tree, parent);
    dialog->resize(640, 600);
    return dialog;
}

QDialog* make_about_dialog(QWidget* parent)
{
    auto* label = new QLabel;
    label->setTextFormat(Qt::RichText);
    label->setWordWrap(true);
    label->setOpenExternalLinks(true);
    label->setTextInteractionFlags(Qt::TextBrowserInteraction);
    label->setAccessibleName(QDialog::tr("About Ridgepoint"));
    label->setText(QDialog::tr(
        "<h2>Ridgepoint %1</h2>"
        "<p>Capacity planning and roofline visualization of foundation-model training and inference on AWS GPUs.</p>"
        "<p><b>Licence:</b> GNU General Public License, version 3. The desktop uses Qt Charts, which is GPL-3.0 or "
        "commercial, so the program as a whole is GPL-3.0. It comes with no warranty.</p>"
        "<p><b>Built with</b></p><table cellspacing='4'>"
        "<tr><td>Qt %2</td><td>Widgets, Charts, Svg, PrintSupport, Concurrent</td></tr>"
        "<tr><td>nlohmann/json</td><td>specs and plans</td></tr>"
        "<tr><td>simdjson</td><td>traces</td></tr>"
        "<tr><td>zlib</td><td>compressed traces</td></tr>"
        "<tr><td>fmt</td><td>text of numbers</td></tr>"
        "<tr><td>CLI11</td><td>command line of ridgepoint-cli</td></tr></table>"
        "<p>Prices and figures carry their source and date; they are planning figures, not quotes. "
        "Product names belong to their owners.</p>").arg(version_text(), QString::fromLatin1(qVersion())));
    auto* dialog = make_dialog(QDialog::tr("About Ridgepoint"), label, parent);
    dialog->resize(520, 460);
    return dialog;
}

} // namespace ridgepoint
