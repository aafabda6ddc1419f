// What a search found, in the panel's tables and chart.

#include <algorithm>
#include <cmath>
#include <set>

#include <QComboBox>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QTabWidget>

#include "model/units/format.h"
#include "views/charts/pareto_chart.h"
#include "views/panels/search_panel.h"
#include "views/widgets/cell_table.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    constexpr std::size_t most_rows = 500; // of the front

    // What a column is sorted by: the answer's own number, else the number that the cell is, else its text.
    QVariant key_of(const std::string& header, const FoundPlan& f, const std::string& cell)
    {
        if (header == "step" || header == "time")
            return f.time.value();
        if (header == "tokens/s")
            return f.tokens_per_second.value();
        if (header == "per GPU")
            return f.tokens_per_second_per_gpu.value();
        if (header == "MFU")
            return f.mfu;
        if (header == "to spare")
            return f.headroom.value();
        if (header == "$ per M tokens")
            return f.cost_per_token ? QVariant(f.cost_per_token->value() * 1e6) : QVariant();
        if (header == "J per token")
            return f.energy_per_token.value();
        if (header == "TTFT")
            return f.ttft ? QVariant(f.ttft->value()) : QVariant();
        bool number = false;
        const double v = to_qt(cell).toDouble(&number);
        return number ? QVariant(v) : QVariant();
    }

    bool is_number(const std::string& cell)
    {
        bool number = false;
        to_qt(cell).toDouble(&number);
        return number;
    }

    std::string unit_of(const std::string& header)
    {
        if (header == "step" || header == "time" || header == "TTFT")
            return " [s]";
        return header == "to spare" ? " [B]" : "";
    }

    std::string bare(const std::string& header) { return header.starts_with(">") ? header.substr(1) : header; }

    // The answer stands where it is seen without scrolling: before what was chosen.
    std::vector<std::size_t> order_of(const ReportTable& t)
    {
        const auto rank = [](const std::string& h) { return h == "#" ? 0 : h == "step" || h == "time" ? 1 : h == "tokens/s" ? 2 : h == "$ per M tokens" ? 3 : h == "to spare" ? 4 : 5; };
        std::vector<std::size_t> order(t.header.size());
        for (std::size_t c = 0; c < order.size(); ++c)
            order[c] = c;
        std::ranges::stable_sort(order, {}, [&](std::size_t c) { return rank(bare(t.header[c])); });
        return order;
    }

    void fill(CellTable* table, const ReportTable& from, const std::vector<FoundPlan>& plans)
    {
        const std::vector<std::size_t> order = order_of(from);
        std::vector<TableColumn> columns;
        std::vector<CellTableModel::Row> rows;
        std::vector<quint64> ids;
        for (const std::size_t c : order) {
            const std::string name = bare(from.header[c]);
            const bool number = from.header[c].starts_with(">") || std::ranges::all_of(from.rows, [c](const auto& row) { return is_number(row[c]); });
            columns.push_back({to_qt(name), number, to_qt(name + unit_of(name))});
        }
        for (std::size_t i = 0; i < from.rows.size(); ++i) {
            CellTableModel::Row row;
            for (const std::size_t c : order)
                row.push_back({to_qt(from.rows[i][c]), key_of(bare(from.header[c]), plans[i], from.rows[i][c])});
            rows.push_back(std::move(row));
            ids.push_back(plans[i].point.index);
        }
        table->set_table(std::move(columns), std::move(rows), std::move(ids));
    }

} // namespace

SearchSnapshot snapshot_of(std::shared_ptr<const SearchProblem> problem, const SearchOptions& options, SearchResult result, bool running)
{
    SearchSnapshot s;
    if (result.pareto.size() > most_rows)
        result.pareto.resize(most_rows);
    s.best = search_table(*problem, result.best, {});
    s.pareto = search_table(*problem, result.pareto, {});
    s.rejections = rejection_table(*problem, result);
    for (const std::vector<FoundPlan>* plans : {&result.best, &result.pareto})
        for (const FoundPlan& f : *plans)
            s.choices.push_back(choice_text(*problem, f.point));
    if (!running)
        s.near = nearest_feasible(*problem, options);
    s.problem = std::move(problem);
    s.options = options;
    s.result = std::move(result);
    s.running = running;
    return s;
}

void SearchPanel::show_started()
{
    show_error({});
    m_axis_chosen = false;
    m_progress->setValue(0);
    m_summary->setText(tr("Starting …"));
    set_running(true);
}

void SearchPanel::show_failed(const QString& text)
{
    m_summary->setText(tr("The search did not begin."));
    show_error(text);
    set_running(false);
}

