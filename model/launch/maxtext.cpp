// Training in the words of MaxText's base.yml. Axes between nodes are called dcn, inside a node ici.

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "model/launch/context.h"

namespace ridgepoint {
namespace {

const char* decoder_block(Arguments& out, const Transformer& m)
{
    const bool latent = std::ranges::any_of(m.kinds, [](const LayerKind& k) { return !k.attention_free && k.attention.kind == AttentionKind::latent; });
    if (latent)
        return "deepseek";
    const bool qk_norm = !m.kinds.empty() && m.kinds.front().attention.qk_norm;
    if (m.is_moe())
        return qk_norm ? "qwen3_moe" : "mixtral";
    if (m.norm == NormKind::rms && m.gated_mlp && m.norms_per_layer == 2 && !m.parallel_block)
        return qk_norm ? "qwen3" : "llama2";
    out.lacks("/model", fmt::format("the layer of {}", m.name), "that of Llama 2");
    return "llama2";
}

void network(Arguments& out, const LaunchContext& c)
{
    const Transformer& m = c.model();
    const LayerKind& first = m.kinds.front();
    const Attention& a = first.attention;
    out.value("decoder_block", decoder_block(out, m));
    out.value("base_emb_dim", m.hidden);
    out.value("base_num_decoder_layers", m.layer_count());
    out.value("base_num_query_heads", a.heads);
    int width = m.moe.expert_width;
    int dense = 0;
    for (const LayerKind& k : m.kinds)
        width = std::max(width, k.moe ? 0 : k.ffn_width);
    for (int i = 0; i < m.layer_count() && !m.layer(i).moe; ++i)
        ++dense;
    out.value("base_mlp_dim", width);
    if (a.kind == AttentionKind::latent) {
        out.value("attention_type", "mla");
        out.value("base_num_kv_heads", a.heads);
        out.value("q_lora_rank", a.q_lora_rank);
        out.value("kv_lora_rank", a.kv_lora_rank);
        out.value("qk_nope_head_dim", a.qk_nope_head_dim);
        out.value("qk_rope_head_dim", a.qk_rope_head_dim);
        out.value("v_head_dim", a.value_head_dim);
    } else {
        out.value("base_num_kv_heads", a.kv_heads);
        out.value("head_dim", a.head_dim);
    }
    out.value("vocab_size", m.vocab);
    out.truth("logits_via_embedding", m.tied_embeddings);
    if (m.is_moe()) {
        out.value("num_experts", m.moe.experts);
        out.value("num_experts_per_tok", m.moe.top_k);
        out.value("base_moe_mlp_dim", m.moe.expert_width);
        out.value("first_num_dense_layers", dense);
        out.value("shared_experts", m.moe.expert_width > 0 ? m.moe.shared_width / m.moe.expert_width : 0);
        out.truth("routed_bias", m.moe.router_bias);
    }
    if (m.mtp_depth > 0)
        out.value("mtp_num_layers", m.mtp_depth);
    if (std::ranges::any_of(m.kinds, [](const LayerKind& k) { return k.window > 0; }))
        out.lacks("/model", "sliding windows", "full attention");
}

// Innermost axes first, as the plan places ranks: what fits into a node is ici, the rest dcn.
void mesh(Arguments& out, const LaunchContext& c)
{
    const Layout& l = c.layout();
    int inside = std::min(c.job.cluster.gpus, c.job.cluster.node.nvlink_domain);
    const auto axis = [&](const char* name, int degree) {
        const int ici = std::gcd(degree, inside);
        inside /= ici;
        out.value(fmt::format("ici_{}_parallelism", name), ici);
        out.value(fmt::format("dcn_{}_parallelism", name), degree / ici);
    };
    const bool fsdp = l.sharding >= DataSharding::zero2;
    axis(l.sequence_parallel && l.tp > 1 ? "tensor_sequence" : "tensor", l.tp);
    axis("context", l.cp);
    int rest = l.dp;
    if (c.model().is_moe() && l.ep > 1) {
        const int ep = std::gcd(l.ep, l.dp);
        axis("expert", ep);
        rest /= ep;
        if (ep != l.ep)
            out.lacks("/layout/ep", fmt::format("ep {} over more than the data-parallel ranks", l.ep), fmt::format("ep {}", ep));
    }
    axis(fsdp ? "fsdp" : "data", rest);
    axis(fsdp ? "data" : "fsdp", 1);
    axis("pipeline", l.pp);
    if (l.sharding == DataSharding::zero1)
        out.truth("shard_optimizer_over_data", true);
    if (l.sharding == DataSharding::zero2 || l.sharding == DataSharding::hsdp)
        out.lacks("/layout/sharding", l.sharding == DataSharding::zero2 ? "ZeRO-2" : "HSDP", "FSDP over all data-parallel ranks (ZeRO-3)");
    if (l.etp > 1)
        out.lacks("/layout/etp", "a tensor parallel degree of the experts of its own", "the tensor axis");
}

void batch(Arguments& out, const LaunchContext& c, const Training& t)
{
    const Layout& l = c.layout();
    const long long passes = std::max(1LL, static_cast<long long>(t.global_batch) / (static_cast<long long>(l.dp) * l.micro_batch));
    out.value("max_target_length", t.sequence_length);
    if (l.pp > 1) {
        // The whole batch enters the pipeline at once.
        out.value("per_device_batch_size", static_cast<double>(t.global_batch) / c.job.cluster.gpus);
        out.value("gradient_accumulation_steps", 1);
        out.value("num_pipeline_microbatches", passes);
        const int chunks = l.pp * l.vpp;
        if (c.model().layer_count() % chunks == 0) {
            out.value("num_layers_per_pipeline_stage", c.model().layer_count() / chunks);
            out.value("num_pipeline_repeats", l.vpp);
        } else {
            out.lacks("/layout/pp", fmt::format("{} layers in {} chunks", c.model().layer_count(), chunks), "MaxText cuts evenly only: choose degrees that divide the layers");
        }
        if (l.schedule != PipelineSchedule::gpipe)
            out.lacks("/layout/schedule", "1F1B and what is built on it", "MaxText's circular pipeline, which keeps the activations of all microbatches");
    } else {
        out.value("per_device_batch_size", static_cast<double>(l.dp) * l.micro_batch / c.job.cluster.gpus);
        out.value("gradient_accumulation_steps", passes);
    }
    if (const long long steps = c.steps(); steps > 0)
        out.value("steps", steps);
}

void rest(Arguments& out, const LaunchContext& c, const Training& t)
{
    const Layout& l = c.layout();
    const std::string& recipe = c.plan.precision.recipe;
    out.value("dtype", recipe == "fp16" ? "float16" : "bfloat16");
    out.value("grad_dtype", c.plan.precision.gradients == NumberFormat::bf16 ? "bfloat16" : "float32");
    if (recipe == "fp8")
        out.value("quantization", "fp8");
    else if (recipe != "bf16" && recipe != "fp16")
        out.lacks("/precision/recipe", recipe, "BF16");
    const bool recomputes = l.recompute != Recompute::none && l.recompute_share > 0.0;
    const bool full = l.recompute == Recompute::full;
    out.value("remat_policy", !recomputes ? "minimal_with_context" : full ? "full" : l.recompute == Recompute::selective ? "minimal" : "save_dot_except_mlp");
    if (recomputes && !full && l.recompute != Recompute::selective)
        out.lacks("/layout/recompute", "recomputation of a chosen block", "the policy that keeps all products outside the MLP");
    if (recomputes && l.recompute_share < 1.0)
        out.lacks("/layout/recompute_share", "recomputation in some layers", "in all layers");
    out.value("attention", l.fused_attention ? "cudnn_flash_te" : "dot_product");
    out.truth("enable_dropout", t.dropout);
    out.value("dataset_type", "synthetic");
    for (const auto& [on, field, what] : {std::tuple{l.cuda_graphs, "/layout/cuda_graphs", "CUDA graphs"},
             {l.overlap_tp && l.tp > 1, "/layout/overlap_tp", "hidden tensor-parallel communication"},
             {l.overlap_moe && c.model().is_moe(), "/layout/overlap_moe", "a hidden expert exchange"},
             {l.expert_dispatch_rdma && c.model().is_moe(), "/layout/expert_dispatch_rdma", "expert exchange kernels"},
             {l.fused_loss, "/layout/fused_loss", "a loss that works in place"}})
        if (on)
            out.lacks(field, what, "what the XLA compiler decides, under XLA_FLAGS");
    if (t.kind == TrainingKind::lora)
        out.lacks("/workload/kind", "LoRA", "all weights are trained: far more memory than planned");
    if (t.kind == TrainingKind::fine_tuning)
        out.variable("load_parameters_path", "CHECKPOINT");
}

} // namespace

Arguments maxtext_arguments(const LaunchContext& c)
{
    const auto& t = std::get<Training>(c.job.workload);
    Arguments out;
    out.value("run_name", c.plan.name);
    out.value("hardware", "gpu");
    out.variable("base_output_directory", "OUTPUT_FOLDER");
    network(out, c);
    mesh(out, c);
    batch(out, c, t);
    rest(out, c, t);
    return out;
}

} // namespace ridgepoint
