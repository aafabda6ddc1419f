#include "model/run/restart.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace ridgepoint {
namespace {

constexpr int most_points = 40;

} // namespace

IntervalPrediction choose_interval(const Run& run, const FailureModel& failures, const CheckpointPrediction& checkpoint, Seconds step, Seconds work)
{
    IntervalPrediction i;
    i.young = young_interval(failures);
    i.daly = daly_interval(failures);
    i.optimum = optimum_interval(failures);
    i.used = run.checkpoint_interval;
    i.why = "as given";
    if (i.used <= Seconds{}) {
        i.used = i.optimum > Seconds{} ? i.optimum : work;
        i.why = i.optimum > Seconds{} ? "the optimum" : "nothing fails: one at the end";
    }
    if (run.asynchronous && i.used < checkpoint.write) {
        i.used = checkpoint.write;
        i.why = fmt::format("a write takes as long ({})", checkpoint.write_limited_by);
        i.limited_by_write = true;
    }
    i.used = step * std::max(1.0, std::round(i.used / step));
    i.used = std::min(i.used, std::max(work, step));
    return i;
}

RestartPrediction predict_restart(const Run& run, Seconds mtbf, const CheckpointPrediction& checkpoint, int spares)
{
    RestartPrediction r;
    r.detection = run.detection;
    r.no_spare_free = no_spare_free(mtbf > Seconds{} ? 1.0 / mtbf.value() : 0.0, run.repair, spares);
    r.replacement = run.replacement * r.no_spare_free + run.swap * (1.0 - r.no_spare_free);
    r.startup = run.startup;
    r.reload = checkpoint.reload;
    r.replay = run.asynchronous ? checkpoint.write : Seconds{};
    return r;
}

std::vector<SparePoint> goodput_by_spares(const Run& run, const FailureModel& failures, const CheckpointPrediction& checkpoint, Seconds interval, Seconds work, Seconds steps)
{
    std::vector<SparePoint> out;
    if (failures.mtbf <= Seconds{})
        return out;
    const double repaired = run.repair / failures.mtbf; // nodes under repair, on average; their number is Poisson distributed
    const int most = std::max(run.spare_nodes, static_cast<int>(std::min(1e6, std::ceil(repaired + 4.0 * std::sqrt(repaired)) + 2.0)));
    const int stride = (most + most_points - 1) / most_points;
    std::vector<int> counts;
    for (int s = 0; s < most + stride; s += stride)
        counts.push_back(s);
    counts.push_back(run.spare_nodes);
    std::ranges::sort(counts);
    counts.erase(std::ranges::unique(counts).begin(), counts.end());
    for (const int spares : counts) {
        const RestartPrediction restart = predict_restart(run, failures.mtbf, checkpoint, spares);
        const Seconds wall = work * wall_factor({failures.mtbf, failures.checkpoint, restart.total()}, interval);
        if (std::isfinite(wall.value())) // else it never ends
            out.push_back({spares, steps / wall, wall, restart.no_spare_free});
    }
    return out;
}

} // namespace ridgepoint
