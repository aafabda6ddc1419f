#include "views/panels/capacity_tables.h"

#include <algorithm>

#include <QCoreApplication>

#include "model/units/format.h"
#include "views/charts/run_curves.h"
#include "views/items/cell_table_model.h"
#include "views/widgets/cell_table.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    QString tr(const char* text) { return QCoreApplication::translate("CapacityPanel", text); }

    constexpr std::size_t most_bars = 12; // of alternatives in the chart; the table has all

    const TableCell dash{QStringLiteral("–"), {}};
    TableCell text(const QString& t) { return {t, {}}; }
    TableCell whole(double v) { return {to_qt(group_thousands(v)), v}; }
    TableCell days_cell(Seconds t) { return {QString::number(in_days(t), 'f', 1), in_days(t)}; }
    TableCell money(const std::optional<Dollars>& d) { return d ? TableCell{to_qt(format(*d)), d->value()} : dash; }
    TableCell percent(double share) { return {to_qt(format_percent(share, 0)), share}; }
    TableCell date(const std::optional<Date>& d) { return d ? TableCell{to_qt(d->text()), d->days()} : dash; }
    TableCell verdict(Binding b) { return text(b == Binding::none ? tr("yes") : tr("no: %1").arg(to_qt(name_of(b)))); }

    QString layout_text(const std::optional<Plan>& plan)
    {
        if (!plan)
            return QStringLiteral("–");
        const Layout& l = plan->layout;
        QString out = QStringLiteral("tp %1").arg(l.tp);
        for (const auto& [name, degree] : {std::pair{"pp", l.pp}, std::pair{"vpp", l.vpp}, std::pair{"cp", l.cp}, std::pair{"ep", l.ep}})
            if (degree > 1)
                out += QStringLiteral(" %1 %2").arg(QLatin1String(name)).arg(degree);
        if (std::holds_alternative<Training>(plan->workload))
            out += QStringLiteral(" mb %1").arg(l.micro_batch);
        return out;
    }

    // What is left until the last day on which it may start, and of the budget.
    TableCell days_left(const TrainingAlternative& a, Date today)
    {
        if (!a.latest_start)
            return dash;
        const int left = *a.latest_start - today;
        return {tr("%1 days").arg(left), left};
    }
    TableCell money_left(const TrainingAlternative& a, double budget)
    {
        const std::optional<Dollars> cost = a.cost_p90();
        return cost && budget > 0 ? money(Dollars{budget} - *cost) : dash;
    }

    QString why_of(const TrainingAlternative& a)
    {
        if (a.even_rate && a.does())
            return tr("as cheap as the first at %1 per GPU-hour").arg(to_qt(format(*a.even_rate)));
        return to_qt(a.why);
    }

    void fill(CellTable* table, const FinishAnswer& a, const CapacityAsked& asked)
    {
        std::vector<CellTableModel::Row> rows;
        for (const TrainingAlternative& x : a.alternatives) {
            const RunPrediction* r = x.answer ? &x.answer->run : nullptr;
            rows.push_back({text(to_qt(x.instance)), x.nodes > 0 ? whole(x.nodes) : dash, verdict(x.binding), r ? days_cell(r->time_to_train.at(0.5)) : dash, r ? days_cell(r->time_to_train.at(0.9)) : dash,
                date(x.latest_start), days_left(x, a.question.today), r && x.answer->cost ? money(x.answer->cost->p50.total) : dash, money(x.cost_p90()), money_left(x, asked.budget),
                r ? percent(r->goodput) : dash, text(layout_text(x.layout.plan)), text(why_of(x))});
        }
        table->set_table({{tr("Instance"), false, {}}, {tr("Nodes"), true, {}}, {tr("Does"), false, {}}, {tr("Days p50"), true, {}}, {tr("p90"), true, tr("Days p90")}, {tr("Latest start"), true, {}},
                             {tr("To spare"), true, tr("Days to spare")}, {tr("Bill p50"), true, tr("Bill p50 [USD]")}, {tr("p90"), true, tr("Bill p90 [USD]")}, {tr("Under budget"), true, tr("Under budget [USD]")},
                             {tr("Goodput"), true, {}}, {tr("Layout"), false, {}}, {tr("Why"), false, {}}},
            std::move(rows));
    }

    void fill(CellTable* table, const MachinesAnswer& a)
    {
        std::vector<CellTableModel::Row> rows;
        for (const TrainableModel& m : a.models) {
            if (!m.answer) {
                rows.push_back({text(to_qt(m.model)), dash, dash, dash, dash, dash, dash, text(layout_text(m.layout.plan)), text(QStringLiteral("%1: %2").arg(to_qt(name_of(m.binding)), to_qt(m.why)))});
                continue;
            }
            const auto tokens = [](Tokens t) { return TableCell{to_qt(format_si(t.value(), "")).trimmed(), t.value()}; };
            rows.push_back({text(to_qt(m.model)), tokens(m.tokens_median), tokens(m.tokens), {to_qt(format_number(m.tokens_per_parameter)), m.tokens_per_parameter},
                {to_qt(format(m.answer->run.step)), m.answer->run.step.value()}, percent(m.answer->run.goodput), m.answer->cost ? money(m.answer->cost->expected.total) : dash,
                text(layout_text(m.layout.plan)), text(m.binding == Binding::none ? to_qt(m.why) : QStringLiteral("%1: %2").arg(to_qt(name_of(m.binding)), to_qt(m.why)))});
        }
        table->set_table({{tr("Model"), false, {}}, {tr("Tokens p50"), true, {}}, {tr("Tokens p90"), true, {}}, {tr("Per parameter"), true, {}}, {tr("Step"), true, tr("Step [s]")}, {tr("Goodput"), true, {}},
                             {tr("Bill"), true, tr("Bill [USD]")}, {tr("Layout"), false, {}}, {tr("Why"), false, {}}},
            std::move(rows));
    }

    void fill(CellTable* table, const ServeAnswer& a, const CapacityAsked& asked)
    {
        std::vector<CellTableModel::Row> rows;
        for (const ServingAlternative& s : a.alternatives) {
            if (!s.answer) {
                rows.push_back({text(to_qt(s.instance)), dash, verdict(s.binding), dash, dash, dash, dash, dash, text(to_qt(s.why))});
                continue;
            }
            const FleetPrediction& f = s.answer->fleet;
            std::optional<Dollars> dearest; // month
            for (const FleetMonth& m : f.months)
                if (m.cost && (!dearest || *m.cost > *dearest))
                    dearest = m.cost;
            rows.push_back({text(to_qt(s.instance)), whole(s.tp), verdict(s.binding), whole(f.months.front().instances), whole(f.months.back().instances), money(f.cost),
                f.per_output_token ? money(Dollars{f.per_output_token->value() * 1e6}) : dash, dearest && asked.budget > 0 ? money(Dollars{asked.budget} - *dearest) : dash, text(to_qt(s.why))});
        }
        table->set_table({{tr("Instance"), false, {}}, {tr("TP"), true, {}}, {tr("Does"), false, {}}, {tr("At the peak"), true, tr("Instances at the peak of month 1")}, {tr("Later"), true, tr("Instances at the peak of the last month")},
                             {tr("Cost"), true, tr("Cost of all months [USD]")}, {tr("$ per M output"), true, {}}, {tr("Under budget"), true, tr("Under budget, dearest month [USD]")}, {tr("Why"), false, {}}},
            std::move(rows));
    }

    std::function<QColor(const Theme&)> colour_of(bool does)
    {
        return [does](const Theme& t) { return t.of(does ? Resource::hbm : Resource::latency); };
    }

    std::vector<PartsGroup> parts(const FinishAnswer& a, const CapacityAsked& asked)
    {
        PartsGroup time, bill;
        time.title = tr("Days, nine runs in ten");
        time.unit = tr("days");
        bill.title = tr("Bill, nine runs in ten");
        bill.unit = QStringLiteral("USD");
        time.hanging = bill.hanging = false;
        if (a.question.deadline) {
            time.limit = *a.question.deadline - a.question.today;
            time.limit_name = tr("until %1").arg(to_qt(a.question.deadline->text()));
        }
        if (asked.budget > 0) {
            bill.limit = asked.budget;
            bill.limit_name = tr("budget %1").arg(to_qt(format(Dollars{asked.budget})));
        }
        for (const TrainingAlternative& x : a.alternatives) {
            if (!x.answer || time.rows.size() == most_bars)
                continue;
            const QString name = QStringLiteral("%1 × %2").arg(x.nodes).arg(to_qt(x.instance));
            const Seconds p90 = x.answer->run.time_to_train.at(0.9);
            const QList<std::pair<QString, QString>> details = {{tr("Does"), verdict(x.binding).text}, {tr("Layout"), layout_text(x.layout.plan)}, {tr("Why"), why_of(x)}};
            time.rows.push_back({name, duration_text(p90), in_days(p90), colour_of(x.does()), details, false});
            const std::optional<Dollars> cost = x.cost_p90();
            bill.rows.push_back({name, cost ? to_qt(format(*cost)) : tr("no price"), cost ? cost->value() : 0.0, colour_of(x.does()), details, false});
        }
        time.empty_text = bill.empty_text = tr("No cluster runs it; the table says why.");
        return {time, bill};
    }

    std::vector<PartsGroup> parts(const MachinesAnswer& a)
    {
        PartsGroup g;
        g.title = tr("Tokens that nine runs in ten end in time");
        g.unit = tr("tokens");
        g.hanging = false;
        g.empty_text = tr("No model runs there; the table says why.");
        for (const TrainableModel& m : a.models)
            if (m.answer && g.rows.size() < most_bars)
                g.rows.push_back({to_qt(m.model), to_qt(format_si(m.tokens.value(), "")).trimmed(), m.tokens.value(), colour_of(m.binding == Binding::none),
                    {{tr("Half of the runs"), to_qt(format_si(m.tokens_median.value(), "")).trimmed()}, {tr("Tokens per parameter"), to_qt(format_number(m.tokens_per_parameter))}}, false});
        return {g};
    }

    std::vector<PartsGroup> parts(const ServeAnswer& a)
    {
        PartsGroup g;
        g.title = tr("Cost of all months");
        g.unit = QStringLiteral("USD");
        g.hanging = false;
        g.empty_text = tr("No instance serves it; the table says why.");
        for (const ServingAlternative& s : a.alternatives)
            if (s.answer && s.answer->fleet.cost && g.rows.size() < most_bars)
                g.rows.push_back({QStringLiteral("%1, tp %2").arg(to_qt(s.instance)).arg(s.tp), to_qt(format(*s.answer->fleet.cost)), s.answer->fleet.cost->value(), colour_of(s.does()),
                    {{tr("Does"), verdict(s.binding).text}, {tr("Why"), to_qt(s.why)}}, false});
        return {g};
    }

    QString summary(const FinishAnswer& a, const CapacityAsked& asked)
    {
        const auto doing = std::ranges::count_if(a.alternatives, &TrainingAlternative::does);
        if (doing == 0) {
            const auto nearest = std::ranges::find_if(a.alternatives, [](const TrainingAlternative& x) { return x.answer.has_value(); });
            if (nearest == a.alternatives.end())
                return tr("Nothing runs it on %1 clusters looked at; the table says why").arg(a.alternatives.size());
            return tr("None of %1 clusters does. Nearest: %2 × %3, bound by %4: %5").arg(a.alternatives.size()).arg(nearest->nodes).arg(to_qt(nearest->instance), to_qt(name_of(nearest->binding)), to_qt(nearest->why));
        }
        const TrainingAlternative& best = a.alternatives.front();
        QStringList out = {tr("%1 × %2 (%3)").arg(best.nodes).arg(to_qt(best.instance), layout_text(best.layout.plan)), tr("%1 at p90").arg(duration_text(best.answer->run.time_to_train.at(0.9)))};
        if (const std::optional<Dollars> cost = best.cost_p90())
            out << (asked.budget > 0 ? tr("%1 at p90, %2 under the budget").arg(to_qt(format(*cost)), to_qt(format(Dollars{asked.budget} - *cost))) : tr("%1 at p90").arg(to_qt(format(*cost))));
        if (best.latest_start)
            out << tr("must start by %1, in %2 days").arg(to_qt(best.latest_start->text())).arg(*best.latest_start - a.question.today);
        out << tr("%1 of %2 clusters do").arg(doing).arg(a.alternatives.size());
        return out.join(QStringLiteral(" · "));
    }

    QString summary(const MachinesAnswer& a)
    {
        QStringList out;
        for (const TrainableModel& m : a.models)
            out << (m.answer ? tr("%1: %2 tokens (p90), %3 a parameter").arg(to_qt(m.model), to_qt(format_si(m.tokens.value(), "")).trimmed(), to_qt(format_number(m.tokens_per_parameter)))
                             : tr("%1: not, %2").arg(to_qt(m.model), to_qt(m.why)));
        for (const SizingAid& s : a.optimum)
            out << tr("%1: best %2 parameters on %3 tokens").arg(to_qt(s.law->name), to_qt(format_si(s.optimum.parameters, "")).trimmed(), to_qt(format_si(s.optimum.tokens, "")).trimmed());
        return out.join(QStringLiteral(" · "));
    }

    QString summary(const ServeAnswer& a)
    {
        const auto doing = std::ranges::count_if(a.alternatives, &ServingAlternative::does);
        if (doing == 0)
            return a.alternatives.empty() ? tr("No instance was looked at")
                                          : tr("None of %1 instances serves it. %2: %3").arg(a.alternatives.size()).arg(to_qt(a.alternatives.front().instance), to_qt(a.alternatives.front().why));
        const ServingAlternative& best = a.alternatives.front();
        const FleetPrediction& f = best.answer->fleet;
        int least = f.day.empty() ? 0 : f.day.front().instances;
        for (const FleetHour& h : f.day)
            least = std::min(least, h.instances);
        QString text = tr("%1 at tp %2: %3 instances at the peak, %4 at the quietest hour").arg(to_qt(best.instance)).arg(best.tp).arg(f.months.front().instances).arg(least);
        if (f.cost)
            text += tr(" · %1 in all").arg(to_qt(format(*f.cost)));
        return text + tr(" · %1 of %2 instances do").arg(doing).arg(a.alternatives.size());
    }

} // namespace

