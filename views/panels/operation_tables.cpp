#include "views/panels/operation_tables.h"

#include <algorithm>
#include <cmath>

#include <QCoreApplication>

#include "model/units/format.h"
#include "views/widgets/cell_table.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    QString tr(const char* text) { return QCoreApplication::translate("OperationPage", text); }

    QString rate_text(double per_second) { return QStringLiteral("%1/s").arg(to_qt(format_number(per_second))); }

    TableCell cell(Seconds t) { return {to_qt(format(t)), t.value()}; }
    TableCell cell(TokensPerSecond t) { return {to_qt(format(t)), t.value()}; }
    TableCell percent(double share, int digits = 0) { return {to_qt(format_percent(share, digits)), share}; }
    TableCell number(double v) { return {v == std::floor(v) ? to_qt(group_thousands(v)) : to_qt(format_number(v)), v}; }
    TableCell whole(double v) { return {to_qt(group_thousands(std::round(v))), v}; }
    TableCell dollars(const std::optional<DollarsPerToken>& d) { return d ? TableCell{to_qt(format(Dollars{d->value() * 1e6})), d->value() * 1e6} : TableCell{QStringLiteral("–"), {}}; }

    QString per_million(const std::optional<DollarsPerToken>& d) { return d ? to_qt(format(Dollars{d->value() * 1e6})) : QStringLiteral("–"); }

} // namespace

quint64 id_of(int tp, int concurrency) { return (static_cast<quint64>(tp) << 32) | static_cast<quint32>(concurrency); }
std::pair<int, int> point_of(quint64 id) { return {static_cast<int>(id >> 32), static_cast<int>(id & 0xffffffff)}; }

QString lines_of(const std::vector<std::string>& notes)
{
    QStringList lines;
    for (const std::string& note : notes)
        lines << to_qt(note);
    return lines.join(QLatin1Char('\n'));
}

void fill_load_table(CellTable* table, const LoadPrediction& l)
{
    std::vector<CellTableModel::Row> rows;
    for (const LoadPoint& p : l.curve)
        rows.push_back({{rate_text(p.rate), p.rate}, percent(p.utilization), cell(p.ttft.p50), cell(p.ttft.p90), cell(p.ttft.p99), cell(p.tpot.p50), cell(p.tpot.p90), cell(p.tpot.p99),
            cell(p.gap.p50), cell(p.gap.p99), cell(p.end_to_end.p50), cell(p.end_to_end.p90), cell(p.end_to_end.p99), cell(p.output), number(p.in_flight), percent(p.cache_used),
            percent(p.within_limits, 1), {rate_text(p.goodput), p.goodput}});
    // Beside what every plan has: thinking, samples, pools.
    std::vector<TableColumn> more;
    const auto add = [&](TableColumn column, auto value) {
        more.push_back(std::move(column));
        for (std::size_t i = 0; i < rows.size(); ++i)
            rows[i].push_back(value(l.curve[i]));
    };
    const auto seconds = [](const QString& title) { return TableColumn{title, true, title + QStringLiteral(" [s]")}; };
    if (l.thinking) {
        add(seconds(tr("First answer p50")), [](const LoadPoint& p) { return cell(p.first_answer.p50); });
        add(seconds(tr("p99")), [](const LoadPoint& p) { return cell(p.first_answer.p99); });
    }
    if (l.samples > 1) {
        add(seconds(tr("All samples p50")), [](const LoadPoint& p) { return cell(p.whole.p50); });
        add(seconds(tr("p99")), [](const LoadPoint& p) { return cell(p.whole.p99); });
    }
    if (l.pools) {
        add({tr("Prompt workers"), true, tr("Prompt workers busy")}, [](const LoadPoint& p) { return percent(p.prompts_busy); });
        add({tr("Decoding workers"), true, tr("Decoding workers busy")}, [](const LoadPoint& p) { return percent(p.decode_busy); });
        add({tr("Links"), true, tr("Links busy")}, [](const LoadPoint& p) { return percent(p.links_busy); });
    }
    std::vector<TableColumn> columns = {{tr("Rate"), true, tr("Rate [requests/s]")}, {tr("Of largest"), true, {}}, seconds(tr("TTFT p50")), seconds(tr("p90")), seconds(tr("p99")), seconds(tr("TPOT p50")),
                         seconds(tr("p90")), seconds(tr("p99")), seconds(tr("ITL p50")), seconds(tr("p99")), seconds(tr("End to end p50")), seconds(tr("p90")), seconds(tr("p99")),
                         {tr("Output"), true, tr("Output [tokens/s]")}, {tr("In flight"), true, tr("In flight on a replica")}, {tr("KV cache"), true, {}}, {tr("Within limits"), true, {}},
                         {tr("Goodput"), true, tr("Goodput [requests/s]")}};
    columns.insert(columns.end(), more.begin(), more.end());
    table->set_table(std::move(columns), std::move(rows));
}

