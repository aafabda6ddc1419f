#pragma once
// How well a fit predicts what it has not seen: whole groups of rows are left out, predicted by a fit to the others, and
// scored. Leaving out single rows would flatter a law, since a row's neighbours tell it nearly everything.

#include <string>
#include <utility>
#include <vector>

#include "model/fitting/least_squares.h"

namespace ridgepoint {

struct FitError { // of |predicted / measured - 1|
    double median = 0.0;
    double p90 = 0.0;
    int rows = 0;
};

// What makes rows one group: rows with the same key are left out together.
struct Grouping {
    std::string what; // "families of n and k"
    std::vector<std::vector<double>> keys; // of each row
    int folds = 2; // the sorted groups are dealt into so many folds in turn; 0: each group is a fold of its own
    int least = 2; // groups; fewer tell nothing of new ones
};

FitError error_of(const std::vector<double>& log_residuals);
std::vector<double> log_residuals(const FitProblem& problem, std::span<const double> values); // of all rows
// Residuals of all rows, each while it was left out; empty if there are too few groups. A group that is a fold of its own and
// clearly more than half of the rows is not left out, since what remains would not be the table: its rows are NaN, which
// error_of passes over.
std::vector<double> left_out_residuals(const FitProblem& problem, const Grouping& grouping);
// The larger of the medians and of the 90th percentiles: new sizes and new shapes are both asked for.
FitError worst_of(const std::vector<std::pair<std::string, FitError>>& errors);

} // namespace ridgepoint
