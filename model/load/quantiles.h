#pragma once
// What a simulation says of many requests, as quantiles. Private to the load floor.

#include <algorithm>
#include <optional>

#include "model/load/load.h"

namespace ridgepoint {

// `value`: optional seconds of a request, none for those that have no such time; `limit`: a further quantile.
template <typename Value> Quantiles quantiles(const std::vector<RequestTimes>& requests, double limit, Value value)
{
    std::vector<double> v;
    v.reserve(requests.size());
    double sum = 0.0;
    for (const RequestTimes& r : requests)
        if (const std::optional<double> x = value(r)) {
            v.push_back(*x);
            sum += *x;
        }
    std::sort(v.begin(), v.end());
    const auto q = [&](double p) { return Seconds{quantile_of(v, p)}; };
    return {Seconds{v.empty() ? 0.0 : sum / static_cast<double>(v.size())}, q(0.5), q(0.9), q(0.99), q(limit)};
}

Quantiles gap_quantiles(std::vector<WeightedTime> gaps, double limit);
LengthTail thinking_tail(const std::vector<RequestLengths>& lengths);

} // namespace ridgepoint
