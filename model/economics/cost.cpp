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
    double prefill_share = 0.0; // of the GPU time of a replica
};

Rates rates_of(const std::optional<TrainingResult>& training, const std::optional<ServingResult>& served, const Job& job)
{
    Rates r;
    if (training) {
        r.main = training->tokens_per_second;
    } else if (served) {
        const ServingResult& s = *served;
        const double replicas = std::max(1, s.replicas);
        const auto* serving = std::get_if<Serving>(&job.workload);
        r.main = s.output_per_second * replicas;
        if (serving && serving->phase != ServingPhase::decode) {
            r.input = TokensPerSecond{s.requests_per_second * serving->input_length * replicas};
            // A prompt keeps one pipeline stage at a time busy.
            const double prefill_per_request = s.prefill_step.value() / std::max(1, serving->prefill_batch) / std::max(1, job.layout.pp);
            const bool only = serving->phase == ServingPhase::prefill;
            r.prefill_share = only ? 1.0 : s.prompt_gpu_share ? *s.prompt_gpu_share : std::clamp(prefill_per_request * s.requests_per_second, 0.0, 1.0);
        }
    }
    return r;
}

bool positive(TokensPerSecond rate) { return std::isfinite(rate.value()) && rate.value() > 0.0; }

double useful_share(double utilization) { return std::clamp(std::isfinite(utilization) ? utilization : 1.0, least_utilization, 1.0); }

} // namespace

UnitCost unit_cost(const AttributedTime& time, const std::optional<TrainingResult>& training, const std::optional<ServingResult>& serving,
    const Job& job, std::optional<DollarsPerSecond> per_gpu, double utilization)
{
    const double useful = useful_share(utilization);
    const Rates rates = rates_of(training, serving, job);
    UnitCost out;
    const double nodes = static_cast<double>(job.cluster.nodes);
    const Watts busy = node_power(job.cluster.node, job.cluster.accelerator, activity_of(time)) * nodes;
    const Watts idle = node_power(job.cluster.node, job.cluster.accelerator, 0.0) * nodes;
    out.power = (busy * useful + idle * (1.0 - useful)) * power_usage_effectiveness;
    const TokensPerSecond counted = positive(rates.main) ? rates.main : rates.input;
    if (positive(counted))
        out.energy_per_token = out.power / (counted * useful);
    if (!per_gpu)
        return out;
    out.cluster = *per_gpu * rented_gpus(job);
    if (positive(rates.main)) {
        out.per_token = out.cluster * (1.0 - rates.prefill_share) / (rates.main * useful);
        if (serving)
            out.per_output_token_all = out.cluster / (rates.main * useful);
    }
    if (positive(rates.input))
        out.per_input_token = out.cluster * rates.prefill_share / (rates.input * useful);
    return out;
}

Cost cost_of(const Estimate& estimate, const Job& job, const std::optional<Price>& price, double utilization)
{
    const double useful = useful_share(utilization);
    const UnitCost unit = unit_cost(estimate.time, estimate.training, estimate.serving, job,
        price ? std::optional(price->per_gpu) : std::nullopt, utilization);
    Cost cost;
    cost.price = price;
    cost.power = unit.power;
    cost.energy_per_token = unit.energy_per_token;

    std::optional<Seconds> paid; // of a run that ends
    if (estimate.training && estimate.training->time_to_train)
        paid = *estimate.training->time_to_train / useful;
    if (paid)
        cost.gpu_hours = rented_gpus(job) * paid->value() / 3600.0;

    if (!price) {
        cost.missing = "no price";
        return cost;
    }
    cost.cluster = unit.cluster;
    cost.per_month = cost.cluster * hours(hours_per_month);
    if (paid)
        cost.run = cost.cluster * *paid;
    cost.per_token = unit.per_token;
    cost.per_output_token_all = unit.per_output_token_all;
    cost.per_input_token = unit.per_input_token;
    return cost;
}

} // namespace ridgepoint
