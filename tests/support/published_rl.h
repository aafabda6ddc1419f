#pragma once
// Iterations of reinforcement learning that were published with their whole configuration: NeMo RL v0.5, GRPO on OpenMathInstruct-2,
// DGX H100, bf16, Megatron-Core with vLLM [NVIDIA-NeMo/RL, docs/about/performance-summary.md, "Nemo RL v0.5", "H100 BF16 Benchmarks":
// means of five steps; examples/configs/recipes/llm/performance/ and examples/configs/grpo_math_1B.yaml for what the table leaves out].
// 1-step off: half of the nodes roll out [async recipes, generation.colocated.resources]. Only whole steps are published, no parts.
//
// Not published, so assumed: the spread of the answers (lognormal, standard deviation over mean 1, cut where the context ends), and
// that vLLM runs as many sequences as its cache holds up to 1,024. Prompts follow from the table: tokens per second and GPU x step
// x GPUs / samples less the average answer, about 100 to 130 tokens.

#include <cmath>
#include <string>

#include "model/project/field_table.h"
#include "model/project/fields.h"
#include "model/post_training/samples.h"
#include "model/project/operation.h"

namespace ridgepoint {

struct PublishedIteration {
    const char* name;
    const char* model; // id in specs/models
    int gpus, rollout_gpus; // 0: all take turns
    int samples, group, updates, context;
    double mean_answer; // tokens ("G-Average Seq len")
    double tokens_per_second_per_gpu;
    int rollout_tp, tp, cp, ep, pp;
    bool recompute; // activation_checkpointing
    double seconds; // "Total Step time"
};

inline constexpr PublishedIteration nemo_rl[] = {
    {"Llama 3.1 8B, on policy", "llama-3.1-8b", 16, 0, 2048, 32, 4, 4096, 1019, 1581, 1, 1, 1, 1, 2, true, 92.8},
    {"Llama 3.1 8B, 1-step off", "llama-3.1-8b", 16, 8, 2048, 32, 4, 4096, 1123, 2478, 1, 1, 1, 1, 1, true, 64.8},
    {"Qwen3 32B, on policy", "qwen3-32b", 32, 0, 2048, 32, 4, 4096, 3251, 571, 4, 4, 1, 1, 4, false, 376},
    {"Qwen3 32B, 1-step off", "qwen3-32b", 64, 32, 2048, 32, 4, 4096, 3252, 538, 4, 4, 1, 1, 4, false, 200},
    {"Qwen3 30B-A3B, on policy", "qwen3-30b-a3b", 32, 0, 2048, 32, 4, 4096, 3196, 1066, 2, 1, 1, 8, 1, false, 198},
    {"Qwen3 30B-A3B, 1-step off", "qwen3-30b-a3b", 32, 16, 2048, 32, 4, 4096, 3201, 1391, 2, 1, 1, 8, 2, false, 154},
    {"Qwen3 235B-A22B, on policy", "qwen3-235b-a22b", 128, 0, 512, 32, 1, 8192, 5700, 54.1, 16, 2, 2, 16, 8, true, 431},
    {"Qwen3 235B-A22B, 1-step off", "qwen3-235b-a22b", 256, 128, 512, 32, 1, 8192, 5707, 58.7, 8, 4, 1, 16, 8, true, 203},
    {"DeepSeek V3, on policy", "deepseek-v3", 256, 0, 512, 16, 1, 1536, 744, 12.7, 32, 1, 1, 16, 16, true, 134},
};

inline Plan plan_of(const PublishedIteration& r)
{
    Plan p = default_plan("fine_tuning");
    const auto set = [&](const char* field, const std::string& value) {
        const Status s = set_field(p, field, value);
        return s.has_value();
    };
    p.name = r.name;
    set("/model", r.model);
    set("/cluster/instance", "dgx-h100");
    set("/cluster/nodes", std::to_string(r.gpus / 8));
    set("/layout/tp", std::to_string(r.tp));
    set("/layout/cp", std::to_string(r.cp));
    set("/layout/ep", std::to_string(r.ep));
    set("/layout/pp", std::to_string(r.pp));
    set("/layout/sequence_parallel", r.tp > 1 ? "true" : "false");
    set("/layout/sharding", "zero1");
    set("/layout/recompute", r.recompute ? "full" : "none");
    set("/workload/sequence_length", std::to_string(r.context));
    set("/workload/global_batch", std::to_string(r.samples / r.updates));
    const int prompt = static_cast<int>(std::lround(r.tokens_per_second_per_gpu * r.seconds * r.gpus / r.samples - r.mean_answer));
    set("/post_training/algorithm", "grpo");
    set("/post_training/prompts", std::to_string(r.samples / r.group));
    set("/post_training/group", std::to_string(r.group));
    set("/post_training/prompt_length", std::to_string(prompt));
    set("/post_training/output_limit", std::to_string(r.context - prompt));
    set("/post_training/updates", std::to_string(r.updates));
    set("/post_training/placement", r.rollout_gpus > 0 ? "disaggregated" : "colocated");
    if (r.rollout_gpus > 0) {
        set("/post_training/rollout_gpus", std::to_string(r.rollout_gpus));
        set("/post_training/staleness", "1");
    }
    // gpu_memory_utilization 0.6 where the learner's states come back and 0.8 elsewhere, against our 0.9 of 80 GiB; the usual
    // reserve of 1.5 GiB on top.
    set("/assumptions/runtime_reserve_gib", r.rollout_gpus > 0 ? "9.5" : "25.5");
    set("/post_training/rollout_tp", std::to_string(r.rollout_tp));
    set("/post_training/rollout_batch", "1024");
    set("/post_training/share_prompts", "true"); // vLLM's prefix cache
    // Cut at the context, the drawn answers have the published mean.
    double low = r.mean_answer, high = 64.0 * r.mean_answer;
    for (int i = 0; i < 24; ++i) {
        p.post_training.output_length = static_cast<int>(std::lround(std::sqrt(low * high)));
        (draw_samples(p.post_training).mean_output < r.mean_answer ? low : high) = p.post_training.output_length;
    }
    return p;
}

} // namespace ridgepoint
