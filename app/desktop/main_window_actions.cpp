// The menus of the main window.

#include "app/desktop/main_window.h"

#include <algorithm>
#include <cmath>

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QDockWidget>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QMenu>
#include <QMenuBar>
#include <QStatusBar>
#include <QToolButton>
#include <QUndoStack>

#include "app/desktop/command_palette.h"
#include "app/desktop/recent_files.h"
#include "app/desktop/report_dialog.h"
#include "app/desktop/what_if_pages.h"
#include "views/panels/field_row.h"
#include "views/panels/plan_editor.h"
#include "views/panels/problems_panel.h"
#include "views/panels/verdict_strip.h"
#include "views/widgets/icon.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    const QString plan_filter = QStringLiteral("Ridgepoint plans (*.ridgepoint)");

    void collect(const QMenu* menu, const QString& path, QList<QPair<QString, QAction*>>& found)
    {
        for (QAction* action : menu->actions()) {
            const QString text = action->text().remove(u'&');
            if (action->menu())
                collect(action->menu(), path + text + QStringLiteral(": "), found);
            else if (!action->isSeparator() && !text.isEmpty())
                found.append({path + text, action});
        }
    }

} // namespace

QAction* MainWindow::add_action(QMenu* menu, const QString& text, const QKeySequence& keys, const QString& icon)
{
    QAction* action = menu->addAction(text);
    action->setShortcut(keys);
    if (!icon.isEmpty()) {
        action->setIcon(themed_icon(icon));
        action->setIconVisibleInMenu(false);
    }
    return action;
}

void MainWindow::build_actions()
{
    build_file_menu();
    build_edit_menu();
    build_view_menu();
    build_help_menu();
}

