#pragma once
// JSON documents of training: Hugging Face trainer states and results, golden values of Megatron.

#include <optional>

#include <nlohmann/json.hpp>

#include "model/measured/measured.h"

namespace ridgepoint {

// A flat record of metrics as a step; sizes of the job go to the log. None: it states neither time nor throughput.
std::optional<TrainingStep> step_from(const nlohmann::json& record, TrainingLog& log);
bool has_step(const nlohmann::json& record); // under a name of a step

std::vector<TextFormat> document_formats();

} // namespace ridgepoint
