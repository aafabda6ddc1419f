#include "views/panels/run_tables.h"

#include <QCoreApplication>

#include "model/units/format.h"
#include "views/charts/run_curves.h"
#include "views/items/cell_table_model.h"
#include "views/widgets/cell_table.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    QString tr(const char* text) { return QCoreApplication::translate("OperationPage", text); }

    constexpr double joules_per_kwh = 3.6e6;

    // Rows of: what it belongs to, its name, the amount with its number, the share, and how it comes about.
    class Rows {
    public:
        void begin(const QString& topic) { m_topic = topic; }
        void add(const QString& name, const QString& amount, double value, const QString& share = {}, const QString& how = {}, const QString& source = {})
        {
            rows.push_back({{m_topic, {}}, {name, {}}, {amount, value}, {share, {}}, {how, {}}, {source, {}}});
        }
        std::vector<CellTableModel::Row> rows;

    private:
        QString m_topic;
    };

    void add_time(Rows& rows, const RunAnswer& a)
    {
        const RunPrediction& r = a.run;
        rows.begin(tr("Time"));
        for (std::size_t i = 0; i < run_part_count; ++i)
            if (r.parts[i] != Seconds{})
                rows.add(to_qt(name_of(static_cast<RunPart>(i))), duration_text(r.parts[i]), r.parts[i].value(), to_qt(format_percent(r.parts[i] / r.wall)));
        rows.add(tr("expected"), duration_text(r.wall), r.wall.value(), QStringLiteral("100 %"), tr("goodput %1").arg(to_qt(format_percent(r.goodput))));
        for (const double share : {0.5, 0.9})
            rows.add(share < 0.7 ? tr("at p50") : tr("at p90"), duration_text(r.time_to_train.at(share)), r.time_to_train.at(share).value(), {},
                tr("%1 with failures alone").arg(duration_text(r.failures_only.at(share))));
    }

    void add_failures(Rows& rows, const RunPrediction& r)
    {
        rows.begin(tr("Failures"));
        rows.add(tr("expected"), to_qt(format_number(r.expected_failures)), r.expected_failures, {},
            r.mtbf > Seconds{} ? tr("one every %1 on %2 nodes").arg(to_qt(format(r.mtbf))).arg(r.nodes) : tr("none: the MTBF is set to never"));
        rows.add(tr("restart"), to_qt(format(r.restart.total())), r.restart.total().value(), {},
            tr("detection %1, replacement %2, start-up %3, reading %4, unfinished write %5")
                .arg(to_qt(format(r.restart.detection)), to_qt(format(r.restart.replacement)), to_qt(format(r.restart.startup)), to_qt(format(r.restart.reload)), to_qt(format(r.restart.replay))));
        rows.add(tr("interval"), to_qt(format(r.interval.used)), r.interval.used.value(), {}, tr("%1; optimum %2").arg(to_qt(r.interval.why), to_qt(format(r.interval.optimum))));
        rows.add(tr("checkpoint"), to_qt(format_decimal(r.checkpoint.size.total)), r.checkpoint.size.total.value(), {},
            tr("stops training for %1 (%2); safe after %3 (%4)")
                .arg(to_qt(format(r.checkpoint.blocking)), to_qt(r.checkpoint.blocking_limited_by), to_qt(format(r.checkpoint.write)), to_qt(r.checkpoint.write_limited_by)));
    }

    void add_storage(Rows& rows, const RunPrediction& r)
    {
        rows.begin(tr("Storage"));
        for (const StorageDemand& d : r.storage)
            rows.add(to_qt(d.what), to_qt(format_decimal(d.capacity)), d.capacity.value(), {},
                tr("asks for %1 of %2, limited by %3%4").arg(to_qt(format(d.demand)), to_qt(format(d.available)), to_qt(d.limited_by),
                    !d.limits ? QString() : d.demand > d.available ? tr(": training waits") : tr(": sets the interval")),
                to_qt(d.tier_name));
    }

    void add_money(Rows& rows, const RunCost& c)
    {
        rows.begin(tr("Bill"));
        for (const CostLine& l : c.expected.lines)
            rows.add(to_qt(l.name), to_qt(format(l.amount)), l.amount.value(), to_qt(format_percent(l.amount / c.expected.total)), tr("%1 at %2").arg(to_qt(l.quantity), to_qt(l.rate)), to_qt(l.source));
        rows.add(tr("expected"), to_qt(format(c.expected.total)), c.expected.total.value(), QStringLiteral("100 %"),
            tr("%1 at p50, %2 at p90").arg(to_qt(format(c.p50.total)), to_qt(format(c.p90.total))));
        rows.begin(tr("Units"));
        rows.add(tr("per million tokens"), to_qt(format(Dollars{c.per_token.value() * 1e6})), c.per_token.value() * 1e6);
        rows.add(tr("per month"), to_qt(format(c.per_month)), c.per_month.value(), {}, tr("of 730 h, while it runs"));
        rows.add(tr("a day of delay"), to_qt(format(c.delay_per_day)), c.delay_per_day.value(), {}, tr("p50 to p90: %1").arg(to_qt(format(c.delay_p90))));
        rows.begin(tr("Bought as"));
        for (const TermOffer& o : c.terms) {
            QStringList notes;
            if (!o.commitment.problems.empty())
                notes << to_qt(o.commitment.problems.front());
            if (o.break_even_share)
                notes << tr("cheaper than on demand from %1 of the year").arg(to_qt(format_percent(*o.break_even_share, 0)));
            if (o.age.stale)
                notes << tr("price %1 days old").arg(*o.age.days);
            rows.add(to_qt(o.price.term), to_qt(format(o.run)), o.run.value(), {},
                tr("%1 per GPU-hour, signed for %2%3").arg(to_qt(format(Dollars{o.price.per_gpu.value() * 3600.0})), to_qt(format(o.commitment.obligation)),
                    notes.isEmpty() ? QString() : QStringLiteral("; ") + notes.join(QStringLiteral("; "))),
                to_qt(o.price.source + ", " + o.price.date));
        }
    }

    void add_energy(Rows& rows, const RunAnswer& a)
    {
        const EnergyPrediction& e = a.run.energy;
        rows.begin(tr("Energy"));
        rows.add(tr("of the run"), QStringLiteral("%1 MWh").arg(to_qt(format_number(e.energy.value() / joules_per_kwh / 1e3))), e.energy.value(), {},
            tr("a node %1 busy, %2 idle; with PUE").arg(to_qt(format(e.busy)), to_qt(format(e.idle))));
        rows.add(tr("per million tokens"), QStringLiteral("%1 kWh").arg(to_qt(format_number(e.per_token.value() * 1e6 / joules_per_kwh))), e.per_token.value() * 1e6);
        if (a.carbon)
            rows.add(tr("carbon"), QStringLiteral("%1 t CO2e").arg(to_qt(format_number(*a.carbon_kg / 1000.0))), *a.carbon_kg, {},
                tr("%1 g/kWh: %2").arg(to_qt(format_number(a.carbon->factor.value() * joules_per_kwh)), to_qt(a.carbon->note)), to_qt(a.carbon->source + ", " + a.carbon->date));
    }

} // namespace

