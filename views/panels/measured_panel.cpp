#include "views/panels/measured_panel.h"

#include <algorithm>

#include <QComboBox>
#include <QFileInfo>
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStackedWidget>
#include <QTabWidget>
#include <QVBoxLayout>

#include "model/measured/tables/mapping_check.h"
#include "model/report/measured_tables.h"
#include "views/widgets/cell_table.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    constexpr std::size_t most_rows = 2000; // of a table on the screen

    QLabel* make_note()
    {
        auto* label = new QLabel;
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        label->setFocusPolicy(Qt::NoFocus);
        return label;
    }

    QWidget* page_of(std::initializer_list<QWidget*> parts)
    {
        auto* page = new QWidget;
        auto* layout = new QVBoxLayout(page);
        layout->setContentsMargins(0, 4, 0, 0);
        for (QWidget* part : parts)
            layout->addWidget(part, qobject_cast<QTabWidget*>(part) ? 1 : 0);
        return page;
    }

    CellTable* table_of(const ReportTable& t)
    {
        auto* table = new CellTable(to_qt(t.title));
        const std::vector<bool> numbers = number_columns(t);
        std::vector<TableColumn> columns;
        for (std::size_t i = 0; i < t.header.size(); ++i)
            columns.push_back({to_qt(t.header[i]), numbers[i], {}});
        std::vector<CellTableModel::Row> rows;
        for (const auto& cells : t.rows) {
            CellTableModel::Row row;
            for (const std::string& cell : cells)
                row.push_back({to_qt(cell), {}});
            rows.push_back(std::move(row));
        }
        table->set_table(std::move(columns), std::move(rows));
        table->setSortingEnabled(false); // cells carry units: their order is the one that the engine gave them
        return table;
    }

} // namespace

MeasuredView view_of(std::shared_ptr<const Measured> measured)
{
    MeasuredView view;
    if (const auto* timeline = std::get_if<Timeline>(&measured->content)) {
        TraceView trace;
        trace.timeline = std::shared_ptr<const Timeline>(measured, timeline);
        trace.summary = summarize(*timeline);
        trace.kernels = kernel_totals(*timeline);
        view.trace = std::move(trace);
    } else {
        view.tables = measured_tables(*measured, most_rows);
        ReportTable skipped;
        skipped.title = "Left out or mended";
        skipped.header = {"Because", "Count", "First place"};
        for (const Skipped& s : measured->skipped)
            skipped.rows.push_back({s.reason, std::to_string(s.count), s.first_place});
        for (const std::string& n : measured->notes)
            skipped.rows.push_back({n, "", ""});
        if (!skipped.rows.empty())
            view.tables.push_back(std::move(skipped));
    }
    if (std::holds_alternative<MeasuredTable>(measured->content))
        view.unmapped = measured;
    view.measured = std::move(measured);
    return view;
}

Expected<MeasuredView> mapped_view(std::shared_ptr<const Measured> unmapped, const ColumnMapping& mapping)
{
    std::vector<Measured> one{*unmapped};
    if (const Expected<int> mapped = map_tables(one, mapping); !mapped)
        return mapped.error();
    MeasuredView view = view_of(std::make_shared<const Measured>(std::move(one.front())));
    view.unmapped = std::move(unmapped);
    view.mapping = mapping;
    return view;
}

MeasuredPanel::MeasuredPanel(QWidget* parent) : QWidget(parent)
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(2);
    m_bar = make_bar();
    layout->addWidget(m_bar);
    layout->addWidget(make_pages(), 1);
    show_empty();
}

