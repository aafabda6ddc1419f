#pragma once
// The time of a run as a distribution: many runs with random failures, the same for the same seed.

#include <vector>

#include "model/run/failures.h"

namespace ridgepoint {

struct Quantile {
    double share = 0; // of the runs that take at most
    Seconds time; // this long
};

struct RunSimulation {
    FailureModel failures;
    Seconds interval;
    Seconds work; // training time without checkpoints and failures
    // What is not known before: 10 and 90 % points. Equal to the values above: known exactly.
    double relative_error = 0; // half-width of the 80 % interval of the work
    Seconds mtbf_low, mtbf_high;
    int seed = 1;
    int samples = 2000;
};

struct TimeDistribution {
    Seconds mean;
    std::vector<Quantile> quantiles; // 5, 10, 25, 50, 75, 90, 95 %
    [[nodiscard]] Seconds at(double share) const; // one of these
};

// Each run draws its work (normal around the estimate), its MTBF (lognormal, each side with its own width) and then every
// failure. Where more than a hundred failures are expected, their sum is drawn from the normal law with the exact mean and
// variance of the segments instead.
TimeDistribution simulate_run(const RunSimulation& input);

} // namespace ridgepoint
