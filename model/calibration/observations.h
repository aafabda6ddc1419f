#pragma once
// Measured times that the plan's model predicts: what `compare` lists and `calibrate` fits. One per class of kernels of a
// trace, per size of a collective, per latency of a serving run, per training log.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/estimate/job.h"
#include "model/measured/measured.h"

namespace ridgepoint {

struct Observation {
    std::string what; // "all-reduce of 256 MiB over 8 GPUs"
    std::string file;
    MeasuredPart part = MeasuredPart::step; // whose factor it tells most about; step: of all of them
    Seconds measured;
    double weight = 1.0; // in a fit: many rows of one kind count less each
    std::function<std::optional<Seconds>(const Job&)> predict; // none: the job has no such time
};

struct Observations {
    std::vector<Observation> rows;
    std::vector<std::string> notes; // what was left out, and where measured and predicted do not mean the same
};

// `job` gives the plan's cluster and layout; the times are predicted later, with whatever constants a job has.
Observations observe(const Measured& measured, const Job& job);
Observations observe(const std::vector<Measured>& measured, const Job& job);

struct ObservedResidual {
    Observation observation;
    Seconds predicted;
    [[nodiscard]] double error() const { return (predicted - observation.measured) / observation.measured; } // relative, signed
};
// Those that the job predicts, worst first.
std::vector<ObservedResidual> residuals(const Observations& observations, const Job& job);

} // namespace ridgepoint
