#pragma once
// One iteration of reinforcement learning: rollout, log-probability and reward passes, policy updates, weight
// synchronization; which part bounds it, and how the GPUs are best divided.

#include <optional>
#include <string>
#include <vector>

#include "model/economics/cost.h"
#include "model/load/load.h"
#include "model/workload/post_training.h"

namespace ridgepoint {

enum class IterationPart : unsigned char { rollout, old_log_probs, reference, reward, critic, update, synchronize, offload, wait };
inline constexpr std::size_t iteration_part_count = 9;
std::string_view name_of(IterationPart p);

struct Rollout {
    Seconds time; // until the last answer ends
    Seconds work; // what the same tokens take with full batches throughout: the bound when answers of several iterations overlap
    Seconds half, most; // until 50 % and 90 % of the answers have ended
    Seconds longest; // the longest answer alone on an idle replica
    int replicas = 1;
    int batch = 1; // sequences that a replica holds
    double tail = 0; // share of the time after 90 % of the answers
    TokensPerSecond output;
};

struct Iteration { // under one division of the GPUs
    int rollout_gpus = 0; // colocated: all
    int training_gpus = 0;
    Seconds time;
    std::array<Seconds, iteration_part_count> parts{}; // as executed; disaggregated sides overlap, so the sum can exceed the time
    Seconds rollout_side, training_side; // what each takes for one iteration
    Rollout rollout;
    Seconds synchronize_bytes_time; // transfer alone
    Bytes weights; // sent to one rollout GPU
    Bytes offloaded; // per GPU, one way
    bool fits = true; // learner and rollout
    std::string bound; // "rollout", "update", ...
    Seconds& operator[](IterationPart p) { return parts[static_cast<std::size_t>(p)]; }
    const Seconds& operator[](IterationPart p) const { return parts[static_cast<std::size_t>(p)]; }
};

struct PostTrainingPrediction {
    double samples = 0; // per iteration
    double mean_output = 0; // tokens of an answer, as drawn and cut
    double longest_output = 0;
    double tokens = 0; // prompt and answer, of all samples
    double packed_length = 0; // sequence length of the learner: E[L^2] / E[L]
    Iteration best; // what the plan asks for, or the best division
    std::vector<Iteration> divisions; // disaggregated: those tried, by rollout GPUs
    double samples_per_second = 0;
    TokensPerSecond tokens_per_second; // prompt and answer
    TokensPerSecond output_per_second;
    std::optional<Dollars> cost; // of one iteration
    double gpu_hours = 0; // of one iteration
    std::vector<std::string> notes;
};

// Errors: ErrorKind::cancelled when stopped before the end. `learner`: a training job; `rollout`: the same model and cluster as a serving job in the rollout's precision.
Expected<PostTrainingPrediction> predict_post_training(const Job& learner, const Job& rollout, const PostTraining& p, const std::optional<Price>& price, const Progress& progress = {});

} // namespace ridgepoint
