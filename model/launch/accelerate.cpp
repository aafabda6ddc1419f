// Training of a Hugging Face script with FSDP: the configuration of `accelerate launch`, and the script's own options.

#include <fmt/format.h>

#include "model/launch/context.h"

namespace ridgepoint {
namespace {

const char* strategy(Arguments& out, const LaunchContext& c)
{
    const Layout& l = c.layout();
    switch (l.sharding) {
    case DataSharding::none:
        return "NO_SHARD";
    case DataSharding::zero1:
        out.lacks("/layout/sharding", "optimizer state sharded alone (ZeRO-1)", "gradients too (SHARD_GRAD_OP, ZeRO-2)");
        return "SHARD_GRAD_OP";
    case DataSharding::zero2:
        return "SHARD_GRAD_OP";
    case DataSharding::zero3:
        return "FULL_SHARD";
    case DataSharding::hsdp:
        break;
    }
    if (l.shard_group > 0 && l.shard_group != c.job.cluster.node.accelerators)
        out.lacks("/layout/shard_group", fmt::format("shard groups of {} GPUs", l.shard_group), "groups of a node");
    return "HYBRID_SHARD";
}

// FSDP of Hugging Face is data parallelism alone.
void degrees(Arguments& out, const LaunchContext& c)
{
    const Layout& l = c.layout();
    for (const auto& [name, degree] : {std::pair{"tp", l.tp}, {"pp", l.pp}, {"cp", l.cp}, {"ep", l.ep}, {"etp", l.etp}})
        if (degree > 1)
            out.lacks(fmt::format("/layout/{}", name), fmt::format("{} {}", name, degree), "data parallelism over these GPUs as well: another run than was planned");
    if (l.overlap_tp && l.tp > 1)
        out.lacks("/layout/overlap_tp", "hidden tensor-parallel communication", "none");
    if (l.cuda_graphs)
        out.lacks("/layout/cuda_graphs", "CUDA graphs", "none");
    if (!l.fused_attention)
        out.lacks("/layout/fused_attention", "unfused attention", "attn_implementation of the model");
    if (l.fused_loss)
        out.lacks("/layout/fused_loss", "a loss that works in place", "the loss of the model");
}

void recomputation(Arguments& out, const Layout& l)
{
    const bool on = l.recompute != Recompute::none && l.recompute_share > 0.0;
    out.truth("fsdp_config.fsdp_activation_checkpointing", on);
    if (on && l.recompute != Recompute::full)
        out.lacks("/layout/recompute", "recomputation of parts of a layer", "of whole layers");
    if (on && l.recompute_share < 1.0)
        out.lacks("/layout/recompute_share", "recomputation in some layers", "in all layers");
}

} // namespace

Arguments accelerate_entries(const LaunchContext& c)
{
    Arguments out;
    const std::string& recipe = c.plan.precision.recipe;
    const bool fp8 = recipe == "fp8";
    out.value("compute_environment", "LOCAL_MACHINE");
    out.value("distributed_type", "FSDP");
    out.value("mixed_precision", recipe == "fp16" ? "fp16" : fp8 ? "fp8" : "bf16");
    if (recipe != "bf16" && recipe != "fp16" && !fp8)
        out.lacks("/precision/recipe", recipe, "BF16");
    if (c.plan.precision.gradients == NumberFormat::bf16)
        out.lacks("/precision/gradients", "gradients reduced in BF16", "as FSDP's mixed precision says");
    out.value("num_machines", hosts_of(c.job).count);
    out.value("num_processes", c.job.cluster.gpus);
    out.value("main_training_function", "main");
    out.truth("use_cpu", false);
    out.value("fsdp_config.fsdp_sharding_strategy", strategy(out, c));
    out.value("fsdp_config.fsdp_auto_wrap_policy", "TRANSFORMER_BASED_WRAP");
    out.value("fsdp_config.fsdp_backward_prefetch_policy", c.layout().overlap_param_gather ? "BACKWARD_PRE" : "NO_PREFETCH");
    out.truth("fsdp_config.fsdp_forward_prefetch", c.layout().overlap_param_gather);
    out.truth("fsdp_config.fsdp_offload_params", false);
    out.value("fsdp_config.fsdp_state_dict_type", "SHARDED_STATE_DICT");
    out.truth("fsdp_config.fsdp_use_orig_params", true);
    out.truth("fsdp_config.fsdp_cpu_ram_efficient_loading", true);
    out.truth("fsdp_config.fsdp_sync_module_states", true);
    recomputation(out, c.layout());
    degrees(out, c);
    return out;
}

Arguments accelerate_script_arguments(const LaunchContext& c)
{
    const auto& t = std::get<Training>(c.job.workload);
    Arguments out;
    if (c.checkpoint.empty())
        out.variable("--model_name_or_path", "MODEL");
    else
        out.value("--model_name_or_path", c.checkpoint);
    const long long per_pass = static_cast<long long>(c.job.cluster.gpus) * c.layout().micro_batch;
    const long long passes = std::max(1LL, t.global_batch / per_pass);
    out.value("--per_device_train_batch_size", c.layout().micro_batch);
    out.value("--gradient_accumulation_steps", passes);
    if (passes * per_pass != t.global_batch)
        out.lacks("/workload/global_batch", fmt::format("{} sequences a step over {} GPUs", t.global_batch, c.job.cluster.gpus), fmt::format("{}", passes * per_pass));
    out.flag(c.plan.precision.recipe == "fp16" ? "--fp16" : "--bf16");
    if (const long long steps = c.steps(); steps > 0)
        out.value("--max_steps", steps);
    out.lacks("/workload/sequence_length", fmt::format("sequences of {} tokens", t.sequence_length), "the length is the training script's own option");
    if (t.kind == TrainingKind::lora)
        out.lacks("/workload/kind", "LoRA", "adapters are the training script's own option");
    return out;
}

} // namespace ridgepoint
