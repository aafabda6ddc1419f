#include "model/load/quantiles.h"

namespace ridgepoint {

Quantiles gap_quantiles(std::vector<WeightedTime> gaps, double limit)
{
    std::sort(gaps.begin(), gaps.end(), [](const WeightedTime& a, const WeightedTime& b) { return a.seconds < b.seconds; });
    double total = 0.0, sum = 0.0;
    for (const WeightedTime& g : gaps) {
        total += g.weight;
        sum += g.weight * g.seconds;
    }
    const auto q = [&](double p) {
        double below = 0.0;
        for (const WeightedTime& g : gaps)
            if ((below += g.weight) >= p * total)
                return Seconds{g.seconds};
        return gaps.empty() ? Seconds{} : Seconds{gaps.back().seconds};
    };
    return {Seconds{total > 0.0 ? sum / total : 0.0}, q(0.5), q(0.9), q(0.99), q(limit)};
}

LengthTail thinking_tail(const std::vector<RequestLengths>& lengths)
{
    std::vector<double> v;
    LengthTail out;
    for (const RequestLengths& l : lengths) {
        v.push_back(l.thinking);
        out.mean += l.thinking / static_cast<double>(lengths.size());
    }
    std::sort(v.begin(), v.end());
    out.p50 = quantile_of(v, 0.5);
    out.p90 = quantile_of(v, 0.9);
    out.p99 = quantile_of(v, 0.99);
    out.longest = v.back();
    return out;
}

double quantile_of(const std::vector<double>& sorted, double p)
{
    if (sorted.empty())
        return 0.0;
    const double at = p * static_cast<double>(sorted.size() - 1);
    const auto low = static_cast<std::size_t>(at);
    const std::size_t high = std::min(low + 1, sorted.size() - 1);
    return sorted[low] + (at - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

} // namespace ridgepoint
