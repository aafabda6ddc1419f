#pragma once
// The names under which frameworks state the same few quantities: one vocabulary for logs, tables and event files.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/measured/training_log.h"

namespace ridgepoint {

enum class TrainingQuantity {
    step,
    log_index, // wandb's _step: counts log calls, a step only where nothing better is there
    step_time,
    steps_per_second,
    tokens_per_second_per_gpu,
    tokens_per_second,
    samples_per_second,
    running_samples_per_second, // a running average; the figure of the step is better
    flops_per_gpu,
    mfu,
    loss,
    memory,
    global_batch,
    micro_batch,
    sequence_length,
    gpus,
};

struct NamedQuantity {
    TrainingQuantity quantity = TrainingQuantity::step;
    double factor = 1; // to base units
};

// What a name means: "elapsed time per iteration (ms)", "throughput/device/tokens_per_sec". Case, underscores and the
// path of a tracker ("run 7 - train/loss") do not matter. None: not a quantity of a step, or of evaluation.
std::optional<NamedQuantity> quantity_named(std::string_view name);

// Sets the member of a step. Non-positive and non-finite figures of speed and time are not measured: left out, false.
// `unit` is what followed the number ("46.06%", "68.57GiB", "1.2K").
bool put(TrainingStep& step, const NamedQuantity& what, double value, std::string_view unit = {});

} // namespace ridgepoint
