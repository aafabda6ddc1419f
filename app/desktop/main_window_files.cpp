// Files that the main window opens, saves, exports and is given by dropping.

#include "app/desktop/main_window.h"

#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileInfo>
#include <QMessageBox>
#include <QMimeData>
#include <QStatusBar>

#include "app/desktop/file_kind.h"
#include "app/desktop/model_import.h"
#include "app/desktop/recent_files.h"
#include "app/desktop/report_export.h"
#include "views/panels/problems_panel.h"
#include "views/widgets/text.h"

namespace ridgepoint {

bool MainWindow::open_file(const QString& file)
{
    switch (kind_of_file(file)) {
    case FileKind::Plan:
        return open_plan(file);
    case FileKind::Trace:
        open_measured({file});
        return true;
    case FileKind::ModelConfig:
        return import_model(file);
    case FileKind::Unknown:
        break;
    }
    const Error error = QFileInfo::exists(file) ? bad_input("This file is none that Ridgepoint reads", Place{to_std(file), 0, {}}, {},
                            "a plan (*.ridgepoint), a measured file (trace, benchmark, log, metrics) or a Hugging Face config.json")
                                                : io_error("There is no such file", to_std(file));
    report(static_cast<int>(Problem::Topic::File), error, file);
    return false;
}

bool MainWindow::open_plan(const QString& file)
{
    if (!may_lose_changes())
        return false;
    if (const Status status = m_document.open(file); !status) {
        report(static_cast<int>(Problem::Topic::File), status.error(), file);
        RecentFiles::remove(file);
        return false;
    }
    RecentFiles::add(file);
    statusBar()->showMessage(tr("Opened %1").arg(QFileInfo(file).fileName()), 3000);
    return true;
}

bool MainWindow::import_model(const QString& file)
{
    const Expected<ImportedModel> model = import_config(file, m_document.specs());
    if (!model) {
        report(static_cast<int>(Problem::Topic::File), model.error(), file);
        return false;
    }
    if (const Status status = m_document.add_model(model->spec, to_std(file)); !status) {
        report(static_cast<int>(Problem::Topic::File), status.error(), file);
        return false;
    }
    m_document.end_edit();
    if (const Status status = m_document.set_field(QStringLiteral("/model"), to_qt(model->id)); !status) {
        report(static_cast<int>(Problem::Topic::File), status.error(), file);
        return false;
    }
    m_document.end_edit();
    statusBar()->showMessage(tr("Imported %1 as model \"%2\" for this session").arg(QFileInfo(file).fileName(), to_qt(model->id)), 8000);
    return true;
}

bool MainWindow::save() { return m_document.file().isEmpty() ? save_as({}) : save_as(m_document.file()); }

bool MainWindow::export_report(const QString& file, const ReportRequest& request)
{
    if (!m_good || m_result != m_good) {
        report(static_cast<int>(Problem::Topic::Export),
            m_result && !m_result->evaluation ? m_result->evaluation.error() : bad_input("There is no result to report yet"), file);
        return false;
    }
    if (const Status status = write_report(*m_good, m_document.specs(), file, request); !status) {
        report(static_cast<int>(Problem::Topic::Export), status.error(), file);
        return false;
    }
    statusBar()->showMessage(tr("Wrote %1").arg(file), 8000);
    return true;
}

bool MainWindow::may_lose_changes()
{
    if (!m_document.is_modified() || !m_ask)
        return true;
    QMessageBox box(QMessageBox::Warning, tr("Unsaved changes"), tr("\"%1\" has unsaved changes.").arg(m_document.title()),
        QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, this);
    box.setInformativeText(tr("Save them before going on?"));
    box.setDefaultButton(QMessageBox::Save);
    switch (box.exec()) {
    case QMessageBox::Save:
        return save();
    case QMessageBox::Discard:
        return true;
    default:
        return false;
    }
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    if (event->mimeData()->hasUrls())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event)
{
    QStringList measured; // together: the ranks of a job are one drop
    for (const QUrl& url : event->mimeData()->urls()) {
        if (!url.isLocalFile())
            continue;
        const QString file = url.toLocalFile();
        if (QFileInfo(file).isDir() || kind_of_file(file) == FileKind::Trace)
            measured << file;
        else
            open_file(file);
    }
    open_measured(measured);
    event->acceptProposedAction();
}

} // namespace ridgepoint
