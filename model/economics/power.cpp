#include "model/economics/power.h"

#include <algorithm>
#include <cmath>

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

double capped_clock(double cap, double exponent)
{
    constexpr double idle = 0.1;
    const double dynamic = (std::clamp(cap, idle, 1.0) - idle) / (1.0 - idle);
    return std::pow(std::max(dynamic, 1e-3), exponent);
}

AttributedTime capped(const AttributedTime& time, double clock)
{
    const Seconds compute = std::max(time.part(Resource::compute), Seconds{});
    return time + AttributedTime(Resource::compute, compute * (1.0 / clock - 1.0));
}

Watts capped_node_power(const Node& node, const Accelerator& accelerator, double activity, double cap)
{
    const Watts whole = node_power(node, accelerator, activity);
    const Watts gpus = accelerator.tdp * static_cast<double>(node.accelerators);
    // What the limit takes from GPUs that draw their share of a busy node's power.
    const double a = std::clamp(activity, 0.0, 1.0);
    return std::max(node_power(node, accelerator, 0.0), whole - gpus * ((1.0 - cap) * busy_share * a));
}

} // namespace ridgepoint
