#pragma once
// How often to write a checkpoint, what an interruption costs, and what spare nodes buy.

#include <string>
#include <vector>

#include "model/run/checkpoint.h"
#include "model/run/failures.h"

namespace ridgepoint {

struct IntervalPrediction {
    Seconds young, daly, optimum; // zero: nothing fails
    Seconds used; // as given, or the optimum, but no shorter than a write behind training; whole steps
    std::string why; // "the optimum", "as given", "the write takes as long"
    bool limited_by_write = false;
};
// `work`: of the whole run, beyond which no interval goes.
IntervalPrediction choose_interval(const Run& run, const FailureModel& failures, const CheckpointPrediction& checkpoint, Seconds step, Seconds work);

struct RestartPrediction {
    Seconds detection, replacement, startup, reload;
    Seconds replay; // beyond half an interval: an asynchronous write that had not ended
    double no_spare_free = 0; // chance
    [[nodiscard]] Seconds total() const { return detection + replacement + startup + reload + replay; }
};
// `mtbf`: of the whole job; zero: it never fails. `spares`: instead of the run's.
RestartPrediction predict_restart(const Run& run, Seconds mtbf, const CheckpointPrediction& checkpoint, int spares);

struct SparePoint {
    int spares = 0;
    double goodput = 0; // time to train over the expected wall time, as RunPrediction::goodput
    Seconds wall;
    double no_spare_free = 0;
};
// From none to so many that one is nearly always free, the run's own number among them; at most some forty points. The
// interval stays: its optimum does not depend on the restart. `steps`: the time to train; `work`: with all else around it.
std::vector<SparePoint> goodput_by_spares(const Run& run, const FailureModel& failures, const CheckpointPrediction& checkpoint, Seconds interval, Seconds work, Seconds steps);

} // namespace ridgepoint
