#pragma once
// Checkpoints against failures. A job of N nodes is interrupted at exponential gaps of mean M (its MTBF); a checkpoint stops
// it for C every tau of training; after an interruption it is down for R and repeats what it had done since the checkpoint.

#include <vector>

#include "model/units/quantity.h"

namespace ridgepoint {

struct FailureModel {
    Seconds mtbf; // M of the whole job; zero: it never fails
    Seconds checkpoint; // C, blocking
    Seconds restart; // R: detection, replacement, start-up, reading the checkpoint
};

// sqrt(2 C M). Zero if nothing fails. [Young, "A first order approximation to the optimum checkpoint interval", CACM 17(9), 1974]
Seconds young_interval(const FailureModel& f);
// sqrt(2CM) (1 + 1/3 sqrt(C/2M) + C/18M) - C below C = 2M, else M. [Daly, "A higher order estimate of the optimum checkpoint
// interval for restart dumps", FGCS 22(3), 2006, equation 37]
Seconds daly_interval(const FailureModel& f);
// The minimum of the exact expression below: M (1 + W(-exp(-1 - C/M))), W the principal branch of Lambert's function.
Seconds optimum_interval(const FailureModel& f);

// C/tau + tau/(2M) + R/M: good while all three are small.
double first_order_waste(const FailureModel& f, Seconds interval);
// Expected wall time over training time, M e^(R/M) (e^((tau+C)/M) - 1) / tau: exact for exponential gaps, failures during
// checkpoints and restarts included. [Daly 2006, equation 13 without the approximation of the number of segments]
double wall_factor(const FailureModel& f, Seconds interval);

// Mean and variance of the wall time of one segment of `interval` of training and its checkpoint.
struct SegmentTime {
    Seconds mean;
    double variance = 0; // s^2
};
SegmentTime segment_time(const FailureModel& f, Seconds interval);

// Where the expected wall time goes, for `work` of training in segments of `interval`. They add up to the wall time.
struct FailureBreakdown {
    Seconds work, checkpoints, lost, restarts; // lost: trained or checkpointed, and repeated
    double failures = 0; // expected
    [[nodiscard]] Seconds wall() const { return work + checkpoints + lost + restarts; }
};
FailureBreakdown expected_times(const FailureModel& f, Seconds interval, Seconds work);

struct WastePoint {
    Seconds interval;
    double overhead = 0; // wall time over training time, less one: convex in the interval
    double waste = 0; // share of the wall time that is not training
};
// Around the optimum from an eighth to eight times it, evenly on a logarithmic axis. Empty if nothing fails.
std::vector<WastePoint> waste_curve(const FailureModel& f, int points = 41);

// Chance that none of `spares` nodes is free when one fails: nodes under repair are Poisson distributed with mean
// rate x repair whatever the distribution of the repair (M/G/infinity). [Palm 1943]
double no_spare_free(double failures_per_second, Seconds repair, int spares);

} // namespace ridgepoint