void fill_capacity_table(CellTable* table, const CapacityFound& found, const CapacityAsked& asked)
{
    if (found.finish)
        fill(table, *found.finish, asked);
    else if (found.machines)
        fill(table, *found.machines);
    else if (found.serve)
        fill(table, *found.serve, asked);
}

std::vector<PartsGroup> capacity_parts(const CapacityFound& found, const CapacityAsked& asked)
{
    if (found.finish)
        return parts(*found.finish, asked);
    if (found.machines)
        return parts(*found.machines);
    return found.serve ? parts(*found.serve) : std::vector<PartsGroup>{};
}

CurveContent capacity_day(const CapacityFound& found, std::size_t row)
{
    CurveContent content;
    if (!found.serve || row >= found.serve->alternatives.size())
        return content;
    const ServingAlternative& s = found.serve->alternatives[row];
    content.title = tr("Through the day: %1").arg(to_qt(s.instance));
    content.empty_text = to_qt(s.why);
    if (!s.answer)
        return content;
    CurvePanel p;
    p.kind = CurveKind::bars;
    p.title = tr("Instances");
    p.unit = tr("instances");
    p.x_title = tr("hour of the first month's day");
    p.curves = {{tr("instances"), {}, CurveRole::first, [](const Theme& t) { return t.of(Resource::compute); }}};
    for (std::size_t h = 0; h < s.answer->fleet.day.size(); ++h) {
        p.x.push_back(static_cast<double>(h));
        p.curves[0].values.push_back(s.answer->fleet.day[h].instances);
    }
    p.value_text = [](double v) { return QString::number(v); };
    content.panels.push_back(std::move(p));
    return content;
}

