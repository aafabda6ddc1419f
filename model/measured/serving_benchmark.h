#pragma once
// Runs of a load generator against an inference server: vLLM, SGLang, AIPerf, GuideLLM, trtllm-bench and others.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/units/quantity.h"

namespace ridgepoint {

// Of a latency over the requests of a run. None: the file does not state it.
struct LatencyStatistics {
    std::optional<Seconds> mean, median, deviation;
    std::map<double, Seconds> percentiles; // 99 -> p99
};

struct ServingRun {
    std::string tool; // "vLLM bench serve"
    std::string model, backend; // as stated; empty: not
    std::optional<double> request_rate; // requests per second offered; infinity: all at once; none: not stated
    std::optional<int> max_concurrency;
    std::optional<int> tp, pp, ep, gpus;
    std::optional<std::int64_t> requests; // asked for
    std::int64_t completed = 0, failed = 0; // 0 also where the file does not state them
    std::optional<Seconds> duration;
    std::optional<std::int64_t> input_tokens, output_tokens; // of all completed requests
    std::optional<double> input_length, output_length; // mean tokens of a request
    std::optional<double> requests_per_second;
    std::optional<TokensPerSecond> output_per_second, total_per_second; // of the whole server
    LatencyStatistics ttft, tpot, itl, end_to_end;
    // Tools differ: some divide the whole answer's time, the wait for its first token included, by its tokens.
    bool tpot_counts_first = false, itl_counts_first = false;
    // Concurrency that was really in flight: requests per second x mean end-to-end time (Little's law).
    [[nodiscard]] std::optional<double> in_flight() const
    {
        if (!requests_per_second || !end_to_end.mean)
            return std::nullopt;
        return *requests_per_second * end_to_end.mean->value();
    }
    // What a token behind the first takes: of the stated figures the one that means it, else from the means of a request.
    [[nodiscard]] std::optional<Seconds> time_behind_first() const;
    std::vector<std::string> checks; // stated figures that contradict each other, as sentences
};

struct ServingBenchmark {
    std::vector<ServingRun> runs;
};

} // namespace ridgepoint
