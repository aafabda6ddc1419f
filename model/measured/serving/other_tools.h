#pragma once
// GuideLLM, trtllm-bench, LLMPerf, inference-perf, Perf Analyzer, SGLang's benchmarks of batches, and the block that
// bench_serving prints on the console.

#include <string_view>

#include "model/measured/measured.h"

namespace ridgepoint {

bool is_guidellm(std::string_view text); // with aggregates under "metrics", or (0.1) a list of requests
Expected<Measured> read_guidellm(std::string_view text, const std::string& file);

bool is_guidellm_yaml(std::string_view text);
Expected<Measured> read_guidellm_yaml(std::string_view text, const std::string& file);
bool is_guidellm_console(std::string_view text); // the tables it prints
Expected<Measured> read_guidellm_console(std::string_view text, const std::string& file);
bool is_guidellm_csv(std::string_view text); // benchmarks.csv, with one header line or three
Expected<Measured> read_guidellm_csv(std::string_view text, const std::string& file);

bool is_perf_analyzer(std::string_view text); // profile_export.json below GenAI-Perf
Expected<Measured> read_perf_analyzer(std::string_view text, const std::string& file);

bool is_sglang_batches(std::string_view text); // bench_one_batch, bench_one_batch_server, bench_offline_throughput
Expected<Measured> read_sglang_batches(std::string_view text, const std::string& file);

bool is_trtllm_json(std::string_view text); // --report_json
Expected<Measured> read_trtllm_json(std::string_view text, const std::string& file);
bool is_trtllm_text(std::string_view text); // the report among the log
Expected<Measured> read_trtllm_text(std::string_view text, const std::string& file);

bool is_llmperf(std::string_view text); // summary or individual responses
Expected<Measured> read_llmperf(std::string_view text, const std::string& file);

bool is_inference_perf(std::string_view text); // summary, stages, Prometheus, single requests
Expected<Measured> read_inference_perf(std::string_view text, const std::string& file);

bool is_vllm_console(std::string_view text); // "Throughput: ... requests/s", "Avg latency: ... seconds"
Expected<Measured> read_vllm_console(std::string_view text, const std::string& file);

bool is_serve_console(std::string_view text); // "Serving Benchmark Result", "Offline Throughput Benchmark Result"
Expected<Measured> read_serve_console(std::string_view text, const std::string& file);

} // namespace ridgepoint
