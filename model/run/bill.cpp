#include "model/run/bill.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "model/units/format.h"

namespace ridgepoint {
namespace {

constexpr Bytes put_size = mebibytes(64); // of one part of an upload

bool is_ultraserver(const Job& job) { return job.cluster.node.id.starts_with("u-"); }

DollarsPerSecond per_instance(const Job& job, const Price& price) { return price.per_gpu * static_cast<double>(job.cluster.node.accelerators); }

std::string hours_text(double instances, Seconds t) { return fmt::format("{:.0f} x {} h", instances, group_thousands(std::round(in_hours(t)))); }

class Writer {
public:
    Writer(const BillInput& in, Seconds wall) : m_in(in)
    {
        m_bill.wall = wall;
        m_stretch = in.prediction.wall > Seconds{} ? wall / in.prediction.wall : 1.0;
    }

    Bill write()
    {
        add_instances();
        add_storage();
        if (m_in.run.egress > Bytes{})
            add(CostKind::egress, "Egress to the internet", m_in.market.egress_cost(m_in.run.egress), format_decimal(m_in.run.egress), "by the price bands of one month", m_in.storage_source);
        add_support();
        if (m_in.run.tax > 0.0)
            add(CostKind::tax, "Tax", m_bill.total * m_in.run.tax, format_percent(m_in.run.tax), "of the lines above", "your own rate");
        return std::move(m_bill);
    }

private:
    void add(CostKind kind, std::string name, Dollars amount, std::string quantity, std::string rate, std::string source)
    {
        if (amount == Dollars{})
            return;
        m_bill.total += amount;
        m_bill.lines.push_back({kind, std::move(name), amount, std::move(quantity), std::move(rate), std::move(source)});
    }

    void add_instances()
    {
        const RunPrediction& p = m_in.prediction;
        const Price& price = m_in.price;
        const DollarsPerSecond rate = per_instance(m_in.job, price);
        const std::string text = fmt::format("{} per instance-hour, {}", format(Dollars{rate.value() * 3600.0}), price.term);
        const std::string source = price.date.empty() ? price.source : fmt::format("{}, {}", price.source, price.date);
        for (std::size_t i = 0; i < run_part_count; ++i)
            add(CostKind::compute, fmt::format("Instances: {}", name_of(static_cast<RunPart>(i))), rate * p.parts[i] * (m_stretch * p.nodes), hours_text(p.nodes, p.parts[i] * m_stretch), text, source);
        add(CostKind::compute, "Instances: spares", rate * m_bill.wall * static_cast<double>(p.spares), hours_text(p.spares, m_bill.wall), text, source);
        m_bill.commitment = commit(m_in.market, price.term, rate, p.nodes + p.spares, m_bill.wall, is_ultraserver(m_in.job));
        const Commitment& c = m_bill.commitment;
        add(CostKind::commitment, "Commitment beyond the run", rate * (c.paid - c.used) * static_cast<double>(c.instances), hours_text(c.instances, c.paid - c.used), text, source);
    }

    void add_tier(const char* name, const StorageTier& tier, Bytes capacity, Seconds kept)
    {
        add(CostKind::storage, fmt::format("Storage: {}", name), tier.price * capacity * kept, fmt::format("{} for {:.1f} months", format_decimal(capacity), kept / month),
            fmt::format("${:.4g} per GB-month, {}", tier.price.value() * 1e9 * month.value(), tier.name), m_in.storage_source);
    }

    void add_storage()
    {
        const RunPrediction& p = m_in.prediction;
        add_tier("training data", m_in.data_tier, p.storage[0].capacity, m_bill.wall);
        add_tier("checkpoints", m_in.checkpoint_tier, p.storage[1].capacity, m_bill.wall);
        const Bytes archived = p.checkpoint.size.total * static_cast<double>(m_in.run.checkpoints_archived);
        add_tier("archived checkpoints, half the run on average", m_in.archive_tier, archived, m_bill.wall * 0.5);
        add(CostKind::storage, "Storage: uploads to the archive", m_in.archive_tier.thousand_puts * (archived / put_size / 1000.0), format_decimal(archived),
            fmt::format("${:.4g} per 1,000 parts of 64 MiB", m_in.archive_tier.thousand_puts.value()), m_in.storage_source);
    }

