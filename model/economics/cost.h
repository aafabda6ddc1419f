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

struct Cost {
    std::optional<Price> price; // none: not sold that way, `missing` says so
    std::string missing;
    DollarsPerSecond cluster; // all GPUs of the nodes, used or not
    std::optional<Dollars> run; // training to the end
    std::optional<DollarsPerToken> per_token; // training: per trained token; serving: per output token
    std::optional<DollarsPerToken> per_input_token;
    Dollars per_month; // 730 h
    double gpu_hours = 0; // of the run, if it has an end
    Watts power; // cluster, at the estimate's utilisation; zero if unknown
    JoulesPerToken energy_per_token;
};

Cost cost_of(const Estimate& estimate, const Job& job, const std::optional<Price>& price, double utilization);

} // namespace ridgepoint
