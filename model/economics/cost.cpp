#include "model/economics/cost.h"

#include <algorithm>
#include <cmath>

#include "model/economics/power.h"

namespace ridgepoint {
namespace {

constexpr double hours_per_month = 730.0; // 8760 / 12
constexpr double least_utilization = 1e-3;

double rented_gpus(const Job& job) { return static_cast<double>(job.cluster.nodes) * static_cast<double>(job.cluster.node.accelerators); }

// Tokens that the answer is counted in, per second of useful work: trained, or output, or input where there is no output.
struct Rates {
    TokensPerSecond main;
    TokensPerSecond input; // serving
    double prefill_share = 0.0; // of the time of a replica
};

Rates rates_of(const Estimate& estimate, const Job& job)
{
    Rates r;
    if (estimate.training) {
        r.main = estimate.training->tokens_per_second;
    } else if (estimate.serving) {
        const ServingResult& s = *estimate.serving;
        const double replicas = std::max(1, s.replicas);
        const auto* serving = std::get_if<Serving>(&job.workload);
        r.main = s.output_per_second * replicas;
        if (serving && serving->phase != ServingPhase::decode) {
            r.input = TokensPerSecond{s.requests_per_second * serving->input_length * replicas};
            // A prompt keeps one pipeline stage at a time busy.
            const double prefill_per_request = s.prefill_step.value() / std::max(1, serving->prefill_batch) / std::max(1, job.layout.pp);
            const bool only = serving->phase == ServingPhase::prefill;
            r.prefill_share = only ? 1.0 : std::clamp(prefill_per_request * s.requests_per_second, 0.0, 1.0);
        }
    }
    return r;
}

bool positive(TokensPerSecond rate) { return std::isfinite(rate.value()) && rate.value() > 0.0; }

} // namespace

Cost cost_of(const Estimate& estimate, const Job& job, const std::optional<Price>& price, double utilization)
{
    const double useful = std::clamp(std::isfinite(utilization) ? utilization : 1.0, least_utilization, 1.0);
    const Rates rates = rates_of(estimate, job);
    Cost cost;
    cost.price = price;

    const double nodes = static_cast<double>(job.cluster.nodes);
    const Watts busy = node_power(job.cluster.node, job.cluster.accelerator, activity_of(estimate.time)) * nodes;
    const Watts idle = node_power(job.cluster.node, job.cluster.accelerator, 0.0) * nodes;
    cost.power = (busy * useful + idle * (1.0 - useful)) * power_usage_effectiveness;
    const TokensPerSecond counted = positive(rates.main) ? rates.main : rates.input;
    if (positive(counted))
        cost.energy_per_token = cost.power / (counted * useful);

    std::optional<Seconds> paid; // of a run that ends
    if (estimate.training && estimate.training->time_to_train)
        paid = *estimate.training->time_to_train / useful;
    if (paid)
        cost.gpu_hours = rented_gpus(job) * paid->value() / 3600.0;

    if (!price) {
        cost.missing = "no price";
        return cost;
    }
    cost.cluster = price->per_gpu * rented_gpus(job);
    cost.per_month = cost.cluster * hours(hours_per_month);
    if (paid)
        cost.run = cost.cluster * *paid;
    if (positive(rates.main)) {
        cost.per_token = cost.cluster * (1.0 - rates.prefill_share) / (rates.main * useful);
        if (estimate.serving)
            cost.per_output_token_all = cost.cluster / (rates.main * useful);
    }
    if (positive(rates.input))
        cost.per_input_token = cost.cluster * rates.prefill_share / (rates.input * useful);
    return cost;
}

} // namespace ridgepoint
