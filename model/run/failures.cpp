#include "model/run/failures.h"

#include <algorithm>
#include <cmath>

namespace ridgepoint {
namespace {

// Differences that cancel near zero, by their series there.
double once(double x) { return x < 1e-3 ? x * x * (0.5 + x * (-1.0 / 3.0 + x / 8.0)) : 1.0 - std::exp(-x) * (1.0 + x); }
double twice(double x) { return x < 1e-2 ? x * x * x * (1.0 / 3.0 + x * (-0.25 + x * (0.1 - x / 36.0))) : 2.0 - std::exp(-x) * (x * x + 2.0 * x + 2.0); }
double spread(double x) // e^2x - 1 - 2x e^x
{
    return x < 1e-2 ? x * x * x * (1.0 / 3.0 + x * (1.0 / 3.0 + x * (11.0 / 60.0 + x * 13.0 / 180.0))) : std::exp(2.0 * x) - 1.0 - 2.0 * x * std::exp(x);
}

bool fails(const FailureModel& f) { return f.mtbf > Seconds{}; }

} // namespace

Seconds young_interval(const FailureModel& f) { return Seconds{std::sqrt(2.0 * f.checkpoint.value() * f.mtbf.value())}; }

Seconds daly_interval(const FailureModel& f)
{
    if (!fails(f))
        return Seconds{};
    const double ratio = f.checkpoint.value() / (2.0 * f.mtbf.value());
    if (ratio >= 1.0)
        return f.mtbf;
    return young_interval(f) * (1.0 + std::sqrt(ratio) / 3.0 + ratio / 9.0) - f.checkpoint;
}

// The derivative vanishes where (1 - x) e^x = e^(-C/M), x = tau/M in (0, 1): the left side falls all the way, so bisection
// finds the one root whatever C/M.
Seconds optimum_interval(const FailureModel& f)
{
    if (!fails(f) || f.checkpoint <= Seconds{})
        return Seconds{};
    const double c = f.checkpoint.value() / f.mtbf.value();
    const auto g = [&](double x) { return std::log1p(-x) + x + c; }; // falls from c to minus infinity
    double low = 0.0, high = 1.0;
    for (int i = 0; i < 200 && high - low > 1e-15 * high; ++i) {
        const double middle = 0.5 * (low + high);
        (g(middle) > 0.0 ? low : high) = middle;
    }
    return f.mtbf * (0.5 * (low + high));
}

double first_order_waste(const FailureModel& f, Seconds interval)
{
    const double checkpoints = f.checkpoint / interval;
    return fails(f) ? checkpoints + interval / (2.0 * f.mtbf) + f.restart / f.mtbf : checkpoints;
}

double wall_factor(const FailureModel& f, Seconds interval)
{
    const Seconds segment = interval + f.checkpoint;
    if (!fails(f))
        return segment / interval;
    return std::exp(f.restart / f.mtbf) * std::expm1(segment / f.mtbf) * (f.mtbf / interval);
}

// With L = tau + C: no failure within L has the chance e^(-L/M) and takes L; else the time to the failure, and then the
// first gap of at least R + L. The time until such a gap of length l has mean M (e^x - 1) and variance
// M^2 (e^2x - 1 - 2x e^x), x = l/M [Feller I, XIII.7 in the limit of short trials].
SegmentTime segment_time(const FailureModel& f, Seconds interval)
{
    const Seconds length = interval + f.checkpoint;
    if (!fails(f))
        return {length, 0.0};
    const double m = f.mtbf.value(), x = length / f.mtbf, y = x + f.restart / f.mtbf;
    const double chance = -std::expm1(-x); // of a failure
    const double again = std::expm1(y), again_squared = spread(y) + again * again; // in M and M^2
    const double mean = x * std::exp(-x) + once(x) + chance * again;
    const double squared = x * x * std::exp(-x) + twice(x) + 2.0 * once(x) * again + chance * again_squared;
    return {Seconds{m * mean}, std::max(0.0, m * m * (squared - mean * mean))};
}

FailureBreakdown expected_times(const FailureModel& f, Seconds interval, Seconds work)
{
    FailureBreakdown b;
    b.work = work;
    b.checkpoints = f.checkpoint * (work / interval);
    if (!fails(f))
        return b;
    const Seconds wall = work * wall_factor(f, interval);
    b.failures = wall / f.mtbf;
    b.restarts = wall * -std::expm1(-(f.restart / f.mtbf)); // each lasts R or until the next failure
    b.lost = wall - b.work - b.checkpoints - b.restarts;
    return b;
}

std::vector<WastePoint> waste_curve(const FailureModel& f, int points)
{
    std::vector<WastePoint> out;
    const Seconds best = optimum_interval(f);
    if (best <= Seconds{})
        return out;
    for (int i = 0; i < points; ++i) {
        const Seconds at = best * std::exp2(-3.0 + 6.0 * i / (points - 1));
        const double factor = wall_factor(f, at);
        if (std::isfinite(factor))
            out.push_back({at, factor - 1.0, 1.0 - 1.0 / factor});
    }
    return out;
}

double no_spare_free(double failures_per_second, Seconds repair, int spares)
{
    const double mean = failures_per_second * repair.value();
    if (spares <= 0)
        return 1.0;
    if (mean <= 0.0)
        return 0.0;
    // P(Poisson(mean) >= spares), summed from the largest term so that neither e^-mean nor mean^k overflows.
    double below = 0.0;
    for (int k = 0; k < spares; ++k)
        below += std::exp(k * std::log(mean) - mean - std::lgamma(k + 1.0));
    return std::clamp(1.0 - below, 0.0, 1.0);
}

} // namespace ridgepoint
