#include "app/desktop/main_window.h"

#include <utility>

#include <QApplication>
#include <QCloseEvent>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QSettings>
#include <QStatusBar>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/desktop/chart_pages.h"
#include "app/desktop/recent_files.h"
#include "app/desktop/recovery_bar.h"
#include "app/desktop/what_if_pages.h"
#include "model/project/snapshots.h"
#include "views/panels/derivations.h"
#include "views/panels/explain_panel.h"
#include "views/panels/plan_editor.h"
#include "views/panels/problems_panel.h"
#include "views/panels/verdict_strip.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    QDockWidget* make_dock(const QString& title, const QString& name, QWidget* content, QMainWindow* window)
    {
        auto* dock = new QDockWidget(title, window);
        dock->setObjectName(name); // restoreState() finds it by this
        dock->setWidget(content);
        return dock;
    }

} // namespace

MainWindow::MainWindow(SpecStore specs, QWidget* parent)
    : QMainWindow(parent), m_document(std::move(specs)), m_session(&m_document)
{
    setAcceptDrops(true);
    setDockOptions(AnimatedDocks | AllowTabbedDocks);
    build_widgets();
    build_actions();
    connect_parts();
    m_editor->set_catalogue(m_document.specs());
    show_plan();
    m_document.end_edit();
    update_title();
    restore_state();
    offer_recovery();
}

MainWindow::~MainWindow() = default;

void MainWindow::build_widgets()
{
    m_verdict = new VerdictStrip(this);
    m_recovery = new RecoveryBar(this);
    auto* top = new QWidget(this);
    auto* top_layout = new QVBoxLayout(top);
    top_layout->setContentsMargins(0, 0, 0, 0);
    top_layout->setSpacing(0);
    top_layout->addWidget(m_recovery);
    top_layout->addWidget(m_verdict);
    // A dock, because docks may span the window above the others and a tool bar hides what has no room.
    auto* bar = make_dock(tr("Verdict"), QStringLiteral("verdict_dock"), top, this);
    bar->setFeatures(QDockWidget::NoDockWidgetFeatures); // the answer is always in sight
    bar->setTitleBarWidget(new QWidget(bar));
    bar->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    top->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    addDockWidget(Qt::TopDockWidgetArea, bar);
    setCorner(Qt::TopLeftCorner, Qt::TopDockWidgetArea);
    setCorner(Qt::TopRightCorner, Qt::TopDockWidgetArea);

    m_results = new ResultArea(this);
    m_charts = new ChartPages(m_results);
    m_measured_panel = new MeasuredPanel(m_results);
    m_results->add_page(Page::Trace, tr("Measured"), m_measured_panel);
    build_what_if();
    build_operation();
    setCentralWidget(m_results);

    m_editor = new PlanEditor(this);
    m_editor->setMinimumWidth(300);
    m_editor_dock = make_dock(tr("Plan"), QStringLiteral("plan_dock"), m_editor, this);
    addDockWidget(Qt::LeftDockWidgetArea, m_editor_dock);
    m_explain = new ExplainPanel(this);
    m_explain->setMinimumWidth(280);
    m_explain_dock = make_dock(tr("How computed"), QStringLiteral("explain_dock"), m_explain, this);
    addDockWidget(Qt::RightDockWidgetArea, m_explain_dock);
    m_explain_dock->hide();
    m_problems = new ProblemsPanel(this);
    m_problems_dock = make_dock(tr("Problems"), QStringLiteral("problems_dock"), m_problems, this);
    addDockWidget(Qt::BottomDockWidgetArea, m_problems_dock);
    m_problems_dock->hide();
    setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);

    m_timing = new QLabel(this);
    m_timing->setToolTip(tr("Time of the last evaluation, charts not counted"));
    m_problem_count = new QToolButton(this);
    m_problem_count->setAutoRaise(true);
    m_problem_count->setMinimumHeight(24);
    connect(m_problem_count, &QToolButton::clicked, this, [this] { m_problems_dock->setVisible(!m_problems_dock->isVisible()); });
    statusBar()->addPermanentWidget(m_timing);
    statusBar()->addPermanentWidget(m_problem_count);
    update_problem_count(0);
}