void MainWindow::build_file_menu()
{
    QMenu* menu = menuBar()->addMenu(tr("&File"));
    connect(add_action(menu, tr("&New Plan"), QKeySequence::New), &QAction::triggered, this, [this] {
        if (may_lose_changes())
            m_document.start(Plan{});
    });
    connect(add_action(menu, tr("New &Window"), QKeySequence(QStringLiteral("Ctrl+Shift+N"))), &QAction::triggered, this, [this] {
        auto* window = new MainWindow(m_document.specs());
        window->setAttribute(Qt::WA_DeleteOnClose);
        window->show();
    });
    QAction* open = add_action(menu, tr("&Open…"), QKeySequence::Open, QStringLiteral("open"));
    connect(open, &QAction::triggered, this, [this] { choose_and_open(tr("Open a plan, a trace or a model's config.json"),
        plan_filter + tr(";;Traces and configs (*.json *.json.gz);;All files (*)")); });
    connect(add_action(menu, tr("Open &Trace…"), QKeySequence(QStringLiteral("Ctrl+T")), QStringLiteral("trace")), &QAction::triggered, this, [this] {
        choose_and_open(tr("Open a trace"), tr("Traces (*.json *.json.gz *.gz);;All files (*)"));
    });
    connect(menu->addAction(tr("Close Measu&red File")), &QAction::triggered, this, &MainWindow::close_measured);
    connect(add_action(menu, tr("&Import Model…"), QKeySequence(QStringLiteral("Ctrl+I"))), &QAction::triggered, this, [this] {
        const QString file = QFileDialog::getOpenFileName(this, tr("Import a Hugging Face config.json"), directory_for_dialogs(), tr("config.json (*.json)"));
        if (!file.isEmpty())
            import_model(file);
    });
    QMenu* recent = menu->addMenu(tr("Open &Recent"));
    connect(recent, &QMenu::aboutToShow, this, [this, recent] { fill_recent_menu(recent); });
    fill_recent_menu(recent);
    QMenu* examples = menu->addMenu(tr("E&xamples"));
    fill_examples_menu(examples);
    menu->addSeparator();
    QAction* save_action = add_action(menu, tr("&Save"), QKeySequence::Save, QStringLiteral("save"));
    connect(save_action, &QAction::triggered, this, [this] { save(); });
    connect(add_action(menu, tr("Save &As…"), QKeySequence::SaveAs), &QAction::triggered, this, [this] { save_as({}); });
    menu->addSeparator();
    connect(add_action(menu, tr("&Compare With…"), QKeySequence(QStringLiteral("Ctrl+D"))), &QAction::triggered, this, [this] { compare_with({}); });
    connect(add_action(menu, tr("&Keep the Plan for Comparison"), QKeySequence(QStringLiteral("Ctrl+Shift+D"))), &QAction::triggered, this,
        [this] { m_what_if->keep_for_comparison(); });
    QAction* search = add_action(menu, tr("&Find the Best Plan"), QKeySequence(QStringLiteral("Ctrl+B")));
    connect(search, &QAction::triggered, this, [this] {
        show_page(Page::Search);
        m_what_if->start_search();
    });
    menu->addSeparator();
    QAction* export_action = add_action(menu, tr("&Export Report…"), QKeySequence(QStringLiteral("Ctrl+E")), QStringLiteral("export"));
    connect(export_action, &QAction::triggered, this, [this] {
        ReportDialog dialog(!m_measured.empty(), this);
        if (dialog.exec() != QDialog::Accepted)
            return;
        dialog.remember();
        const std::vector<Measured> measured = open_contents();
        const Expected<ReportRequest> request = dialog.request(&measured);
        if (!request) {
            report(static_cast<int>(Problem::Topic::Export), request.error(), tr("Report"));
            return;
        }
        const QString name = QFileInfo(m_document.title()).completeBaseName();
        const QString file = QFileDialog::getSaveFileName(this, tr("Export the report"), directory_for_dialogs() + QStringLiteral("/%1.pdf").arg(name),
            tr("PDF (*.pdf);;HTML (*.html);;Markdown (*.md)"));
        if (!file.isEmpty())
            export_report(file, *request);
    });
    build_launch_menu(menu);
    menu->addSeparator();
    connect(add_action(menu, tr("&Close Window"), QKeySequence::Close), &QAction::triggered, this, &QWidget::close);
    connect(add_action(menu, tr("&Quit"), QKeySequence(QStringLiteral("Ctrl+Q"))), &QAction::triggered, qApp, &QApplication::closeAllWindows);

    auto* corner = new QWidget(menuBar());
    auto* corner_layout = new QHBoxLayout(corner);
    corner_layout->setContentsMargins(0, 0, 4, 0);
    corner_layout->setSpacing(1);
    menuBar()->setCornerWidget(corner);
    for (QAction* action : {open, save_action, export_action}) {
        auto* button = new QToolButton(corner);
        button->setDefaultAction(action);
        button->setAutoRaise(true);
        button->setAccessibleName(action->text().remove(u'&'));
        button->setFocusPolicy(Qt::NoFocus);
        corner_layout->addWidget(button);
    }
}

void MainWindow::build_edit_menu()
{
    QMenu* menu = menuBar()->addMenu(tr("&Edit"));
    QAction* undo = m_document.undo_stack()->createUndoAction(this, tr("Undo"));
    undo->setShortcut(QKeySequence::Undo);
    undo->setIcon(themed_icon(QStringLiteral("undo")));
    undo->setIconVisibleInMenu(false);
    QAction* redo = m_document.undo_stack()->createRedoAction(this, tr("Redo"));
    redo->setShortcuts({QKeySequence(QStringLiteral("Ctrl+Shift+Z")), QKeySequence(QStringLiteral("Ctrl+Y"))});
    redo->setIcon(themed_icon(QStringLiteral("redo")));
    redo->setIconVisibleInMenu(false);
    menu->addAction(undo);
    menu->addAction(redo);
    menu->addSeparator();
    connect(add_action(menu, tr("&Find a Field"), QKeySequence::Find), &QAction::triggered, this, [this] {
        m_editor_dock->show();
        m_editor->focus_search();
    });
    connect(add_action(menu, tr("&Copy the Verdict"), QKeySequence(QStringLiteral("Ctrl+Shift+C"))), &QAction::triggered, this, [this] {
        QApplication::clipboard()->setText(m_document.title() + QStringLiteral("\n") + m_verdict->headline() + QStringLiteral("\n") + m_verdict->advice());
        statusBar()->showMessage(tr("Copied the verdict"), 3000);
    });
    auto* layout = menuBar()->cornerWidget()->layout();
    for (QAction* action : {undo, redo}) {
        auto* button = new QToolButton(menuBar()->cornerWidget());
        button->setDefaultAction(action);
        button->setAutoRaise(true);
        button->setToolButtonStyle(Qt::ToolButtonIconOnly);
        button->setAccessibleName(action->text());
        button->setFocusPolicy(Qt::NoFocus);
        layout->addWidget(button);
    }
}

