#pragma once
// What the readers of training logs share, and the readers themselves.

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "model/measured/measured.h"

namespace ridgepoint {

// The facts that any log of steps has: n_steps, first_s, median_s, mean_s, mean_s_last20, elapsed_ms, mean_ms_excl_first,
// tflops, tokens_per_second_per_gpu, mfu, the steady part.
nlohmann::json step_facts(const TrainingLog& log);

// Puts a log together: facts (own ones over step_facts), and notes on what every reader must say. Error: not one step and no run time.
Expected<Measured> finished(std::string_view format, const std::string& file, TrainingLog log, std::vector<Skipped> skipped, std::vector<std::string> notes, const nlohmann::json& own_facts = nlohmann::json::object());

// Sizes of the job as logs state them before the first step: Megatron's argument dump ("seq_length ..... 4096"), its line
// "using world size: 64, ...", and `name: value` lines of others. Only what is absent in the log is set.
void read_settings(std::string_view text, TrainingLog& log);
bool put_setting(TrainingLog& log, std::string_view name, double value); // "cfg/tensor_model_parallel_size"; false: not one

std::vector<TrainingTimer> read_timers(std::string_view text); // Megatron's and DeepSpeed's "time (ms)"

std::vector<TextFormat> step_line_formats(); // one line a step
std::vector<TextFormat> step_block_formats(); // a heading and indented lines a step: Composer, OLMo
std::vector<TextFormat> record_formats(); // JSON records and documents: MLLOG, DLLL, trainer states, golden values
TextFormat event_file_format(); // TensorBoard
TextFormat step_table_format(); // CSV of a tracker
TextFormat json_lines_format(); // one record a line

} // namespace ridgepoint