void MainWindow::connect_parts()
{
    connect(m_editor, &PlanEditor::field_edited, this, [this](const QString& path, const QString& value) {
        if (const Status status = m_document.set_field(path, value); !status)
            m_editor->show_error(path, to_qt(status.error().text()));
    });
    connect(m_editor, &PlanEditor::editing_finished, &m_document, &Document::end_edit);
    connect(&m_document, &Document::plan_changed, this, &MainWindow::show_plan);
    connect(&m_document, &Document::title_changed, this, &MainWindow::update_title);
    connect(&m_document, &Document::document_replaced, m_charts, &ChartPages::clear_selection);
    connect(&m_document, &Document::specs_changed, this, [this] { m_editor->set_catalogue(m_document.specs()); });
    connect(&m_evaluator, &Evaluator::finished, this, &MainWindow::show_result);

    connect(m_verdict, &VerdictStrip::explain_requested, this, &MainWindow::explain);
    connect(m_verdict, &VerdictStrip::problems_requested, m_problems_dock, &QWidget::show);
    connect(m_charts, &ChartPages::explain_requested, this, &MainWindow::explain);
    connect(m_charts, &ChartPages::status, this, [this](const QString& text) { statusBar()->showMessage(text); });
    connect(m_charts, &ChartPages::selection_changed, this, [this](const QList<int>& operators) {
        update_explanation();
        if (!operators.isEmpty())
            m_explain->select_first();
    });
    connect(m_verdict, &VerdictStrip::advice_chosen, this, &MainWindow::apply_advice);
    connect(m_explain_dock, &QDockWidget::visibilityChanged, this, [this](bool visible) {
        if (visible)
            update_explanation();
    });
    connect(m_problems, &ProblemsPanel::count_changed, this, &MainWindow::update_problem_count);
    connect(m_problems, &ProblemsPanel::field_requested, m_editor, &PlanEditor::focus_field);
    connect(m_recovery, &RecoveryBar::restore_requested, this, [this](const Recovered& lost) {
        if (!may_lose_changes())
            return;
        m_document.restore(lost.plan, lost.file);
        m_session.write_now(); // under this window's own name before the old one goes
        Session::discard(lost);
    });

    connect(m_measured_panel, &MeasuredPanel::open_requested, this, [this] {
        open_measured(QFileDialog::getOpenFileNames(this, tr("Open measured files"), directory_for_dialogs(), tr("All files (*)")));
    });
    connect(m_measured_panel, &MeasuredPanel::selected, this, &MainWindow::show_measured);
    connect(m_measured_panel, &MeasuredPanel::close_requested, this, &MainWindow::close_measured);
    connect(m_measured_panel, &MeasuredPanel::infer_requested, this, &MainWindow::infer_from_measured);
    connect(m_measured_panel, &MeasuredPanel::calibrate_requested, this, &MainWindow::calibrate_plan);
    connect(m_measured_panel, &MeasuredPanel::factors_accepted, this, &MainWindow::accept_factors);
    connect(m_measured_panel, &MeasuredPanel::mapping_requested, this, &MainWindow::map_columns);
    connect(&m_comparer, &TraceComparer::finished, this, [this](const TraceComparison& compared) {
        if (m_measured.empty())
            return;
        const auto& trace = m_measured[static_cast<std::size_t>(m_shown_measured)].trace;
        if (trace && trace->timeline == compared.timeline)
            show_comparison(compared);
    });
    connect(m_measured_panel, &MeasuredPanel::cancel_requested, &m_loader, &MeasuredLoader::cancel);
    connect(&m_loader, &MeasuredLoader::progress, m_measured_panel, &MeasuredPanel::show_progress);
    connect(&m_loader, &MeasuredLoader::loaded, this, &MainWindow::add_measured);
    const auto back = [this] { show_measured(m_shown_measured); }; // those before are still there
    connect(&m_loader, &MeasuredLoader::cancelled, this, [this, back](const QString& file) {
        back();
        statusBar()->showMessage(tr("Reading %1 was cancelled").arg(QFileInfo(file).fileName()), 5000);
    });
    connect(&m_loader, &MeasuredLoader::failed, this, [this, back](const QString& file, const Error& error) {
        back();
        report(static_cast<int>(Problem::Topic::Trace), error, file);
    });
}

void MainWindow::show_plan()
{
    m_editor->set_plan(m_document.plan());
    m_evaluator.request(m_document.plan(), m_document.specs());
}

void MainWindow::show_result(const EvaluationPointer& result)
{
    m_result = result;
    m_timing->setText(tr("%1 ms").arg(QLocale().toString(result->milliseconds, 'f', 1)));
    if (result->evaluation) {
        m_good = result;
        m_verdict->show_evaluation(result->plan, *result->evaluation);
        m_problems->set_plan_problem(nullptr);
        m_results->set_stale(false);
        m_charts->show(result);
        m_what_if->show(result);
        show_operation(result);
        update_explanation();
        if (!m_measured.empty())
            if (const auto& trace = m_measured[static_cast<std::size_t>(m_shown_measured)].trace)
                m_comparer.request(trace->timeline, m_good);
        compare_measured();
    } else {
        m_verdict->show_error(result->evaluation.error(), m_good != nullptr);
        m_problems->set_plan_problem(&result->evaluation.error());
        m_results->set_stale(true, m_good ? tr("Last plan that could be evaluated") : tr("Nothing to show yet"));
    }
    emit result_shown();
}