void MainWindow::build_view_menu()
{
    QMenu* menu = menuBar()->addMenu(tr("&View"));
    const QList<QPair<Page, QString>> pages = {{Page::Roofline, tr("&Roofline")}, {Page::Ridgeline, tr("Ri&dgeline")}, {Page::Step, tr("&Step")},
        {Page::Memory, tr("&Memory")}, {Page::Operators, tr("&Operators")}, {Page::Trace, tr("&Trace")}, {Page::Search, tr("Sear&ch")}, {Page::Map, tr("Ma&p")},
        {Page::WhatIf, tr("&What If")}, {Page::Compare, tr("Comp&are")}};
    for (qsizetype i = 0; i < pages.size(); ++i) {
        const Page page = pages[i].first;
        connect(add_action(menu, pages[i].second, QKeySequence(i < 9 ? QStringLiteral("Ctrl+%1").arg(i + 1) : QStringLiteral("Ctrl+Alt+C"))), &QAction::triggered, this, [this, page] { show_page(page); });
    }
    build_operation_menu(menu->addMenu(tr("&Operation")));
    menu->addSeparator();
    const QList<QPair<QDockWidget*, QString>> docks = {{m_editor_dock, QStringLiteral("F2")}, {m_explain_dock, QStringLiteral("F3")}, {m_problems_dock, QStringLiteral("F4")}};
    for (const auto& [dock, keys] : docks) {
        QAction* action = dock->toggleViewAction();
        action->setShortcut(QKeySequence(keys));
        menu->addAction(action);
    }
    menu->addSeparator();
    QMenu* theme = menu->addMenu(tr("T&heme"));
    auto* group = new QActionGroup(this);
    const QList<QPair<Appearance, QString>> themes = {{Appearance::System, tr("&System")}, {Appearance::Light, tr("&Light")}, {Appearance::Dark, tr("&Dark")}};
    for (const auto& [appearance, text] : themes) {
        QAction* action = theme->addAction(text);
        action->setCheckable(true);
        action->setActionGroup(group);
        action->setChecked(saved_appearance() == appearance);
        const Appearance chosen = appearance;
        connect(action, &QAction::triggered, this, [this, chosen] { set_appearance(chosen); });
    }
    connect(add_action(menu, tr("Larger &Text"), QKeySequence(QStringLiteral("Ctrl++"))), &QAction::triggered, this, [this] { change_text_scale(1); });
    connect(add_action(menu, tr("Smaller T&ext"), QKeySequence(QStringLiteral("Ctrl+-"))), &QAction::triggered, this, [this] { change_text_scale(-1); });
    connect(add_action(menu, tr("&Normal Text"), QKeySequence(QStringLiteral("Ctrl+0"))), &QAction::triggered, this, [this] { change_text_scale(0); });
    QAction* full = add_action(menu, tr("&Full Screen"), QKeySequence(QStringLiteral("F11")));
    full->setCheckable(true);
    connect(full, &QAction::triggered, this, [this](bool on) { on ? showFullScreen() : showNormal(); });
}

QList<QAction*> MainWindow::all_actions() const
{
    QList<QPair<QString, QAction*>> found;
    for (const QAction* top : menuBar()->actions())
        if (top->menu())
            collect(top->menu(), {}, found);
    QList<QAction*> actions;
    for (const auto& [text, action] : found)
        actions << action;
    return actions;
}

