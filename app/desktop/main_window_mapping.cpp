// What the columns of a table of no known tool mean: asked, remembered, saved and loaded.

#include <QFile>
#include <QFileDialog>
#include <QSaveFile>
#include <QStatusBar>

#include "app/desktop/main_window.h"
#include "app/desktop/mapping_memory.h"
#include "views/panels/mapping_dialog.h"
#include "views/panels/problems_panel.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    constexpr qint64 largest_mapping = 16 * 1024 * 1024;
    QString filter() { return MainWindow::tr("Column mapping (*.json);;All files (*)"); }

} // namespace

void MainWindow::map_columns()
{
    if (m_measured.empty())
        return;
    const MeasuredView& shown = m_measured[static_cast<std::size_t>(m_shown_measured)];
    if (!shown.unmapped)
        return;
    const std::shared_ptr<const Measured> unmapped = shown.unmapped;
    const std::shared_ptr<const MeasuredTable> table(unmapped, &std::get<MeasuredTable>(unmapped->content));
    MappingDialog dialog(table, to_qt(unmapped->file), shown.mapping ? &*shown.mapping : nullptr, this);
    connect(&dialog, &MappingDialog::load_requested, this, [this, &dialog] { load_mapping(&dialog); });
    connect(&dialog, &MappingDialog::save_requested, this, [this, &dialog] { save_mapping(&dialog); });
    if (dialog.exec() != QDialog::Accepted)
        return;
    const ColumnMapping mapping = dialog.mapping();
    if (dialog.is_remembered()) {
        if (const Status status = MappingMemory::keep(table->columns, mapping); !status)
            report(static_cast<int>(Problem::Topic::File), status.error(), MappingMemory::folder());
    } else {
        MappingMemory::forget(table->columns);
    }
    apply_mapping_to_shown(mapping);
}

void MainWindow::apply_mapping_to_shown(const ColumnMapping& mapping)
{
    const std::shared_ptr<const Measured> unmapped = m_measured[static_cast<std::size_t>(m_shown_measured)].unmapped;
    using Outcome = std::shared_ptr<Expected<MeasuredView>>;
    m_mapper.request([unmapped, mapping](std::stop_token) -> Outcome { return std::make_shared<Expected<MeasuredView>>(mapped_view(unmapped, mapping)); },
        [this, unmapped](const Outcome& outcome) {
            // The file may have been closed or opened anew meanwhile.
            const auto at = std::find_if(m_measured.begin(), m_measured.end(), [&](const MeasuredView& v) { return v.unmapped == unmapped; });
            if (at == m_measured.end())
                return;
            if (!*outcome) {
                report(static_cast<int>(Problem::Topic::Trace), outcome->error(), to_qt(unmapped->file));
                return;
            }
            *at = std::move(**outcome);
            m_calibrated.reset();
            show_measured(static_cast<int>(at - m_measured.begin()));
        });
}

void MainWindow::load_mapping(MappingDialog* dialog)
{
    const QString name = QFileDialog::getOpenFileName(dialog, tr("Load a column mapping"), directory_for_dialogs(), filter());
    if (name.isEmpty())
        return;
    QFile file(name);
    if (!file.open(QIODevice::ReadOnly)) {
        dialog->show_error(io_error("The file cannot be read: " + to_std(file.errorString()), to_std(name)));
        return;
    }
    if (file.size() > largest_mapping) {
        dialog->show_error(bad_input("too large for a column mapping", Place{to_std(name), 0, {}}, std::to_string(file.size()) + " bytes", "at most 16 MiB"));
        return;
    }
    const Expected<ColumnMapping> mapping = read_mapping(file.readAll().toStdString(), to_std(name));
    if (!mapping) {
        dialog->show_error(mapping.error());
        return;
    }
    dialog->set_mapping(*mapping);
}

void MainWindow::save_mapping(const MappingDialog* dialog)
{
    const QString name = QFileDialog::getSaveFileName(this, tr("Save the column mapping"), directory_for_dialogs() + QStringLiteral("/columns.json"), filter());
    if (name.isEmpty())
        return;
    QSaveFile file(name);
    const QByteArray text = QByteArray::fromStdString(write_mapping(dialog->mapping()));
    if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size() || !file.commit())
        report(static_cast<int>(Problem::Topic::File), io_error("The column mapping cannot be written: " + to_std(file.errorString()), to_std(name)), name);
    else
        statusBar()->showMessage(tr("Wrote %1").arg(name), 8000);
}

} // namespace ridgepoint
