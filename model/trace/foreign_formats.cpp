#include <algorithm>
#include <array>

#include "model/trace/format.h"

namespace ridgepoint {
namespace {

bool has(std::string_view head, std::string_view what) { return head.find(what) != std::string_view::npos; }

struct Magic {
    std::string_view bytes;
    std::string_view name;
};
using namespace std::string_view_literals;
constexpr std::array magics{
    Magic{"BZh"sv, "a bzip2 archive"},
    Magic{"PK\x03\x04"sv, "a zip archive"},
    Magic{"PAR1"sv, "a Parquet file"},
    Magic{"\x80\x02"sv, "a Python pickle"},
    Magic{"\x80\x03"sv, "a Python pickle"},
    Magic{"\x80\x04"sv, "a Python pickle"},
    Magic{"\x80\x05"sv, "a Python pickle"},
    Magic{"\x7f"
          "ELF"sv,
        "a program"},
    Magic{"%PDF"sv, "a PDF document"},
    Magic{"\x89PNG"sv, "a picture"},
};

// Any of the words, in text that is not JSON.
struct Words {
    std::string_view name;
    std::array<std::string_view, 3> any;
};
constexpr std::array texts{
    Words{"nccl-tests or rccl-tests output", {"# nThread", "# Collective test", "out-of-place"}},
    Words{"an MLPerf log", {":::MLLOG", ":::MLLOG", ":::MLLOG"}},
    Words{"a NeMo DLLogger log", {"DLLL {", "DLLL {", "DLLL {"}},
    Words{"a Megatron-LM training log", {"elapsed time per iteration", "elapsed time per iteration", "elapsed time per iteration"}},
    Words{"Prometheus exposition text", {"# HELP ", "# TYPE ", "# HELP "}},
    Words{"Nsight Compute CSV", {"\"ID\",\"Process ID\"", "==PROF==", "\"Kernel Name\",\"Metric Name\""}},
    Words{"Nsight Systems statistics", {"Time (%),Total Time (", "Time(%),Total Time (", "Generating SQLite file"}},
    Words{"a TensorRT-LLM benchmark report", {"PERFORMANCE OVERVIEW", "PERFORMANCE OVERVIEW", "PERFORMANCE OVERVIEW"}},
    Words{"a rocprof-compute roofline table", {"HBMBw", "MFMAF", "HBMBw"}},
};

// All of the keys, in JSON.
struct Keys {
    std::string_view name;
    std::array<std::string_view, 2> all;
};
constexpr std::array documents{
    Keys{"a Prometheus query result", {"\"status\"", "\"resultType\""}},
    Keys{"a Prometheus query result", {"\"status\"", "\"errorType\""}},
    Keys{"a PyTorch execution trace", {"\"nodes\"", "\"schema\""}},
    Keys{"GuideLLM results", {"\"benchmarks\"", "\"metadata\""}},
    Keys{"vLLM or SGLang serving results", {"\"total_output_tokens\"", "\"duration\""}},
    Keys{"vLLM latency results", {"\"avg_latency\"", "\"latencies\""}},
    Keys{"vLLM throughput results", {"\"elapsed_time\"", "\"tokens_per_second\""}},
    Keys{"AIPerf or GenAI-Perf results", {"\"input_config\"", "\"unit\""}},
    Keys{"a trtllm-bench report", {"\"engine\"", "\"performance\""}},
    Keys{"LLMPerf results", {"\"results_ttft_s_mean\"", "\"results_ttft_s_mean\""}},
    Keys{"inference-perf results", {"\"load_summary\"", "\"load_summary\""}},
    Keys{"a Hugging Face trainer state", {"\"log_history\"", "\"log_history\""}},
    Keys{"an Empirical Roofline Tool file", {"\"empirical\"", "\"gbytes\""}},
    Keys{"nccl-tests JSON output", {"\"nccl_version\"", "\"out_of_place\""}},
    Keys{"rccl-tests JSON output", {"\"busBw\"", "\"algBw\""}},
    Keys{"an NCCL flight recorder dump", {"\"entries\"", "\"pg_config\""}},
    Keys{"an NCCL flight recorder dump", {"\"entries\"", "\"collective_seq_id\""}},
    Keys{"an NCCL flight recorder dump", {"\"pg_status\"", "\"pg_config\""}},
    Keys{"a Chakra trace", {"\"workload_graph\"", "\"workload_graph\""}},
    Keys{"a Chakra trace", {"\"ctrlDeps\"", "\"name\""}},
    Keys{"a Chakra trace", {"\"ctrl_deps\"", "\"type\""}},
    Keys{"a Chakra trace", {"\"COMP_NODE\"", "\"type\""}},
};

} // namespace

std::string foreign_format(std::string_view head)
{
    if (head.starts_with("\xef\xbb\xbf"))
        head.remove_prefix(3);
    for (const Magic& m : magics)
        if (head.starts_with(m.bytes))
            return std::string(m.name);
    const auto first = head.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos)
        return "a file of white space only";
    const std::string_view text = head.substr(first);
    if (text.front() == '[') {
        const auto second = text.find_first_not_of(" \t\r\n", 1);
        if (second != std::string_view::npos && text[second] == '[')
            return "a list of lists (PyTorch's memory timeline is one)";
    }
    if (text.front() == '{' || text.front() == '[') {
        // A profiler trace may hold anything in its metadata; only its own keys decide.
        const bool events = has(text, "\"traceEvents\"") || has(text, "\"deviceProperties\"") || has(text, "\"ph\"");
        for (const Keys& k : documents)
            if (has(text, k.all[0]) && has(text, k.all[1]) && !events)
                return std::string(k.name);
        return {};
    }
    for (const Words& w : texts)
        if (std::any_of(w.any.begin(), w.any.end(), [&](std::string_view word) { return has(text, word); }))
            return std::string(w.name);
    if (std::count(head.begin(), head.end(), '\0') > 0)
        return "a binary file of unknown format";
    return {};
}

} // namespace ridgepoint
