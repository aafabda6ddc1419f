#pragma once
// A published training run as a job of the engine, and what was measured of it.

#include <optional>

#include "model/calibration/csv.h"
#include "model/estimate/job.h"
#include "model/specs/store.h"

namespace ridgepoint {

// The row's model, cluster, layout, precision and assumptions, resolved like a plan. Errors say what the row lacks.
Expected<Job> job_of_training_row(const CsvRow& row, const SpecStore& specs);

// Seconds of one step: stated, or from tokens per second and GPU; nothing where the row has neither.
std::optional<Seconds> measured_step(const CsvRow& row, const Job& job);

} // namespace ridgepoint
