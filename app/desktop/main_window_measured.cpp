// Measured files in the window: what is open, its comparison with the plan, the plan inferred from it, calibration.

#include <algorithm>

#include <QDialog>
#include <QDialogButtonBox>
#include <QFileInfo>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QStatusBar>
#include <QTableWidget>
#include <QVBoxLayout>

#include "app/desktop/chart_pages.h"
#include "app/desktop/main_window.h"
#include "app/desktop/recent_files.h"
#include "app/desktop/result_area.h"
#include "model/calibration/compare.h"
#include "model/calibration/infer_plan.h"
#include "model/measured/folder.h"
#include "model/project/fields.h"
#include "model/report/measured_tables.h"
#include "views/panels/problems_panel.h"
#include "views/widgets/text.h"

namespace ridgepoint {
// What all open files say of the plan.
struct ComparedFiles {
    std::vector<ReportTable> tables, ranks;
    std::vector<std::string> notes;
};

void MainWindow::open_measured(const QStringList& names)
{
    QStringList files;
    for (const QString& name : names) {
        const QFileInfo info(name);
        if (!info.isDir()) {
            files << name;
            continue;
        }
        const Expected<FolderFiles> inside = files_in_folder(to_std(name));
        if (!inside) {
            report(static_cast<int>(Problem::Topic::Trace), inside.error(), name);
            continue;
        }
        for (const std::string& file : inside->files)
            files << to_qt(file);
        if (inside->beyond_limit > 0)
            statusBar()->showMessage(tr("%1: the first %2 files are read, %3 are not").arg(QFileInfo(name).fileName()).arg(inside->files.size()).arg(inside->beyond_limit), 15'000);
    }
    if (files.isEmpty())
        return;
    show_page(Page::Trace);
    m_loader.open(files);
}

void MainWindow::add_measured(const std::vector<MeasuredView>& views)
{
    if (views.empty())
        return;
    // A file that is opened again takes its own place.
    std::erase_if(m_measured, [&](const MeasuredView& v) { return v.measured->file == views.front().measured->file; });
    m_shown_measured = static_cast<int>(m_measured.size());
    m_measured.insert(m_measured.end(), views.begin(), views.end());
    RecentFiles::add(to_qt(views.front().measured->file));
    show_measured(m_shown_measured);
}

void MainWindow::show_measured(int index)
{
    m_shown_measured = std::clamp(index, 0, std::max(0, static_cast<int>(m_measured.size()) - 1));
    m_measured_panel->set_views(m_measured, m_shown_measured);
    m_charts->clear_measured();
    std::vector<MeasuredRoof> roofs;
    for (const MeasuredView& v : m_measured)
        for (MeasuredRoof& r : measured_roofs(*v.measured)) {
            r.source = to_std(QFileInfo(to_qt(r.source)).fileName());
            roofs.push_back(std::move(r));
        }
    m_charts->show_measured_roofs(std::move(roofs));
    if (m_measured.empty())
        return;
    const MeasuredView& shown = m_measured[static_cast<std::size_t>(m_shown_measured)];
    if (shown.trace)
        m_comparer.request(shown.trace->timeline, m_good);
    else if (m_good)
        m_charts->show_measured(place_measured(*shown.measured, m_good->evaluation->job));
    compare_measured();
}

void MainWindow::compare_measured()
{
    if (m_measured.empty() || !m_good)
        return;
    std::vector<std::shared_ptr<const Measured>> all;
    for (const MeasuredView& v : m_measured)
        all.push_back(v.measured);
    auto done = [this, plan = to_qt(m_good->plan.name)](const std::shared_ptr<ComparedFiles>& c) {
        m_measured_panel->show_residuals(c->tables, c->notes, plan);
        m_measured_panel->show_ranks(c->ranks);
    };
    m_residuals.request([all, result = m_good](std::stop_token stop) {
        auto out = std::make_shared<ComparedFiles>();
        Observations together;
        for (const auto& m : all) {
            if (stop.stop_requested())
                return out;
            Observations one = observe(*m, result->evaluation->job);
            std::move(one.rows.begin(), one.rows.end(), std::back_inserter(together.rows));
            std::move(one.notes.begin(), one.notes.end(), std::back_inserter(together.notes));
        }
        const std::vector<ObservedResidual> found = residuals(together, result->evaluation->job);
        if (!found.empty())
            out->tables.push_back(residual_table(found));
        for (const auto& m : all)
            if (const auto* metrics = std::get_if<MetricSet>(&m->content))
                for (ReportTable& t : metric_tables(*metrics, result->evaluation->job))
                    out->tables.push_back(std::move(t));
        out->notes = together.notes;
        out->ranks = rank_tables(all);
        return out;
    }, done);
}

void MainWindow::close_measured()
{
    m_loader.cancel();
    if (m_measured.empty())
        return;
    m_measured.erase(m_measured.begin() + std::clamp<std::ptrdiff_t>(m_shown_measured, 0, static_cast<std::ptrdiff_t>(m_measured.size()) - 1));
    m_calibrated.reset();
    show_measured(m_shown_measured);
}

std::vector<Measured> MainWindow::open_contents() const
{
    std::vector<Measured> all;
    for (const MeasuredView& v : m_measured)
        all.push_back(*v.measured);
    return all;
}

void MainWindow::calibrate_plan()
{
    statusBar()->showMessage(tr("Fitting…"));
    std::vector<std::shared_ptr<const Measured>> all;
    for (const MeasuredView& v : m_measured)
        all.push_back(v.measured);
    using Outcome = std::shared_ptr<Expected<CalibrationResult>>;
    m_calibrator.request([all, plan = m_document.plan(), specs = m_document.specs()](std::stop_token) -> Outcome {
        std::vector<const Measured*> files;
        for (const auto& m : all)
            files.push_back(m.get());
        return std::make_shared<Expected<CalibrationResult>>(calibrate(plan, specs, files));
    }, [this](const Outcome& outcome) {
        statusBar()->clearMessage();
        m_calibrated.reset();
        if (*outcome) {
            m_calibrated = (*outcome)->factors;
            m_measured_panel->show_calibration(**outcome);
        } else {
            m_measured_panel->show_calibration_error(outcome->error());
        }
    });
}

void MainWindow::accept_factors()
{
    if (m_calibrated)
        m_document.change_plan(with_factors(m_document.plan(), *m_calibrated), tr("Calibration"));
}

void MainWindow::infer_from_measured()
{
    const Expected<InferredPlan> inferred = infer_plan(open_contents(), m_document.plan(), m_document.specs());
    if (!inferred) {
        report(static_cast<int>(Problem::Topic::Trace), inferred.error(), tr("Plan from files"));
        return;
    }
    QDialog dialog(this);
    dialog.setWindowTitle(tr("Plan from files"));
    auto* layout = new QVBoxLayout(&dialog);
    auto* table = new QTableWidget(static_cast<int>(inferred->fields.size()), 4);
    table->setHorizontalHeaderLabels({tr("Field"), tr("Now"), tr("In the files"), tr("Because")});
    table->verticalHeader()->hide();
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setAccessibleName(tr("Inferred fields"));
    for (int i = 0; i < table->rowCount(); ++i) {
        const InferredField& f = inferred->fields[static_cast<std::size_t>(i)];
        auto* check = new QTableWidgetItem(to_qt(f.path));
        check->setFlags(Qt::ItemIsEnabled | Qt::ItemIsUserCheckable | Qt::ItemIsSelectable);
        check->setCheckState(Qt::Checked);
        table->setItem(i, 0, check);
        table->setItem(i, 1, new QTableWidgetItem(to_qt(field_value(m_document.plan(), f.path))));
        table->setItem(i, 2, new QTableWidgetItem(to_qt(f.value)));
        table->setItem(i, 3, new QTableWidgetItem(to_qt(f.evidence)));
    }
    table->resizeColumnsToContents();
    table->horizontalHeader()->setStretchLastSection(true);
    layout->addWidget(table, 1);
    if (!inferred->open.empty()) {
        QStringList open;
        for (const std::string& o : inferred->open)
            open << to_qt(o);
        auto* label = new QLabel(tr("Not told by the files, so as the plan has it: %1.").arg(open.join(QStringLiteral("; "))));
        label->setWordWrap(true);
        layout->addWidget(label);
    }
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Apply | QDialogButtonBox::Cancel);
    connect(buttons->button(QDialogButtonBox::Apply), &QPushButton::clicked, &dialog, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, &dialog, &QDialog::reject);
    layout->addWidget(buttons);
    dialog.resize(760, 420);
    if (dialog.exec() != QDialog::Accepted)
        return;
    std::vector<std::pair<std::string, std::string>> edits;
    for (int i = 0; i < table->rowCount(); ++i)
        if (table->item(i, 0)->checkState() == Qt::Checked)
            edits.emplace_back(inferred->fields[static_cast<std::size_t>(i)].path, inferred->fields[static_cast<std::size_t>(i)].value);
    if (const Status status = m_document.set_fields(edits, tr("Plan from files")); !status)
        report(static_cast<int>(Problem::Topic::Plan), status.error(), tr("Plan from files"));
}

} // namespace ridgepoint
