#pragma once
// A training run from its step to its end: tokens to time, with ramp, evaluation, data, checkpoints and failures, and the
// energy of it all.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/estimate/estimate.h"
#include "model/run/checkpoint.h"
#include "model/run/failures.h"
#include "model/run/reliability.h"
#include "model/run/restart.h"
#include "model/run/simulate.h"
#include "model/units/prices.h"
#include "model/workload/run.h"

namespace ridgepoint {

// Where the expected wall time goes. The parts add up to it.
enum class RunPart : unsigned char {
    steps, // at the full batch and the full clock: what the estimate calls time to train
    power_cap, // slower clocks
    ramp, // smaller batches are less efficient
    data, // steps that wait for their data
    evaluation,
    checkpoints, // training stands still
    lost, // done, not yet in a checkpoint when a failure came, and done again
    restarts, // detection, replacement, start-up, reading the checkpoint
};
inline constexpr std::size_t run_part_count = 8;
std::string_view name_of(RunPart p);

struct RunInput {
    const Job& job;
    const Estimate& estimate;
    const Run& run;
    StorageTier data_tier, checkpoint_tier;
    Reliability reliability; // of one node
};

struct EnergyPrediction {
    Watts busy, idle; // the machines of the run, without PUE
    Joules energy; // of the expected run, with PUE
    JoulesPerToken per_token;
    double clock = 1.0, clock_low = 1.0, clock_high = 1.0; // under the power cap, over the full clock
};

struct RunPrediction {
    double steps = 0;
    Seconds step; // with the power cap and the wait for data
    Seconds mtbf; // of the whole job; zero: it never fails
    FailureModel failures;
    double expected_failures = 0;
    CheckpointPrediction checkpoint;
    IntervalPrediction interval;
    RestartPrediction restart;
    std::array<Seconds, run_part_count> parts{};
    Seconds wall; // expected
    double goodput = 0; // time to train over expected wall time
    double first_order_waste = 0; // C/tau + tau/2M + R/M at the interval used, for comparison with the literature
    AttributedTime time; // the expected wall time by resource: adds up to it
    std::string bound; // "compute", "storage: reading training data", ...
    TimeDistribution failures_only; // estimate and MTBF taken as exact
    TimeDistribution time_to_train; // with the error bar of the estimate and the range of the MTBF
    std::vector<WastePoint> waste;
    std::vector<SparePoint> by_spares; // empty if nothing fails
    std::vector<StorageDemand> storage;
    EnergyPrediction energy;
    int nodes = 0, spares = 0;
    std::vector<std::string> notes;

    [[nodiscard]] Seconds part(RunPart p) const { return parts[static_cast<std::size_t>(p)]; }
};

// Errors: infeasible where the run never ends (it fails faster than it proceeds), bad_input where a field contradicts the
// plan, with the field's pointer.
Expected<RunPrediction> predict_run(const RunInput& input);

} // namespace ridgepoint
