#pragma once
// Instances, money and energy for a demand that swings over the day and grows over the months, from what one replica
// carries within its limits (load/). Planning figures, not a quote.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "model/economics/cost.h"
#include "model/load/load.h"
#include "model/workload/fleet.h"

namespace ridgepoint {

struct FleetHour {
    double rate = 0; // requests per second
    int instances = 0; // that this hour needs, spares included
    double utilization = 0; // of what the instances that run sustain
    Watts power; // of the instances that run, with cooling
};

struct FleetMonth {
    int month = 0; // 0: the first
    double mean_rate = 0;
    double peak_rate = 0;
    int instances = 0; // at the peak hour, spares included
    double instance_hours = 0; // paid in the month
    std::optional<Dollars> cost;
    Joules energy;
    double input_tokens = 0, output_tokens = 0; // of the month
};

struct FleetPrediction {
    double rate_per_replica = 0; // requests per second within the limits
    double planned_rate_per_replica = 0; // with the headroom
    int replicas_per_instance = 0; // 0: a replica needs several instances
    int instances_per_replica = 1;
    double mean_input = 0, mean_output = 0; // tokens of a request
    std::vector<FleetHour> day; // 24 hours of the first month
    std::vector<FleetMonth> months;
    // Over all months. The bill is split between input and output tokens by the time that replicas spend on prefill and on
    // decoding, so that both prices times their tokens add up to the bill.
    double prefill_share = 0;
    std::optional<DollarsPerToken> per_input_token, per_output_token;
    std::optional<Dollars> cost;
    JoulesPerToken energy_per_token; // input and output tokens alike, cooling included
    // Against an API: what the same tokens would cost there, and the mean rate from which the fleet is cheaper at every
    // larger one that was looked at, up to a thousand instances or twice the demand; none: it never is.
    std::optional<Dollars> api_cost;
    std::optional<double> break_even_rate;
    std::vector<std::string> notes;
};

Expected<FleetPrediction> plan_fleet(const Job& job, const Estimate& estimate, const LoadPrediction& load, const Fleet& fleet, const std::optional<Price>& price);

// Relative demand of the 24 hours, mean 1: as given, or a sine that peaks at hour 14.
Expected<std::array<double, 24>> day_shape(const Fleet& fleet);

// Interactivity against throughput: tokens per second of a user and of a GPU, over tensor parallelism and concurrency.
struct ParetoPoint {
    int tp = 1;
    int concurrency = 1;
    TokensPerSecond per_user, per_gpu;
    Seconds ttft, tpot;
    std::optional<DollarsPerToken> per_output_token; // the whole bill over output tokens
    bool front = false; // no other point is better in both
};
// Points that are legal and fit in memory, by tp and concurrency; those that were found when asked to stop. With prompts apart the
// layout is that of the decoding workers.
std::vector<ParetoPoint> pareto_points(const Job& job, const std::optional<Price>& price, double utilization, const Progress& progress = {});

} // namespace ridgepoint
