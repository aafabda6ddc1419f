// How the job is cut over the GPUs.

#include "model/project/field_builders.h"

namespace ridgepoint {
namespace {

template <typename T> auto of_layout(T Layout::*member)
{
    return [member](Plan& p) -> T* { return &(p.layout.*member); };
}

FieldEntry when(FieldEntry entry, bool (*relevant)(const Plan&))
{
    entry.relevant = relevant;
    return entry;
}

} // namespace

void add_layout_fields(std::vector<FieldEntry>& table)
{
    const auto about = [](const About& a) { return field_of("Layout", a); };
    const double most = 65536;
    table.push_back(whole_entry(about({"/layout/tp", "Tensor parallel", "GPUs", 1, most,
        "GPUs that share every matrix; best inside one NVLink domain.", "the model is not cut"}), of_layout(&Layout::tp)));
    table.push_back(whole_entry(about({"/layout/pp", "Pipeline parallel", "stages", 1, most,
        "Groups of GPUs that hold consecutive layers.", "one stage"}), of_layout(&Layout::pp)));
    table.push_back(whole_entry(about({"/layout/vpp", "Virtual stages", "per GPU", 1, 512,
        "Pieces of the model on each pipeline rank (interleaved schedule): smaller bubble, more messages.", "Narayanan 2021, section 2.2.2", Scope::training}),
        of_layout(&Layout::vpp)));
    table.push_back(whole_entry(about({"/layout/cp", "Context parallel", "GPUs", 1, most,
        "GPUs that share one sequence.", "the sequence is not cut", Scope::training}), of_layout(&Layout::cp)));
    table.push_back(whole_entry(about({"/layout/ep", "Expert parallel", "GPUs", 1, most,
        "GPUs over which the experts of a mixture are spread.", "experts are not spread"}), of_layout(&Layout::ep)));
    table.push_back(whole_entry(about({"/layout/etp", "Expert tensor parallel", "GPUs", 1, most,
        "GPUs that share each expert's matrices.", "experts are not cut"}), of_layout(&Layout::etp)));
    table.push_back(whole_entry(about({"/layout/dp", "Data parallel", "replicas", 0, 1'000'000,
        "Copies of the model; 0 lets it follow from the GPUs: gpus / (tp x cp x pp).", "follows from the GPUs"}), of_layout(&Layout::dp)));
    table.push_back(whole_entry(about({"/layout/micro_batch", "Micro batch", "sequences", 1, 65536,
        "Sequences that one replica processes at once.", "smallest activations", Scope::training}), of_layout(&Layout::micro_batch)));
    table.push_back(flag_entry(about({"/layout/sequence_parallel", "Sequence parallel", "", 0, 0,
        "Norms and dropout are cut along the sequence over the tensor-parallel GPUs.", "Korthikanti 2022, section 4.2.2", Scope::training}),
        of_layout(&Layout::sequence_parallel)));
    table.push_back(choice_entry<DataSharding>(about({"/layout/sharding", "Sharding", "", 0, 0,
        "What the data-parallel ranks share instead of each holding a copy.", "Megatron distributed optimizer", Scope::training}),
        {{"none", "None (DDP)", DataSharding::none}, {"zero1", "ZeRO-1: optimizer", DataSharding::zero1}, {"zero2", "ZeRO-2: and gradients", DataSharding::zero2},
            {"zero3", "ZeRO-3 / FSDP: and weights", DataSharding::zero3}, {"hsdp", "HSDP: FSDP in groups", DataSharding::hsdp}},
        of_layout(&Layout::sharding)));
    table.push_back(when(whole_entry(about({"/layout/shard_group", "Shard group", "GPUs", 0, 1'000'000,
        "GPUs of an HSDP shard group; 0 is one node.", "one node", Scope::training}), of_layout(&Layout::shard_group)),
        [](const Plan& p) { return p.layout.sharding == DataSharding::hsdp; }));
    table.push_back(choice_entry<Recompute>(about({"/layout/recompute", "Recomputation", "", 0, 0,
        "Activations that are thrown away and computed again in the backward pass.", "none: fastest if it fits", Scope::training}),
        {{"none", "None", Recompute::none}, {"selective", "Selective: core attention", Recompute::selective}, {"full", "Full: whole layers", Recompute::full},
            {"attention", "Attention block", Recompute::attention}, {"mlp", "MLP or experts", Recompute::mlp},
            {"norm_activation", "Norms and activations", Recompute::norm_activation}, {"latent_up", "MLA up-projections", Recompute::latent_up}},
        of_layout(&Layout::recompute)));
    table.push_back(when(number_entry(about({"/layout/recompute_share", "Recomputed share", "", 0, 1,
        "Share of the layers to which recomputation applies.", "all layers", Scope::training}), of_layout(&Layout::recompute_share)),
        [](const Plan& p) { return p.layout.recompute != Recompute::none; }));
    table.push_back(choice_entry<PipelineSchedule>(about({"/layout/schedule", "Schedule", "", 0, 0,
        "Order of forward and backward passes in the pipeline.", "Narayanan 2019", Scope::training}),
        {{"1f1b", "1F1B", PipelineSchedule::one_f_one_b}, {"interleaved", "Interleaved 1F1B", PipelineSchedule::interleaved},
            {"gpipe", "GPipe", PipelineSchedule::gpipe}, {"zero_bubble", "Zero bubble (ZB-H1)", PipelineSchedule::zero_bubble},
            {"dualpipe", "DualPipe", PipelineSchedule::dualpipe}},
        of_layout(&Layout::schedule)));
    table.push_back(when(choice_entry<ContextParallelKind>(about({"/layout/context_kind", "Context parallel kind", "", 0, 0,
        "How the GPUs of a sequence exchange keys and values.", "Megatron default", Scope::training}),
        {{"ring", "Ring", ContextParallelKind::ring}, {"all_gather", "All-gather of K and V", ContextParallelKind::all_gather},
            {"ulysses", "Ulysses all-to-all", ContextParallelKind::ulysses}},
        of_layout(&Layout::context_kind)), [](const Plan& p) { return p.layout.cp > 1; }));
    table.push_back(flag_entry(about({"/layout/overlap_tp", "Overlap TP", "", 0, 0,
        "Tensor-parallel communication runs behind its matrix product (user buffers, async TP).", "off in Megatron", Scope::training}), of_layout(&Layout::overlap_tp)));
    table.push_back(flag_entry(about({"/layout/overlap_grad_reduce", "Overlap gradient reduction", "", 0, 0,
        "Gradients are reduced behind the backward pass.", "on in tuned recipes", Scope::training}), of_layout(&Layout::overlap_grad_reduce)));
    table.push_back(flag_entry(about({"/layout/overlap_param_gather", "Overlap parameter gather", "", 0, 0,
        "Updated or sharded weights are gathered behind the forward pass.", "on in tuned recipes", Scope::training}), of_layout(&Layout::overlap_param_gather)));
    table.push_back(flag_entry(about({"/layout/overlap_p2p", "Overlap pipeline sends", "", 0, 0,
        "Messages between stages run behind computation (interleaved schedules).", "Megatron default with interleaving", Scope::training}), of_layout(&Layout::overlap_p2p)));
    table.push_back(flag_entry(about({"/layout/overlap_moe", "Overlap expert exchange", "", 0, 0,
        "Dispatch and combine of one microbatch run behind the computation of another.", "off in Megatron", Scope::training}), of_layout(&Layout::overlap_moe)));
    table.push_back(flag_entry(about({"/layout/expert_dispatch_rdma", "Expert exchange kernels", "", 0, 0,
        "DeepEP, HybridEP or UCCL kernels instead of NCCL all-to-all.", "NCCL"}), of_layout(&Layout::expert_dispatch_rdma)));
    table.push_back(flag_entry(about({"/layout/fused_attention", "Fused attention", "", 0, 0,
        "FlashAttention: the score matrix never reaches memory.", "all current frameworks"}), of_layout(&Layout::fused_attention)));
    table.push_back(flag_entry(about({"/layout/fused_loss", "Fused loss", "", 0, 0,
        "Cross entropy turns the bf16 logits into their gradient in place, without an fp32 copy.", "off in Megatron-LM, on in Megatron-Bridge recipes", Scope::training}),
        of_layout(&Layout::fused_loss)));
    table.push_back(flag_entry(about({"/layout/cuda_graphs", "CUDA graphs", "", 0, 0,
        "Kernels are launched as recorded graphs: no host time per kernel.", "on in serving engines, off in training"}), of_layout(&Layout::cuda_graphs)));
    table.push_back(flag_entry(about({"/layout/attention_dp", "Attention data parallel", "", 0, 0,
        "Each tensor-parallel group serves its own sequences in attention, the experts are shared by all.", "off", Scope::serving}), of_layout(&Layout::attention_dp)));
}

} // namespace ridgepoint
