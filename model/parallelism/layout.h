#pragma once
// How a job is cut over GPUs. Names as in Megatron-Core: tp*cp*dp*pp == gpus for dense parts; ep*etp*edp*pp == gpus for
// experts. Ranks are placed innermost first: tp, then cp, then (ep inside) dp, then pp, so that tp is within NVLink.

#include <string_view>

#include "model/base/error.h"
#include "model/hardware/node.h"
#include "model/hardware/placement.h"
#include "model/hardware/precision.h"
#include "model/transformer/transformer.h"
#include "model/workload/workload.h"

namespace ridgepoint {

enum class DataSharding : unsigned char {
    none, // DDP: every rank holds weights, gradients and optimizer state
    zero1, // optimizer state sharded (Megatron distributed optimizer)
    zero2, // and gradients
    zero3, // and weights (FSDP)
    hsdp, // zero3 inside a shard group, replicated across groups
};
enum class Recompute : unsigned char {
    none,
    selective, // core attention only [Korthikanti 2022]
    full, // every layer from its input
    attention, // whole attention block
    mlp, // whole MLP or expert block
    norm_activation, // norms and activation functions (Megatron 0.14 op list "layernorm, moe_act")
    latent_up, // MLA: Q, K and V from their latents (Megatron 0.14 op list "mla_up_proj")
};
enum class PipelineSchedule : unsigned char { one_f_one_b, interleaved, gpipe, zero_bubble, dualpipe };
enum class ContextParallelKind : unsigned char { ring, all_gather, ulysses };

struct Layout {
    int tp = 1; // tensor parallel
    int pp = 1; // pipeline stages
    int vpp = 1; // virtual stages (model chunks) per pipeline rank
    int cp = 1; // context parallel
    int ep = 1; // expert parallel
    int etp = 1; // tensor parallel inside an expert
    int dp = 1; // data parallel replicas of the dense part
    bool sequence_parallel = true;
    DataSharding sharding = DataSharding::zero1;
    int shard_group = 0; // hsdp: ranks in a shard group; 0: one node
    int micro_batch = 1; // sequences
    Recompute recompute = Recompute::none;
    double recompute_share = 1.0; // of the layers (Megatron "block" method); 1: all
    PipelineSchedule schedule = PipelineSchedule::one_f_one_b;
    ContextParallelKind context_kind = ContextParallelKind::ring;
    bool overlap_tp = false; // ring-exchange / userbuffers overlap of TP communication with its GEMM
    bool overlap_grad_reduce = true;
    bool overlap_param_gather = true;
    bool overlap_p2p = true; // interleaved schedules only
    bool overlap_moe = false; // 1F1B all-to-all overlap
    bool expert_dispatch_rdma = false; // DeepEP/HybridEP/UCCL kernels instead of NCCL all-to-all
    bool fused_attention = true; // FlashAttention; false writes the score matrix to memory
    bool fused_loss = false; // cross entropy works on the bf16 logits in place; false: on an fp32 copy
    bool cuda_graphs = false;
    bool attention_dp = false; // serving: attention data parallel, tp only outside attention

    [[nodiscard]] int gpus() const { return tp * cp * dp * pp; }
    [[nodiscard]] int expert_dp() const { return gpus() / (ep * etp * pp); } // replicas of an expert
};

// Precision recipe. Storage formats follow bytes, arithmetic follows peaks.
struct PrecisionRecipe {
    Arithmetic gemm = Arithmetic::bf16; // linear layers, forward and backward
    Arithmetic attention = Arithmetic::bf16; // core attention
    Arithmetic lm_head = Arithmetic::bf16;
    NumberFormat weights = NumberFormat::bf16; // as read by the GEMM
    NumberFormat activations = NumberFormat::bf16; // as read by the GEMM
    NumberFormat kv_cache = NumberFormat::bf16; // serving
    NumberFormat expert_weights = NumberFormat::bf16;
    bool native_fp4_experts = false; // experts multiply FP4 weights by FP8 activations on FP4 units, whatever `gemm` is
    bool plain_attention = false; // projections of attention stay in bf16, as 4-bit checkpoints of latent attention leave them
    NumberFormat dispatch = NumberFormat::bf16; // MoE dispatch on the wire; combine is bf16
    NumberFormat gradients = NumberFormat::fp32; // accumulation buffer in training
    NumberFormat gradient_reduce = NumberFormat::fp32; // on the wire
    NumberFormat parameter_gather = NumberFormat::bf16; // on the wire
    double optimizer_bytes = 12.0; // per parameter: fp32 master + two moments; 8 when weights are already fp32
};

// Rules of a legal layout, in the order in which they are checked.
enum class LayoutRule : unsigned char {
    legal,
    degree_below_one,
    degrees_times_gpus, // tp pp cp dp is the number of GPUs
    layers_per_chunk,
    heads_over_tp,
    kv_heads_over_tp,
    heads_over_cp, // Ulysses
    experts_without_experts,
    experts_over_ep,
    expert_width_over_etp,
    experts_over_stage, // ep etp divides the GPUs of a stage
    arithmetic,
    tp_without_fabric,
    nodes_without_fabric,
    chunks_without_pipeline,
    chunks_without_interleaving,
    sequence_over_cp,
    sequence_over_tp,
    batch_over_replicas,
    shard_group,
    serving_context_parallel,
    trained_attention, // linear or sparse
};
inline constexpr std::size_t layout_rule_count = 22;
std::string_view name_of(LayoutRule r); // "batch is no multiple of dp x micro batch"

// The first rule that the layout breaks: what check_legal explains, without the words (a search asks millions of times).
LayoutRule first_violation(const Transformer& model, const Workload& workload, const Cluster& cluster, const Layout& layout, const PrecisionRecipe& precision);

// The first reason why a layout cannot run (ErrorKind::infeasible, with what would mend it), or Done.
Status check_legal(const Transformer& model, const Workload& workload, const Cluster& cluster, const Layout& layout,
    const PrecisionRecipe& precision);

// `stride`: distance of neighbouring ranks of the group in global rank order (tp: 1, cp: tp, dp: tp*cp, pp: tp*cp*dp).
GroupPlacement place_group(const Cluster& cluster, int ranks, int stride);

} // namespace ridgepoint
