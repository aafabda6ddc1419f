#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "model/parallelism/layout.h"

namespace ridgepoint {
namespace {

constexpr std::array<std::string_view, layout_rule_count> rule_names = {"legal", "a degree is below 1",
    "tp x pp x cp x dp is not the number of GPUs", "fewer layers than pipeline stages x chunks", "tp does not divide the attention heads",
    "tp does not fit the KV heads", "Ulysses cp does not divide the heads of a tensor rank", "ep or etp without experts", "ep does not divide the experts",
    "etp does not divide the expert width", "ep x etp does not divide the GPUs of a stage", "no tensor cores for the precision",
    "tp leaves a node that has no fabric", "several nodes without a fabric", "virtual stages without a pipeline",
    "virtual stages without the interleaved schedule", "cp does not divide the sequence", "tp does not divide the sequence (sequence parallel)",
    "the global batch is no multiple of dp x micro batch", "the shard group does not divide the data-parallel ranks",
    "context parallelism in serving", "linear or sparse attention is trained"};

bool degrees_positive(const Layout& l)
{
    return l.tp >= 1 && l.pp >= 1 && l.vpp >= 1 && l.cp >= 1 && l.ep >= 1 && l.etp >= 1 && l.dp >= 1 && l.micro_batch >= 1;
}

bool kv_heads_fit(const Attention& a, int tp)
{
    return a.kind != AttentionKind::grouped || a.kv_heads % tp == 0 || tp % std::max(a.kv_heads, 1) == 0;
}

LayoutRule attention_rule(const Transformer& model, const Layout& l)
{
    for (const LayerKind& kind : model.kinds) {
        if (kind.attention_free)
            continue;
        const Attention& a = kind.attention;
        if (a.heads % l.tp != 0)
            return LayoutRule::heads_over_tp;
        if (!kv_heads_fit(a, l.tp))
            return LayoutRule::kv_heads_over_tp;
        if (l.cp > 1 && l.context_kind == ContextParallelKind::ulysses && (a.heads / l.tp) % l.cp != 0)
            return LayoutRule::heads_over_cp;
    }
    return LayoutRule::legal;
}

LayoutRule expert_rule(const Transformer& model, const Cluster& cluster, const Layout& l)
{
    if (!model.is_moe())
        return l.ep > 1 || l.etp > 1 ? LayoutRule::experts_without_experts : LayoutRule::legal;
    if (model.moe.experts % l.ep != 0)
        return LayoutRule::experts_over_ep;
    if (model.moe.expert_width % l.etp != 0)
        return LayoutRule::expert_width_over_etp;
    return cluster.gpus / l.pp % (l.ep * l.etp) != 0 ? LayoutRule::experts_over_stage : LayoutRule::legal;
}

// Backward passes of linear and sparse attention have no law.
bool served_only(const Transformer& model)
{
    return std::any_of(model.kinds.begin(), model.kinds.end(), [](const LayerKind& k) {
        return !k.attention_free && (k.attention.kind == AttentionKind::linear || k.attention.index_top_k > 0);
    });
}

LayoutRule training_rule(const Training& t, const Layout& l)
{
    if (l.vpp > 1 && l.pp == 1)
        return LayoutRule::chunks_without_pipeline;
    if (l.vpp > 1 && l.schedule != PipelineSchedule::interleaved)
        return LayoutRule::chunks_without_interleaving;
    if (t.sequence_length % l.cp != 0)
        return LayoutRule::sequence_over_cp;
    if (l.sequence_parallel && l.tp > 1 && (t.sequence_length / l.cp) % l.tp != 0)
        return LayoutRule::sequence_over_tp;
    if (t.global_batch % (1LL * l.dp * l.micro_batch) != 0)
        return LayoutRule::batch_over_replicas;
    if (l.sharding == DataSharding::hsdp && l.shard_group > 0 && (l.dp * l.cp) % l.shard_group != 0)
        return LayoutRule::shard_group;
    return LayoutRule::legal;
}

Error illegal(std::string message, std::string pointer, std::string hint)
{
    Error e = infeasible(std::move(message), std::move(hint));
    e.place.pointer = std::move(pointer);
    return e;
}

// The largest divisor of `n` that is at most `limit`: the value that a hint proposes.
int nearest_divisor(int n, int limit)
{
    for (int d = std::min(n, std::max(limit, 1)); d > 1; --d)
        if (n % d == 0)
            return d;
    return 1;
}

Error explain_degree(const Layout& l)
{
    const std::pair<int, const char*> degrees[] = {{l.tp, "tp"}, {l.pp, "pp"}, {l.vpp, "vpp"}, {l.cp, "cp"}, {l.ep, "ep"}, {l.etp, "etp"}, {l.dp, "dp"},
        {l.micro_batch, "micro_batch"}};
    const auto* d = std::ranges::find_if(degrees, [](const auto& x) { return x.first < 1; });
    return illegal(fmt::format("{} is {}; it is at least 1", d->second, d->first), fmt::format("/layout/{}", d->second), "");
}

const Attention& first_attention(const Transformer& model, bool (*breaks)(const Attention&, const Layout&), const Layout& l)
{
    for (const LayerKind& kind : model.kinds)
        if (!kind.attention_free && breaks(kind.attention, l))
            return kind.attention;
    return model.kinds.front().attention;
}

Error explain_attention(const Transformer& model, const Layout& l, LayoutRule rule)
{
    if (rule == LayoutRule::heads_over_tp) {
        const Attention& a = first_attention(model, [](const Attention& x, const Layout& y) { return x.heads % y.tp != 0; }, l);
        return illegal(fmt::format("{} attention heads cannot be cut over tp {}", a.heads, l.tp), "/layout/tp",
            fmt::format("tp {} divides them", nearest_divisor(a.heads, l.tp)));
    }
    if (rule == LayoutRule::kv_heads_over_tp) {
        const Attention& a = first_attention(model, [](const Attention& x, const Layout& y) { return !kv_heads_fit(x, y.tp); }, l);
        return illegal(fmt::format("{} KV heads neither divide nor are divided by tp {}", a.kv_heads, l.tp), "/layout/tp",
            fmt::format("tp {} works", nearest_divisor(a.kv_heads, l.tp)));
    }
    const Attention& a = first_attention(model, [](const Attention& x, const Layout& y) { return (x.heads / y.tp) % y.cp != 0; }, l);
    return illegal(fmt::format("Ulysses context parallelism cuts {} heads per tensor rank over cp {}, which does not divide", a.heads / l.tp, l.cp),
        "/layout/cp", fmt::format("cp {} divides them; ring context parallelism has no such limit", nearest_divisor(a.heads / l.tp, l.cp)));
}

Error explain_experts(const Transformer& model, const Cluster& cluster, const Layout& l, LayoutRule rule)
{
    if (rule == LayoutRule::experts_without_experts)
        return illegal(fmt::format("{} has no experts, but ep is {} and etp {}", model.name, l.ep, l.etp), "/layout/ep", "Set ep and etp to 1");
    if (rule == LayoutRule::experts_over_ep)
        return illegal(fmt::format("{} experts cannot be cut over ep {}", model.moe.experts, l.ep), "/layout/ep",
            fmt::format("ep {} divides them", nearest_divisor(model.moe.experts, l.ep)));
    if (rule == LayoutRule::expert_width_over_etp)
        return illegal(fmt::format("experts of width {} cannot be cut over etp {}", model.moe.expert_width, l.etp), "/layout/etp", "");
    const int stage_gpus = cluster.gpus / l.pp;
    return illegal(fmt::format("ep {} x etp {} does not divide the {} GPUs of a pipeline stage", l.ep, l.etp, stage_gpus), "/layout/ep",
        fmt::format("ep {} divides them", nearest_divisor(stage_gpus, l.ep)));
}

Error explain_training(const Training& t, const Layout& l, LayoutRule rule)
{
    const long long per_pass = 1LL * l.dp * l.micro_batch;
    switch (rule) {
    case LayoutRule::chunks_without_pipeline:
        return illegal("virtual pipeline stages need a pipeline", "/layout/vpp", "Set vpp to 1 or pp above 1");
    case LayoutRule::chunks_without_interleaving:
        return illegal(fmt::format("vpp {} needs the interleaved schedule", l.vpp), "/layout/schedule", "Choose \"interleaved\"");
    case LayoutRule::sequence_over_cp:
        return illegal(fmt::format("a sequence of {} tokens cannot be cut over cp {}", t.sequence_length, l.cp), "/layout/cp", "");
    case LayoutRule::sequence_over_tp:
        return illegal(fmt::format("sequence parallelism cuts {} tokens over tp {}, which does not divide", t.sequence_length / l.cp, l.tp), "/layout/tp", "");
    case LayoutRule::batch_over_replicas:
        return illegal(fmt::format("a global batch of {} sequences is no multiple of dp {} x micro batch {}", t.global_batch, l.dp, l.micro_batch),
            "/workload/global_batch", fmt::format("{} is the next multiple", (t.global_batch / per_pass + 1) * per_pass));
    default:
        return illegal(fmt::format("a shard group of {} does not divide the {} data-parallel ranks", l.shard_group, l.dp * l.cp), "/layout/shard_group", "");
    }
}

Error explain_rule(LayoutRule rule, const Transformer& model, const Workload& workload, const Cluster& cluster, const Layout& l, const PrecisionRecipe& precision)
{
    switch (rule) {
    case LayoutRule::degree_below_one:
        return explain_degree(l);
    case LayoutRule::degrees_times_gpus:
        return illegal(fmt::format("tp {} x pp {} x cp {} x dp {} is {} GPUs, but the plan uses {}", l.tp, l.pp, l.cp, l.dp, 1LL * l.tp * l.pp * l.cp * l.dp, cluster.gpus),
            "/layout/dp", "Let dp follow from the GPUs, or choose degrees whose product divides them");
    case LayoutRule::layers_per_chunk:
        return illegal(fmt::format("{} layers cannot fill {} pipeline stages x {} chunks", model.layer_count(), l.pp, l.vpp), "/layout/pp",
            fmt::format("Use at most {} stages x chunks", model.layer_count()));
    case LayoutRule::heads_over_tp:
    case LayoutRule::kv_heads_over_tp:
    case LayoutRule::heads_over_cp:
        return explain_attention(model, l, rule);
    case LayoutRule::experts_without_experts:
    case LayoutRule::experts_over_ep:
    case LayoutRule::expert_width_over_etp:
    case LayoutRule::experts_over_stage:
        return explain_experts(model, cluster, l, rule);
    case LayoutRule::arithmetic: {
        const Arithmetic wanted[] = {precision.gemm, precision.attention, precision.lm_head};
        const auto* missing = std::ranges::find_if(wanted, [&](Arithmetic a) { return !cluster.accelerator.supports(a); });
        return illegal(fmt::format("{} has no {} tensor cores", cluster.accelerator.name, name_of(*missing)), "/precision/recipe", "Choose the bf16 recipe");
    }
    case LayoutRule::tp_without_fabric:
        return illegal(fmt::format("tp {} leaves the node, and {} has no fabric", l.tp, cluster.node.id), "/layout/tp",
            fmt::format("tp {} stays inside", cluster.node.nvlink_domain));
    case LayoutRule::nodes_without_fabric:
        return illegal(fmt::format("{} has no fabric that joins {} nodes", cluster.node.id, cluster.nodes), "/cluster/nodes", "Use one node");
    case LayoutRule::serving_context_parallel:
        return illegal("context parallelism is not modelled for serving", "/layout/cp", "Set cp to 1");
    case LayoutRule::trained_attention:
        return illegal(fmt::format("training of {} is not modelled: it has linear or sparse attention", model.name), "/model", "Serve it, or choose another model");
    default:
        return explain_training(std::get<Training>(workload), l, rule);
    }
}

} // namespace

std::string_view name_of(LayoutRule r) { return rule_names[static_cast<std::size_t>(r)]; }

LayoutRule first_violation(
    const Transformer& model, const Workload& workload, const Cluster& cluster, const Layout& l, const PrecisionRecipe& precision)
{
    if (!degrees_positive(l))
        return LayoutRule::degree_below_one;
    if (1LL * l.tp * l.pp * l.cp * l.dp != cluster.gpus)
        return LayoutRule::degrees_times_gpus;
    if (1LL * l.pp * l.vpp > model.layer_count())
        return LayoutRule::layers_per_chunk;
    if (const LayoutRule r = attention_rule(model, l); r != LayoutRule::legal)
        return r;
    if (const LayoutRule r = expert_rule(model, cluster, l); r != LayoutRule::legal)
        return r;
    for (Arithmetic a : {precision.gemm, precision.attention, precision.lm_head})
        if (!cluster.accelerator.supports(a))
            return LayoutRule::arithmetic;
    if (cluster.node.fabric_id.empty()) {
        if (place_group(cluster, l.tp, 1).domains > 1)
            return LayoutRule::tp_without_fabric;
        if (cluster.nodes > 1)
            return LayoutRule::nodes_without_fabric;
    }
    if (const auto* training = std::get_if<Training>(&workload))
        return served_only(model) ? LayoutRule::trained_attention : training_rule(*training, l);
    return l.cp > 1 ? LayoutRule::serving_context_parallel : LayoutRule::legal;
}

Status check_legal(
    const Transformer& model, const Workload& workload, const Cluster& cluster, const Layout& l, const PrecisionRecipe& precision)
{
    const LayoutRule rule = first_violation(model, workload, cluster, l, precision);
    if (rule == LayoutRule::legal)
        return Done{};
    return explain_rule(rule, model, workload, cluster, l, precision);
}

} // namespace ridgepoint
