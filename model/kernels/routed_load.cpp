#include "model/kernels/routed_load.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ridgepoint {

RoutedLoad balanced_load(double tokens, double experts, double top_k, double expert_parallel)
{
    if (tokens <= 0.0 || experts <= 0.0 || expert_parallel <= 0.0)
        return {0.0, 1.0};
    const double rows = tokens * top_k / expert_parallel;
    const double local = experts / expert_parallel;
    return {rows, std::min(1.0, std::max(1.0, rows) / local)};
}

RoutedLoad power_law_load(double tokens, double experts, double top_k, double expert_parallel, double exponent)
{
    // Expected load from which an expert counts as touched: what the times of small batches tell (0.28 to 0.45).
    constexpr double least_load = 0.36;
    constexpr double most_experts = 65536.0; // bounds the work; the largest published layer has 512
    const double all = tokens * top_k;
    if (all <= 0.0 || experts < 2.0 || experts > most_experts || expert_parallel <= 0.0)
        return balanced_load(tokens, experts, top_k, expert_parallel);
    const bool crowded = all > experts;
    const double low = crowded ? 1.0 : 0.01;
    const double high = crowded ? 0.8 * tokens : 2.0;
    if (high <= low)
        return balanced_load(tokens, experts, top_k, expert_parallel);

    const auto count = static_cast<std::size_t>(experts);
    std::vector<double> load(count);
    const double power = 1.0 - exponent;
    double sum = 0.0;
    for (std::size_t i = 0; i < count; ++i) { // the largest first
        const double u = 1.0 - (static_cast<double>(i) + 0.5) / static_cast<double>(count);
        load[i] = std::abs(power) < 1e-9
            ? low * std::pow(high / low, u)
            : std::pow((std::pow(high, power) - std::pow(low, power)) * u + std::pow(low, power), 1.0 / power);
        sum += load[i];
    }
    double busy = 0.0;
    double squares = 0.0;
    const double mean = all / experts;
    for (double l : load) {
        l *= all / sum;
        busy += l >= least_load ? 1.0 : 0.0;
        squares += (l - mean) * (l - mean);
    }
    const double local = experts / expert_parallel;
    const double spread = std::sqrt(squares / experts * local * (experts - local) / (experts - 1.0));
    const double rows = all / expert_parallel
        + (expert_parallel > 1.0 ? 0.85 * std::sqrt(2.0 * std::log(expert_parallel)) * spread : 0.0);
    busy = std::clamp(busy, 1.0, std::max(1.0, all));
    return {std::min(rows, all), std::clamp(busy / experts, std::min(1.0, 1.0 / local), 1.0)};
}

} // namespace ridgepoint
