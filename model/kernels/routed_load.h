#pragma once
// How many rows and experts the busiest GPU gets when routing is skewed.

namespace ridgepoint {

struct RoutedLoad {
    double rows = 0; // of the busiest of the expert-parallel GPUs
    double touched = 1.0; // share of its experts with at least one row
};

// Every expert gets the same; as many different experts as there are rows.
RoutedLoad balanced_load(double tokens, double experts, double top_k, double expert_parallel);

// Loads of the experts follow a power law p(x) ~ x^-exponent between one row and 0.8 x tokens (between 0.01 and 2 rows
// where there are fewer rows than experts), as serving benchmarks sample them (aiconfigurator: exponent 1.2). Quantiles
// stand for the sample, and 0.85 sqrt(2 ln g) standard deviations above the mean for the busiest of g GPUs: rows within
// 13 % of the mean of samples for 16 to 512 experts. Experts touched: the sum of min(1, load).
RoutedLoad power_law_load(double tokens, double experts, double top_k, double expert_parallel, double exponent);

} // namespace ridgepoint