QString capacity_summary(const CapacityFound& found, const CapacityAsked& asked)
{
    if (found.finish)
        return summary(*found.finish, asked);
    if (found.machines)
        return summary(*found.machines);
    return found.serve ? summary(*found.serve) : QString();
}

QStringList capacity_notes(const CapacityFound& found)
{
    QStringList out;
    const std::vector<std::string>* notes = found.finish ? &found.finish->notes : found.machines ? &found.machines->notes : found.serve ? &found.serve->notes : nullptr;
    for (std::size_t i = 0; notes && i < notes->size(); ++i)
        out << to_qt((*notes)[i]);
    return out << tr("Planning figures, not a quote");
}

CapacityChoice capacity_choice(const CapacityFound& found, std::size_t row)
{
    const auto named = [](const std::optional<Plan>& plan) {
        return CapacityChoice{plan, plan ? QStringLiteral("%1 × %2, %3").arg(plan->nodes).arg(to_qt(plan->instance), layout_text(plan)) : QString()};
    };
    if (found.finish && row < found.finish->alternatives.size())
        return named(found.finish->alternatives[row].layout.plan);
    if (found.machines && row < found.machines->models.size())
        return named(found.machines->models[row].layout.plan);
    if (found.serve && row < found.serve->alternatives.size())
        return named(found.serve->alternatives[row].plan);
    return {};
}

} // namespace ridgepoint