    // By month on what that month's bill is; a part of a month pays the same share of its percentages, but the whole minimum.
    void add_support()
    {
        const SupportPlan* plan = m_in.market.find_support(m_in.run.support);
        if (plan == nullptr)
            return;
        const double months = std::max(m_bill.wall / month, 1e-9);
        const Dollars monthly = m_bill.total / std::max(months, 1.0); // a run below a month is one month's bill
        const Dollars amount = plan->monthly(monthly) * std::max(months, 1.0);
        add(CostKind::support, fmt::format("Support: {}", plan->id), amount, fmt::format("{:.1f} months", std::max(months, 1.0)), "by the bands of the monthly bill", m_in.storage_source);
    }

    const BillInput& m_in;
    double m_stretch = 1.0;
    Bill m_bill;
};

void add_terms(RunCost& out, const BillInput& in, const std::vector<Price>& offers, std::optional<Date> today)
{
    const auto listed = std::ranges::find(offers, "on_demand", &Price::term);
    for (const Price& price : offers) {
        TermOffer o;
        o.price = price;
        if (today)
            o.age = age_of(price, in.market, *today);
        const DollarsPerSecond rate = per_instance(in.job, price);
        o.commitment = commit(in.market, price.term, rate, in.prediction.nodes + in.prediction.spares, in.prediction.wall, is_ultraserver(in.job));
        o.run = o.commitment.cost;
        if (listed != offers.end() && price.term.starts_with("savings_plan"))
            o.break_even_share = break_even_share(price.per_gpu, listed->per_gpu);
        out.terms.push_back(std::move(o));
    }
    std::ranges::stable_sort(out.terms, {}, &TermOffer::run);
    if (listed != offers.end() && in.price.term == "custom")
        out.list = per_instance(in.job, *listed) * in.prediction.wall * static_cast<double>(in.prediction.nodes + in.prediction.spares);
}

void add_notes(RunCost& out, const BillInput& in)
{
    if (out.age.stale)
        out.notes.push_back(fmt::format("The price is {} days old: ask again before relying on it", *out.age.days));
    else if (!out.age.days && in.price.term != "custom")
        out.notes.push_back(fmt::format("The price is of {}; how old that is was not asked", in.price.date));
    if (!in.price.note.empty())
        out.notes.push_back("Price: " + in.price.note);
    for (const std::string& problem : out.expected.commitment.problems)
        out.notes.push_back("Contract: " + problem);
    const Commitment& c = out.expected.commitment;
    if (c.obligation > c.cost)
        out.notes.push_back(fmt::format("Contract: {} are signed for, of which this run uses {}; the rest must serve other work", format(c.obligation), format_percent(c.cost / c.obligation, 0)));
    for (const StorageTier* tier : {&in.data_tier, &in.checkpoint_tier})
        if (tier->price <= DollarsPerByteSecond{} && tier->kind != StorageKind::local_nvme)
            out.notes.push_back(fmt::format("No price of {} is known: its line is missing", tier->name));
    if (in.run.support != "none")
        out.notes.push_back("Support is computed on this run's bill alone; bands count the whole account");
}

} // namespace

std::string_view name_of(CostKind k)
{
    constexpr std::array<std::string_view, 6> names = {"compute", "commitment", "storage", "egress", "support", "tax"};
    return names[static_cast<std::size_t>(k)];
}

Dollars Bill::of(CostKind kind) const
{
    Dollars sum;
    for (const CostLine& line : lines)
        if (line.kind == kind)
            sum += line.amount;
    return sum;
}

Bill bill_for(const BillInput& in, Seconds wall) { return Writer(in, wall).write(); }

RunCost cost_run(const BillInput& in, const Tokens& tokens, const std::vector<Price>& offers, std::optional<Date> today)
{
    RunCost out;
    const RunPrediction& p = in.prediction;
    out.price = in.price;
    if (today)
        out.age = age_of(in.price, in.market, *today);
    out.expected = bill_for(in, p.wall);
    out.p50 = bill_for(in, p.time_to_train.at(0.5));
    out.p90 = bill_for(in, p.time_to_train.at(0.9));
    out.per_token = out.expected.total / tokens;
    const Flops model = in.model_flops_per_token * tokens;
    if (model > Flops{})
        out.per_exaflop = out.expected.total.value() / (model.value() * 1e-18);
    out.per_month = out.expected.total / std::max(p.wall / month, 1.0);
    out.delay_per_day = per_instance(in.job, in.price) * days(1) * static_cast<double>(p.nodes + p.spares) + Dollars{in.run.delay_per_day};
    out.delay_p90 = out.delay_per_day * in_days(p.time_to_train.at(0.9) - p.time_to_train.at(0.5));
    add_terms(out, in, offers, today);
    add_notes(out, in);
    return out;
}

} // namespace ridgepoint
