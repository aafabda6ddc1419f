#include "model/measured/checked_format.h"
#include "model/measured/measured.h"
#include "model/measured/serving/other_tools.h"
#include "model/measured/serving/perf_exports.h"
#include "model/measured/serving/serve_results.h"

namespace ridgepoint {

std::vector<TextFormat> serving_formats()
{
    return {
        checked_format<is_perf_records, read_perf_records>("AIPerf records"),
        checked_format<is_perf_json, read_perf_json>("AIPerf or GenAI-Perf export"),
        checked_format<is_guidellm, read_guidellm>("GuideLLM report"),
        checked_format<is_perf_analyzer, read_perf_analyzer>("Perf Analyzer profile"),
        checked_format<is_trtllm_json, read_trtllm_json>("trtllm-bench report"),
        checked_format<is_llmperf, read_llmperf>("LLMPerf results"),
        checked_format<is_inference_perf, read_inference_perf>("inference-perf results"),
        checked_format<is_vllm_offline_json, read_vllm_offline_json>("vLLM offline benchmark"),
        checked_format<is_sglang_batches, read_sglang_batches>("SGLang benchmarks of batches"),
        checked_format<is_serve_json, read_serve_json>("vLLM, SGLang or InferenceX results"),
        checked_format<is_guidellm_yaml, read_guidellm_yaml>("GuideLLM YAML"),
        checked_format<is_guidellm_csv, read_guidellm_csv>("GuideLLM CSV"),
        checked_format<is_guidellm_console, read_guidellm_console>("GuideLLM console output"),
        checked_format<is_perf_csv, read_perf_csv>("AIPerf or GenAI-Perf CSV"),
        checked_format<is_serve_csv, read_serve_csv>("CSV of serving results"),
        checked_format<is_trtllm_text, read_trtllm_text>("trtllm-bench output"),
        checked_format<is_perf_table, read_perf_table>("AIPerf or GenAI-Perf console output"),
        checked_format<is_vllm_console, read_vllm_console>("vLLM offline benchmark's console output"),
        checked_format<is_serve_console, read_serve_console>("serving benchmark's console output"),
    };
}

} // namespace ridgepoint
