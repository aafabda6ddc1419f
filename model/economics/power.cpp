#include "model/economics/power.h"

#include <algorithm>

namespace ridgepoint {

double activity_of(const AttributedTime& time)
{
    return std::clamp(time.share(Resource::compute) + time.share(Resource::hbm), 0.0, 1.0);
}

Watts rated_power(const Node& node, const Accelerator& accelerator)
{
    if (node.system_power > Watts{})
        return node.system_power;
    return accelerator.tdp * (host_overhead * static_cast<double>(node.accelerators));
}

Watts node_power(const Node& node, const Accelerator& accelerator, double activity)
{
    const double a = std::clamp(activity, 0.0, 1.0);
    return rated_power(node, accelerator) * (idle_share + (busy_share - idle_share) * a);
}

} // namespace ridgepoint
