#include "app/desktop/operation_pages.h"

#include <algorithm>
#include <exception>
#include <utility>

#include <QCoreApplication>
#include <QFileInfo>
#include <QPointer>
#include <QThreadPool>

#include "app/desktop/capacity_page.h"
#include "app/desktop/serving_sweeps.h"
#include "app/desktop/today.h"
#include "views/charts/interactivity_chart.h"
#include "views/charts/iteration_chart.h"
#include "views/charts/parts_chart.h"
#include "views/charts/run_curves.h"
#include "views/panels/operation_page.h"
#include "views/panels/operation_tables.h"
#include "views/panels/run_tables.h"
#include "views/widgets/cell_table.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    constexpr int settle_ms = 120; // longer than between two keys of a number that is typed
    constexpr std::array pages = {Page::Load, Page::Interactivity, Page::Fleet, Page::BatchContext, Page::Passes, Page::PostTraining, Page::Run};

    // One thread of their own: seconds of simulation never stand before an evaluation, which follows the keyboard.
    QThreadPool* thread_pool()
    {
        static QPointer<QThreadPool> pool;
        return pool_of_one(pool);
    }

    QString title_of(const EvaluationResult& result)
    {
        const Job& job = result.evaluation->job;
        return QStringLiteral("%1 on %2 × %3").arg(to_qt(job.model.name)).arg(job.cluster.nodes).arg(to_qt(job.cluster.node.name));
    }

    // The roofs that whole passes are under, without operators and links.
    RooflineModel machine_of(const RooflineModel& model)
    {
        RooflineModel machine;
        machine.compute = model.compute;
        for (const BandwidthCeiling& b : model.bandwidth)
            if (b.level == MemoryLevel::hbm)
                machine.bandwidth.push_back(b);
        return machine;
    }

    bool offers(Page page, const Plan& plan)
    {
        if (const auto* training = std::get_if<Training>(&plan.workload))
            return page == Page::Run || (page == Page::PostTraining && training->kind != TrainingKind::pretraining);
        if (page == Page::PostTraining || page == Page::Run)
            return false;
        return std::get<Serving>(plan.workload).phase == ServingPhase::serving || page == Page::BatchContext || page == Page::Passes;
    }

} // namespace

OperationPages::OperationPages(Document* document, ResultArea* area)
    : QObject(area)
    , m_document(document)
    , m_area(area)
    , m_capacity(new CapacityPage(document, area))
    , m_load_chart(new CurveFigure(area))
    , m_interactivity_chart(new InteractivityChart(area))
    , m_fleet_chart(new CurveFigure(area))
    , m_memory_chart(new CurveFigure(area))
    , m_pass_chart(new RooflineChart(area))
    , m_iteration_chart(new IterationChart(area))
    , m_division_chart(new CurveFigure(area))
    , m_run_chart(new CurveFigure(area))
    , m_run_parts(new PartsChart(area))
    , m_load_table(new CellTable(tr("Latency by offered rate"), area))
    , m_interactivity_table(new CellTable(tr("Layouts"), area))
    , m_fleet_table(new CellTable(tr("Months"), area))
    , m_division_table(new CellTable(tr("Divisions of the GPUs"), area))
    , m_run_table(new CellTable(tr("Time, bill, energy, failures and storage"), area))
{
    m_load_chart->setAccessibleName(tr("Latency by offered rate, chart"));
    m_fleet_chart->setAccessibleName(tr("Instances and cost over the day and the months, chart"));
    m_memory_chart->setAccessibleName(tr("Memory by batch and context, chart"));
    m_division_chart->setAccessibleName(tr("Time of an iteration by division of the GPUs, chart"));
    m_run_chart->setAccessibleName(tr("When the run ends, what it wastes and what spare nodes buy, chart"));
    m_run_parts->setAccessibleName(tr("Where the time of the run goes and its bill, chart"));
    m_pass_chart->set_levels_offered(false);
    m_pass_chart->set_unused_ceilings_visible(false);
    build_pages();
    connect_charts();
    m_settle.setSingleShot(true);
    m_settle.setInterval(settle_ms);
    connect(&m_settle, &QTimer::timeout, this, &OperationPages::refresh_visible);
    connect(area, &ResultArea::page_shown, this, &OperationPages::refresh_visible);
}

