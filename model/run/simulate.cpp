#include "model/run/simulate.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "model/load/random.h"

namespace ridgepoint {
namespace {

constexpr double z_of_80_percent = 1.2815515655446004; // half of an 80 % interval, in standard deviations
// From here on the sum of all segments is taken as normal. Each failure loses and waits a time with a skewness of at most
// about 2, so that of a hundred it is 0.2, and the first term of Cornish and Fisher, (z^2 - 1) / 6 of it, moves the 90 % point
// by 0.02 of the standard deviation that failures make.
constexpr double many_failures = 100.0;
constexpr double least_work = 0.2; // of the estimate: the normal law has no lower end
constexpr std::array shares = {0.05, 0.10, 0.25, 0.50, 0.75, 0.90, 0.95};

double normal(RandomStream& random) { return normal_quantile(std::clamp(random.uniform(), 1e-12, 1.0 - 1e-12)); }

// Wall time of one run, failure by failure: gaps are exponential, so that after each one counts afresh.
Seconds one_run(const FailureModel& f, Seconds interval, Seconds work, RandomStream& random)
{
    const double m = f.mtbf.value(), segment = (interval + f.checkpoint).value();
    double left = work.value(), wall = 0.0;
    for (;;) {
        const double needed = left + std::ceil(left / interval.value() - 1e-9) * f.checkpoint.value();
        const double gap = m * random.exponential();
        if (gap >= needed)
            return Seconds{wall + needed};
        wall += gap;
        left -= std::floor(gap / segment) * interval.value();
        for (double next = m * random.exponential(); next < f.restart.value(); next = m * random.exponential())
            wall += next;
        wall += f.restart.value();
    }
}

Seconds sample(const RunSimulation& in, RandomStream& random)
{
    FailureModel f = in.failures;
    const double z_work = normal(random), z_mtbf = normal(random);
    const Seconds work = in.work * std::max(least_work, 1.0 + z_work * in.relative_error / z_of_80_percent);
    if (f.mtbf > Seconds{}) {
        const Seconds end = z_mtbf < 0.0 ? in.mtbf_low : in.mtbf_high;
        if (end > Seconds{})
            f.mtbf *= std::exp(std::fabs(z_mtbf) / z_of_80_percent * std::log(end / f.mtbf));
    }
    if (f.mtbf <= Seconds{})
        return work + f.checkpoint * std::ceil(work / in.interval - 1e-9);
    const double factor = wall_factor(f, in.interval);
    if (!(work * factor / f.mtbf <= many_failures)) {
        const SegmentTime s = segment_time(f, in.interval);
        const double segments = work / in.interval;
        return std::max(work, s.mean * segments + Seconds{std::sqrt(segments * s.variance) * normal(random)});
    }
    return one_run(f, in.interval, work, random);
}

} // namespace

Seconds TimeDistribution::at(double share) const
{
    for (const Quantile& q : quantiles)
        if (std::fabs(q.share - share) < 1e-9)
            return q.time;
    return mean;
}

TimeDistribution simulate_run(const RunSimulation& in)
{
    std::vector<double> times;
    times.reserve(static_cast<std::size_t>(in.samples));
    double sum = 0.0;
    for (int i = 0; i < in.samples; ++i) {
        RandomStream random(static_cast<std::uint64_t>(in.seed), static_cast<std::uint64_t>(i)); // of its own: adding runs changes none
        times.push_back(sample(in, random).value());
        sum += times.back();
    }
    std::sort(times.begin(), times.end());
    TimeDistribution out;
    out.mean = Seconds{sum / static_cast<double>(times.size())};
    for (const double share : shares) { // linear between order statistics
        const double at = share * static_cast<double>(times.size() - 1);
        const auto below = static_cast<std::size_t>(at);
        const std::size_t above = std::min(below + 1, times.size() - 1);
        out.quantiles.push_back({share, Seconds{times[below] + (at - static_cast<double>(below)) * (times[above] - times[below])}});
    }
    return out;
}

} // namespace ridgepoint
