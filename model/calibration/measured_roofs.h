#pragma once
// Roofs that were measured, for the roofline beside the data sheet's: of the tools that measure them, and what calibration
// left of the plan's own.

#include <optional>
#include <string>
#include <vector>

#include "model/estimate/job.h"
#include "model/measured/measured.h"

namespace ridgepoint {

struct MeasuredRoof { // one of the two
    std::string name; // "HBM", "MFMA BF16", "Matrix products as calibrated"
    std::string source; // the file, or what was fitted
    std::string detail; // "median of 4 devices, 1.39 to 1.40 TB/s"; empty: one figure
    std::optional<BytesPerSecond> bandwidth; // a slope over the bytes of device memory or of a cache
    std::optional<FlopPerSecond> peak; // a ceiling
};

// The median over the devices of the file. Peaks of integer types are operations and have no place among FLOPs. Nothing for
// files without measured roofs.
std::vector<MeasuredRoof> measured_roofs(const Measured& measured);

// The rates that matrix products of the plan's precision and streaming kernels come to with the plan's factors: the fitted
// share of the peak, divided by the factor. Nothing where nothing was measured, or on another GPU.
std::vector<MeasuredRoof> calibrated_roofs(const Job& job);

} // namespace ridgepoint
