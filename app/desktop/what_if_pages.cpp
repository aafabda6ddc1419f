#include "app/desktop/what_if_pages.h"

#include <array>
#include <cmath>
#include <utility>

#include <QElapsedTimer>

#include "views/charts/pareto_chart.h"
#include "views/charts/regime_chart.h"
#include "views/export/figures.h"
#include "views/panels/compare_panel.h"
#include "views/panels/search_panel.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    constexpr int settle_ms = 60;
    constexpr std::array pages = {Page::Search, Page::Map, Page::WhatIf, Page::Compare};

    QString name_of_plan(const Plan& plan) { return plan.name.empty() ? WhatIfPages::tr("Untitled") : to_qt(plan.name); }

    // As a plan file writes it: whole numbers without a point.
    std::string value_text(double v) { return std::floor(v) == v && std::abs(v) < 1e15 ? std::to_string(static_cast<long long>(v)) : to_std(QString::number(v, 'g', 6)); }

} // namespace

WhatIfPages::WhatIfPages(Document* document, ResultArea* area)
    : QObject(area)
    , m_document(document)
    , m_area(area)
    , m_search(new SearchPanel(area))
    , m_map(new MapPanel(area))
    , m_sensitivity(new SensitivityPanel(area))
    , m_compare(new ComparePanel(area))
    , m_map_work(this)
    , m_sensitivity_work(this)
    , m_compare_work(this)
{
    area->add_page(Page::Search, tr("Search"), m_search);
    area->add_page(Page::Map, tr("Map"), m_map);
    area->add_page(Page::WhatIf, tr("What if"), m_sensitivity);
    area->add_page(Page::Compare, tr("Compare"), m_compare);
    m_settle.setSingleShot(true);
    m_settle.setInterval(settle_ms);
    connect(&m_settle, &QTimer::timeout, this, &WhatIfPages::refresh_visible);
    connect(area, &ResultArea::page_shown, this, &WhatIfPages::refresh_visible);

    connect(m_search, &SearchPanel::start_requested, this, &WhatIfPages::start_search);
    connect(m_search, &SearchPanel::stop_requested, &m_searcher, &Searcher::stop);
    connect(m_search, &SearchPanel::open_requested, this, &WhatIfPages::open_found);
    connect(&m_searcher, &Searcher::progressed, this, [this](const std::shared_ptr<const SearchSnapshot>& snapshot) {
        m_found = snapshot;
        m_search->show_snapshot(snapshot);
    });
    connect(&m_searcher, &Searcher::failed, this, [this](const Error& error) { m_search->show_failed(to_qt(error.text())); });
    connect(m_search->chart(), &PlaneChart::status_changed, this, &WhatIfPages::status);

    connect(m_map, &MapPanel::request_changed, this, [this] {
        m_outdated.insert(Page::Map);
        m_settle.start();
    });
    connect(m_map, &MapPanel::values_chosen, this, &WhatIfPages::take_values);
    connect(m_map->chart(), &RegimeChart::status_changed, this, &WhatIfPages::status);
    connect(m_sensitivity, &SensitivityPanel::relative_changed, this, [this] {
        m_outdated.insert(Page::WhatIf);
        m_settle.start();
    });
    connect(m_sensitivity, &SensitivityPanel::knob_clicked, this, [this](const QString& id) {
        if (id.startsWith(QLatin1Char('/')))
            emit field_requested(id);
    });
    connect(m_compare, &ComparePanel::file_requested, this, &WhatIfPages::compare_file_requested);
    connect(m_compare, &ComparePanel::keep_requested, this, &WhatIfPages::keep_for_comparison);
    connect(m_compare, &ComparePanel::field_requested, this, &WhatIfPages::field_requested);
}

WhatIfPages::~WhatIfPages() = default;

void WhatIfPages::show(const EvaluationPointer& result)
{
    m_result = result;
    m_specs = std::make_shared<const SpecStore>(m_document->specs());
    m_outdated.insert(pages.begin(), pages.end());
    m_settle.start();
}

bool WhatIfPages::is_busy() const { return m_settle.isActive() || m_map_work.is_busy() || m_sensitivity_work.is_busy() || m_compare_work.is_busy(); }

void WhatIfPages::refresh_visible()
{
    for (const Page page : pages)
        if (m_area->is_page_visible(page) && m_result && m_outdated.erase(page) > 0)
            refresh(page);
}

void WhatIfPages::refresh(Page page)
{
    switch (page) {
    case Page::Search:
        return refresh_search();
    case Page::Map:
        return refresh_map();
    case Page::WhatIf:
        return refresh_sensitivity();
    case Page::Compare:
        return refresh_comparison();
    default:
        return;
    }
}

