#pragma once
// The words that rows are grouped under, one spelling for all kinds of rows. Private to the calibration floor.

#include <string>
#include <string_view>
#include <vector>

#include "model/calibration/score.h"
#include "model/estimate/estimate.h"
#include "model/parallelism/layout.h"

namespace ridgepoint {

// "1 to 16", "17 to 256", "257 and more" for the edges {16, 256}; "not stated" for NaN.
std::string whole_band(double value, const std::vector<int>& edges);
std::string message_band(double bytes); // "0 to 64 KiB", ..., "64 MiB and more"
std::string joined(const std::vector<std::string_view>& words); // "h100_sxm, bfloat16, vllm 0.19.0"

// "multi-head", "grouped-query", "multi-query" by the queries' heads and those of keys and values.
std::string sharing_of_heads(double query_heads, double kv_heads);
// What carries the messages, of a row's free text: "EFA", "InfiniBand", "RoCE", "NVLink", ...
std::string fabric_class(std::string_view interconnect);
// Who runs the training step: "JAX", "FSDP" or "Megatron-style" (tensor, pipeline and ZeRO-1 data parallelism).
std::string training_style(std::string_view framework, const Layout& layout);

// Where 80 % of the measurements of this prediction should lie. The one place that reads the estimate's error bar; a row
// that does not state its whole configuration has it around the whole band.
enum class Scored : unsigned char { time, first_token, rate };
void state_interval(Prediction& prediction, const Estimate& estimate, Scored what = Scored::time);

} // namespace ridgepoint
