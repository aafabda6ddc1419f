// Training in the words of torchtitan's TOML.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/launch/context.h"

namespace ridgepoint {
namespace {

struct Ranks {
    int replicate = 1;
    int shard = 1;
    const char* reshard = "default";
};

// FSDP shards over data_parallel_shard_degree x context_parallel_degree ranks.
Ranks data_parallel(Arguments& out, const LaunchContext& c)
{
    const Layout& l = c.layout();
    switch (sharding_of(c.job)) {
    case DataSharding::none:
        if (l.cp > 1)
            out.lacks("/layout/sharding", "whole weights on every rank together with context parallelism", "FSDP over the ranks that share a sequence");
        return {l.dp, 1, "default"};
    case DataSharding::zero1:
        out.lacks("/layout/sharding", "optimizer state sharded alone (ZeRO-1)", "FSDP that keeps gathered weights after the forward pass (ZeRO-2)");
        return {1, l.dp, "never"};
    case DataSharding::zero2:
        return {1, l.dp, "never"};
    case DataSharding::zero3:
        return {1, l.dp, "always"};
    case DataSharding::hsdp:
        break;
    }
    const int group = shard_group_of(c.job);
    const int shard = group / l.cp;
    if (group % l.cp == 0 && shard > 0 && l.dp % shard == 0)
        return {l.dp / shard, shard, "always"};
    out.lacks("/layout/sharding", fmt::format("shard groups of {} GPUs with cp {} and dp {}", group, l.cp, l.dp), "FSDP over all data-parallel ranks");
    return {1, l.dp, "always"};
}

const char* schedule(Arguments& out, const Layout& l)
{
    switch (l.schedule) {
    case PipelineSchedule::gpipe:
        return "GPipe";
    case PipelineSchedule::interleaved:
        return l.vpp > 1 ? "Interleaved1F1B" : "1F1B";
    case PipelineSchedule::zero_bubble:
        out.lacks("/layout/schedule", "zero bubble with one chunk a stage (ZB-H1)", "1F1B; ZBVZeroBubble needs two chunks");
        break;
    case PipelineSchedule::dualpipe:
        out.lacks("/layout/schedule", "DualPipe", "1F1B");
        break;
    case PipelineSchedule::one_f_one_b:
        break;
    }
    return "1F1B";
}

void pipeline(Arguments& out, const LaunchContext& c)
{
    const Layout& l = c.layout();
    out.value("parallelism.pipeline_parallel_degree", l.pp);
    if (l.pp == 1)
        return;
    out.value("parallelism.pipeline_parallel_schedule", schedule(out, l));
    out.value("parallelism.pipeline_parallel_microbatch_size", l.micro_batch);
    const int chunks = l.pp * l.vpp;
    out.value("parallelism.pipeline_parallel_layers_per_stage", (c.model().layer_count() + chunks - 1) / chunks);
    const bool even = c.model().layer_count() % chunks == 0;
    out.value("parallelism.pipeline_parallel_first_stage_less_layers", 0); // 1 where absent
    out.value("parallelism.pipeline_parallel_last_stage_less_layers", 0);
    if (!even)
        out.lacks("/layout/pp", fmt::format("{} layers cut unevenly into {} chunks as planned", c.model().layer_count(), chunks), "torchtitan's own cut; set module_fqns_per_model_part by hand");
}

void recomputation(Arguments& out, const Layout& l)
{
    const double share = l.recompute_share;
    if (l.recompute == Recompute::none || share <= 0.0)
        return out.value("activation_checkpoint.mode", "none");
    const int every = static_cast<int>(std::lround(1.0 / share));
    if (l.recompute == Recompute::full) {
        if (every == 1)
            out.value("activation_checkpoint.mode", "full");
        else {
            out.value("activation_checkpoint.mode", "selective");
            out.value("activation_checkpoint.selective_ac_option", fmt::format("{}", every));
        }
        if (std::abs(1.0 / every - share) > 1e-9)
            out.lacks("/layout/recompute_share", fmt::format("{:.4g} of the layers", share), fmt::format("every {}. layer", every));
        return;
    }
    out.value("activation_checkpoint.mode", "selective");
    out.value("activation_checkpoint.selective_ac_option", "op");
    if (l.recompute != Recompute::selective)
        out.lacks("/layout/recompute", "recomputation of a chosen block", "selective by operator: matrix products and attention are kept, the rest is recomputed");
    if (share < 1.0)
        out.lacks("/layout/recompute_share", "selective recomputation in some layers", "in all layers");
}

void precision(Arguments& out, const LaunchContext& c)
{
    const std::string& recipe = c.plan.precision.recipe;
    out.value("training.mixed_precision_param", "bfloat16");
    out.value("training.mixed_precision_reduce", "float32");
    if (recipe == "fp8" || recipe == "fp8_block") {
        out.values("model.converters", {"float8"});
        out.value("float8.recipe_name", recipe == "fp8" ? "tensorwise" : "rowwise");
        out.truth("float8.enable_fsdp_float8_all_gather", false); // the plan gathers bf16
        if (recipe == "fp8_block")
            out.lacks("/precision/recipe", "FP8 with a scale per block", "a scale per row");
    } else if (recipe == "mxfp8") {
        out.values("model.converters", {"mx"});
        out.value("mx.recipe_name", "mxfp8_cublas");
    } else if (recipe != "bf16") {
        out.lacks("/precision/recipe", recipe, "BF16");
    }
    if (c.plan.precision.gradients == NumberFormat::bf16)
        out.lacks("/precision/gradients", "gradients reduced in BF16", "FP32");
}

void other(Arguments& out, const LaunchContext& c, const Training& t)
{
    const Layout& l = c.layout();
    if (c.model().is_moe() && l.etp != l.tp && l.etp != 1)
        out.lacks("/layout/etp", "a tensor parallel degree of the experts of its own", "1");
    if (l.tp > 1 && !l.sequence_parallel)
        out.lacks("/layout/sequence_parallel", "tensor without sequence parallelism", "sequence parallelism is always on");
    if (l.overlap_moe && c.model().is_moe())
        out.lacks("/layout/overlap_moe", "a hidden expert exchange", "not hidden");
    if (l.expert_dispatch_rdma && c.model().is_moe())
        out.lacks("/layout/expert_dispatch_rdma", "expert exchange kernels", "all-to-all of NCCL");
    if (l.cuda_graphs)
        out.lacks("/layout/cuda_graphs", "CUDA graphs", "none");
    if (!l.fused_attention)
        out.lacks("/layout/fused_attention", "unfused attention", "the fused attention of PyTorch");
    if (l.fused_loss)
        out.lacks("/layout/fused_loss", "a loss that works in place", "torch.compile fuses what it can");
    if (l.sharding != DataSharding::none && (!l.overlap_grad_reduce || !l.overlap_param_gather))
        out.lacks("/layout/overlap_grad_reduce", "FSDP whose communication is not hidden", "FSDP2 always hides it");
    if (t.kind == TrainingKind::lora)
        out.lacks("/workload/kind", "LoRA", "all weights are trained: far more memory than planned");
    if (l.cp > 1 && l.context_kind == ContextParallelKind::ulysses)
        out.lacks("/layout/context_kind", "Ulysses", "keys and values rotate by all-to-all");
    if (!t.causal)
        out.lacks("/workload/causal", "attention to all tokens", "causal attention");
    if (t.dropout)
        out.lacks("/workload/dropout", "dropout", "none");
}

} // namespace

Arguments torchtitan_entries(const LaunchContext& c)
{
    const auto& t = std::get<Training>(c.job.workload);
    const Layout& l = c.layout();
    Arguments out;
    out.value("job.description", c.plan.name);
    if (const auto it = c.table.flavors.find(c.model().id); it != c.table.flavors.end()) {
        out.value("model.name", it->second.first);
        out.value("model.flavor", it->second.second);
    } else {
        out.value("model.name", "custom");
        out.value("model.flavor", c.model().id);
        out.lacks("/model", fmt::format("{}: this version of torchtitan has no flavor of these dimensions in the table", c.model().name), "name \"custom\"; register the flavor and name its family");
    }
    out.value("training.seq_len", t.sequence_length);
    // With a pipeline one call takes all microbatches of the rank; else gradients accumulate over calls of one microbatch.
    out.value("training.local_batch_size", l.pp > 1 ? t.global_batch / l.dp : l.micro_batch);
    out.value("training.global_batch_size", t.global_batch);
    if (const long long steps = c.steps(); steps > 0)
        out.value("training.steps", steps);
    out.truth("training.compile", c.plan.assumptions.compiled);
    const Ranks ranks = data_parallel(out, c);
    out.value("parallelism.data_parallel_replicate_degree", ranks.replicate);
    out.value("parallelism.data_parallel_shard_degree", ranks.shard);
    out.value("parallelism.fsdp_reshard_after_forward", ranks.reshard);
    out.value("parallelism.tensor_parallel_degree", l.tp);
    if (l.tp > 1) {
        out.truth("parallelism.enable_async_tensor_parallel", l.overlap_tp && c.plan.assumptions.compiled);
        if (l.overlap_tp && !c.plan.assumptions.compiled)
            out.lacks("/layout/overlap_tp", "hidden tensor-parallel communication without torch.compile", "not hidden");
    }
    pipeline(out, c);
    out.value("parallelism.context_parallel_degree", l.cp);
    if (l.cp > 1)
        out.value("parallelism.context_parallel_rotate_method", l.context_kind == ContextParallelKind::all_gather ? "allgather" : "alltoall");
    if (c.model().is_moe())
        out.value("parallelism.expert_parallel_degree", l.ep);
    recomputation(out, l);
    precision(out, c);
    other(out, c, t);
    return out;
}

} // namespace ridgepoint
