// Serving in the words of vLLM, SGLang and TensorRT-LLM.

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "model/estimate/worker_groups.h"
#include "model/launch/context.h"

namespace ridgepoint {
namespace {

const Serving& serving(const LaunchContext& c) { return std::get<Serving>(c.job.workload); }

long long context_tokens(const Serving& s) { return static_cast<long long>(s.input_length) + (s.phase == ServingPhase::prefill ? 0 : s.output_length); }

// Prompts whole: a step must hold the longest batch of prompts.
long long step_tokens(const Serving& s)
{
    return s.chunk > 0 ? std::max<long long>(s.chunk, s.concurrency) : std::max<long long>(static_cast<long long>(s.input_length) * s.prefill_batch, context_tokens(s));
}

int in_flight(const Serving& s) { return s.phase == ServingPhase::prefill ? s.prefill_batch : s.concurrency; }
int per_group(int sequences, int groups) { return (sequences + groups - 1) / groups; }

PoolRole role_of(const LaunchContext& c, PoolRole role)
{
    if (role != PoolRole::whole)
        return role;
    const ServingPhase phase = serving(c).phase;
    return phase == ServingPhase::prefill ? PoolRole::prefill : phase == ServingPhase::decode ? PoolRole::decode : PoolRole::whole;
}

// The format of weights belongs to the checkpoint; engines name it by the tool that made it.
void quantization(Arguments& out, const LaunchContext& c, std::initializer_list<std::pair<const char*, const char*>> names)
{
    const std::string& recipe = c.plan.precision.recipe;
    const auto* it = std::ranges::find_if(names, [&](const auto& n) { return recipe == n.first; });
    if (it != names.end())
        out.value("--quantization", it->second);
    else if (recipe != "bf16" && recipe != "fp16")
        out.lacks("/precision/recipe", recipe, "the format that the checkpoint states; give one in this format");
    if (recipe == "fp8_block")
        out.lacks("/precision/recipe", "one FP8 scale per block", "\"fp8\": whether scales are per block is a property of the checkpoint");
    if (c.plan.precision.weights)
        out.lacks("/precision/weights", fmt::format("weights stored as {}", name_of(*c.plan.precision.weights)), "the format of the checkpoint");
}

void kv_cache(Arguments& out, const LaunchContext& c, const char* flag, const char* plain, const char* fp8)
{
    switch (c.job.precision.kv_cache) {
    case NumberFormat::fp8:
        return out.value(flag, fp8);
    case NumberFormat::bf16:
        return out.value(flag, plain);
    default:
        out.lacks("/precision/kv_cache", fmt::format("a cache in {}", name_of(c.job.precision.kv_cache)), "FP8");
        out.value(flag, fp8);
    }
}

// What no server knows: it is a property of who asks.
void traffic(Arguments& out, const Serving& s)
{
    if (s.phase != ServingPhase::prefill)
        out.lacks("/workload/input_length", fmt::format("prompts of {} and outputs of {} tokens", s.input_length, s.output_length), "their sum bounds a request; the lengths are those of the traffic");
    if (s.prefix_hit > 0.0)
        out.lacks("/workload/prefix_hit", fmt::format("{:.3g} of the prompts cached", s.prefix_hit), "the prefix cache is on; how much it finds depends on the traffic");
    if (s.burst)
        out.lacks("/workload/burst", "requests that start together", "arrivals are those of the traffic");
}

void common_lacks(Arguments& out, const LaunchContext& c)
{
    if (!c.layout().fused_attention)
        out.lacks("/layout/fused_attention", "unfused attention", "the engine's kernels");
    if (c.job.assumptions.speculative_tokens > 0 && c.model().mtp_depth == 0)
        out.lacks("/assumptions/speculative_tokens", "a draft model, which the plan does not name", "speculation is off; name the draft by hand");
    traffic(out, serving(c));
}

bool drafts(const LaunchContext& c) { return c.job.assumptions.speculative_tokens > 0 && c.model().mtp_depth > 0; }

} // namespace

Arguments vllm_arguments(const LaunchContext& c, PoolRole wanted)
{
    const Serving& s = serving(c);
    const ServingGroups g = serving_groups(c.job);
    const PoolRole role = role_of(c, wanted);
    Arguments out;
    out.value("--served-model-name", c.model().id);
    out.value("--tensor-parallel-size", g.layout.tp);
    out.value("--pipeline-parallel-size", g.layout.pp);
    // Dense replicas and attention groups are both data parallel ranks behind one address.
    out.value("--data-parallel-size", g.attention_groups * g.replicas);
    const bool spread = c.model().is_moe() && (g.layout.ep > 1 || g.attention_groups > 1);
    out.flag("--enable-expert-parallel", spread);
    if (spread && g.layout.attention_dp)
        out.value("--all2all-backend", !c.layout().expert_dispatch_rdma ? "allgather_reducescatter" : role == PoolRole::prefill ? "deepep_high_throughput" : "deepep_low_latency");
    if (spread && g.replicas > 1)
        out.lacks("/layout/dp", fmt::format("{} replicas that do not share their experts", g.replicas), "experts are spread over all data parallel ranks; start a server per replica instead");
    if (spread && g.layout.etp > 1)
        out.lacks("/layout/ep", fmt::format("experts spread over {} GPUs and cut over {}", g.layout.ep, g.layout.etp), "spread over all GPUs of the replica");
    if (spread && !g.layout.attention_dp && c.layout().expert_dispatch_rdma)
        out.lacks("/layout/expert_dispatch_rdma", "expert exchange kernels without attention data parallelism", "all-reduce");
    out.value("--max-num-seqs", per_group(in_flight(s), g.attention_groups));
    out.value("--max-model-len", context_tokens(s));
    out.value("--max-num-batched-tokens", step_tokens(s));
    out.flag(s.chunk > 0 || s.phase == ServingPhase::decode ? "--enable-chunked-prefill" : "--no-enable-chunked-prefill");
    out.flag(s.prefix_hit > 0.0 ? "--enable-prefix-caching" : "--no-enable-prefix-caching");
    out.value("--gpu-memory-utilization", c.job.assumptions.memory_fraction);
    kv_cache(out, c, "--kv-cache-dtype", "auto", "fp8");
    quantization(out, c, {{"fp8", "fp8"}, {"fp8_block", "fp8"}, {"nvfp4", "modelopt_fp4"}, {"mxfp4", "mxfp4"}, {"int8", "compressed-tensors"}});
    out.value("--dtype", c.plan.precision.recipe == "fp16" ? "float16" : "bfloat16");
    out.flag("--enforce-eager", !c.layout().cuda_graphs);
    if (drafts(c))
        out.value("--speculative-config", nlohmann::ordered_json{{"method", "mtp"}, {"num_speculative_tokens", c.job.assumptions.speculative_tokens}}.dump());
    if (role != PoolRole::whole)
        out.value("--kv-transfer-config", nlohmann::ordered_json{{"kv_connector", "NixlConnector"}, {"kv_role", role == PoolRole::prefill ? "kv_producer" : "kv_consumer"}}.dump());
    common_lacks(out, c);
    return out;
}

Arguments sglang_arguments(const LaunchContext& c, PoolRole wanted)
{
    const Serving& s = serving(c);
    const ServingGroups g = serving_groups(c.job);
    const PoolRole role = role_of(c, wanted);
    const bool attention_dp = g.attention_groups > 1;
    Arguments out;
    out.value("--served-model-name", c.model().id);
    // With attention data parallelism tp counts all GPUs of a stage, and dp says into how many groups attention falls.
    out.value("--tensor-parallel-size", g.layout.tp * g.attention_groups);
    out.value("--pipeline-parallel-size", g.layout.pp);
    const int hosts = hosts_of(c.job).count;
    out.value("--data-parallel-size", attention_dp ? g.attention_groups : std::max(1, g.replicas / hosts));
    out.flag("--enable-dp-attention", attention_dp);
    if (!attention_dp && g.replicas > 1 && hosts > 1)
        out.lacks("/layout/dp", fmt::format("{} replicas over {} hosts", g.replicas, hosts), "a server on every host; put a router before them");
    if (attention_dp && g.replicas > 1)
        out.lacks("/layout/dp", fmt::format("{} replicas with attention data parallelism", g.replicas), "one; start a server per replica behind a router");
    if (c.model().is_moe()) {
        out.value("--expert-parallel-size", g.layout.ep);
        const bool kernels = c.layout().expert_dispatch_rdma && g.layout.ep > 1;
        out.value("--moe-a2a-backend", kernels ? "deepep" : "none");
        if (kernels && role != PoolRole::whole)
            out.value("--deepep-mode", role == PoolRole::prefill ? "normal" : "low_latency");
    }
    out.value("--max-running-requests", in_flight(s));
    out.value("--context-length", context_tokens(s));
    out.value("--chunked-prefill-size", s.chunk > 0 ? s.chunk : -1);
    if (s.phase == ServingPhase::prefill)
        out.value("--prefill-max-requests", s.prefill_batch);
    out.flag("--disable-radix-cache", s.prefix_hit <= 0.0);
    out.value("--mem-fraction-static", c.job.assumptions.memory_fraction);
    out.lacks("/assumptions/memory_fraction", "a share of memory for the whole engine", "the same share for weights and cache; lower it if activations do not fit");
    kv_cache(out, c, "--kv-cache-dtype", "auto", "fp8_e4m3");
    quantization(out, c, {{"fp8", "fp8"}, {"fp8_block", "fp8"}, {"nvfp4", "modelopt_fp4"}, {"mxfp4", "mxfp4"}, {"mxfp8", "mxfp8"}, {"int8", "w8a8_int8"}});
    out.value("--dtype", c.plan.precision.recipe == "fp16" ? "float16" : "bfloat16");
    out.flag("--disable-cuda-graph", !c.layout().cuda_graphs);
    if (drafts(c)) {
        const int k = c.job.assumptions.speculative_tokens;
        out.value("--speculative-algorithm", "NEXTN");
        out.value("--speculative-num-steps", k);
        out.value("--speculative-eagle-topk", 1);
        out.value("--speculative-num-draft-tokens", k + 1); // the drafted and the one that is certain
    }
    if (role != PoolRole::whole) {
        out.value("--disaggregation-mode", role == PoolRole::prefill ? "prefill" : "decode");
        out.value("--disaggregation-transfer-backend", "nixl");
    }
    common_lacks(out, c);
    return out;
}

Arguments tensorrt_arguments(const LaunchContext& c, PoolRole wanted)
{
    const Serving& s = serving(c);
    const ServingGroups g = serving_groups(c.job);
    const PoolRole role = role_of(c, wanted);
    Arguments out;
    out.value("--backend", "pytorch");
    out.value("--tp_size", g.layout.tp * g.attention_groups);
    out.value("--pp_size", g.layout.pp);
    if (c.model().is_moe())
        out.value("--ep_size", g.layout.ep);
    out.value("--gpus_per_node", hosts_of(c.job).gpus);
    out.value("--max_batch_size", per_group(in_flight(s), g.attention_groups));
    out.value("--max_num_tokens", step_tokens(s));
    out.value("--max_seq_len", context_tokens(s));
    out.value("--kv_cache_free_gpu_memory_fraction", c.job.assumptions.memory_fraction);
    out.lacks("/assumptions/memory_fraction", "a share of the whole memory", "the same share of what weights and buffers leave free");
    out.flag("--enable_chunked_prefill", s.chunk > 0);
    if (role != PoolRole::whole)
        out.value("--server_role", role == PoolRole::prefill ? "CONTEXT" : "GENERATION");
    if (g.replicas > 1)
        out.lacks("/layout/dp", fmt::format("{} replicas", g.replicas), "one; start a server per replica behind a load balancer");
    if (g.layout.tp * g.attention_groups > 1 && c.model().is_moe() && g.attention_groups > 1 && g.layout.tp > 1)
        out.lacks("/layout/tp", "attention groups of several GPUs", "with enable_attention_dp every GPU is a group");
    const std::string& recipe = c.plan.precision.recipe;
    if (recipe != "bf16")
        out.lacks("/precision/recipe", recipe, "the format that the checkpoint states; give one in this format");
    if (c.plan.precision.weights)
        out.lacks("/precision/weights", fmt::format("weights stored as {}", name_of(*c.plan.precision.weights)), "the format of the checkpoint");
    if (c.layout().expert_dispatch_rdma && c.model().is_moe())
        out.lacks("/layout/expert_dispatch_rdma", "expert exchange kernels", "the engine chooses");
    common_lacks(out, c);
    return out;
}

Arguments tensorrt_entries(const LaunchContext& c, PoolRole wanted)
{
    const Serving& s = serving(c);
    const PoolRole role = role_of(c, wanted);
    Arguments out;
    out.truth("enable_attention_dp", serving_groups(c.job).attention_groups > 1);
    kv_cache(out, c, "kv_cache_config.dtype", "auto", "fp8");
    out.truth("kv_cache_config.enable_block_reuse", s.prefix_hit > 0.0);
    if (c.layout().cuda_graphs)
        out.truth("cuda_graph_config.enable_padding", true);
    else
        out.lacks("/layout/cuda_graphs", "no CUDA graphs", "the engine's default; set cuda_graph_config: null");
    if (drafts(c)) {
        out.value("speculative_config.decoding_type", "MTP");
        out.value("speculative_config.max_draft_len", c.job.assumptions.speculative_tokens);
    }
    if (role != PoolRole::whole)
        out.value("cache_transceiver_config.backend", "NIXL");
    return out;
}

} // namespace ridgepoint
