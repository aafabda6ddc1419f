#pragma once
// Logs of training runs: Megatron-LM, torchtitan, NeMo, MLPerf, Hugging Face and others.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/units/quantity.h"

namespace ridgepoint {

struct TrainingStep {
    std::int64_t step = 0;
    std::optional<Seconds> time; // of one step
    std::optional<TokensPerSecond> tokens_per_second_per_gpu;
    std::optional<TokensPerSecond> tokens_per_second; // of the whole job
    std::optional<double> samples_per_second; // of the whole job
    std::optional<FlopPerSecond> flops_per_gpu; // as the framework counts them
    std::optional<double> mfu; // as stated, 0 to 1
    std::optional<double> loss;
    std::optional<Bytes> memory; // of one GPU, as stated
    std::optional<int> rank; // that printed the line
};

// Part of a step that the framework timed by itself, over the ranks.
struct TrainingTimer {
    std::string name; // "forward-backward"
    std::int64_t lines = 0; // that state it
    Seconds least, most; // medians over those lines; equal where only one figure is printed
};

struct TrainingLog {
    std::string framework; // "Megatron-LM"
    std::string model; // as stated; empty: not
    std::optional<int> global_batch; // sequences
    std::optional<int> micro_batch; // sequences
    std::optional<int> sequence_length;
    std::optional<int> gpus;
    std::optional<int> tp, pp, cp, dp, ep; // as stated
    std::vector<TrainingStep> steps; // in the order of the file
    std::vector<TrainingTimer> timers;
    std::optional<Seconds> run_time; // of the whole run, as stated; holds evaluation and checkpoints
    std::optional<std::int64_t> run_steps; // that it took
    std::optional<Flops> run_flops; // of the whole job, as the framework counts them
};

// The steady part: the first tenth of the distinct steps (at least two, while more than four are there) and outliers
// (evaluation, checkpoints) beyond 1.5 medians of what is left are dropped and counted. Several ranks that print the same
// step are one step: it ends when the slowest does. Where no step has a time, throughput below the median / 1.5 is the outlier.
struct SteadyPart {
    std::optional<Seconds> step; // median; without times of steps the mean over the whole run, if that is stated
    std::optional<TokensPerSecond> tokens_per_second_per_gpu; // median
    std::optional<TokensPerSecond> tokens_per_second; // median, whole job
    std::optional<FlopPerSecond> flops_per_gpu; // median
    std::optional<double> mfu; // median
    int used = 0, dropped_warm_up = 0, dropped_outliers = 0; // distinct steps
    bool mean_of_run = false; // `step` is run_time / run_steps
};
SteadyPart steady_part(const TrainingLog& log);

// Step time x what is done in a step per second: the sequences of a step, a check against the global batch. None without both.
std::optional<double> sequences_per_step(const TrainingStep& step);

} // namespace ridgepoint
