#pragma once
// Robust least squares for few constants and many measured rows.
//
// Found are the values p, low <= p <= high, that minimise
//
//     sum over rows i of  w_i s^2 rho(r_i(p)^2 / s^2)  +  prior^2 |x(p) - x(start)|^2,     rho(z) = 2 ((1 + z)^(1/2) - 1).
//
// r_i is log(predicted / measured) of row i: relative errors count alike over the decades that times span. rho is the
// soft L1 loss: squares for |r| well below s, absolute values beyond, so that the fit follows the median of the rows and an
// outlier pulls no harder than a bad row. The pull to the start tells what the data do not.
//
// Search: Levenberg-Marquardt [Marquardt 1963; More 1978 for the scaled damping] with a numeric Jacobian, in
// x = log(p), or log(1 + p / scale) for a constant that may be zero. Each step solves
//
//     (J' W J + prior^2 I + lambda diag) d = -(J' W r + prior^2 (x - x(start))),     W_ii = w_i rho'(r_i^2 / s^2),
//
// over the constants that do not press against a bound (iteratively reweighted: W is renewed with each step), and is cut
// at the bounds. Valleys are curved, so several starts are tried and the lowest minimum is kept. Nothing is drawn at
// random: the same rows give the same constants.

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace ridgepoint {

struct FitParameter {
    std::string name;
    double start = 1.0;
    double low = 0.0;
    double high = 1.0;
    double scale = 0.0; // of log(1 + p / scale); 0: log(p), and low must be more than 0
};

// log(predicted / measured) of the rows named, in their order.
using LogResiduals = std::function<void(std::span<const double> values, std::span<const std::size_t> rows, std::span<double> out)>;

struct FitProblem {
    std::vector<FitParameter> parameters;
    std::size_t rows = 0;
    LogResiduals residuals;
    std::vector<double> weights; // w of each row; empty: all 1. Rows of weight 0 are predicted, but teach nothing
    double robust_scale = 0.08; // s
    double prior = 0.0;
    std::vector<std::vector<double>> other_starts; // each as long as `parameters`
    double derivative_step = 1e-5; // in x, over max(1, |x|); larger where residuals have small steps of their own
    int most_steps = 300;
    double least_gain = 1e-9; // of the cost, relative: three steps below it end the search
};

struct Fit {
    std::vector<double> values;
    double cost = 0.0;
    int steps = 0;
};

// On the rows named, or all of them.
Fit fit_least_squares(const FitProblem& problem, std::span<const std::size_t> rows);
Fit fit_least_squares(const FitProblem& problem);

} // namespace ridgepoint
