#include "model/memory/training_memory.h"

#include <algorithm>

namespace ridgepoint {
namespace {

// Elements that DeepSpeed copies together to reduce gradients and to gather weights at the end of a step: its defaults
// reduce_bucket_size and allgather_bucket_size. Such blocks are larger than the activations whose place they could take.
constexpr double deepspeed_bucket = 5e8;

// Bytes that one microbatch leaves on a stage, and what the layer being differentiated needs on top of them.
struct StageActivations {
    Bytes kept;
    Bytes layer_in_progress;
};

StageActivations stage_activations(const TrainingMemoryCase& c, const StageContent& content, ActivationCase what)
{
    const Layout& l = c.layout;
    StageActivations out;
    for (std::size_t k = 0; k < c.model.kinds.size() && k < max_layer_kinds; ++k) {
        if (content.layers[k] == 0)
            continue;
        what.recompute = Recompute::none;
        const Bytes whole = layer_activations(c.model, c.model.kinds[k], l, c.precision, what);
        what.recompute = l.recompute;
        const Bytes kept = layer_activations(c.model, c.model.kinds[k], l, c.precision, what);
        const double share = l.recompute == Recompute::none ? 0.0 : l.recompute_share;
        out.kept += content.layers[k] * (share * kept + (1.0 - share) * whole);
        const Bytes again = share > 0.0 ? whole - kept : Bytes{};
        out.layer_in_progress = std::max(out.layer_in_progress, again + layer_backward_workspace(c.model, c.model.kinds[k], l, what));
    }
    return out;
}

// What a stage of this content holds, but for what hangs on its place in the pipeline.
struct StageHolding {
    StageMemory memory; // without activations and reserve
    Bytes kept; // activations of one microbatch
};

// The peak is either the loss and the head's backward pass, when every activation is still there, or the backward pass of
// the last layer; a stage without a head has the second alone.
StageHolding stage_holding(const TrainingMemoryCase& c, const StageContent& content)
{
    const Layout& l = c.layout;
    const bool frozen = c.workload.kind == TrainingKind::lora;
    StageHolding out;
    StageMemory& m = out.memory;

    const RankParameters parameters = rank_parameters(c.model, l, content, frozen ? &c.workload.lora : nullptr);
    const StateBytes states = training_states(parameters, l, c.precision, c.gpus_per_node, frozen);
    m.weights = states.weights;
    m.gradients = states.gradients;
    m.optimizer = states.optimizer;
    const bool sums_apart = bytes_per_element(c.precision.gradients) > 2.0; // from the bf16 gradients of autograd
    if (c.runtime == TrainingRuntime::deepspeed && sums_apart && !frozen)
        m.gradients += Bytes{2.0 * parameters.total()};

    ActivationCase what;
    what.tokens = static_cast<double>(l.micro_batch) * c.workload.sequence_length / l.cp;
    what.sequence_length = c.workload.sequence_length;
    what.dropout = c.workload.dropout;
    what.moe_imbalance = c.moe_imbalance;
    const StageActivations activations = stage_activations(c, content, what);
    out.kept = activations.kept;
    if (c.runtime == TrainingRuntime::deepspeed && l.pp > 1) // a stage's output is held until its gradient returns
        out.kept += Bytes{2.0 * c.model.hidden * what.tokens};

    const bool accumulates = c.runtime == TrainingRuntime::megatron && !frozen;
    const Bytes head = content.heads > 0 ? head_workspace(c.model, l, what.tokens, c.runtime, !frozen, content.heads) : Bytes{};
    m.workspace = std::max(head, activations.layer_in_progress + states.reducing) + states.gathered;
    if (c.runtime == TrainingRuntime::deepspeed && !frozen)
        m.workspace += Bytes{(bytes_per_element(c.precision.gradients) + 2.0) * std::min(deepspeed_bucket, parameters.total())};
    if (accumulates)
        m.workspace += placeholder_gradients(c.model, l, content);
    return out;
}

StageMemory stage_memory(const TrainingMemoryCase& c, const StageHolding& holding, int index)
{
    StageMemory m = holding.memory;
    m.stage = index;
    m.activations = holding.kept * microbatches_in_flight(c.layout, index, c.microbatches);
    m.reserve = c.runtime_reserve + c.fragmentation * m.total();
    return m;
}

} // namespace

MemoryFit training_memory(const TrainingMemoryCase& c)
{
    MemoryFit fit;
    fit.capacity = c.capacity;
    fit.stages.reserve(c.stages.size());
    StageHolding holding;
    for (int i = 0; i < static_cast<int>(c.stages.size()); ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (i == 0 || c.stages[at] != c.stages[at - 1]) // neighbours mostly hold the same
            holding = stage_holding(c, c.stages[at]);
        fit.stages.push_back(stage_memory(c, holding, i));
        if (fit.stages.back().total() > fit.worst().total())
            fit.worst_stage = i;
    }
    return fit;
}

} // namespace ridgepoint
