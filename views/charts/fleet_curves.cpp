#include <algorithm>
#include <limits>

#include "model/units/format.h"
#include "views/charts/operation_curves.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    constexpr double joules_per_kwh = 3.6e6;
    constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

    QString rate_text(double per_second) { return QStringLiteral("%1/s").arg(to_qt(format_number(per_second))); }

    CurvePanel bars(const QString& title, const QString& unit, const QString& x_title, int group)
    {
        CurvePanel p;
        p.kind = CurveKind::bars;
        p.title = title;
        p.unit = unit;
        p.x_title = x_title;
        p.group = group;
        return p;
    }

    // kWh, MWh or GWh, as the largest value reads best.
    void set_energy_unit(CurvePanel& panel)
    {
        const double most = *std::ranges::max_element(panel.curves[0].values) / joules_per_kwh;
        panel.scale = joules_per_kwh * (most < 1e3 ? 1 : most < 1e6 ? 1e3 : 1e6);
        panel.unit = most < 1e3 ? QStringLiteral("kWh") : most < 1e6 ? QStringLiteral("MWh") : QStringLiteral("GWh");
    }

    void set_dollar_unit(CurvePanel& panel, double most)
    {
        panel.scale = most < 1e4 ? 1 : most < 1e6 ? 1e3 : 1e6;
        panel.unit = most < 1e4 ? QStringLiteral("$") : most < 1e6 ? QStringLiteral("thousand $") : QStringLiteral("million $");
        panel.value_text = [](double v) { return to_qt(format(Dollars{v})); };
    }

    void add_day(CurveContent& content, const FleetPrediction& f)
    {
        const auto blue = [](const Theme& t) { return t.of(Resource::compute); };
        const auto orange = [](const Theme& t) { return t.of(Resource::storage); };
        const QString hour = CurveFigure::tr("hour of the first month's day");
        CurvePanel instances = bars(CurveFigure::tr("Instances through the day"), CurveFigure::tr("instances"), hour, 0);
        CurvePanel power = bars(CurveFigure::tr("Power through the day"), QStringLiteral("kW"), hour, 0);
        power.scale = 1e3;
        power.value_text = [](double v) { return to_qt(format(Watts{v})); };
        instances.curves = {{CurveFigure::tr("instances"), {}, CurveRole::first, blue}};
        power.curves = {{CurveFigure::tr("power, energy"), {}, CurveRole::first, orange}};
        for (std::size_t h = 0; h < f.day.size(); ++h) {
            for (CurvePanel* p : {&instances, &power})
                p->x.push_back(static_cast<double>(h));
            instances.curves[0].values.push_back(f.day[h].instances);
            power.curves[0].values.push_back(f.day[h].power.value());
        }
        instances.value_text = [](double v) { return QString::number(v); };
        instances.place_text = power.place_text = [day = f.day](std::size_t h) {
            HoverText t;
            t.heading = CurveFigure::tr("%1:00 to %2:00").arg(h, 2, 10, QLatin1Char('0')).arg(h + 1, 2, 10, QLatin1Char('0'));
            t.rows.append({CurveFigure::tr("Demand"), rate_text(day[h].rate)});
            t.rows.append({CurveFigure::tr("Of what runs"), to_qt(format_percent(day[h].utilization, 0))});
            return t;
        };
        content.panels.push_back(std::move(instances));
        content.panels.push_back(std::move(power));
    }

    void add_months(CurveContent& content, const FleetPrediction& f)
    {
        const QString month = CurveFigure::tr("month");
        const auto of_input = [](const Theme& t) { return t.of(Resource::network); };
        const auto of_output = [](const Theme& t) { return t.of(Resource::nvlink); };
        CurvePanel demand = bars(CurveFigure::tr("Demand by month"), CurveFigure::tr("requests/s"), month, 1);
        CurvePanel instances = bars(CurveFigure::tr("Instances by month"), CurveFigure::tr("instances"), month, 1);
        CurvePanel cost = bars(CurveFigure::tr("Cost by month"), QStringLiteral("$"), month, 1);
        CurvePanel energy = bars(CurveFigure::tr("Energy by month"), QStringLiteral("kWh"), month, 1);
        demand.kind = CurveKind::lines;
        demand.curves = {{CurveFigure::tr("mean demand"), {}, CurveRole::first, {}}, {CurveFigure::tr("peak demand"), {}, CurveRole::third, {}}};
        demand.value_text = rate_text;
        if (f.api_cost && f.cost && f.break_even_rate)
            demand.marks.push_back({*f.break_even_rate, CurveFigure::tr("cheaper than the API from %1").arg(rate_text(*f.break_even_rate)), MarkRole::best, true});
        instances.curves = {{CurveFigure::tr("instances"), {}, CurveRole::first, [](const Theme& t) { return t.of(Resource::compute); }}};
        instances.value_text = [](double v) { return QString::number(v); };
        cost.curves = {{CurveFigure::tr("for input tokens"), {}, CurveRole::first, of_input}, {CurveFigure::tr("for output tokens"), {}, CurveRole::first, of_output}};
        energy.curves = {{CurveFigure::tr("power, energy"), {}, CurveRole::first, [](const Theme& t) { return t.of(Resource::storage); }}};
        double most = 0;
        for (const FleetMonth& m : f.months) {
            for (CurvePanel* p : {&demand, &instances, &cost, &energy})
                p->x.push_back(m.month + 1);
            demand.curves[0].values.push_back(m.mean_rate);
            demand.curves[1].values.push_back(m.peak_rate);
            instances.curves[0].values.push_back(m.instances);
            energy.curves[0].values.push_back(m.energy.value());
            cost.curves[0].values.push_back(m.cost ? m.cost->value() * f.prefill_share : nothing);
            cost.curves[1].values.push_back(m.cost ? m.cost->value() * (1 - f.prefill_share) : nothing);
            most = std::max(most, m.cost ? m.cost->value() : 0.0);
        }
        set_energy_unit(energy);
        set_dollar_unit(cost, most);
        const auto about = [months = f.months](std::size_t i) {
            HoverText t;
            t.heading = CurveFigure::tr("Month %1").arg(months[i].month + 1);
            return t;
        };
        demand.place_text = about;
        instances.place_text = [months = f.months, about](std::size_t i) {
            HoverText t = about(i);
            t.rows.append({CurveFigure::tr("Peak demand"), rate_text(months[i].peak_rate)});
            t.rows.append({CurveFigure::tr("Paid"), CurveFigure::tr("%1 instance-hours").arg(to_qt(group_thousands(months[i].instance_hours)))});
            return t;
        };
        cost.place_text = energy.place_text = [months = f.months, about](std::size_t i) {
            HoverText t = about(i);
            if (months[i].cost)
                t.rows.append({CurveFigure::tr("Cost"), to_qt(format(*months[i].cost))});
            t.rows.append({CurveFigure::tr("Input tokens"), to_qt(format_si(months[i].input_tokens, "")).trimmed()});
            t.rows.append({CurveFigure::tr("Output tokens"), to_qt(format_si(months[i].output_tokens, "")).trimmed()});
            return t;
        };
        content.panels.push_back(std::move(demand));
        content.panels.push_back(std::move(instances));
        if (f.cost)
            content.panels.push_back(std::move(cost));
        content.panels.push_back(std::move(energy));
    }

} // namespace

CurveContent fleet_curves(const FleetPrediction& f, int spare_instances)
{
    CurveContent content;
    content.title = CurveFigure::tr("Fleet");
    if (f.day.empty() || f.months.empty())
        return content;
    content.caption = CurveFigure::tr("One replica carries %1 within the limits, %2 planned; %3; %4 of the instances spare. Planning figures, not a quote.")
                          .arg(rate_text(f.rate_per_replica), rate_text(f.planned_rate_per_replica),
                              f.replicas_per_instance > 0 ? CurveFigure::tr("%1 on an instance").arg(f.replicas_per_instance) : CurveFigure::tr("%1 instances to a replica").arg(f.instances_per_replica))
                          .arg(spare_instances);
    add_day(content, f);
    add_months(content, f);
    return content;
}

} // namespace ridgepoint