void SearchPanel::show_snapshot(std::shared_ptr<const SearchSnapshot> snapshot)
{
    m_shown = std::move(snapshot);
    const SearchResult& r = m_shown->result;
    const double all = static_cast<double>(m_shown->problem->space().points()), seen = static_cast<double>(r.points);
    set_running(m_shown->running);
    m_progress->setValue(static_cast<int>(1000 * seen / std::max(all, 1.0)));
    const double rate = seen / std::max(r.elapsed.value(), 1e-9);
    const auto whole = [](double v) { return to_qt(group_thousands(std::round(v))); };
    const auto rough = [](double v) { return to_qt(format_si(v, "")).trimmed(); }; // has room while it runs
    if (m_shown->running)
        m_summary->setText(tr("%1 of %2 points · %3 a second · %4 left · %5 fit").arg(rough(seen), rough(all), rough(rate), to_qt(format(Seconds{(all - seen) / std::max(rate, 1.0)})),
            rough(static_cast<double>(r.feasible))));
    else if (r.stopped)
        m_summary->setText(tr("Stopped: %1 of %2 points · %3 fit and keep the limits").arg(rough(seen), rough(all), whole(static_cast<double>(r.feasible))));
    else
        m_summary->setText(tr("%1 points in %2 · %3 fit and keep the limits").arg(whole(seen), to_qt(format(r.elapsed)), whole(static_cast<double>(r.feasible))));
    m_summary->setToolTip(tr("%1 points are the same as another, %2 were estimated").arg(whole(static_cast<double>(r.alike)), whole(static_cast<double>(r.estimated))));
    fill_tables();
    fill_chart();
    update_warning();
}

void SearchPanel::fill_tables()
{
    const SearchResult& r = m_shown->result;
    fill(m_best, m_shown->best, r.best);
    fill(m_front, m_shown->pareto, r.pareto);
    std::vector<CellTableModel::Row> rows;
    for (const Neighbour& n : m_shown->near)
        if (!n.changes.empty()) // the plan itself does not fit
            rows.push_back({{tr("This plan is none; smallest change"), {}}, {{}, {}}, {tr("%1: %2").arg(to_qt(change_text(n)), to_qt(format(n.plan.time))), {}}});
    for (const auto& row : m_shown->rejections.rows) {
        QString count = to_qt(row[1]);
        rows.push_back({{to_qt(row[0]), {}}, {count, count.remove(QLatin1Char(',')).toDouble()}, {to_qt(row[2]), {}}});
    }
    m_rejections->set_table({{tr("Reason"), false, {}}, {tr("Points"), true, {}}, {tr("For example"), false, {}}}, std::move(rows));
    m_tables->setTabText(0, tr("Best (%1)").arg(r.best.size()));
    m_tables->setTabText(1, tr("Pareto front (%1)").arg(r.pareto.size()));
    m_tables->setTabText(2, tr("Why not (%1)").arg(m_shown->rejections.rows.size()));
}

void SearchPanel::fill_chart()
{
    const SearchResult& r = m_shown->result;
    const auto& clusters = m_shown->problem->space().clusters;
    std::vector<FoundPoint> points;
    std::set<quint64> on_front;
    bool priced = false;
    for (std::size_t i = 0; i < r.pareto.size(); ++i) {
        const FoundPlan& f = r.pareto[i];
        on_front.insert(f.point.index);
        priced = priced || f.cost_per_token;
        points.push_back({f.point.index, f, to_qt(m_shown->choices[r.best.size() + i]), to_qt(clusters[f.point.cluster].instance), true});
    }
    for (std::size_t i = 0; i < r.best.size(); ++i)
        if (const FoundPlan& f = r.best[i]; !on_front.contains(f.point.index))
            points.push_back({f.point.index, f, to_qt(m_shown->choices[i]), to_qt(clusters[f.point.cluster].instance), false});
    // On one cluster the cost is the throughput upside down: what users wait, or memory, says more there.
    if (!m_axis_chosen)
        m_axis->setCurrentIndex(static_cast<int>(priced && clusters.size() > 1 ? ParetoAxis::cost : m_training ? ParetoAxis::headroom : ParetoAxis::time));
    const bool fits = !m_shown->near.empty() && m_shown->near.front().changes.empty();
    m_chart->set_points(std::move(points), fits ? std::optional(m_shown->near.front().plan) : std::nullopt);
    const auto selected = m_chart->selected_id();
    m_open->setEnabled(selected && plan_of(*selected));
}

const FoundPlan* SearchPanel::plan_of(quint64 id) const
{
    if (m_shown)
        for (const std::vector<FoundPlan>* plans : {&m_shown->result.best, &m_shown->result.pareto})
            for (const FoundPlan& f : *plans)
                if (f.point.index == id)
                    return &f;
    return nullptr;
}

void SearchPanel::select(quint64 id)
{
    m_chart->select_id(id);
    for (CellTable* table : {m_best, m_front})
        table->select_id(id);
    // What was clicked in the chart is to be seen in a table.
    auto* shown = qobject_cast<CellTable*>(m_tables->currentWidget());
    if (shown && shown->selected_id() != id)
        m_tables->setCurrentWidget(m_best->selected_id() == id ? m_best : m_front);
    m_open->setEnabled(plan_of(id) != nullptr);
}

void SearchPanel::open(quint64 id)
{
    if (const FoundPlan* f = plan_of(id))
        emit open_requested(f->point);
}

void SearchPanel::update_warning()
{
    if (!m_shown || !m_plan)
        return;
    // Whatever a search chooses may differ; the rest is what was asked.
    Plan asked = m_shown->problem->plan(), now = *m_plan;
    for (Plan* p : {&asked, &now}) {
        p->layout = {};
        p->instance.clear();
        p->nodes = p->gpus = 0;
        p->precision.recipe.clear();
        p->name.clear();
        if (auto* serving = std::get_if<Serving>(&p->workload))
            SearchProblem::put({}, *serving);
    }
    show_error(asked == now ? QString() : tr("Found for an earlier plan: model, workload, price or assumptions have changed since."));
}

} // namespace ridgepoint
