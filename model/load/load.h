#pragma once
// What users of a served model meet under a load: latency at its quantiles, goodput, and the largest rate that the
// replicas carry at all, or within stated limits.

#include <optional>
#include <string>
#include <vector>

#include "model/load/queue.h"

namespace ridgepoint {

struct Quantiles {
    Seconds mean, p50, p90, p99;
    Seconds limit; // at Load::limit_share
};

struct LoadPoint {
    double rate = 0; // requests per second offered to all replicas
    double utilization = 0; // of the largest sustainable rate
    Quantiles waiting; // before a step takes the request up
    Quantiles ttft; // waiting, prefill and Load::overhead
    Quantiles tpot; // of each request: (end - first token) / (output - 1)
    Quantiles gap; // between two tokens (ITL)
    Quantiles end_to_end;
    TokensPerSecond input, output; // of all replicas
    double goodput = 0; // requests per second within both limits
    double within_limits = 0; // share of the requests
    double in_flight = 0; // mean sequences of a replica
    double cache_used = 0; // mean share of the KV cache, as reserved
    double busy = 0; // share of the time
    double prefill_share = 0; // of the busy time
    int rejected = 0; // requests larger than the KV cache
};

struct LoadPrediction {
    double mean_input = 0, mean_output = 0; // tokens, as drawn
    int replicas = 1;
    int gpus_per_replica = 1;
    double largest_rate = 0; // requests per second that all replicas sustain: throughput with a queue that never empties
    bool saturated = false; // the offered rate is beyond it: there is no steady state, latencies grow without end
    LoadPoint unloaded; // one request at a time
    std::optional<LoadPoint> offered; // none when saturated
    std::optional<LoadPoint> at_limits; // at the largest rate within the limits; none: even an idle replica breaks them
    std::string limited_by; // "TTFT", "TPOT", "saturation"
    std::vector<LoadPoint> curve; // by rising rate
    double relative_error = 0; // of the step times
    std::vector<std::string> notes;
};

// Replicas are fed at random, which leaves each a share of the rate and Poisson arrivals Poisson.
Expected<LoadPrediction> predict_load(const Job& job, const Load& load, const std::vector<RequestLengths>& from_file = {});

// Nearest-rank quantile with interpolation of sorted values; 0 for none.
double quantile_of(const std::vector<double>& sorted, double p);

} // namespace ridgepoint
