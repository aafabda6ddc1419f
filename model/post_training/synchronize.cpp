#include "model/post_training/synchronize.h"

#include <algorithm>

#include "model/collectives/collectives.h"

namespace ridgepoint {
namespace {

int distinct_shards(const Job& learner)
{
    const Layout& l = learner.layout;
    int shards = l.tp * l.pp;
    if (l.sharding == DataSharding::zero3)
        shards *= l.dp * l.cp;
    else if (l.sharding == DataSharding::hsdp)
        shards *= std::min(l.dp * l.cp, l.shard_group > 0 ? l.shard_group : learner.cluster.node.accelerators);
    return shards;
}

} // namespace

Synchronization synchronize_weights(const Job& learner, const Job& rollout, Bytes rollout_weights, Placement placement, int rollout_replicas)
{
    Synchronization out;
    const int tp = std::max(1, rollout.layout.tp);
    out.received = Bytes{2.0 * static_cast<double>(count_parameters(rollout.model).total) / tp};
    const bool colocated = placement == Placement::colocated;
    const int ranks = colocated ? std::max(1, distinct_shards(learner) / tp) : rollout_replicas + 1;
    if (ranks > 1) {
        const CollectiveCall call{Collective::all_gather, out.received, place_group(rollout.cluster, ranks, tp)};
        const Seconds gather = collective_cost(call, rollout.cluster, rollout.collectives).time.total();
        // A rank of an all-gather has one part already, a receiver of a broadcast nothing.
        out.transfer = colocated ? gather : gather * (static_cast<double>(ranks) / (ranks - 1.0));
    }
    out.load = (out.received + rollout_weights) / rollout.cluster.accelerator.hbm_bandwidth;
    return out;
}

} // namespace ridgepoint
