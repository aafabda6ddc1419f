#pragma once
// A unit of prompt workers and decoding workers as two queues in a row. Prompts wait in one line for the first free prompt worker,
// which takes as many as fill the chunk of each of its attention groups (without chunks: prefill_batch); the cache crosses, one transfer after another on each
// worker's link; decoding workers take prompts in turn and run them as replicas without prompts (queue.h). The system feeds
// forward: a cache that finds no room at its decoding worker waits, and keeps no prompt worker from its next prompt.

#include "model/load/queue.h"

namespace ridgepoint {

struct PoolTimes {
    StepTimes prompts, decode; // of one worker
    int prompt_groups = 1; // attention groups of a prompt worker, each with prompts and a chunk of its own in a step
    int prompt_workers = 1, decode_workers = 1;
    int gpus_per_prompt_worker = 1, gpus_per_decode_worker = 1;
    Table1 transfer; // seconds; tokens of a prompt -> of its cache
    bool overlap = true; // a layer's cache leaves while the next ones compute
    int layers = 1;
};

// For plans with prompts apart; `longest`, `most_sequences` and errors as in tabulate_steps.
Expected<PoolTimes> tabulate_pools(const Job& job, int longest, int most_sequences, const std::stop_token& stop = {});

// What each part of a unit lets through when it never runs out of work. Prompts per second.
struct PoolRates {
    double prompts = 0, decode = 0, links = 0;
    [[nodiscard]] double least() const;
    [[nodiscard]] const char* tightest() const; // "the prompt workers"
};
PoolRates pool_rates(const PoolTimes& pools, const std::vector<RequestLengths>& lengths, const QueueRules& rules, const std::stop_token& stop = {});

struct PoolRun {
    QueueRun whole; // first_token: with prompt and transfer; in flight, cache: of all decoding workers; shares of time by GPUs
    double prompt_busy = 0, decode_busy = 0, link_busy = 0; // shares of the time
};
// `rules`: open. The lengths are those of prompts in order, rules.samples_per_prompt sequences each.
PoolRun simulate_pools(const PoolTimes& pools, const std::vector<RequestLengths>& lengths, const QueueRules& rules, const std::stop_token& stop = {});
// A closed loop of so many users of a unit, taken as Poisson arrivals at the rate that keeps as many requests inside
// (Little's law), at most just below saturation.
PoolRun simulate_pools_closed(const PoolTimes& pools, const std::vector<RequestLengths>& lengths, QueueRules rules, int users, const std::stop_token& stop = {});

} // namespace ridgepoint