QString load_summary(const LoadPrediction& l, const Load& load)
{
    QStringList parts;
    if (l.at_limits)
        parts << tr("%1 within the limits, then %2 breaks").arg(rate_text(l.at_limits->rate), to_qt(l.limited_by));
    else
        parts << tr("Even an idle replica breaks the %1 limit").arg(to_qt(l.limited_by));
    if (l.at_limits && l.limited_by == "saturation")
        parts.back() = tr("%1 within the limits, up to saturation").arg(rate_text(l.at_limits->rate));
    parts << (l.pools ? tr("%1 saturate at %2").arg(to_qt(l.pools->saturates), rate_text(l.largest_rate)) : tr("saturates at %1").arg(rate_text(l.largest_rate)));
    if (l.saturated)
        parts << tr("SATURATED: the plan's %1 let every queue and latency grow without end").arg(rate_text(load.rate));
    else if (l.offered)
        parts << tr("at the plan's %1: TTFT %2 (p90), TPOT %3 (p90), %4 within both limits")
                     .arg(rate_text(l.offered->rate), to_qt(format(l.offered->ttft.p90)), to_qt(format(l.offered->tpot.p90)), to_qt(format_percent(l.offered->within_limits)));
    if (l.offered && l.thinking)
        parts << tr("first answer token %1 (p50), %2 (p99)").arg(to_qt(format(l.offered->first_answer.p50)), to_qt(format(l.offered->first_answer.p99)));
    if (l.offered && l.samples > 1)
        parts << tr("all %1 samples in %2 (p90)").arg(l.samples).arg(to_qt(format(l.offered->whole.p90)));
    if (l.offered && l.pools)
        parts << tr("prompt workers %1 busy, links %2").arg(to_qt(format_percent(l.offered->prompts_busy, 0)), to_qt(format_percent(l.offered->links_busy, 0)));
    return parts.join(QStringLiteral(" · "));
}

void fill_fleet_table(CellTable* table, const FleetPrediction& f)
{
    std::vector<CellTableModel::Row> rows;
    for (const FleetMonth& m : f.months)
        rows.push_back({{QString::number(m.month + 1), m.month + 1}, {rate_text(m.mean_rate), m.mean_rate}, {rate_text(m.peak_rate), m.peak_rate}, whole(m.instances), whole(m.instance_hours),
            m.cost ? TableCell{to_qt(format(*m.cost)), m.cost->value()} : TableCell{QStringLiteral("–"), {}}, {QStringLiteral("%1 kWh").arg(to_qt(group_thousands(std::round(m.energy.value() / 3.6e6)))), m.energy.value() / 3.6e6},
            {to_qt(format_si(m.input_tokens, "")).trimmed(), m.input_tokens}, {to_qt(format_si(m.output_tokens, "")).trimmed(), m.output_tokens}});
    table->set_table({{tr("Month"), true, {}}, {tr("Mean demand"), true, tr("Mean demand [requests/s]")}, {tr("Peak"), true, tr("Peak [requests/s]")}, {tr("Instances"), true, {}},
                         {tr("Instance-hours"), true, {}}, {tr("Cost"), true, tr("Cost [USD]")}, {tr("Energy"), true, tr("Energy [kWh]")}, {tr("Input tokens"), true, {}}, {tr("Output tokens"), true, {}}},
        std::move(rows));
}

QString fleet_summary(const FleetPrediction& f, const QString& no_price)
{
    QStringList parts;
    const int first = f.months.front().instances, last = f.months.back().instances;
    parts << (first == last ? tr("%1 instances").arg(first) : tr("%1 instances, %2 in month %3").arg(first).arg(last).arg(f.months.size()));
    if (f.cost)
        parts << tr("%1 in all: input %2, output %3 per million tokens").arg(to_qt(format(*f.cost)), per_million(f.per_input_token), per_million(f.per_output_token));
    else
        parts << tr("no cost: %1").arg(no_price);
    parts << tr("%1 kWh per million tokens").arg(to_qt(format_number(f.energy_per_token.value() * 1e6 / 3.6e6)));
    if (f.api_cost) {
        QString api = tr("the API would take %1").arg(to_qt(format(*f.api_cost)));
        if (f.cost)
            api += f.break_even_rate ? tr(", break-even at a mean of %1").arg(rate_text(*f.break_even_rate)) : tr(", cheaper at any demand");
        parts << api;
    }
    return parts.join(QStringLiteral(" · "));
}

