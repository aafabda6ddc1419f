#include "model/report/accuracy_headlines.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace ridgepoint {
namespace {

struct Line {
    const char* kind;
    const char* quantity;
    const char* group; // empty: the whole quantity
    const char* value;
    const char* key;
    const char* title;
    const char* short_title;
};

constexpr std::array lines = {
    Line{"training", "step_time_s", "", "", "training", "Training step", "Training"},
    Line{"training", "step_time_s", "architecture", "dense", "training_dense", "dense models", "Training dense"},
    Line{"training", "step_time_s", "architecture", "moe", "training_moe", "mixtures of experts", "Training MoE"},
    Line{"training", "mem_gib", "", "", "training_memory", "Memory of a training run, measured", "Memory"},
    Line{"memory", "activations_gib", "", "", "memory_activations", "Activation memory, analytic", ""},
    Line{"memory", "params_opt_gib", "", "", "memory_states", "Parameters and optimizer states, analytic", ""},
    Line{"memory", "relative_activation_pct", "", "", "memory_relative", "Relative activation memory, analytic", ""},
    Line{"gemm", "latency_us", "", "", "gemm", "Matrix product", "GEMM"},
    Line{"moe_gemm", "latency_us", "", "", "moe_gemm", "Grouped products of experts", "Grouped GEMM"},
    Line{"attention_prefill", "latency_us", "", "", "attention_prefill", "Attention, prefill", "Prefill"},
    Line{"attention_decode", "latency_us", "", "", "attention_decode", "Attention, decode", "Decode"},
    Line{"mla_decode", "latency_us", "", "", "mla_decode", "Latent attention (MLA), decode", "MLA"},
    Line{"collectives_node", "latency_us", "", "", "collectives_node", "Collectives in a node", "In a node"},
    Line{"collectives", "time_us", "", "", "collectives", "Collectives, published nccl-tests runs", ""},
    Line{"collectives", "time_us", "nodes", "one domain", "collectives_domain", "in one NVLink domain", ""},
    Line{"collectives", "time_us", "nodes", "many", "collectives_across", "across nodes", "Across nodes"},
    Line{"moe_dispatch", "time_us", "", "", "moe_dispatch", "Expert dispatch and combine across nodes", "Dispatch"},
    Line{"moe_dispatch_low_latency", "dispatch_avg_t_us", "", "", "low_latency_dispatch", "Low-latency expert dispatch", ""},
    Line{"moe_dispatch_low_latency", "combine_avg_t_us", "", "", "low_latency_combine", "Low-latency expert combine", ""},
    Line{"serving", "silicon_tpot_ms", "", "", "tpot", "Time per output token under load", "TPOT"},
    Line{"serving", "silicon_tpot_ms", "architecture", "dense", "tpot_dense", "dense models", "TPOT dense"},
    Line{"serving", "silicon_tpot_ms", "architecture", "moe", "tpot_moe", "mixtures of experts", "TPOT MoE"},
    Line{"serving", "silicon_ttft_ms", "", "", "ttft", "Time to first token under load", "TTFT"},
    Line{"serving_offline", "output_tok_s_per_gpu", "", "", "throughput", "Maximum throughput", "Throughput"},
    Line{"serving_offline", "output_tok_s_per_gpu", "architecture", "dense", "throughput_dense", "dense models", ""},
    Line{"serving_offline", "output_tok_s_per_gpu", "architecture", "moe", "throughput_moe", "mixtures of experts", ""},
};

bool is_of(const Line& line, const std::string& kind, const std::string& quantity) { return kind == line.kind && quantity == line.quantity; }

const Score* score_of(const Line& line, const QuantityScore& q)
{
    if (*line.group == '\0')
        return &q.total;
    const auto group = q.strata.find(line.group);
    if (group == q.strata.end())
        return nullptr;
    const auto value = group->second.find(line.value);
    return value == group->second.end() ? nullptr : &value->second;
}

} // namespace

std::vector<Headline> headlines(const std::vector<FileValidation>& files)
{
    std::vector<Headline> out;
    for (const Line& line : lines)
        for (const FileValidation& file : files)
            for (const QuantityScore& q : file.quantities) {
                const Score* s = is_of(line, q.kind, q.quantity) ? score_of(line, q) : nullptr;
                if (s == nullptr || q.rows == 0)
                    continue;
                const bool part = *line.group != '\0';
                out.push_back({line.key, line.title, line.short_title, part, part ? s->count : q.rows, s->count, *s});
            }
    return out;
}

std::string title_of(const std::string& kind, const std::string& quantity)
{
    const auto line = std::ranges::find_if(lines, [&](const Line& l) { return is_of(l, kind, quantity); });
    return line == lines.end() ? fmt::format("{}, {}", kind, quantity) : line->title;
}

int order_of(const std::string& kind, const std::string& quantity)
{
    return static_cast<int>(std::ranges::find_if(lines, [&](const Line& l) { return is_of(l, kind, quantity); }) - lines.begin());
}

std::vector<std::pair<std::string, std::string>> headline_keys()
{
    std::vector<std::pair<std::string, std::string>> out;
    for (const Line& line : lines)
        out.emplace_back(line.key, line.short_title);
    return out;
}

} // namespace ridgepoint
