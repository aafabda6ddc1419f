#pragma once
// What users of a served model meet under a load: latency at its quantiles, goodput, and the largest rate that the
// replicas carry at all, or within stated limits.

#include <optional>
#include <string>
#include <vector>

#include "model/base/progress.h"
#include "model/load/pools.h"

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
    Quantiles gap; // between two deliveries (ITL): with speculation of several tokens, so longer than TPOT
    Quantiles end_to_end;
    Quantiles first_answer; // to the first token of the answer, where the output thinks before it
    Quantiles whole; // until the last sample of a prompt has ended, where there are several
    TokensPerSecond input, output; // of all replicas
    double goodput = 0; // requests per second within both limits
    double within_limits = 0; // share of the requests
    double in_flight = 0; // mean sequences of a replica
    double cache_used = 0; // mean share of the KV cache, as reserved
    double busy = 0; // share of the time
    double prefill_share = 0; // of the busy time
    int rejected = 0; // sequences larger than the KV cache
    double prompts_busy = 0, decode_busy = 0, links_busy = 0; // of pools: share of the time of each part's workers
};

struct LengthTail { // tokens, as drawn
    double mean = 0, p50 = 0, p90 = 0, p99 = 0, longest = 0;
};

// Of the parts of all units that run prompts apart, each with work without end. Requests per second.
struct PoolLoad {
    int prompt_workers = 1, decode_workers = 1; // of a unit
    double prompt_rate = 0, decode_rate = 0, link_rate = 0;
    std::string saturates; // "the prompt workers": the one that sets the largest rate
};

struct LoadPrediction {
    double mean_input = 0, mean_output = 0; // tokens, as drawn
    int samples = 1; // sequences of a request; all times but `whole` are of a sequence
    std::optional<LengthTail> thinking; // of the outputs
    int replicas = 1; // with pools: units
    int gpus_per_replica = 1;
    std::optional<PoolLoad> pools;
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

// Replicas are fed at random, which leaves each a share of the rate and Poisson arrivals Poisson. Errors: ErrorKind::cancelled when
// stopped before the end.
Expected<LoadPrediction> predict_load(const Job& job, const Load& load, const std::vector<RequestLengths>& from_file = {}, const Progress& progress = {});

// Nearest-rank quantile with interpolation of sorted values; 0 for none.
double quantile_of(const std::vector<double>& sorted, double p);

} // namespace ridgepoint
