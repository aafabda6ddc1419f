#pragma once
// Results of vLLM's and SGLang's bench_serving and of those that write the same keys (InferenceX, TensorRT-LLM's
// benchmark_serving): one object, an array, an object a line, or a spreadsheet's row a run.

#include <string_view>

#include "model/measured/measured.h"

namespace ridgepoint {

bool is_serve_json(std::string_view text);
Expected<Measured> read_serve_json(std::string_view text, const std::string& file);

bool is_serve_csv(std::string_view text); // a header with throughput and latency columns under the same names
Expected<Measured> read_serve_csv(std::string_view text, const std::string& file);

// vLLM's offline benchmarks: `bench latency` (of whole batches) and `bench throughput`.
bool is_vllm_offline_json(std::string_view text);
Expected<Measured> read_vllm_offline_json(std::string_view text, const std::string& file);

} // namespace ridgepoint
