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
    std::optional<FlopPerSecond> flops_per_gpu; // as the framework counts them
    std::optional<double> mfu; // as stated, 0 to 1
    std::optional<double> loss;
    std::optional<Bytes> memory; // of one GPU, as stated
    std::optional<int> rank; // that printed the line
};

struct TrainingLog {
    std::string framework; // "Megatron-LM"
    std::optional<int> global_batch; // sequences
    std::optional<int> sequence_length;
    std::optional<int> gpus;
    std::vector<TrainingStep> steps; // in the order of the file
};

// The steady part: the first tenth (at least two steps, while more than four are there) and outliers beyond 1.5 medians
// (evaluation, checkpoints) are left out and counted.
struct SteadyPart {
    std::optional<Seconds> step; // median
    std::optional<TokensPerSecond> tokens_per_second_per_gpu;
    std::optional<double> mfu;
    int used = 0, dropped_warm_up = 0, dropped_outliers = 0;
};
SteadyPart steady_part(const TrainingLog& log);

} // namespace ridgepoint
