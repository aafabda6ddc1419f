#pragma once
// What a seller's contracts, traffic, support and electricity come to, whatever the instance (specs/markets/*.json).

#include <optional>
#include <string>
#include <vector>

#include "model/economics/cost.h"
#include "model/units/date.h"
#include "model/units/prices.h"

namespace ridgepoint {

struct BlockRules { // of Capacity Blocks
    Seconds shortest, day_steps_to, longest; // whole days up to day_steps_to, whole weeks above
    int instances = 0; // in one block
    int instances_together = 0;
    Seconds lead; // booked at most so far ahead
    Seconds ends_early, ends_early_ultraserver; // instances stop so long before the end
};

template <typename Above, typename Rate> struct Band {
    Above above;
    Rate rate;
};

struct SupportPlan {
    std::string id;
    Dollars minimum; // per month
    std::vector<Band<Dollars, double>> bands; // share of the monthly bill, ascending from 0
    [[nodiscard]] Dollars monthly(Dollars bill) const;
};

struct Market {
    std::string id;
    BlockRules blocks;
    Seconds stale_after; // prices older than this are doubted
    std::vector<Band<Bytes, DollarsPerByte>> egress; // per month, ascending from 0
    std::vector<SupportPlan> support;

    [[nodiscard]] Dollars egress_cost(Bytes sent) const; // in one month
    [[nodiscard]] const SupportPlan* find_support(const std::string& plan) const;
};
Expected<Market> read_market(const SpecStore& specs, const std::string& id);

struct CarbonFactor {
    GramsPerJoule factor;
    std::string source, date, confidence, note;
};
std::optional<CarbonFactor> carbon_of(const SpecStore& specs, const std::string& market, const std::string& region);

// How old a price was on a day. No age: its date cannot be read, or it lies after that day.
struct PriceAge {
    std::optional<int> days;
    bool stale = false;
};
PriceAge age_of(const Price& price, const Market& market, Date today);

// Machines kept for a time under a term. The list rate is what the hours cost; a commitment can cost more than the hours used.
struct Commitment {
    std::string term;
    int instances = 0;
    int blocks = 0; // Capacity Blocks, all at once
    Seconds used; // per instance
    Seconds paid; // per instance; for Savings Plans the hours of the run, the obligation is beside
    Dollars cost; // of the paid hours
    Dollars obligation; // what is signed for, used or not
    Dollars upfront; // paid before the first hour
    std::vector<std::string> problems; // why it cannot be had like this
};
Commitment commit(const Market& market, const std::string& term, DollarsPerSecond per_instance, int instances, Seconds used, bool ultraserver);

// Share of the year from which a commitment at `committed` is cheaper than paying `on_demand` for the hours used.
double break_even_share(DollarsPerSecond committed, DollarsPerSecond on_demand);

} // namespace ridgepoint