QWidget* MeasuredPanel::make_bar()
{
    auto* bar = new QWidget;
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(6, 4, 6, 0);
    m_files = new QComboBox;
    m_files->setAccessibleName(tr("Measured file"));
    m_files->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_files->setMinimumContentsLength(24);
    connect(m_files, &QComboBox::activated, this, &MeasuredPanel::selected);
    layout->addWidget(m_files, 1);
    const auto add = [&](const QString& text, const QString& tip, void (MeasuredPanel::*signal)()) {
        auto* button = new QPushButton(text);
        button->setToolTip(tip);
        connect(button, &QPushButton::clicked, this, signal);
        layout->addWidget(button);
    };
    add(tr("Open…"), tr("Open more measured files"), &MeasuredPanel::open_requested);
    add(tr("Close"), tr("Close this file"), &MeasuredPanel::close_requested);
    add(tr("Plan from files…"), tr("Set the plan to what the open files say of the run"), &MeasuredPanel::infer_requested);
    add(tr("Calibrate"), tr("Fit at most six factors of your machine to the open files"), &MeasuredPanel::calibrate_requested);
    return bar;
}

QWidget* MeasuredPanel::make_pages()
{
    m_sides = new QTabWidget;
    m_sides->setDocumentMode(true);
    m_pages = new QStackedWidget;
    m_trace = new TracePanel;
    connect(m_trace, &TracePanel::open_requested, this, &MeasuredPanel::open_requested);
    connect(m_trace, &TracePanel::cancel_requested, this, &MeasuredPanel::cancel_requested);
    m_tables = new QTabWidget;
    m_tables->setDocumentMode(true);
    auto* file_page = new QWidget;
    auto* file_layout = new QVBoxLayout(file_page);
    file_layout->setContentsMargins(0, 0, 0, 0);
    file_layout->addWidget(make_mapping_bar());
    file_layout->addWidget(m_tables, 1);
    m_pages->addWidget(m_trace);
    m_pages->addWidget(file_page);
    m_sides->addTab(m_pages, tr("File"));

    m_notes = make_note();
    m_residuals = new QTabWidget;
    m_residuals->setDocumentMode(true);
    m_sides->addTab(page_of({m_notes, m_residuals}), tr("Against the plan"));

    m_ranks = new QTabWidget;
    m_ranks->setDocumentMode(true);
    m_rank_page = page_of({m_ranks});

    m_calibration_note = make_note();
    m_calibration_note->setText(tr("Calibrate fits at most six factors (matrix products, attention, memory-bound kernels, collectives over NVLink and over the network, time beside the work) to everything "
                                   "that is open. Nothing changes until you take them into the plan."));
    m_calibration = new QTabWidget;
    m_calibration->setDocumentMode(true);
    m_accept = new QPushButton(tr("Use these factors in the plan"));
    m_accept->setEnabled(false);
    connect(m_accept, &QPushButton::clicked, this, &MeasuredPanel::factors_accepted);
    m_sides->addTab(page_of({m_calibration_note, m_calibration, m_accept}), tr("Calibration"));
    return m_sides;
}

QWidget* MeasuredPanel::make_mapping_bar()
{
    m_mapping_bar = new QFrame;
    m_mapping_bar->setFrameShape(QFrame::StyledPanel);
    auto* layout = new QHBoxLayout(m_mapping_bar);
    m_mapping_note = make_note();
    m_map = new QPushButton(tr("Map columns…"));
    m_map->setToolTip(tr("Say what the columns of this table mean"));
    connect(m_map, &QPushButton::clicked, this, &MeasuredPanel::mapping_requested);
    layout->addWidget(m_mapping_note, 1);
    layout->addWidget(m_map);
    return m_mapping_bar;
}

void MeasuredPanel::show_mapping(const MeasuredView& view)
{
    m_mapping_bar->setVisible(view.unmapped != nullptr);
    if (!view.unmapped)
        return;
    if (view.mapping) {
        m_mapping_note->setText(tr("Read with a column mapping as a %1.").arg(to_qt(name_of(view.mapping->target))));
        m_map->setText(tr("Change mapping…"));
    } else {
        m_mapping_note->setText(tr("No tool that is known here wrote this table. Say what its columns mean, and it is read as what it measures."));
        m_map->setText(tr("Map columns…"));
    }
}

