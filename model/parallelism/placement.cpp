#include <algorithm>

#include "model/parallelism/layout.h"

namespace ridgepoint {

GroupPlacement place_group(const Cluster& cluster, int ranks, int stride)
{
    GroupPlacement g;
    g.ranks = std::max(ranks, 1);
    const int used = cluster.gpus > 0 ? cluster.gpus : cluster.nodes * cluster.node.accelerators;
    const int domain = std::max(1, std::min(cluster.node.nvlink_domain, used));
    g.ranks_per_domain = std::clamp(domain / std::max(stride, 1), 1, g.ranks);
    g.domains = (g.ranks + g.ranks_per_domain - 1) / g.ranks_per_domain;
    g.groups_per_domain = g.domains > 1 ? std::max(1, domain / g.ranks_per_domain) : 1;
    return g;
}

} // namespace ridgepoint
