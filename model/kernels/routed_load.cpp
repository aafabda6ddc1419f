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
    double squares = 0.0;
    const double mean = all / experts;
    for (double& l : load) {
        l *= all / sum;
        squares += (l - mean) * (l - mean);
    }
    const double local = experts / expert_parallel;
    const double spread = std::sqrt(squares / experts * local * (experts - local) / (experts - 1.0));
    const double rows = all / expert_parallel
        + (expert_parallel > 1.0 ? 0.85 * std::sqrt(2.0 * std::log(expert_parallel)) * spread : 0.0);
    const double here = std::min(rows, all);
    // Rows are whole: an expert that expects less than one of them has it, or has none, and so counts for its share. The
    // busiest GPU's experts expect more than the mean.
    double busy = 0.0;
    for (const double l : load)
        busy += std::min(1.0, l * here * expert_parallel / all);
    // The experts of one token differ from each other.
    const double least = std::min(1.0, std::max(top_k / experts, 1.0 / local));
    return {here, std::clamp(busy / experts, least, 1.0)};
}

} // namespace ridgepoint
