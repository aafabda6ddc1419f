#pragma once
// What one step of a replica takes in every state of its queue, tabulated from estimate(job): a simulation asks some
// ten thousand times.

#include <stop_token>
#include <vector>

#include "model/base/error.h"
#include "model/estimate/estimate.h"

namespace ridgepoint {

// Linear between the points of a grid, constant before the first, straight on after the last.
struct Table1 {
    std::vector<double> x, value;
    [[nodiscard]] double at(double px) const;
};
struct Table2 {
    std::vector<double> x, y, value; // value[i * y.size() + j]
    [[nodiscard]] double at(double px, double py) const;
};

struct StepTimes {
    // Seconds; sequences and their mean context -> one token each (with speculation: tokens_per_step).
    Table2 decode;
    // Seconds; prompt tokens of a step -> everything but what depends on the length of the prompts ...
    Table1 prompt_tokens;
    // ... and what one prompt adds: its tokens in this step, its tokens before them.
    Table2 prompt_context;
    Table1 cache_share; // tokens of one sequence -> of the replica's KV cache
    double tokens_per_step = 1.0;
    double stages = 1.0; // pipeline: a prompt keeps one stage at a time busy
    int largest_batch = 0; // sequences of the workload's mean length
    int replicas = 1;
    int gpus_per_replica = 1;
    double relative_error = 0.0; // the estimate's error bar
    std::vector<std::string> notes;

    // A prompt's latency through an idle replica.
    [[nodiscard]] double prefill(double tokens, double before) const { return prompt_tokens.at(tokens) + prompt_context.at(tokens, before); }
};

// `longest`: tokens of the longest request; `most_sequences`: in one batch. `phase`: of what the replica does; a worker that only
// runs prompts has no times of decoding, and the other way round. Errors: ErrorKind::cancelled when stopped.
Expected<StepTimes> tabulate_steps(const Job& job, int longest, int most_sequences, ServingPhase phase = ServingPhase::serving, const std::stop_token& stop = {});

Error stopped_before_the_end();

} // namespace ridgepoint