void MeasuredPanel::fill(QTabWidget* tabs, const std::vector<ReportTable>& tables)
{
    const int before = tabs->currentIndex();
    while (tabs->count() > 0)
        delete tabs->widget(0);
    for (const ReportTable& t : tables) {
        auto* page = new QWidget;
        auto* layout = new QVBoxLayout(page);
        layout->setContentsMargins(0, 4, 0, 0);
        layout->addWidget(table_of(t), 1);
        if (!t.note.empty()) {
            auto* note = make_note();
            note->setText(to_qt(t.note));
            layout->addWidget(note);
        }
        const QString title = to_qt(t.title);
        const int at = tabs->addTab(page, title.size() > 40 ? title.left(38) + QStringLiteral("…") : title);
        tabs->setTabToolTip(at, title);
    }
    tabs->setCurrentIndex(std::clamp(before, 0, std::max(0, tabs->count() - 1)));
}

void MeasuredPanel::show_empty()
{
    m_views.clear();
    m_files->clear();
    m_bar->hide();
    m_sides->tabBar()->hide();
    m_sides->setCurrentIndex(0);
    m_trace->show_empty();
    m_pages->setCurrentIndex(0);
}

void MeasuredPanel::show_progress(const QString& file, double fraction)
{
    m_sides->setCurrentIndex(0);
    m_pages->setCurrentIndex(0);
    m_trace->show_progress(file, fraction);
}

int MeasuredPanel::current() const { return m_files->currentIndex(); }

void MeasuredPanel::set_views(const std::vector<MeasuredView>& views, int current)
{
    if (views.empty()) {
        show_empty();
        return;
    }
    m_views = views;
    m_files->clear();
    for (const MeasuredView& v : views)
        m_files->addItem(QStringLiteral("%1: %2").arg(QFileInfo(to_qt(v.measured->file)).fileName(), to_qt(v.measured->format)), to_qt(v.measured->file));
    current = std::clamp(current, 0, static_cast<int>(views.size()) - 1);
    m_files->setCurrentIndex(current);
    m_files->setToolTip(to_qt(views[static_cast<std::size_t>(current)].measured->file));
    m_bar->show();
    m_sides->tabBar()->show();
    const MeasuredView& v = views[static_cast<std::size_t>(current)];
    if (v.trace) {
        m_trace->show_trace(*v.trace);
        m_pages->setCurrentIndex(0);
    } else {
        show_mapping(v);
        fill(m_tables, v.tables);
        m_pages->setCurrentIndex(1);
    }
}

void MeasuredPanel::show_residuals(const std::vector<ReportTable>& tables, const std::vector<std::string>& notes, const QString& plan)
{
    fill(m_residuals, tables);
    QStringList lines{tables.empty() ? tr("Nothing in the open files can be set against \"%1\".").arg(plan) : tr("Against \"%1\".").arg(plan)};
    for (const std::string& n : notes)
        lines << QStringLiteral("• ") + to_qt(n);
    m_notes->setText(lines.join(QLatin1Char('\n')));
}

void MeasuredPanel::show_ranks(const std::vector<ReportTable>& tables)
{
    const int at = m_sides->indexOf(m_rank_page);
    if (tables.empty()) {
        if (at >= 0)
            m_sides->removeTab(at);
        return;
    }
    fill(m_ranks, tables);
    if (at < 0)
        m_sides->insertTab(2, m_rank_page, tr("Ranks"));
}

void MeasuredPanel::show_calibration(const CalibrationResult& result)
{
    fill(m_calibration, {factor_table(result), calibration_rows(result)});
    QStringList lines{tr("Fitted to %1.").arg(to_qt(result.factors.source))};
    for (const std::string& n : result.notes)
        lines << QStringLiteral("• ") + to_qt(n);
    m_calibration_note->setText(lines.join(QLatin1Char('\n')));
    m_accept->setEnabled(true);
    m_sides->setCurrentIndex(m_sides->count() - 1);
}

void MeasuredPanel::show_calibration_error(const Error& error)
{
    fill(m_calibration, {});
    m_calibration_note->setText(to_qt(error.text()));
    m_accept->setEnabled(false);
    m_sides->setCurrentIndex(m_sides->count() - 1);
}

} // namespace ridgepoint
