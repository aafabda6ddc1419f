#include <algorithm>
#include <fmt/format.h>

#include "model/parallelism/layout.h"

namespace ridgepoint {
namespace {

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

Status check_degrees(const Cluster& cluster, const Layout& l)
{
    const struct {
        int value;
        const char* name;
    } degrees[] = {{l.tp, "tp"}, {l.pp, "pp"}, {l.vpp, "vpp"}, {l.cp, "cp"}, {l.ep, "ep"}, {l.etp, "etp"}, {l.dp, "dp"},
        {l.micro_batch, "micro_batch"}};
    for (const auto& d : degrees)
        if (d.value < 1)
            return illegal(fmt::format("{} is {}; it is at least 1", d.name, d.value), fmt::format("/layout/{}", d.name), "");
    const long long product = 1LL * l.tp * l.pp * l.cp * l.dp;
    if (product != cluster.gpus)
        return illegal(fmt::format("tp {} x pp {} x cp {} x dp {} is {} GPUs, but the plan uses {}", l.tp, l.pp, l.cp, l.dp, product, cluster.gpus),
            "/layout/dp", "Let dp follow from the GPUs, or choose degrees whose product divides them");
    return Done{};
}

Status check_attention(const Transformer& model, const Layout& l)
{
    for (const LayerKind& kind : model.kinds) {
        if (kind.attention_free)
            continue;
        const Attention& a = kind.attention;
        if (a.heads % l.tp != 0)
            return illegal(fmt::format("{} attention heads cannot be cut over tp {}", a.heads, l.tp), "/layout/tp",
                fmt::format("tp {} divides them", nearest_divisor(a.heads, l.tp)));
        if (a.kind == AttentionKind::grouped && a.kv_heads % l.tp != 0 && l.tp % std::max(a.kv_heads, 1) != 0)
            return illegal(fmt::format("{} KV heads neither divide nor are divided by tp {}", a.kv_heads, l.tp), "/layout/tp",
                fmt::format("tp {} works", nearest_divisor(a.kv_heads, l.tp)));
        if (l.cp > 1 && l.context_kind == ContextParallelKind::ulysses && (a.heads / l.tp) % l.cp != 0)
            return illegal(fmt::format("Ulysses context parallelism cuts {} heads per tensor rank over cp {}, which does not divide", a.heads / l.tp, l.cp),
                "/layout/cp", fmt::format("cp {} divides them; ring context parallelism has no such limit", nearest_divisor(a.heads / l.tp, l.cp)));
    }
    return Done{};
}

Status check_experts(const Transformer& model, const Cluster& cluster, const Layout& l)
{
    if (!model.is_moe()) {
        if (l.ep > 1 || l.etp > 1)
            return illegal(fmt::format("{} has no experts, but ep is {} and etp {}", model.name, l.ep, l.etp), "/layout/ep", "Set ep and etp to 1");
        return Done{};
    }
    if (model.moe.experts % l.ep != 0)
        return illegal(fmt::format("{} experts cannot be cut over ep {}", model.moe.experts, l.ep), "/layout/ep",
            fmt::format("ep {} divides them", nearest_divisor(model.moe.experts, l.ep)));
    if (model.moe.expert_width % l.etp != 0)
        return illegal(fmt::format("experts of width {} cannot be cut over etp {}", model.moe.expert_width, l.etp), "/layout/etp", "");
    const int stage_gpus = cluster.gpus / l.pp;
    if (stage_gpus % (l.ep * l.etp) != 0)
        return illegal(fmt::format("ep {} x etp {} does not divide the {} GPUs of a pipeline stage", l.ep, l.etp, stage_gpus), "/layout/ep",
            fmt::format("ep {} divides them", nearest_divisor(stage_gpus, l.ep)));
    return Done{};
}

Status check_training(const Transformer& model, const Training& t, const Layout& l)
{
    if (l.vpp > 1 && l.pp == 1)
        return illegal("virtual pipeline stages need a pipeline", "/layout/vpp", "Set vpp to 1 or pp above 1");
    if (l.vpp > 1 && l.schedule != PipelineSchedule::interleaved)
        return illegal(fmt::format("vpp {} needs the interleaved schedule", l.vpp), "/layout/schedule", "Choose \"interleaved\"");
    if (t.sequence_length % l.cp != 0)
        return illegal(fmt::format("a sequence of {} tokens cannot be cut over cp {}", t.sequence_length, l.cp), "/layout/cp", "");
    if (l.sequence_parallel && l.tp > 1 && (t.sequence_length / l.cp) % l.tp != 0)
        return illegal(fmt::format("sequence parallelism cuts {} tokens over tp {}, which does not divide", t.sequence_length / l.cp, l.tp), "/layout/tp", "");
    const long long per_pass = 1LL * l.dp * l.micro_batch;
    if (t.global_batch % per_pass != 0)
        return illegal(fmt::format("a global batch of {} sequences is no multiple of dp {} x micro batch {}", t.global_batch, l.dp, l.micro_batch),
            "/workload/global_batch", fmt::format("{} is the next multiple", (t.global_batch / per_pass + 1) * per_pass));
    if (l.sharding == DataSharding::hsdp && l.shard_group > 0 && (l.dp * l.cp) % l.shard_group != 0)
        return illegal(fmt::format("a shard group of {} does not divide the {} data-parallel ranks", l.shard_group, l.dp * l.cp), "/layout/shard_group", "");
    (void)model;
    return Done{};
}

} // namespace

Status check_legal(
    const Transformer& model, const Workload& workload, const Cluster& cluster, const Layout& l, const PrecisionRecipe& precision)
{
    if (Status s = check_degrees(cluster, l); !s)
        return s;
    if (l.pp * l.vpp > model.layer_count())
        return illegal(fmt::format("{} layers cannot fill {} pipeline stages x {} chunks", model.layer_count(), l.pp, l.vpp), "/layout/pp",
            fmt::format("Use at most {} stages x chunks", model.layer_count()));
    if (Status s = check_attention(model, l); !s)
        return s;
    if (Status s = check_experts(model, cluster, l); !s)
        return s;
    for (Arithmetic a : {precision.gemm, precision.attention, precision.lm_head})
        if (!cluster.accelerator.supports(a))
            return illegal(fmt::format("{} has no {} tensor cores", cluster.accelerator.name, name_of(a)), "/precision/recipe", "Choose the bf16 recipe");
    const GroupPlacement tp = place_group(cluster, l.tp, 1);
    if (tp.domains > 1 && cluster.node.fabric_id.empty())
        return illegal(fmt::format("tp {} leaves the node, and {} has no fabric", l.tp, cluster.node.id), "/layout/tp",
            fmt::format("tp {} stays inside", cluster.node.nvlink_domain));
    if (cluster.nodes > 1 && cluster.node.fabric_id.empty())
        return illegal(fmt::format("{} has no fabric that joins {} nodes", cluster.node.id, cluster.nodes), "/cluster/nodes", "Use one node");
    if (const auto* training = std::get_if<Training>(&workload))
        return check_training(model, *training, l);
    if (l.cp > 1)
        return illegal("context parallelism is not modelled for serving", "/layout/cp", "Set cp to 1");
    return Done{};
}

} // namespace ridgepoint