OperationPages::~OperationPages() = default;

void OperationPages::build_pages()
{
    const std::array<QString, 7> titles = {tr("Load"), tr("Interactivity"), tr("Fleet"), tr("Batch and Context"), tr("Prefill and Decode"), tr("Post-training"), tr("Run")};
    const std::array<QList<QWidget*>, 7> charts = {QList<QWidget*>{m_load_chart}, {m_interactivity_chart}, {m_fleet_chart}, {m_memory_chart}, {m_pass_chart}, {m_iteration_chart, m_division_chart}, {m_run_chart, m_run_parts}};
    const std::array<CellTable*, 7> tables = {m_load_table, m_interactivity_table, m_fleet_table, nullptr, nullptr, m_division_table, m_run_table};
    for (std::size_t i = 0; i < pages.size(); ++i) {
        m_work[i] = std::make_unique<Latest<FoundPointer>>(this, thread_pool());
        m_pages[i] = new OperationPage(charts[i], tables[i], pages[i] == Page::PostTraining || pages[i] == Page::Run ? Qt::Vertical : Qt::Horizontal, m_area);
        m_area->add_page(pages[i], titles[i], m_pages[i]);
        const Page page = pages[i];
        connect(m_pages[i], &OperationPage::cancel_requested, this, [this, page] { cancel(page); });
        connect(m_pages[i], &OperationPage::compute_requested, this, [this, page] {
            m_outdated.insert(page);
            refresh_visible();
        });
    }
}

void OperationPages::connect_charts()
{
    connect(m_capacity, &CapacityPage::status, this, &OperationPages::status);
    connect(m_interactivity_chart, &PlaneChart::status_changed, this, &OperationPages::status);
    connect(m_pass_chart, &PlaneChart::status_changed, this, &OperationPages::status);
    connect(m_interactivity_chart, &InteractivityChart::point_selected, this, [this](int tp, int concurrency) { m_interactivity_table->select_id(id_of(tp, concurrency)); });
    connect(m_interactivity_chart, &InteractivityChart::point_chosen, this, [this](int tp, int concurrency) {
        m_interactivity_table->select_id(id_of(tp, concurrency));
        take_point(tp, concurrency);
    });
    connect(m_interactivity_table, &CellTable::row_selected, this, [this](quint64 id) { m_interactivity_chart->select(point_of(id)); });
    connect(m_interactivity_table, &CellTable::row_activated, this, [this](quint64 id) { take_point(point_of(id).first, point_of(id).second); });
    connect(m_division_table, &CellTable::row_activated, this, [this](quint64 id) { take_division(static_cast<int>(id)); });
}

std::size_t OperationPages::index_of(Page page) const { return static_cast<std::size_t>(std::ranges::find(pages, page) - pages.begin()); }

OperationPage* OperationPages::page(Page page) const { return m_pages[index_of(page)]; }

bool OperationPages::is_busy() const
{
    return m_settle.isActive() || m_capacity->is_busy() || std::ranges::any_of(m_work, [](const auto& work) { return work->is_busy(); });
}

void OperationPages::show(const EvaluationPointer& result)
{
    m_result = result;
    m_specs = std::make_shared<const SpecStore>(m_document->specs());
    m_outdated.insert(pages.begin(), pages.end());
    m_capacity->show(result->plan);
    offer_pages();
    for (std::size_t i = 0; i < pages.size(); ++i)
        if (m_work[i]->is_busy() && !m_area->is_page_visible(pages[i]))
            m_work[i]->cancel(); // for a plan that is no more, on a page that nobody sees
    if (m_area->is_page_visible(Page::Run) && m_outdated.erase(Page::Run) > 0)
        refresh(Page::Run); // a fraction of a second: at every edit
    m_settle.start();
}

void OperationPages::offer_pages()
{
    QSet<Page> offered;
    for (const Page page : pages)
        if (offers(page, m_result->plan))
            offered.insert(page);
    if (CapacityPage::offered(m_result->plan))
        offered.insert(Page::Capacity);
    m_area->offer_operation(offered);
}