void MainWindow::show_palette()
{
    QList<QPair<QString, QAction*>> found;
    for (const QAction* top : menuBar()->actions())
        if (top->menu())
            collect(top->menu(), top->text().remove(u'&') + QStringLiteral(": "), found);
    QList<PaletteEntry> entries;
    for (const auto& [text, action] : found) {
        QAction* run = action;
        entries.append({text, action->shortcut().toString(QKeySequence::NativeText), [run] { run->trigger(); }, action->isEnabled()});
    }
    for (const FieldRow* row : m_editor->rows()) {
        if (!applies(row->field(), m_document.plan()))
            continue;
        const QString path = row->path();
        entries.append({tr("%1: %2").arg(to_qt(row->field().group), to_qt(row->field().label)), row->value_text(), [this, path] {
                            m_editor_dock->show();
                            m_editor->focus_field(path);
                        }, true});
    }
    auto* palette = new CommandPalette(std::move(entries), this);
    palette->setAttribute(Qt::WA_DeleteOnClose);
    palette->open();
}

QString MainWindow::directory_for_dialogs() const
{
    return m_document.file().isEmpty() ? QDir::homePath() : QFileInfo(m_document.file()).absolutePath();
}

void MainWindow::choose_and_open(const QString& title, const QString& filter)
{
    const QString file = QFileDialog::getOpenFileName(this, title, directory_for_dialogs(), filter);
    if (!file.isEmpty())
        open_file(file);
}

bool MainWindow::save_as(const QString& wanted)
{
    QString file = wanted;
    if (file.isEmpty()) {
        const QString suggestion = directory_for_dialogs() + QStringLiteral("/%1.ridgepoint").arg(QFileInfo(m_document.title()).completeBaseName());
        file = QFileDialog::getSaveFileName(this, tr("Save the plan"), suggestion, plan_filter);
        if (file.isEmpty())
            return false;
        if (QFileInfo(file).suffix().isEmpty())
            file += QStringLiteral(".ridgepoint");
    }
    if (const Status status = m_document.save_as(file); !status) {
        report(1, status.error(), file);
        return false;
    }
    RecentFiles::add(file);
    statusBar()->showMessage(tr("Saved %1").arg(QFileInfo(file).fileName()), 3000);
    return true;
}

void MainWindow::fill_recent_menu(QMenu* menu)
{
    menu->clear();
    const QStringList files = RecentFiles::list();
    for (const QString& file : files) {
        QAction* action = menu->addAction(QFileInfo(file).fileName());
        action->setToolTip(file);
        action->setStatusTip(file);
        connect(action, &QAction::triggered, this, [this, file] { open_file(file); });
    }
    if (files.isEmpty()) {
        menu->addAction(tr("No files yet"))->setEnabled(false);
        return;
    }
    menu->addSeparator();
    connect(menu->addAction(tr("Clear the list")), &QAction::triggered, this, [] { RecentFiles::clear(); });
}

void MainWindow::fill_examples_menu(QMenu* menu)
{
    const QDir directory(to_qt(find_builtin_specs()) + QStringLiteral("/examples"));
    const QFileInfoList files = directory.entryInfoList({QStringLiteral("*.ridgepoint")}, QDir::Files, QDir::Name);
    for (const QFileInfo& info : files) {
        const QString file = info.filePath();
        // A copy without a file: saving must not overwrite the example.
        connect(menu->addAction(info.completeBaseName()), &QAction::triggered, this, [this, file] {
            if (!may_lose_changes())
                return;
            const Expected<Plan> plan = load_plan(to_std(file));
            if (plan)
                m_document.start(*plan);
            else
                report(1, plan.error(), file);
        });
    }
    menu->setEnabled(!files.isEmpty());
}

void MainWindow::set_appearance(Appearance appearance)
{
    save_appearance(appearance);
    apply_appearance(appearance);
}

void MainWindow::change_text_scale(int steps)
{
    const double scale = steps == 0 ? 1.0 : std::clamp(std::round((saved_text_scale() + 0.1 * steps) * 10.0) / 10.0, 0.7, 2.0);
    save_text_scale(scale);
    apply_text_scale(scale);
    statusBar()->showMessage(tr("Text at %1 %").arg(std::lround(scale * 100.0)), 2000);
}

} // namespace ridgepoint
