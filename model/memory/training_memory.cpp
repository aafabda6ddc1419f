#include "model/memory/training_memory.h"

#include <algorithm>

namespace ridgepoint {
namespace {

// The last stage keeps the input of the final norm and of the head, and the logits: bf16 from the GEMM, fp32 for the
// loss [Korthikanti 2022, equation 5, with the bf16 copy].
Bytes head_workspace(const TrainingMemoryCase& c, double tokens)
{
    const double h = c.model.hidden;
    const double residual = c.layout.sequence_parallel ? c.layout.tp : 1.0;
    return Bytes{tokens * (4.0 * h / residual + (4.0 + 2.0) * c.model.vocab / static_cast<double>(c.layout.tp))};
}

StageMemory stage_memory(const TrainingMemoryCase& c, int index)
{
    const StageContent& content = c.stages[static_cast<std::size_t>(index)];
    const Layout& l = c.layout;
    const bool frozen = c.workload.kind == TrainingKind::lora;
    StageMemory m;
    m.stage = index;

    const RankParameters parameters = rank_parameters(c.model, l, content, frozen ? &c.workload.lora : nullptr);
    const StateBytes states = training_states(parameters, l, c.precision, c.gpus_per_node, frozen);
    m.weights = states.weights;
    m.gradients = states.gradients;
    m.optimizer = states.optimizer;
    m.workspace = states.gathered;

    ActivationCase what;
    what.tokens = static_cast<double>(l.micro_batch) * c.workload.sequence_length / l.cp;
    what.sequence_length = c.workload.sequence_length;
    what.dropout = c.workload.dropout;
    what.moe_imbalance = c.moe_imbalance;

    Bytes one_microbatch;
    Bytes largest_layer;
    for (std::size_t k = 0; k < c.model.kinds.size() && k < max_layer_kinds; ++k) {
        if (content.layers[k] == 0)
            continue;
        what.recompute = Recompute::none;
        const Bytes whole = layer_activations(c.model, c.model.kinds[k], l, c.precision, what);
        what.recompute = l.recompute;
        const Bytes kept = layer_activations(c.model, c.model.kinds[k], l, c.precision, what);
        const double share = l.recompute == Recompute::none ? 0.0 : l.recompute_share;
        one_microbatch += content.layers[k] * (share * kept + (1.0 - share) * whole);
        if (l.recompute != Recompute::none)
            largest_layer = std::max(largest_layer, whole - kept);
    }
    m.activations = one_microbatch * microbatches_in_flight(l, index, c.microbatches);
    m.workspace += largest_layer; // the recomputed layer in progress
    if (content.heads > 0)
        m.workspace += head_workspace(c, what.tokens);
    const Bytes used = m.total();
    m.reserve = c.runtime_reserve + c.fragmentation * used;
    return m;
}

} // namespace

MemoryFit training_memory(const TrainingMemoryCase& c)
{
    MemoryFit fit;
    fit.capacity = c.capacity;
    fit.stages.reserve(c.stages.size());
    for (int i = 0; i < static_cast<int>(c.stages.size()); ++i) {
        fit.stages.push_back(stage_memory(c, i));
        if (fit.stages.back().total() > fit.worst().total())
            fit.worst_stage = i;
    }
    return fit;
}

} // namespace ridgepoint
