#pragma once
// What can be turned: any number in a plan, the speeds of the hardware, the price. A sweep turns one, a map two, sensitivity
// each in turn.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/economics/cost.h"
#include "model/estimate/quick.h"
#include "model/project/plan.h"
#include "model/run/storage_step.h"
#include "model/specs/store.h"

namespace ridgepoint {

// A field of the plan by its path ("/workload/global_batch"), or a factor: "hardware/compute", "hardware/hbm",
// "hardware/nvlink", "hardware/network", "hardware/hbm_capacity", "hardware/storage" (training), "price/rate".
struct Knob {
    std::string id;
    std::string label; // "Global batch", "HBM bandwidth"
    std::string unit; // "sequences"; of a factor: "x"
    double low = 0, high = 1; // that make sense
    bool whole = false; // takes whole numbers only
    bool factor = false; // multiplies what the plan has: 1 is the plan
};

// The knobs of this kind of plan: its whole and decimal fields, then the factors.
std::vector<Knob> knobs_of(const Plan& plan);
Expected<Knob> find_knob(const Plan& plan, const std::string& id);

using Setting = std::pair<std::string, double>; // knob id -> value

// One variant of the plan.
struct Outcome {
    std::string impossible; // why it cannot run at all; empty: the rest holds
    Seconds time; // step (with the wait for its data), TPOT, or TTFT where only prefill runs
    std::optional<Seconds> ttft; // serving
    TokensPerSecond tokens_per_second_per_gpu;
    TokensPerSecond tokens_per_second; // all GPUs of the plan
    Bytes headroom; // negative: does not fit
    std::optional<DollarsPerToken> cost_per_token;
    JoulesPerToken energy_per_token;
    AttributedTime made_of; // of `time`
    AttributedTime stops; // training: for checkpoints, beside the step and over the steps between two
    double mfu = 0;

    [[nodiscard]] bool possible() const { return impossible.empty(); }
    [[nodiscard]] bool fits() const { return possible() && headroom >= Bytes{}; }
};

// A plan resolved once, then asked what if. Not for several threads: copy it.
class WhatIf {
public:
    static Expected<WhatIf> make(const Plan& plan, const SpecStore& specs); // `specs` outlives it

    [[nodiscard]] Outcome at(const std::vector<Setting>& settings);
    [[nodiscard]] const Plan& plan() const { return m_plan; }
    [[nodiscard]] const Job& job() const { return m_job; }
    [[nodiscard]] double value(const Knob& knob) const; // that the plan has; 1 of a factor
    // The plan with its fields set; factors, which no plan can hold, are left out.
    [[nodiscard]] Expected<Plan> plan_at(const std::vector<Setting>& settings) const;

private:
    void add_storage(Outcome& o, QuickEstimate& e, const Job& job, double factor) const;

    Plan m_plan;
    Job m_job;
    std::optional<Price> m_price;
    std::optional<RunStorage> m_storage; // training
    const SpecStore* m_specs = nullptr;
};

} // namespace ridgepoint
