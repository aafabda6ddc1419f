#pragma once
// Electric power of a cluster. Data sheets state a maximum that real work does not reach; here it is scaled by what was
// measured on a node. AWS publishes no power of its instances: their specs carry the maximum of the DGX with the same GPUs.

#include "model/hardware/node.h"
#include "model/units/attributed_time.h"
#include "model/units/quantity.h"

namespace ridgepoint {

// Rated power of a node without a "system_power": GPUs x TDP x this. DGX H100: 10.2 kW for 8 x 700 W = 1.82;
// DGX A100 2.03, DGX B200 1.79 (NVIDIA DGX user guides).
inline constexpr double host_overhead = 1.8;

// Shares of the rated power of the node.
// Under full load: 8.4 kW of 10.2 kW, the most seen on an 8 x H100 node (Latif et al., arXiv:2412.08602).
inline constexpr double busy_share = 0.82;
// Idle: assumed. 8 x 70 W of idle H100 and about 1.5 kW of host, fans and switches make 2 kW of 10.2 kW.
inline constexpr double idle_share = 0.20;

// AWS fleet in 2023 and 2024 (1.14 in 2025), Amazon sustainability.
inline constexpr double power_usage_effectiveness = 1.15;

// Share of a step in which the device works rather than waits for links, launches or the pipeline: the shares of compute
// and device memory. At 0.9 the law gives 0.76 of rated, what Newkirk et al. (arXiv:2506.14551) found for heavy training.
double activity_of(const AttributedTime& time);

// Clock under a power limit, over the clock without: dynamic power goes as f V^2 and the voltage about as f near the top of
// the range, so f = (dynamic power)^(1/3) [Mudge, IEEE Computer 34(4), 2001]. The idle tenth of the TDP (70 of 700 W on H100) does
// not scale. Kernels are assumed to draw the TDP without a limit: those that draw less lose less. At 150 of 250 W (V100) the law
// takes 18 % off the clock; transformer training was measured to take marginally longer (McDonald et al., arXiv:2205.09646).
// `exponent`: 1/3; 1/2 and 1/4 bound what one may expect.
double capped_clock(double cap, double exponent = 1.0 / 3.0); // cap: share of the TDP, (0, 1]
// A step of which the compute part runs at that clock; what overlaps with it does not run any faster.
AttributedTime capped(const AttributedTime& time, double clock);

Watts rated_power(const Node& node, const Accelerator& accelerator);
Watts node_power(const Node& node, const Accelerator& accelerator, double activity); // without PUE; activity 0 to 1
// The same with the GPUs limited to a share of their TDP.
Watts capped_node_power(const Node& node, const Accelerator& accelerator, double activity, double cap);

} // namespace ridgepoint
