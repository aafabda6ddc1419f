#include "model/whatif/sensitivity.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "model/estimate/estimate.h"

namespace ridgepoint {
namespace {

constexpr double negligible = 1e-6;
constexpr double most_bandwidth = 64.0; // times today's: beyond, bandwidth is not the matter
constexpr double hidden_share = 0.01; // of the step: what is left then does not show

double relative_change(double to, double from) { return from > 0.0 ? to / from - 1.0 : 0.0; }

double change_of_cost(const Outcome& to, const Outcome& from)
{
    return to.cost_per_token && from.cost_per_token ? relative_change(to.cost_per_token->value(), from.cost_per_token->value()) : 0.0;
}

bool is_assumption(const Knob& k) { return k.id.starts_with("/assumptions/") || k.id.starts_with("/price/"); }

} // namespace

double Swing::width() const
{
    const double time = std::abs(up - down);
    return time > negligible ? time : std::abs(cost_up - cost_down);
}

std::vector<Swing> tornado(WhatIf base, double relative)
{
    const Outcome now = base.at({});
    std::vector<Swing> out;
    if (!now.possible())
        return out;
    for (const Knob& k : knobs_of(base.plan())) {
        Swing s;
        s.knob = k;
        const double value = base.value(k);
        if (k.factor) {
            s.low = 1.0 - relative;
            s.high = 1.0 + relative;
        } else if (is_assumption(k) && value > 0.0) {
            s.low = std::max(k.low, 0.5 * value);
            s.high = std::min(k.high, 2.0 * value);
        } else {
            continue; // a choice, not something that may turn out otherwise
        }
        s.at_low = base.at({{k.id, s.low}});
        s.at_high = base.at({{k.id, s.high}});
        if (!s.at_low.possible() || !s.at_high.possible())
            continue;
        s.down = relative_change(s.at_low.time.value(), now.time.value());
        s.up = relative_change(s.at_high.time.value(), now.time.value());
        s.cost_down = change_of_cost(s.at_low, now);
        s.cost_up = change_of_cost(s.at_high, now);
        if (s.width() > negligible)
            out.push_back(std::move(s));
    }
    std::ranges::stable_sort(out, [](const Swing& a, const Swing& b) { return a.width() > b.width(); });
    return out;
}

std::vector<Upgrade> upgrades(WhatIf base)
{
    const Outcome now = base.at({});
    std::vector<Upgrade> out;
    if (!now.possible())
        return out;
    for (const Knob& k : knobs_of(base.plan())) {
        if (!k.id.starts_with("hardware/"))
            continue;
        const Outcome better = base.at({{k.id, 2.0}});
        if (better.possible())
            out.push_back({k, relative_change(now.time.value(), better.time.value()), better.fits()});
    }
    std::ranges::stable_sort(out, [&](const Upgrade& a, const Upgrade& b) {
        const bool a_mends = !now.fits() && a.fits, b_mends = !now.fits() && b.fits;
        return a_mends != b_mends ? a_mends : a.faster > b.faster;
    });
    return out;
}

std::vector<RequiredBandwidth> required_bandwidths(const Job& job)
{
    std::vector<RequiredBandwidth> out;
    const Expected<Estimate> now = estimate(job);
    if (!now)
        return out;
    struct Kind {
        StepPart part;
        Resource link;
    };
    constexpr std::array kinds = {Kind{StepPart::tp_exposed, Resource::nvlink}, Kind{StepPart::tp_exposed, Resource::network}, Kind{StepPart::cp_exposed, Resource::nvlink},
        Kind{StepPart::cp_exposed, Resource::network}, Kind{StepPart::ep_exposed, Resource::nvlink}, Kind{StepPart::ep_exposed, Resource::network},
        Kind{StepPart::pp_exposed, Resource::network}, Kind{StepPart::pp_exposed, Resource::nvlink}, Kind{StepPart::dp_exposed, Resource::network},
        Kind{StepPart::dp_exposed, Resource::nvlink}};
    const Seconds step = now->time.total();
    for (const Kind& k : kinds) {
        const AttributedTime& part = now->breakdown[k.part];
        if (part.part(k.link) <= hidden_share * step)
            continue;
        const auto shows = [&](double factor) {
            Job faster = job;
            if (k.link == Resource::nvlink)
                faster.cluster.accelerator.nvlink_per_direction *= factor;
            else
                faster.cluster.node.nic_rate *= factor;
            const Expected<Estimate> e = estimate(faster);
            return e && e->breakdown[k.part].part(k.link) > hidden_share * step;
        };
        RequiredBandwidth r;
        r.part = std::string(name_of(k.part));
        r.link = std::string(name_of(k.link));
        r.exposed = part.total();
        r.today = k.link == Resource::nvlink ? job.cluster.accelerator.nvlink_per_direction : job.cluster.node.network_per_accelerator();
        if (!shows(most_bandwidth)) {
            double low = 1.0, high = most_bandwidth; // more bandwidth never shows more: bisect on the logarithm
            for (int i = 0; i < 24; ++i) {
                const double middle = std::sqrt(low * high);
                (shows(middle) ? low : high) = middle;
            }
            r.factor = high;
        }
        out.push_back(std::move(r));
    }
    return out;
}

} // namespace ridgepoint
