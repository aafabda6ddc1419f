#pragma once
// How the answer hangs on each figure of the hardware, the price and the assumptions, and what an upgrade would buy.

#include <optional>
#include <string>
#include <vector>

#include "model/whatif/knob.h"

namespace ridgepoint {

// One bar of the tornado: the answer with the knob turned down and up, all else as planned.
struct Swing {
    Knob knob;
    double low = 0, high = 0; // values tried
    Outcome at_low, at_high;
    double down = 0, up = 0; // change of the time relative to the plan: -0.05 is 5 % faster
    double cost_down = 0, cost_up = 0; // the same of cost per token; 0 where there is no price
    [[nodiscard]] double width() const; // of the time bar, or of the cost bar where only that moves
};

// Every factor by +- `relative`, every assumption from half to twice its value (or by what its range allows), widest bar
// first; knobs that move neither time nor cost are left out.
std::vector<Swing> tornado(WhatIf base, double relative = 0.1);

// What doubling one figure of the hardware would bring.
struct Upgrade {
    Knob knob;
    double faster = 0; // 0.3: the time falls to 1 / 1.3
    bool fits = false;
};
std::vector<Upgrade> upgrades(WhatIf base); // best first

// The bandwidth at which a kind of communication no longer shows on the critical path.
struct RequiredBandwidth {
    std::string part; // "DP exposed"
    std::string link; // "network"
    Seconds exposed; // today, in the step
    // Of the link's rate today; none: no bandwidth hides it (latency, order of the schedule).
    std::optional<double> factor;
    BytesPerSecond today;
};
std::vector<RequiredBandwidth> required_bandwidths(const Job& job);

} // namespace ridgepoint
