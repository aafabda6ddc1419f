#include "model/operators/context.h"

namespace ridgepoint {

Groups place_groups(const Cluster& cluster, const Layout& l)
{
    Groups g;
    g.tp = place_group(cluster, l.tp, 1);
    g.cp = place_group(cluster, l.cp, l.tp);
    g.ep = place_group(cluster, l.ep * l.etp, 1);
    g.dp = place_group(cluster, l.dp * l.cp, l.tp);
    g.expert_dp = place_group(cluster, l.expert_dp(), l.ep * l.etp);
    g.pp_neighbour = place_group(cluster, l.pp > 1 ? 2 : 1, l.tp * l.cp * l.dp);
    return g;
}

} // namespace ridgepoint
