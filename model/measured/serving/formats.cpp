#include "model/measured/measured.h"
#include "model/measured/serving/other_tools.h"
#include "model/measured/serving/perf_exports.h"
#include "model/measured/serving/serve_results.h"

namespace ridgepoint {

std::vector<TextFormat> serving_formats()
{
    return {
        {"AIPerf records", is_perf_records, read_perf_records},
        {"AIPerf or GenAI-Perf export", is_perf_json, read_perf_json},
        {"GuideLLM report", is_guidellm, read_guidellm},
        {"trtllm-bench report", is_trtllm_json, read_trtllm_json},
        {"LLMPerf results", is_llmperf, read_llmperf},
        {"inference-perf results", is_inference_perf, read_inference_perf},
        {"vLLM offline benchmark", is_vllm_offline_json, read_vllm_offline_json},
        {"vLLM, SGLang or InferenceX results", is_serve_json, read_serve_json},
        {"AIPerf or GenAI-Perf CSV", is_perf_csv, read_perf_csv},
        {"CSV of serving results", is_serve_csv, read_serve_csv},
        {"trtllm-bench output", is_trtllm_text, read_trtllm_text},
        {"serving benchmark's console output", is_serve_console, read_serve_console},
    };
}

} // namespace ridgepoint