void fill_run_table(CellTable* table, const RunAnswer& a)
{
    Rows rows;
    add_time(rows, a);
    if (a.cost)
        add_money(rows, *a.cost);
    add_energy(rows, a);
    add_failures(rows, a.run);
    add_storage(rows, a.run);
    table->set_table({{tr("Of"), false, {}}, {tr("What"), false, {}}, {tr("Amount"), true, tr("Amount [s, USD, J, kg or bytes]")}, {tr("Share"), true, {}}, {tr("How"), false, {}}, {tr("Source"), false, {}}},
        std::move(rows.rows));
}

QString run_summary(const RunAnswer& a)
{
    const RunPrediction& r = a.run;
    QStringList parts;
    if (!a.evaluation.estimate.feasible())
        parts << tr("DOES NOT FIT in memory: this run cannot be");
    const QString p50 = duration_text(r.time_to_train.at(0.5)), p90 = duration_text(r.time_to_train.at(0.9));
    parts << (a.start ? tr("%1 (p50, to %2), %3 (p90, to %4)").arg(p50, to_qt(a.end_p50->text()), p90, to_qt(a.end_p90->text())) : tr("%1 (p50), %2 (p90)").arg(p50, p90));
    parts << tr("goodput %1").arg(to_qt(format_percent(r.goodput, 0)));
    parts << tr("bound by %1").arg(to_qt(r.bound));
    if (a.cost)
        parts << tr("%1 expected, %2 at p90%3").arg(to_qt(format(a.cost->expected.total)), to_qt(format(a.cost->p90.total)),
            a.cost->age.stale ? tr(" (price %1 days old)").arg(*a.cost->age.days) : QString());
    else
        parts << tr("no cost: %1").arg(to_qt(a.evaluation.cost.missing));
    QString energy = QStringLiteral("%1 MWh").arg(to_qt(format_number(r.energy.energy.value() / joules_per_kwh / 1e3)));
    if (a.carbon_kg)
        energy += QStringLiteral(", %1 t CO2e").arg(to_qt(format_number(*a.carbon_kg / 1000.0)));
    parts << energy;
    parts << tr("planning figures, not a quote");
    return parts.join(QStringLiteral(" · "));
}

} // namespace ridgepoint
