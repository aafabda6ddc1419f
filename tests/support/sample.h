#pragma once
// Jobs made by hand for the engine's tests: round hardware figures, default constants, real architectures.

#include "model/estimate/job.h"

namespace ridgepoint::sample {

// 1,000 TFLOP/s bf16, 4 TB/s HBM, 400 GB/s NVLink one way, 50 GB/s of fabric per GPU, 8 GPUs a node.
inline Cluster cluster(int nodes, int gpus = 0)
{
    Cluster c;
    c.accelerator.id = "sample";
    c.accelerator.name = "Sample GPU";
    const auto peak = [&](Arithmetic a, double tera) { c.accelerator.peaks[static_cast<std::size_t>(a)] = {teraflops_per_second(tera), teraflops_per_second(2 * tera)}; };
    peak(Arithmetic::bf16, 1000);
    peak(Arithmetic::tf32, 500);
    peak(Arithmetic::fp8, 2000);
    c.accelerator.hbm_marketed = gigabytes(141);
    c.accelerator.hbm_visible = gibibytes(140);
    c.accelerator.hbm_bandwidth = gigabytes_per_second(4000);
    c.accelerator.sms = 132;
    c.accelerator.tdp = Watts{700};
    c.accelerator.nvlink_per_direction = gigabytes_per_second(400);
    c.accelerator.nvlink_bidirectional = gigabytes_per_second(800);
    c.node.id = "sample.48xlarge";
    c.node.accelerators = 8;
    c.node.nvlink_domain = 8;
    c.node.nvlink_sharp = true;
    c.node.fabric_id = "sample-fabric";
    c.node.nics = 8;
    c.node.nic_rate = gigabytes_per_second(50);
    c.fabric.id = "sample-fabric";
    c.fabric.kind = FabricKind::efa;
    c.fabric.latency = microseconds(20);
    c.nodes = nodes;
    c.gpus = gpus > 0 ? gpus : nodes * 8;
    return c;
}

inline Attention grouped(int heads, int kv_heads, int head_dim)
{
    Attention a;
    a.heads = heads;
    a.kv_heads = kv_heads;
    a.head_dim = a.value_head_dim = head_dim;
    return a;
}

inline Transformer llama_8b() // Llama 3 8B: 8.030e9 parameters
{
    Transformer m;
    m.id = "llama-3-8b";
    m.name = "Llama 3 8B";
    m.hidden = 4096;
    m.vocab = 128256;
    LayerKind k;
    k.attention = grouped(32, 8, 128);
    k.ffn_width = 14336;
    m.kinds = {k};
    m.layers.assign(32, 0);
    return m;
}

inline Transformer llama_70b()
{
    Transformer m = llama_8b();
    m.id = "llama-3-70b";
    m.name = "Llama 3 70B";
    m.hidden = 8192;
    m.kinds[0].attention = grouped(64, 8, 128);
    m.kinds[0].ffn_width = 28672;
    m.layers.assign(80, 0);
    return m;
}

inline Transformer gpt_22b() // Korthikanti 2022, table 3
{
    Transformer m;
    m.id = "megatron-22b";
    m.name = "GPT 22B";
    m.hidden = 6144;
    m.vocab = 51200;
    m.tied_embeddings = true;
    m.gated_mlp = false;
    m.mlp_bias = true;
    m.norm = NormKind::layer;
    m.learned_positions = 2048;
    LayerKind k;
    k.attention = grouped(64, 64, 96);
    k.attention.qkv_bias = k.attention.output_bias = true;
    k.ffn_width = 24576;
    m.kinds = {k};
    m.layers.assign(48, 0);
    return m;
}

inline Transformer small_moe() // 8 experts, 2 chosen, one dense layer first
{
    Transformer m = llama_8b();
    m.id = "small-moe";
    m.name = "Small MoE";
    LayerKind moe = m.kinds[0];
    moe.moe = true;
    moe.ffn_width = 0;
    m.kinds.push_back(moe);
    m.moe.experts = 8;
    m.moe.top_k = 2;
    m.moe.expert_width = 4096;
    m.moe.shared_width = 2048;
    m.layers.assign(16, 1);
    m.layers[0] = 0;
    return m;
}

inline Transformer latent_moe() // DeepSeek-V3's layers, ten of them
{
    Transformer m;
    m.id = "latent-moe";
    m.name = "Latent MoE";
    m.hidden = 7168;
    m.vocab = 129280;
    LayerKind k;
    k.attention.kind = AttentionKind::latent;
    k.attention.heads = k.attention.kv_heads = 128;
    k.attention.head_dim = 192;
    k.attention.value_head_dim = 128;
    k.attention.q_lora_rank = 1536;
    k.attention.kv_lora_rank = 512;
    k.attention.qk_nope_head_dim = 128;
    k.attention.qk_rope_head_dim = 64;
    k.ffn_width = 18432;
    LayerKind moe = k;
    moe.moe = true;
    moe.ffn_width = 0;
    m.kinds = {k, moe};
    m.moe.experts = 256;
    m.moe.top_k = 8;
    m.moe.expert_width = 2048;
    m.moe.shared_width = 2048;
    m.moe.node_limit = 4;
    m.layers.assign(10, 1);
    m.layers[0] = 0;
    return m;
}

inline Job training(Transformer model, int nodes, Layout layout, int global_batch = 512, int sequence = 4096)
{
    Job j;
    j.model = std::move(model);
    j.cluster = cluster(nodes);
    Training t;
    t.global_batch = global_batch;
    t.sequence_length = sequence;
    j.workload = t;
    layout.dp = j.cluster.gpus / (layout.tp * layout.pp * layout.cp);
    j.layout = layout;
    return j;
}

inline Job serving(Transformer model, int gpus, Layout layout, Serving work)
{
    Job j;
    j.model = std::move(model);
    j.cluster = cluster((gpus + 7) / 8, gpus);
    j.workload = work;
    layout.sequence_parallel = false;
    layout.dp = gpus / (layout.tp * layout.pp);
    j.layout = layout;
    return j;
}

} // namespace ridgepoint::sample
