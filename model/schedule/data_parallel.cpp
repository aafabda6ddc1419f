#include "model/schedule/data_parallel.h"

#include <algorithm>

namespace ridgepoint {
namespace {

void add(DataParallelTraffic& sum, AttributedTime& part, const OperatorContext& c, Collective op, Bytes buffer, const GroupPlacement& group)
{
    if (group.ranks <= 1 || buffer <= Bytes{})
        return;
    const CollectiveCost cost = collective_cost({op, buffer, group}, c.cluster, c.collectives);
    part += cost.time;
    sum.nvlink += cost.nvlink;
    sum.network += cost.network;
}

int shard_ranks(const OperatorContext& c)
{
    const Layout& l = c.layout;
    const int ranks = l.dp * l.cp;
    if (l.sharding != DataSharding::hsdp)
        return ranks;
    const int node = std::max(1, c.cluster.node.accelerators / l.tp);
    return std::min(ranks, l.shard_group > 0 ? l.shard_group : node);
}

} // namespace

DataParallelTraffic replicated_traffic(const OperatorContext& c, double dense, double experts)
{
    const double gradient = bytes_per_element(c.precision.gradient_reduce);
    const double weight = bytes_per_element(c.precision.parameter_gather);
    DataParallelTraffic t;
    const bool all_reduce = c.layout.sharding == DataSharding::none;
    const Collective reduce = all_reduce ? Collective::all_reduce : Collective::reduce_scatter;
    add(t, t.reduce, c, reduce, Bytes{gradient * dense}, c.groups.dp);
    add(t, t.reduce, c, reduce, Bytes{gradient * experts}, c.groups.expert_dp);
    if (!all_reduce) {
        add(t, t.gather, c, Collective::all_gather, Bytes{weight * dense}, c.groups.dp);
        add(t, t.gather, c, Collective::all_gather, Bytes{weight * experts}, c.groups.expert_dp);
    }
    return t;
}

DataParallelTraffic sharded_layer_traffic(const OperatorContext& c, double dense, double experts)
{
    const GroupPlacement group = place_group(c.cluster, shard_ranks(c), c.layout.tp);
    const double gradient = bytes_per_element(c.precision.gradient_reduce);
    const double weight = bytes_per_element(c.precision.parameter_gather);
    DataParallelTraffic t;
    add(t, t.gather, c, Collective::all_gather, Bytes{weight * dense}, group);
    add(t, t.gather, c, Collective::all_gather, Bytes{weight * experts}, c.groups.expert_dp);
    add(t, t.reduce, c, Collective::reduce_scatter, Bytes{gradient * dense}, group);
    add(t, t.reduce, c, Collective::reduce_scatter, Bytes{gradient * experts}, c.groups.expert_dp);
    return t;
}

AttributedTime hsdp_reduce(const OperatorContext& c, double parameters)
{
    const int shard = shard_ranks(c);
    const int replicas = c.layout.dp * c.layout.cp / std::max(shard, 1);
    if (c.layout.sharding != DataSharding::hsdp || replicas <= 1)
        return {};
    const GroupPlacement group = place_group(c.cluster, replicas, c.layout.tp * shard);
    const Bytes buffer{bytes_per_element(c.precision.gradient_reduce) * parameters / shard};
    return collective_cost({Collective::all_reduce, buffer, group}, c.cluster, c.collectives).time;
}

} // namespace ridgepoint
