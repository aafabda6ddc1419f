#pragma once
// What a run costs, line by line. Planning figures, not a quote.

#include <optional>
#include <string>
#include <vector>

#include "model/economics/market.h"
#include "model/run/run.h"

namespace ridgepoint {

enum class CostKind : unsigned char { compute, commitment, storage, egress, support, tax };
std::string_view name_of(CostKind k);

struct CostLine {
    CostKind kind = CostKind::compute;
    std::string name; // "Instances: steps"
    Dollars amount;
    std::string quantity; // "2048 x 1,203 h"
    std::string rate; // "$63.30 per instance-hour"
    std::string source; // title and date of the price
};

struct BillInput {
    const Job& job;
    const RunPrediction& prediction;
    const Run& run;
    const Market& market;
    StorageTier data_tier, checkpoint_tier, archive_tier; // archive: S3
    const Price& price;
    FlopsPerToken model_flops_per_token; // in the convention of the plan's assumptions
    std::string storage_source; // shown with lines that are not instances
};

// For a wall time: the expected one, or a quantile. Time beyond the expected one is charged like the rest.
struct Bill {
    Seconds wall;
    std::vector<CostLine> lines;
    Dollars total; // the lines add up to it
    Commitment commitment;
    [[nodiscard]] Dollars of(CostKind kind) const;
};
Bill bill_for(const BillInput& input, Seconds wall);

struct TermOffer { // another way to buy the same machines
    Price price;
    PriceAge age;
    Commitment commitment;
    Dollars run; // instances only
    std::optional<double> break_even_share; // of the year, against on demand; above 1: never
};

struct RunCost {
    Price price;
    PriceAge age;
    Bill expected, p50, p90;
    DollarsPerToken per_token;
    double per_exaflop = 0; // dollars for 1e18 model FLOPs
    Dollars per_month; // while it runs: the expected bill over its months
    Dollars delay_per_day; // the instances for a day and what the plan says beside
    Dollars delay_p90; // from p50 to p90
    std::optional<Dollars> list; // own rate: the same instance-hours at the on-demand list price
    std::vector<TermOffer> terms; // of the instance in the plan's region, by cost of the run
    std::vector<std::string> notes;
};
// `offers`: prices of the same instance under all terms. `today`: no ages without it.
RunCost cost_run(const BillInput& input, const Tokens& tokens, const std::vector<Price>& offers, std::optional<Date> today);

} // namespace ridgepoint