void OperationPages::refresh_visible()
{
    for (const Page page : pages)
        if (m_area->is_page_visible(page) && m_result && m_outdated.erase(page) > 0)
            refresh(page);
}

void OperationPages::refresh(Page page)
{
    const EvaluationPointer result = m_result;
    const auto specs = m_specs;
    const std::string folder = m_document->file().isEmpty() ? std::string() : to_std(QFileInfo(m_document->file()).absolutePath());
    const auto answer = [](auto&& expected, Found& found, auto member) {
        if (expected)
            found.*member = std::move(*expected);
        else
            found.error = expected.error();
    };
    switch (page) {
    case Page::Load:
        return request(page, [=](Found& f, const std::stop_token& stop) { answer(evaluate_load(result->plan, *specs, folder, {{}, stop}), f, &Found::load); });
    case Page::Fleet:
        return request(page, [=](Found& f, const std::stop_token& stop) { answer(evaluate_fleet(result->plan, *specs, folder, {{}, stop}), f, &Found::fleet); });
    case Page::Interactivity:
        return request(page, [=](Found& f, const std::stop_token& stop) { f.points = pareto_points(result->evaluation->job, result->evaluation->cost.price, result->plan.price.utilization, {{}, stop}); });
    case Page::BatchContext:
        return request(page, [=](Found& f, const std::stop_token& stop) { f.memory = memory_sweeps(result->evaluation->job, stop); });
    case Page::Passes:
        return request(page, [=](Found& f, const std::stop_token& stop) { f.paths = pass_paths(result->evaluation->job, stop); });
    case Page::PostTraining:
        return request(page, [=](Found& f, const std::stop_token& stop) { answer(evaluate_post_training(result->plan, *specs, {{}, stop}), f, &Found::post_training); });
    case Page::Run:
        return request(page, [=](Found& f, const std::stop_token&) { answer(evaluate_run(result->plan, *specs, today()), f, &Found::run); });
    default:
        return;
    }
}

void OperationPages::request(Page page, std::function<void(Found&, const std::stop_token&)> work)
{
    m_pages[index_of(page)]->show_started();
    m_work[index_of(page)]->request(
        [work = std::move(work)](const std::stop_token& stop) -> FoundPointer {
            auto found = std::make_shared<Found>();
            try {
                work(*found, stop);
            } catch (const std::exception& failure) { // exhausted memory and the like
                found->error = Error{};
                found->error->message = std::string("The computation was given up: ") + failure.what();
            }
            return found;
        },
        [this, page, result = m_result](const FoundPointer& found) { show_found(page, result, *found); });
}

void OperationPages::show_found(Page page, const EvaluationPointer& result, const Found& found)
{
    OperationPage* shown = m_pages[index_of(page)];
    if (found.error)
        return shown->show_error(to_qt(found.error->text()));
    switch (page) {
    case Page::Load: {
        const LoadPrediction& l = found.load->load;
        m_load_chart->set_content(load_curves(l, result->plan.load));
        fill_load_table(m_load_table, l);
        return shown->show_done(load_summary(l, result->plan.load), lines_of(l.notes));
    }
    case Page::Fleet: {
        const FleetPrediction& f = found.fleet->fleet;
        m_fleet_chart->set_content(fleet_curves(f, result->plan.fleet.spare_instances));
        fill_fleet_table(m_fleet_table, f);
        return shown->show_done(fleet_summary(f, to_qt(found.fleet->evaluation.cost.missing)), lines_of(f.notes));
    }
    case Page::Interactivity:
        return show_interactivity(*result, found);
    case Page::BatchContext:
        m_memory_chart->set_content(memory_curves(found.memory, result->evaluation->estimate.memory.capacity));
        return shown->show_done(to_qt(result->evaluation->verdict));
    case Page::Passes:
        m_pass_chart->set_title(tr("prefill and decode, %1").arg(title_of(*result)));
        m_pass_chart->set_model(machine_of(result->roofline), {});
        m_pass_chart->set_paths(found.paths);
        return shown->show_done(to_qt(result->evaluation->verdict));
    case Page::PostTraining:
        return show_post_training(*result, *found.post_training);
    case Page::Run:
        return show_run(*found.run);
    default:
        return;
    }
}

