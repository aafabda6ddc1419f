#pragma once
// How far predictions are from measurements.

#include <map>
#include <string>
#include <vector>

namespace ridgepoint {

// One predicted quantity of one row.
struct Prediction {
    std::string quantity; // the measured column's name
    double measured = 0;
    double predicted = 0;
    double low = 0, high = 0; // a band where the row does not state its configuration in full; else equal to predicted
    std::map<std::string, std::string> strata; // "gpu" -> "H100", "family" -> "llama3", "precision" -> "fp8", ...

    [[nodiscard]] double error() const { return (predicted - measured) / measured; } // relative, signed
    [[nodiscard]] bool band() const { return low != high; }
};

struct Score {
    int count = 0;
    double median_abs_error = 0;
    double p90_abs_error = 0;
    double bias = 0; // median of the signed error
    double rank_correlation = 0; // Spearman; NaN below three rows
    int bands = 0; // rows predicted as a band
    int inside_band = 0;
};

Score score(const std::vector<const Prediction*>& predictions);
double quantile(std::vector<double> values, double q); // linear interpolation; NaN if empty
double spearman(const std::vector<double>& a, const std::vector<double>& b);

} // namespace ridgepoint
