#include "model/memory/serving_memory.h"

#include <algorithm>
#include <cmath>

#include "model/memory/adapters.h"
#include "model/transformer/kv.h"

namespace ridgepoint {
namespace {

double kv_cut(const Attention& a, int tp) { return a.kind == AttentionKind::latent ? 1.0 : std::min(tp, std::max(a.kv_heads, 1)); }

// Tensors of the largest step that live at once: residual, normed input and its low-precision copy, QKV or gate and up
// output, activation output; logits of the sampled rows in fp32.
Bytes workspace(const ServingMemoryCase& c)
{
    double width = 0.0;
    for (const LayerKind& k : c.model.kinds) {
        const Attention& a = k.attention;
        const double heads = static_cast<double>(a.heads) / c.layout.tp;
        const double qkv = a.kind == AttentionKind::latent ? heads * (a.qk_nope_head_dim + a.qk_rope_head_dim) * 2.0 + heads * a.value_head_dim
                                                           : heads * (3.0 * a.head_dim);
        const double routed = k.moe ? c.model.moe.top_k * (3.0 * c.model.moe.expert_width / c.layout.etp + 2.0 * c.model.hidden) / c.layout.ep : 0.0;
        width = std::max({width, qkv, 3.0 * k.ffn_width / c.layout.tp, routed});
    }
    const double step = std::max(c.sequences, c.step_tokens) * 2.0 * (4.0 * c.model.hidden + width);
    const double logits = 4.0 * 2.0 * c.sequences * c.model.vocab; // gathered logits and their probabilities
    return Bytes{step + logits};
}

StageMemory stage_memory(const ServingMemoryCase& c, int index)
{
    const StageContent& stage = c.stages[static_cast<std::size_t>(index)];
    StageMemory m;
    m.stage = index;
    m.weights = weight_bytes(c.model, c.layout, c.precision, stage);
    if (c.adapters.resident > 0)
        m.weights += static_cast<double>(c.adapters.resident) * adapter_bytes(c.model, c.layout, stage, c.adapters);
    m.kv_cache = c.sequences * kv_bytes_per_sequence(c.model, c.layout, c.precision, stage, c.tokens_per_sequence, c.own_tokens, c.sharing);
    m.workspace = workspace(c);
    m.reserve = c.runtime_reserve;
    return m;
}

} // namespace

Bytes weight_bytes(const Transformer& model, const Layout& l, const PrecisionRecipe& precision, const StageContent& stage)
{
    double bytes = 0.0;
    for (std::size_t k = 0; k < model.kinds.size() && k < max_layer_kinds; ++k) {
        const LayerParameters p = count_layer_parameters(model, model.kinds[k]);
        bytes += stage.layers[k]
            * ((bytes_per_element(precision.plain_attention ? NumberFormat::bf16 : precision.weights) * p.attention + bytes_per_element(precision.weights) * (p.mlp + p.shared_expert)) / l.tp
                + bytes_per_element(precision.expert_weights) * p.experts / (static_cast<double>(l.ep) * l.etp) + 2.0 * (p.norms + p.router));
    }
    const double table = 2.0 * static_cast<double>(model.vocab) * model.hidden / l.tp; // tables stay in bf16
    if (stage.embedding)
        bytes += table + 2.0 * static_cast<double>(model.learned_positions) * model.hidden;
    if (stage.heads > 0 && !(model.tied_embeddings && stage.embedding))
        bytes += table;
    return Bytes{bytes};
}

Bytes kv_bytes_per_sequence(const Transformer& model, const Layout& l, const PrecisionRecipe& precision, const StageContent& stage, double tokens)
{
    return kv_bytes_per_sequence(model, l, precision, stage, tokens, tokens, 1.0);
}

Bytes kv_bytes_of_sequence(const Transformer& model, const PrecisionRecipe& precision, double tokens)
{
    const Layout whole;
    Bytes sum;
    for (const StageContent& s : cut_into_stages(model, whole))
        sum += kv_bytes_per_sequence(model, whole, precision, s, tokens);
    return sum;
}

Bytes kv_bytes_per_sequence(const Transformer& model, const Layout& l, const PrecisionRecipe& precision, const StageContent& stage, double tokens, double own, double sharing)
{
    double elements = 0.0;
    Bytes states;
    for (std::size_t k = 0; k < model.kinds.size() && k < max_layer_kinds; ++k) {
        const LayerKind& kind = model.kinds[k];
        if (kind.attention_free)
            continue;
        double kept = kind.window > 0 ? std::min(tokens, static_cast<double>(kind.window)) : tokens;
        if (sharing > 1.0)
            kept -= std::max(0.0, kept - own) * (1.0 - 1.0 / sharing);
        elements += stage.layers[k] * kv_elements_per_token(kind.attention) / kv_cut(kind.attention, l.tp) * kept;
        states += static_cast<double>(stage.layers[k]) / l.tp * state_bytes(kind.attention);
    }
    return Bytes{bytes_per_element(precision.kv_cache) * elements} + states;
}

Bytes kv_bytes_per_token(const Transformer& model, NumberFormat format)
{
    double elements = 0.0;
    for (int i = 0; i < model.layer_count(); ++i)
        if (!model.layer(i).attention_free)
            elements += kv_elements_per_token(model.layer(i).attention);
    return Bytes{bytes_per_element(format) * elements};
}

MemoryFit serving_memory(const ServingMemoryCase& c)
{
    MemoryFit fit;
    fit.capacity = c.capacity;
    for (int i = 0; i < static_cast<int>(c.stages.size()); ++i) {
        fit.stages.push_back(stage_memory(c, i));
        if (fit.stages.back().total() > fit.worst().total())
            fit.worst_stage = i;
    }
    return fit;
}

int largest_batch(const ServingMemoryCase& c)
{
    // A stage's memory grows linearly with the sequences, faster once they outnumber the prompt tokens of a step.
    const auto total = [&](double sequences, int stage) {
        ServingMemoryCase with = c;
        with.sequences = sequences;
        return stage_memory(with, stage).total();
    };
    double largest = 1e6;
    for (int i = 0; i < static_cast<int>(c.stages.size()); ++i) {
        const Bytes none = total(0.0, i);
        if (none >= c.capacity)
            return 0;
        const double knee = c.step_tokens;
        const Bytes at_knee = total(knee, i);
        const bool beyond = at_knee < c.capacity;
        const Bytes start = beyond ? at_knee : none;
        const Bytes one = beyond ? total(knee + 1.0, i) - at_knee : total(1.0, i) - none;
        if (one > Bytes{})
            largest = std::min(largest, (beyond ? knee : 0.0) + std::floor((c.capacity - start) / one));
    }
    return static_cast<int>(largest);
}

} // namespace ridgepoint
