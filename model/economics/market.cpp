#include "model/economics/market.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/specs/reader.h"

namespace ridgepoint {
namespace {

constexpr Seconds year{8760.0 * 3600.0};

// Sum over the bands of rate x the part of `amount` inside.
template <typename Above, typename Rate> auto banded(const std::vector<Band<Above, Rate>>& bands, Above amount)
{
    decltype(amount * bands.front().rate) sum{};
    for (std::size_t i = 0; i < bands.size(); ++i) {
        const Above top = i + 1 < bands.size() ? std::min(amount, bands[i + 1].above) : amount;
        if (top > bands[i].above)
            sum += (top - bands[i].above) * bands[i].rate;
    }
    return sum;
}

template <typename Above, typename Rate> void check_ascending(SpecReader& spec, const std::string& at, const std::vector<Band<Above, Rate>>& bands)
{
    for (std::size_t i = 0; i < bands.size() && spec.ok(); ++i)
        if (i == 0 ? bands[i].above != Above{} : bands[i].above <= bands[i - 1].above)
            spec.fail(fmt::format("{}/{}/above", at, i), "the bands do not ascend from 0", fmt::format("{:.6g}", bands[i].above.value()), "0, then rising");
}

BlockRules read_blocks(SpecReader& spec)
{
    const std::string at = "/capacity_blocks";
    BlockRules b;
    b.shortest = spec.quantity<Seconds>(at + "/shortest");
    b.day_steps_to = spec.quantity<Seconds>(at + "/day_steps_to");
    b.longest = spec.quantity<Seconds>(at + "/longest");
    b.instances = spec.whole(at + "/instances", 1, 1'000'000);
    b.instances_together = spec.whole(at + "/instances_together", 1, 1'000'000);
    b.lead = spec.quantity<Seconds>(at + "/lead");
    b.ends_early = spec.quantity<Seconds>(at + "/ends_early");
    b.ends_early_ultraserver = spec.quantity<Seconds>(at + "/ends_early_ultraserver");
    return b;
}

// The shortest block that still runs for `used`.
Seconds block_length(const BlockRules& rules, Seconds used, Seconds ends_early)
{
    const double needed = in_days(std::max(used + ends_early, rules.shortest));
    const double whole = std::ceil(needed - 1e-9);
    return days(whole <= in_days(rules.day_steps_to) ? whole : 7.0 * std::ceil(needed / 7.0 - 1e-9));
}

} // namespace

Dollars SupportPlan::monthly(Dollars bill) const { return std::max(minimum, banded(bands, bill)); }

Dollars Market::egress_cost(Bytes sent) const { return egress.empty() ? Dollars{} : banded(egress, sent); }

const SupportPlan* Market::find_support(const std::string& plan) const
{
    const auto it = std::ranges::find(support, plan, &SupportPlan::id);
    return it == support.end() ? nullptr : &*it;
}

Expected<Market> read_market(const SpecStore& specs, const std::string& id)
{
    SpecReader spec(specs, SpecKind::market, id);
    if (!spec.ok())
        return spec.error();
    Market m;
    m.id = id;
    m.blocks = read_blocks(spec);
    m.stale_after = spec.quantity<Seconds>("/stale_after");
    for (std::size_t i = 0; i < spec.size("/egress"); ++i) {
        const std::string at = fmt::format("/egress/{}", i);
        m.egress.push_back({spec.quantity<Bytes>(at + "/above"), spec.quantity<DollarsPerByte>(at + "/price")});
    }
    check_ascending(spec, "/egress", m.egress);
    for (std::size_t i = 0; i < spec.size("/support"); ++i) {
        const std::string at = fmt::format("/support/{}", i);
        SupportPlan plan{spec.text(at + "/id"), spec.quantity<Dollars>(at + "/minimum"), {}};
        for (std::size_t b = 0; b < spec.size(at + "/bands"); ++b) {
            const std::string band = fmt::format("{}/bands/{}", at, b);
            plan.bands.push_back({spec.quantity<Dollars>(band + "/above"), spec.number(band + "/share")});
        }
        check_ascending(spec, at + "/bands", plan.bands);
        m.support.push_back(std::move(plan));
    }
    if (!spec.ok())
        return spec.error();
    return m;
}

std::optional<CarbonFactor> carbon_of(const SpecStore& specs, const std::string& market, const std::string& region)
{
    SpecReader spec(specs, SpecKind::market, market);
    for (std::size_t i = 0; spec.ok() && i < spec.size("/carbon"); ++i) {
        const std::string at = fmt::format("/carbon/{}", i);
        if (spec.text(at + "/region") != region)
            continue;
        CarbonFactor out;
        out.factor = spec.quantity<GramsPerJoule>(at + "/factor");
        if (const auto origin = specs.provenance(SpecKind::market, market, at + "/factor")) {
            out.source = origin->source;
            out.date = origin->date;
            out.confidence = origin->confidence;
            out.note = origin->note;
        }
        return out;
    }
    return std::nullopt;
}

PriceAge age_of(const Price& price, const Market& market, Date today)
{
    PriceAge out;
    const Expected<Date> read = parse_source_date(price.date);
    if (!read || today < *read)
        return out;
    out.days = today - *read;
    out.stale = days(*out.days) > market.stale_after;
    return out;
}

Commitment commit(const Market& market, const std::string& term, DollarsPerSecond per_instance, int instances, Seconds used, bool ultraserver)
{
    Commitment c;
    c.term = term;
    c.instances = instances;
    c.used = c.paid = used;
    if (term == "capacity_block") {
        const BlockRules& rules = market.blocks;
        c.blocks = (instances + rules.instances - 1) / std::max(1, rules.instances);
        c.paid = block_length(rules, used, ultraserver ? rules.ends_early_ultraserver : rules.ends_early);
        if (c.paid > rules.longest)
            c.problems.push_back(fmt::format("a Capacity Block lasts at most {:.0f} days, {:.0f} are needed: several in a row", in_days(rules.longest), in_days(c.paid)));
        if (instances > rules.instances_together)
            c.problems.push_back(fmt::format("{} instances in Capacity Blocks are more than the {} that one account gets without an agreement", instances, rules.instances_together));
    }
    c.cost = per_instance * c.paid * static_cast<double>(instances);
    c.obligation = c.cost;
    if (term == "savings_plan_1y" || term == "savings_plan_3y")
        c.obligation = std::max(c.cost, per_instance * year * ((term == "savings_plan_1y" ? 1.0 : 3.0) * instances));
    if (term == "capacity_block")
        c.upfront = c.cost;
    return c;
}

double break_even_share(DollarsPerSecond committed, DollarsPerSecond on_demand) { return committed / on_demand; }

} // namespace ridgepoint
