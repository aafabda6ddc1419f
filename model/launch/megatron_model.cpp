// The network in the words of Megatron-LM.

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "model/launch/context.h"

namespace ridgepoint {
namespace {

// "([0]*3+[1]*58)" of runs of equal values.
std::string pattern(const std::vector<bool>& values)
{
    std::string out = "(";
    for (std::size_t i = 0; i < values.size();) {
        std::size_t n = 1;
        while (i + n < values.size() && values[i + n] == values[i])
            ++n;
        out += fmt::format("{}[{}]*{}", out.size() > 1 ? "+" : "", values[i] ? 1 : 0, n);
        i += n;
    }
    return out + ")";
}

void attention(Arguments& out, const Transformer& m)
{
    const LayerKind* kind = nullptr;
    for (const LayerKind& k : m.kinds)
        if (!k.attention_free && !kind)
            kind = &k;
    if (!kind)
        return out.lacks("/model", "a network without attention", "no attention arguments");
    const Attention& a = kind->attention;
    out.value("--num-attention-heads", a.heads);
    if (a.kind == AttentionKind::latent) {
        out.flag("--multi-latent-attention");
        if (a.q_lora_rank > 0)
            out.value("--q-lora-rank", a.q_lora_rank);
        out.value("--kv-lora-rank", a.kv_lora_rank);
        out.value("--qk-head-dim", a.qk_nope_head_dim);
        out.value("--qk-pos-emb-head-dim", a.qk_rope_head_dim);
        out.value("--v-head-dim", a.value_head_dim);
    } else {
        if (a.kv_heads < a.heads) {
            out.flag("--group-query-attention");
            out.value("--num-query-groups", a.kv_heads);
        }
        out.value("--kv-channels", a.head_dim);
    }
    out.flag("--qk-layernorm", a.qk_norm);
    const bool biases = m.mlp_bias || a.output_bias;
    out.flag("--disable-bias-linear", !biases);
    out.flag("--add-qkv-bias", a.qkv_bias && !biases);
    if (biases && (!m.mlp_bias || !a.output_bias || !a.qkv_bias))
        out.lacks("/model", "biases in some linear layers", "biases in all of them");
    if (a.output_gate)
        out.lacks("/model", "a gate on the output of attention", "none");
    if (std::ranges::any_of(m.kinds, [&](const LayerKind& k) { return k.attention_free || !(k.attention == a); }))
        out.lacks("/model", "layers whose attention differs", "the attention of the first layer in all");
    if (std::ranges::any_of(m.kinds, [](const LayerKind& k) { return k.window > 0; }))
        out.lacks("/model", "sliding windows or chunks of attention", "full attention; set --window-size and --window-attn-skip-freq by hand");
}

void experts(Arguments& out, const Transformer& m)
{
    const MixtureOfExperts& e = m.moe;
    out.value("--num-experts", e.experts);
    out.value("--moe-router-topk", e.top_k);
    out.value("--moe-ffn-hidden-size", e.expert_width);
    std::vector<bool> which;
    for (int i = 0; i < m.layer_count(); ++i)
        which.push_back(m.layer(i).moe);
    out.value("--moe-layer-freq", pattern(which));
    if (e.shared_width > 0)
        out.value("--moe-shared-expert-intermediate-size", e.shared_width);
    if (e.router_bias && e.expert_bias) // gpt-oss: a bias of the projection, not of the choice
        out.lacks("/model", "a bias of the router's projection", "none");
    if (e.router_bias && !e.expert_bias) { // the bias of DeepSeek-V3 belongs to sigmoid scores
        out.value("--moe-router-score-function", "sigmoid");
        out.flag("--moe-router-enable-expert-bias");
        out.values("--moe-router-load-balancing-type", {"none"});
    } else {
        out.values("--moe-router-load-balancing-type", {"aux_loss"});
    }
    out.flag("--moe-grouped-gemm");
    if (e.node_limit > 0)
        out.lacks("/model", fmt::format("tokens go to at most {} groups of experts", e.node_limit), "no limit; set --moe-router-num-groups and --moe-router-group-topk by hand");
    if (e.shared_gate)
        out.lacks("/model", "a gate on the shared expert", "none");
    if (e.expert_bias)
        out.lacks("/model", "biases inside the experts", "none");
}

} // namespace

Arguments megatron_model_arguments(const Transformer& m, int tp)
{
    Arguments out;
    out.value("--num-layers", m.layer_count());
    out.value("--hidden-size", m.hidden);
    std::set<int> widths;
    for (const LayerKind& k : m.kinds)
        if (!k.moe)
            widths.insert(k.ffn_width);
    out.value("--ffn-hidden-size", widths.empty() ? m.moe.expert_width : *widths.rbegin());
    if (widths.size() > 1)
        out.lacks("/model", "MLPs of different widths", "the widest in all layers");
    attention(out, m);
    if (m.is_moe())
        experts(out, m);
    if (m.mtp_depth > 0)
        out.value("--mtp-num-layers", m.mtp_depth);
    out.value("--position-embedding-type", m.learned_positions > 0 ? "learned_absolute" : "rope");
    out.value("--normalization", m.norm == NormKind::rms ? "RMSNorm" : "LayerNorm");
    out.flag("--swiglu", m.gated_mlp);
    out.flag("--untie-embeddings-and-output-weights", !m.tied_embeddings);
    out.value("--vocab-size", m.vocab);
    // Padding to a multiple of 128 x tp, the default, would train another vocabulary than the one that was estimated.
    int divisor = 128;
    while (divisor > 1 && m.vocab % (divisor * tp) != 0)
        divisor /= 2;
    out.value("--make-vocab-size-divisible-by", divisor);
    if (m.norms_per_layer != 2)
        out.lacks("/model", fmt::format("{} norms a layer", m.norms_per_layer), "two");
    if (m.parallel_block)
        out.lacks("/model", "attention and MLP that read the same input", "one after the other");
    if (m.embedding_norm)
        out.lacks("/model", "a norm after the embedding", "none");
    return out;
}

} // namespace ridgepoint
