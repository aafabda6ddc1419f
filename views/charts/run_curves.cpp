#include "views/charts/run_curves.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "model/units/format.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
    constexpr double seconds_per_hour = 3600, seconds_per_day = 86400;

    QString percent(double share, int digits = 0) { return to_qt(format_percent(share, digits)); }

    // Share of the runs that end within a time: straight between the quantiles, nothing outside.
    double share_at(const TimeDistribution& d, double seconds)
    {
        const std::vector<Quantile>& q = d.quantiles;
        if (q.empty() || seconds < q.front().time.value() || seconds > q.back().time.value())
            return nothing;
        const auto above = std::ranges::find_if(q, [&](const Quantile& k) { return k.time.value() >= seconds; });
        if (above == q.begin())
            return above->share;
        const auto below = above - 1;
        const double width = above->time.value() - below->time.value();
        return width > 0 ? below->share + (above->share - below->share) * (seconds - below->time.value()) / width : above->share;
    }

    // Hours below four days, else days.
    std::pair<double, QString> time_unit(double longest)
    {
        return longest < 4 * seconds_per_day ? std::pair{seconds_per_hour, CurveFigure::tr("hours")} : std::pair{seconds_per_day, CurveFigure::tr("days")};
    }

    CurvePanel distribution_panel(const RunAnswer& a)
    {
        const RunPrediction& r = a.run;
        CurvePanel p;
        std::vector<double> times;
        for (const TimeDistribution* d : {&r.time_to_train, &r.failures_only})
            for (const Quantile& q : d->quantiles)
                times.push_back(q.time.value());
        std::ranges::sort(times);
        times.erase(std::ranges::unique(times).begin(), times.end());
        const auto [unit, unit_name] = time_unit(times.empty() ? 0 : times.back());
        p.title = CurveFigure::tr("Runs that have ended");
        p.unit = QStringLiteral("%");
        p.scale = 0.01;
        p.x_title = CurveFigure::tr("time to train [%1]").arg(unit_name);
        p.group = 0;
        p.curves = {{CurveFigure::tr("with the uncertainty of step and failure rate"), {}, CurveRole::first, {}}, {CurveFigure::tr("failures alone"), {}, CurveRole::second, {}}};
        for (const double t : times) {
            p.x.push_back(t / unit);
            p.curves[0].values.push_back(share_at(r.time_to_train, t));
            p.curves[1].values.push_back(share_at(r.failures_only, t));
        }
        if (!p.x.empty())
            p.x_from = std::max(0.0, p.x.front() - 0.25 * (p.x.back() - p.x.front()));
        const Seconds p50 = r.time_to_train.at(0.5), p90 = r.time_to_train.at(0.9);
        p.marks = {{p50.value() / unit, CurveFigure::tr("p50 %1").arg(duration_text(p50)), MarkRole::plan, false}, {p90.value() / unit, CurveFigure::tr("p90 %1").arg(duration_text(p90)), MarkRole::limit, false}};
        p.value_text = [](double v) { return percent(v, 1); };
        p.place_text = [times, start = a.start](std::size_t i) {
            HoverText t;
            t.heading = CurveFigure::tr("Within %1").arg(duration_text(Seconds{times[i]}));
            if (start)
                t.rows.append({CurveFigure::tr("That is"), to_qt(start->plus(Seconds{times[i]}).text())});
            return t;
        };
        return p;
    }

    CurvePanel waste_panel(const RunPrediction& r)
    {
        CurvePanel p;
        p.title = CurveFigure::tr("Waste");
        p.unit = CurveFigure::tr("% of the wall time");
        p.scale = 0.01;
        p.log_x = true;
        p.group = 1;
        const bool in_minutes = r.interval.optimum < hours(4);
        const double unit = in_minutes ? 60 : seconds_per_hour;
        p.x_title = in_minutes ? CurveFigure::tr("between checkpoints [minutes]") : CurveFigure::tr("between checkpoints [hours]");
        p.curves = {{{}, {}, CurveRole::first, [](const Theme& t) { return t.of(Resource::network); }}};
        for (const WastePoint& w : r.waste) {
            p.x.push_back(w.interval.value() / unit);
            p.curves[0].values.push_back(w.waste);
        }
        const IntervalPrediction& i = r.interval;
        const auto text = [](Seconds t) { return to_qt(format(t)); };
        p.marks = {{i.optimum.value() / unit, CurveFigure::tr("optimum %1 (Young %2, Daly %3)").arg(text(i.optimum), text(i.young), text(i.daly)), MarkRole::best, false},
            {i.used.value() / unit, CurveFigure::tr("used %1: %2").arg(text(i.used), to_qt(i.why)), MarkRole::plan, false}};
        p.value_text = [](double v) { return percent(v, 2); };
        p.place_text = [waste = r.waste, step = r.step, text](std::size_t k) {
            HoverText t;
            t.heading = CurveFigure::tr("Every %1").arg(text(waste[k].interval));
            if (step > Seconds{})
                t.rows.append({CurveFigure::tr("Steps"), to_qt(format_number(waste[k].interval / step))});
            return t;
        };
        return p;
    }

    CurvePanel spares_panel(const RunPrediction& r)
    {
        CurvePanel p;
        p.title = CurveFigure::tr("Goodput");
        p.unit = QStringLiteral("%");
        p.scale = 0.01;
        p.x_title = CurveFigure::tr("spare nodes");
        p.group = 2;
        p.curves = {{{}, {}, CurveRole::first, [](const Theme& t) { return t.of(Resource::hbm); }}};
        for (const SparePoint& s : r.by_spares) {
            p.x.push_back(s.spares);
            p.curves[0].values.push_back(s.goodput);
        }
        p.marks = {{static_cast<double>(r.spares), CurveFigure::tr("the plan: %1 spare").arg(r.spares), MarkRole::plan, false}};
        p.value_text = [](double v) { return percent(v, 2); };
        p.place_text = [points = r.by_spares](std::size_t i) {
            HoverText t;
            t.heading = points[i].spares == 1 ? CurveFigure::tr("1 spare node") : CurveFigure::tr("%1 spare nodes").arg(points[i].spares);
            t.rows.append({CurveFigure::tr("None free at"), CurveFigure::tr("%1 of the failures").arg(percent(points[i].no_spare_free, 1))});
            t.rows.append({CurveFigure::tr("Expected wall time"), duration_text(points[i].wall)});
            return t;
        };
        return p;
    }

    QColor colour_of(RunPart part, const Theme& t)
    {
        switch (part) {
        case RunPart::steps:
            return t.of(Resource::compute);
        case RunPart::power_cap:
            return t.of(Resource::nvlink);
        case RunPart::ramp:
            return t.of(Resource::hbm);
        case RunPart::data:
            return t.of(Resource::storage);
        case RunPart::evaluation:
            return t.of(MemoryPart::workspace);
        case RunPart::checkpoints:
            return t.of(Resource::network);
        case RunPart::lost:
            return t.of(MemoryPart::gradients);
        case RunPart::restarts:
            break;
        }
        return t.of(Resource::latency);
    }

    Resource resource_of(CostKind kind)
    {
        constexpr std::array resources = {Resource::compute, Resource::latency, Resource::storage, Resource::network, Resource::nvlink, Resource::hbm};
        return resources[static_cast<std::size_t>(kind)];
    }

    PartsGroup time_group(const RunPrediction& r)
    {
        PartsGroup g;
        g.title = CurveFigure::tr("Where the wall time goes");
        g.unit = QStringLiteral("s");
        for (std::size_t i = 0; i < run_part_count; ++i) {
            const Seconds t = r.parts[i];
            if (t == Seconds{})
                continue;
            const auto part = static_cast<RunPart>(i);
            g.rows.push_back({to_qt(name_of(part)), QStringLiteral("%1, %2").arg(duration_text(t), percent(t / r.wall, 1)), t.value(), [part](const Theme& theme) { return colour_of(part, theme); }, {}, false});
        }
        g.rows.push_back({CurveFigure::tr("expected"), CurveFigure::tr("%1, goodput %2").arg(duration_text(r.wall), percent(r.goodput)), r.wall.value(), [](const Theme& t) { return t.dim_text; }, {}, true});
        return g;
    }

    PartsGroup bill_group(const RunAnswer& a)
    {
        PartsGroup g;
        g.title = CurveFigure::tr("The bill");
        g.unit = QStringLiteral("USD");
        if (!a.cost) {
            g.empty_text = CurveFigure::tr("No price: %1").arg(to_qt(a.evaluation.cost.missing));
            return g;
        }
        const Bill& bill = a.cost->expected;
        for (const CostLine& l : bill.lines) {
            if (l.amount == Dollars{})
                continue;
            const Resource colour = resource_of(l.kind);
            g.rows.push_back({to_qt(l.name), QStringLiteral("%1, %2").arg(to_qt(format(l.amount)), percent(l.amount / bill.total, 1)), l.amount.value(), [colour](const Theme& t) { return t.of(colour); },
                {{CurveFigure::tr("Quantity"), to_qt(l.quantity)}, {CurveFigure::tr("Rate"), to_qt(l.rate)}, {CurveFigure::tr("Source"), to_qt(l.source)}}, false});
        }
        g.rows.push_back({CurveFigure::tr("expected"), to_qt(format(bill.total)), bill.total.value(), [](const Theme& t) { return t.dim_text; },
            {{CurveFigure::tr("At p50"), to_qt(format(a.cost->p50.total))}, {CurveFigure::tr("At p90"), to_qt(format(a.cost->p90.total))}}, true});
        return g;
    }

} // namespace

QString duration_text(Seconds t) { return t < hours(48) ? to_qt(format(t)) : CurveFigure::tr("%1 days").arg(in_days(t), 0, 'f', 1); }

CurveContent run_curves(const RunAnswer& a)
{
    CurveContent content;
    content.title = CurveFigure::tr("The run");
    content.panels.push_back(distribution_panel(a));
    if (!a.run.waste.empty())
        content.panels.push_back(waste_panel(a.run));
    if (!a.run.by_spares.empty())
        content.panels.push_back(spares_panel(a.run));
    return content;
}

std::vector<PartsGroup> run_parts(const RunAnswer& a) { return {time_group(a.run), bill_group(a)}; }

} // namespace ridgepoint