void MainWindow::update_explanation()
{
    if (m_explain_dock->isHidden() || !m_good)
        return;
    const Evaluation& evaluation = *m_good->evaluation;
    const Expected<Derivation> derivation = ridgepoint::explain(evaluation.job);
    if (!derivation) {
        m_explain->show_message(to_qt(derivation.error().text()));
        return;
    }
    std::vector<Derivation> roots;
    for (const int index : m_charts->selection())
        if (index >= 0 && static_cast<std::size_t>(index) < evaluation.estimate.operators.size())
            roots.push_back(derive_operator(evaluation, m_good->roofline, static_cast<std::size_t>(index)));
    roots.push_back(*derivation);
    roots.push_back(derive_cost(evaluation, m_good->plan.price.utilization));
    if (const Expected<SpecStore> specs = with_snapshots(m_good->plan, m_document.specs()))
        roots.push_back(derive_constants(evaluation, *specs));
    m_explain->set_derivations(roots);
}

void MainWindow::explain(const QString& number)
{
    const bool was_hidden = m_explain_dock->isHidden();
    m_explain_dock->show();
    m_explain_dock->raise();
    if (was_hidden)
        update_explanation();
    if (!m_explain->select(number))
        statusBar()->showMessage(tr("The derivation has no entry of its own for %1").arg(number), 5000);
}

void MainWindow::apply_advice(int index)
{
    if (!m_good || m_good != m_result || index < 0 || static_cast<std::size_t>(index) >= m_good->evaluation->changes.size())
        return;
    const Advice& advice = m_good->evaluation->changes[static_cast<std::size_t>(index)];
    if (const Status status = m_document.set_fields(advice.edits, to_qt(advice.change)); !status)
        report(static_cast<int>(Problem::Topic::Plan), status.error(), to_qt(advice.change));
}

void MainWindow::show_comparison(const TraceComparison& compared)
{
    m_charts->show_measured(compared.placed);
    m_measured_panel->trace()->show_placement(compared.placed);
    if (compared.comparison)
        m_measured_panel->trace()->show_comparison(*compared.comparison, to_qt(compared.result->plan.name));
}

void MainWindow::report(int topic, const Error& error, const QString& subject)
{
    m_problems->add({static_cast<Problem::Topic>(topic), error, subject});
    m_problems_dock->show();
    m_problems_dock->raise();
    statusBar()->showMessage(to_qt(error.text()), 10000);
}

void MainWindow::update_problem_count(int count)
{
    m_problem_count->setText(count == 0 ? tr("No problems") : count == 1 ? tr("1 problem") : tr("%1 problems").arg(count));
    m_problem_count->setAccessibleName(tr("%1, show or hide the list").arg(m_problem_count->text()));
}

void MainWindow::update_title()
{
    setWindowTitle(tr("%1[*] – Ridgepoint").arg(m_document.title()));
    setWindowModified(m_document.is_modified());
    setWindowFilePath(m_document.file());
}

void MainWindow::show_page(Page page) { m_results->show_page(page); }

void MainWindow::show_page_named(const QString& name)
{
    if (const qsizetype index = page_names().indexOf(name); index >= 0)
        show_page(static_cast<Page>(index));
}

void MainWindow::offer_recovery() { m_recovery->offer(Session::find_lost()); }

void MainWindow::closeEvent(QCloseEvent* event)
{
    if (!may_lose_changes()) {
        event->ignore();
        return;
    }
    save_state();
    m_loader.cancel();
    m_session.forget();
    event->accept();
}

void MainWindow::changeEvent(QEvent* event)
{
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_result && !m_result->evaluation && m_verdict)
        m_verdict->show_error(m_result->evaluation.error(), m_good != nullptr); // its mark is drawn in the theme's colour
}

void MainWindow::save_state()
{
    QSettings settings;
    settings.setValue(QStringLiteral("window/geometry"), saveGeometry());
    settings.setValue(QStringLiteral("window/state"), saveState(1));
}

void MainWindow::restore_state()
{
    const QSettings settings;
    resize(1280, 800);
    restoreGeometry(settings.value(QStringLiteral("window/geometry")).toByteArray());
    restoreState(settings.value(QStringLiteral("window/state")).toByteArray(), 1);
}

} // namespace ridgepoint