void OperationPages::show_interactivity(const EvaluationResult& result, const Found& found)
{
    const Evaluation& v = *result.evaluation;
    std::optional<ParetoPoint> own;
    if (v.estimate.serving && v.estimate.feasible()) {
        const ServingResult& s = *v.estimate.serving;
        own = ParetoPoint{v.job.layout.tp, std::get<Serving>(v.job.workload).concurrency, s.output_per_second_per_user, s.output_per_second_per_gpu, s.ttft, s.tpot, v.cost.per_output_token_all, false};
    }
    m_interactivity_chart->set_title(title_of(result));
    m_interactivity_chart->set_points(found.points, own);
    fill_interactivity_table(m_interactivity_table, found.points);
    page(Page::Interactivity)->show_done(interactivity_summary(found.points, own));
}

void OperationPages::show_post_training(const EvaluationResult& result, const PostTrainingAnswer& answer)
{
    const PostTraining& asked = result.plan.post_training;
    m_iteration_chart->set_iteration(answer.prediction.best, asked.placement, asked.staleness);
    m_division_chart->set_content(division_curves(answer.prediction));
    m_division_chart->setVisible(!answer.prediction.divisions.empty());
    fill_division_table(m_division_table, answer.prediction);
    page(Page::PostTraining)->show_done(post_training_summary(answer.prediction, to_qt(answer.cost.missing)), lines_of(answer.prediction.notes));
}

void OperationPages::show_run(const RunAnswer& answer)
{
    m_run_chart->set_content(run_curves(answer));
    m_run_parts->set_groups(tr("The run: time and bill"), ridgepoint::run_parts(answer));
    fill_run_table(m_run_table, answer);
    page(Page::Run)->show_done(run_summary(answer), lines_of(answer.notes));
}

void OperationPages::cancel(Page page)
{
    m_work[index_of(page)]->cancel();
    m_pages[index_of(page)]->show_cancelled();
}

// As the points were made: dp takes what the GPUs leave, experts stay inside a replica.
void OperationPages::take_point(int tp, int concurrency)
{
    const Plan& plan = m_document->plan();
    std::vector<std::pair<std::string, std::string>> edits = {{"/layout/tp", std::to_string(tp)}, {"/workload/concurrency", std::to_string(concurrency)}};
    if (plan.layout.dp != 0)
        edits.emplace_back("/layout/dp", "0");
    if (!plan.layout.attention_dp && plan.layout.ep > tp)
        edits.emplace_back("/layout/ep", std::to_string(tp));
    if (const Status s = m_document->set_fields(edits, tr("tp %1 with %2 sequences").arg(tp).arg(concurrency)); !s)
        emit problem(s.error(), tr("Layout of the interactivity chart"));
    else
        emit status(tr("The plan has tp %1 and %2 sequences on a replica now; Undo takes it back").arg(tp).arg(concurrency));
}

void OperationPages::take_division(int rollout_gpus)
{
    if (m_document->plan().post_training.placement != Placement::disaggregated)
        return;
    if (const Status s = m_document->set_fields({{"/post_training/rollout_gpus", std::to_string(rollout_gpus)}}, tr("%1 GPUs for the rollout").arg(rollout_gpus)); !s)
        emit problem(s.error(), tr("Division of the GPUs"));
}

Figure* OperationPages::figure(Page page) const
{
    switch (page) {
    case Page::Load:
        return m_load_chart;
    case Page::Interactivity:
        return m_interactivity_chart;
    case Page::Fleet:
        return m_fleet_chart;
    case Page::BatchContext:
        return m_memory_chart;
    case Page::Passes:
        return m_pass_chart;
    case Page::PostTraining:
        return m_iteration_chart;
    case Page::Run:
        return m_run_chart;
    case Page::Capacity:
        return m_capacity->panel()->figure();
    default:
        return nullptr;
    }
}

} // namespace ridgepoint