void WhatIfPages::refresh_search()
{
    QStringList instances;
    for (const std::string& id : m_specs->ids(SpecKind::instance))
        instances << to_qt(id);
    m_search->set_instances(instances);
    m_search->set_plan(m_result->plan, default_space(m_result->plan, m_result->evaluation->job));
}

void WhatIfPages::start_search()
{
    if (m_result && m_outdated.erase(Page::Search) > 0)
        refresh_search();
    if (!m_result)
        return;
    const Expected<SearchSpace> space = m_search->space();
    if (!space)
        return m_search->show_failed(to_qt(space.error().text()));
    m_search->show_started();
    m_searcher.start(m_result->plan, *space, m_search->options(), *m_specs);
}

void WhatIfPages::open_found(const SearchPoint& point)
{
    if (m_found)
        m_document->change_plan(m_found->problem->plan_of(point), tr("the plan found by the search"));
}

void WhatIfPages::refresh_map()
{
    m_map->set_plan(m_result->plan);
    const std::optional<MapRequest> asked = m_map->request();
    if (!asked) {
        m_map_work.cancel();
        return m_map->show_error(tr("Choose two different knobs with at least two values each."));
    }
    m_map_work.request(
        [plan = m_result->plan, specs = m_specs, request = *asked](std::stop_token stop) {
            MapResult r{request, nullptr, std::nullopt, 0};
            QElapsedTimer clock;
            clock.start();
            const Expected<WhatIf> base = WhatIf::make(plan, *specs);
            if (!base) {
                r.error = base.error();
                return r;
            }
            Progress progress;
            progress.stop = std::move(stop);
            r.map = std::make_shared<const RegimeMap>(regime_map(*base, request.x, request.xs, request.y, request.ys, false, progress));
            r.milliseconds = static_cast<double>(clock.nsecsElapsed()) * 1e-6;
            return r;
        },
        [this, name = time_name(m_result->evaluation->estimate)](const MapResult& r) {
            if (r.error)
                m_map->show_error(to_qt(r.error->text()));
            else
                m_map->show_map(r.map, r.asked, name, r.milliseconds);
        });
}

void WhatIfPages::take_values(const QString& x, double x_value, const QString& y, double y_value)
{
    std::vector<std::pair<std::string, std::string>> edits;
    for (const auto& [id, value] : {std::pair{x, x_value}, std::pair{y, y_value}})
        if (id.startsWith(QLatin1Char('/')))
            edits.emplace_back(to_std(id), value_text(value));
    if (edits.empty())
        return emit status(tr("Factors on the hardware and the price are no part of a plan: nothing was changed"));
    if (const Status s = m_document->set_fields(edits, tr("the cell of the map")); !s)
        emit problem(s.error(), tr("Cell of the map"));
}

void WhatIfPages::refresh_sensitivity()
{
    m_sensitivity_work.request(
        [plan = m_result->plan, specs = m_specs, relative = m_sensitivity->relative()](const std::stop_token& stop) {
            Sensitivity s;
            const Expected<WhatIf> base = WhatIf::make(plan, *specs);
            if (!base || stop.stop_requested())
                return s;
            s.swings = tornado(*base, relative);
            s.upgrades = upgrades(*base);
            s.bandwidths = required_bandwidths(base->job());
            return s;
        },
        [this, name = time_name(m_result->evaluation->estimate)](const Sensitivity& s) { m_sensitivity->show_sensitivity(s, name); });
}

void WhatIfPages::compare_with(const Plan& plan, const QString& name)
{
    m_plan_a = {plan, name};
    m_outdated.insert(Page::Compare);
    m_area->show_page(Page::Compare);
    refresh_visible();
}

void WhatIfPages::keep_for_comparison() { compare_with(m_document->plan(), tr("%1 (kept)").arg(name_of_plan(m_document->plan()))); }

void WhatIfPages::refresh_comparison()
{
    if (!m_plan_a)
        return m_compare->show_empty();
    m_compare_work.request(
        [a = m_plan_a->first, b = m_result->plan, specs = m_specs](const std::stop_token& stop) {
            Compared c;
            c.comparison = compare_plans(a, b, *specs);
            if (*c.comparison && !stop.stop_requested())
                c.even = break_even(**c.comparison, b, *specs);
            return c;
        },
        [this, name_a = m_plan_a->second, name_b = name_of_plan(m_result->plan), time = time_name(m_result->evaluation->estimate)](const Compared& c) {
            if (*c.comparison)
                m_compare->show_comparison(**c.comparison, c.even, name_a, name_b, time);
            else
                m_compare->show_error(name_a, to_qt(c.comparison->error().text()));
        });
}

} // namespace ridgepoint