void fill_interactivity_table(CellTable* table, const std::vector<ParetoPoint>& points)
{
    std::vector<CellTableModel::Row> rows;
    std::vector<quint64> ids;
    for (const ParetoPoint& p : points) {
        rows.push_back({number(p.tp), number(p.concurrency), cell(p.per_user), cell(p.per_gpu), cell(p.ttft), cell(p.tpot), dollars(p.per_output_token), {p.front ? tr("on the front") : QString(), {}}});
        ids.push_back(id_of(p.tp, p.concurrency));
    }
    table->set_table({{tr("TP"), true, {}}, {tr("Concurrency"), true, {}}, {tr("Per user"), true, tr("Per user [tokens/s]")}, {tr("Per GPU"), true, tr("Per GPU [tokens/s]")},
                         {tr("TTFT"), true, tr("TTFT [s]")}, {tr("TPOT"), true, tr("TPOT [s]")}, {tr("$ per M output"), true, tr("Cost [USD per million output tokens]")}, {tr("Front"), false, {}}},
        std::move(rows), std::move(ids));
}

QString interactivity_summary(const std::vector<ParetoPoint>& points, const std::optional<ParetoPoint>& own)
{
    if (points.empty())
        return tr("No layout fits in memory");
    const auto fastest = std::ranges::max_element(points, {}, [](const ParetoPoint& p) { return p.per_user.value(); });
    const auto most = std::ranges::max_element(points, {}, [](const ParetoPoint& p) { return p.per_gpu.value(); });
    QString text = tr("Fastest for a user: tp %1 with %2, %3 · most of a GPU: tp %4 with %5, %6")
                       .arg(fastest->tp).arg(fastest->concurrency).arg(to_qt(format(fastest->per_user))).arg(most->tp).arg(most->concurrency).arg(to_qt(format(most->per_gpu)));
    if (own)
        text += tr(" · the plan: tp %1 with %2, %3 and %4").arg(own->tp).arg(own->concurrency).arg(to_qt(format(own->per_user)), to_qt(format(own->per_gpu)));
    return text;
}

void fill_division_table(CellTable* table, const PostTrainingPrediction& p)
{
    std::vector<CellTableModel::Row> rows;
    std::vector<quint64> ids;
    const std::vector<Iteration>& shown = p.divisions.empty() ? std::vector<Iteration>{p.best} : p.divisions;
    for (const Iteration& it : shown) {
        rows.push_back({number(it.rollout_gpus), number(it.training_gpus), cell(it.time), cell(it.rollout_side), cell(it.training_side), cell(it[IterationPart::synchronize]), percent(it.rollout.tail),
            {to_qt(it.bound), {}}, {it.fits ? tr("fits") : tr("does not fit"), {}}});
        ids.push_back(static_cast<quint64>(it.rollout_gpus));
    }
    const auto seconds = [](const QString& title) { return TableColumn{title, true, title + QStringLiteral(" [s]")}; };
    table->set_table({{tr("Rollout GPUs"), true, {}}, {tr("Learner GPUs"), true, {}}, seconds(tr("Iteration")), seconds(tr("Rollout side")), seconds(tr("Learner side")), seconds(tr("Weight transfer")),
                         {tr("Tail"), true, tr("Tail of the rollout")}, {tr("Bound by"), false, {}}, {tr("Memory"), false, {}}},
        std::move(rows), std::move(ids));
}

QString post_training_summary(const PostTrainingPrediction& p, const QString& no_price)
{
    QStringList parts;
    parts << tr("%1 samples in %2, bound by %3").arg(to_qt(group_thousands(p.samples)), to_qt(format(p.best.time)), to_qt(p.best.bound));
    if (!p.best.fits)
        parts << tr("DOES NOT FIT in memory");
    if (!p.divisions.empty())
        parts << tr("%1 GPUs roll out, %2 learn").arg(p.best.rollout_gpus).arg(p.best.training_gpus);
    parts << tr("%1 samples/s, %2").arg(to_qt(format_number(p.samples_per_second)), to_qt(format(p.tokens_per_second)));
    parts << (p.cost ? tr("%1 and %2 GPU-hours an iteration").arg(to_qt(format(*p.cost)), to_qt(format_number(p.gpu_hours))) : tr("no cost: %1").arg(no_price));
    return parts.join(QStringLiteral(" · "));
}

} // namespace ridgepoint
