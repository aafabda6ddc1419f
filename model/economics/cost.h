#pragma once
// Money and energy of an estimate at a dated price. Planning figures, not a quote.

#include <optional>
#include <string>

#include "model/base/error.h"
#include "model/estimate/estimate.h"
#include "model/specs/store.h"

namespace ridgepoint {

struct Price { // of one instance type in one region under one term
    std::string instance;
    std::string region;
    std::string term; // "on_demand", "capacity_block", "custom"
    DollarsPerSecond per_gpu;
    std::string date; // when the list was read
    std::string source;
    std::string note;
};

// The price books (specs/prices/*.json). No such price: bad_input that lists the terms and regions there are.
Expected<Price> find_price(const SpecStore& specs, const std::string& instance, const std::string& region, const std::string& term);
// The user's own rate.
Price custom_price(const std::string& instance, double dollars_per_gpu_hour);

struct Cost {
    std::optional<Price> price; // none: not sold that way, `missing` says so
    std::string missing;
    DollarsPerSecond cluster; // all GPUs of the nodes, used or not
    std::optional<Dollars> run; // training to the end
    // Training: per trained token. Serving: the bill is split between input and output by the time that prefill and decode
    // take, so that input tokens x per_input_token + output tokens x per_token = the bill.
    std::optional<DollarsPerToken> per_token;
    std::optional<DollarsPerToken> per_input_token;
    std::optional<DollarsPerToken> per_output_token_all; // serving: the whole bill over the output tokens alone
    Dollars per_month; // 730 h
    double gpu_hours = 0; // of the run, if it has an end: rented GPUs x paid hours
    Watts power; // cluster with the data centre's overhead (PUE), average over paid hours; zero if unknown
    JoulesPerToken energy_per_token; // trained or output token; zero if unknown
};

// What one token and one second cost; the part of Cost that a search asks for millions of times.
struct UnitCost {
    DollarsPerSecond cluster;
    std::optional<DollarsPerToken> per_token, per_input_token, per_output_token_all; // as in Cost
    Watts power;
    JoulesPerToken energy_per_token;
};
UnitCost unit_cost(const AttributedTime& time, const std::optional<TrainingResult>& training, const std::optional<ServingResult>& serving,
    const Job& job, std::optional<DollarsPerSecond> per_gpu, double utilization);

// `utilization`: share of the paid hours that do useful work, in (0, 1]; values outside are taken to the nearest end.
Cost cost_of(const Estimate& estimate, const Job& job, const std::optional<Price>& price, double utilization);

} // namespace ridgepoint
