#pragma once
// Factors of the user's own machine from the user's own measurements (sustained/measured_factors.h): at most six numbers,
// robustly fitted, each pulled towards what the shipped laws say as far as the measurements do not tell.

#include <string>
#include <vector>

#include "model/calibration/observations.h"
#include "model/project/plan.h"
#include "model/specs/store.h"

namespace ridgepoint {

struct CalibratedFactor {
    MeasuredPart part = MeasuredPart::products;
    double before = 1.0; // the plan's; seconds for `step`
    double after = 1.0;
    double low = 1.0, high = 1.0; // 80 % interval, from the scatter of the measurements
    bool determined = false; // false: no measurement depends on it, it keeps the value of the laws
};

struct CalibrationError { // of predicted over measured
    double median = 0, p90 = 0; // of the absolute error
    double bias = 0; // median of the signed error
};

struct CalibrationResult {
    MeasuredFactors factors; // for the plan
    std::vector<CalibratedFactor> moved; // all six
    CalibrationError before, after;
    struct Row {
        Observation observation;
        Seconds before, after; // predicted
    };
    std::vector<Row> rows;
    std::vector<std::string> notes;
};

// Errors: the plan does not resolve; nothing that was measured can be predicted.
Expected<CalibrationResult> calibrate(const Plan& plan, const SpecStore& specs, const std::vector<const Measured*>& measured);

// The plan with the factors: what the user is asked to take.
Plan with_factors(const Plan& plan, const MeasuredFactors& factors);

} // namespace ridgepoint
