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
    std::string group{}; // rows between which somebody would choose: one model on one number of GPUs; empty: of none
    double interval_low = 0, interval_high = 0; // where 80 % of the measurements should lie; both 0: not stated

    [[nodiscard]] double error() const { return (predicted - measured) / measured; } // relative, signed
    [[nodiscard]] bool band() const { return low != high; }
    [[nodiscard]] bool has_interval() const { return interval_high > interval_low; }
    [[nodiscard]] bool covered() const { return measured >= interval_low && measured <= interval_high; }
};

struct Score {
    int count = 0;
    double median_abs_error = 0;
    double p90_abs_error = 0;
    double bias = 0; // median of the signed error
    double within_10 = 0, within_20 = 0, within_50 = 0; // share of rows with an error of at most so many per cent
    double rank_correlation = 0; // Spearman; NaN below three rows
    double group_rank = 0; // Spearman within each group of four rows or more, mean weighted by rows; NaN without such a group
    int groups = 0; // that it is taken over
    int bands = 0; // rows predicted as a band
    int inside_band = 0;
    int intervals = 0; // rows with a stated 80 % interval
    int covered = 0; // that measure inside it

    [[nodiscard]] double coverage() const; // of the stated intervals; NaN without one
};

// Numbers before names, numbers by their size ("64 KiB to 1 MiB" before "1 MiB to 64 MiB"), names by the alphabet.
struct StratumOrder {
    bool operator()(const std::string& a, const std::string& b) const;
};
using Stratum = std::map<std::string, Score, StratumOrder>; // "H100" -> figures

Score score(const std::vector<const Prediction*>& predictions);
double quantile(std::vector<double> values, double q); // linear interpolation; NaN if empty
double spearman(const std::vector<double>& a, const std::vector<double>& b);

} // namespace ridgepoint
