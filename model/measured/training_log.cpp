#include "model/measured/training_log.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace ridgepoint {
namespace {

double median_of(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    const std::size_t n = values.size();
    return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

double plain(double v) { return v; }
template<int F, int B, int S, int D, int J, int T>
double plain(Quantity<F, B, S, D, J, T> v) { return v.value(); }

template<typename Value>
std::optional<Value> median_over(const std::vector<TrainingStep>& steps, std::optional<Value> TrainingStep::*member)
{
    std::vector<double> values;
    for (const TrainingStep& s : steps)
        if (const auto& v = s.*member)
            values.push_back(plain(*v));
    if (values.empty())
        return std::nullopt;
    return Value{median_of(std::move(values))};
}

std::optional<double> speed_of(const TrainingStep& s)
{
    if (s.tokens_per_second_per_gpu)
        return s.tokens_per_second_per_gpu->value();
    if (s.tokens_per_second)
        return s.tokens_per_second->value();
    if (s.samples_per_second)
        return s.samples_per_second;
    return s.mfu;
}

// Ranks take turns at the same step, and a rank may print it twice: the slowest tells when the step ended, throughputs
// are averaged over what was printed. A rank that comes back to a step with another figure is in a second run.
std::vector<TrainingStep> one_per_step(const std::vector<TrainingStep>& lines)
{
    constexpr std::size_t drift = 8; // steps that other ranks may be ahead
    std::vector<TrainingStep> out;
    std::vector<int> printed;
    struct Last {
        std::size_t index;
        std::map<int, double> by_rank;
    };
    std::unordered_map<std::int64_t, Last> last;
    const auto average = [](auto& mean, const auto& value, int n) {
        if (mean && value)
            mean = *mean * (static_cast<double>(n) / (n + 1)) + *value * (1.0 / (n + 1));
        else if (value)
            mean = value;
    };
    const auto highest = [](auto& most, const auto& value) {
        if (value && (!most || *value > *most))
            most = value;
    };
    for (const TrainingStep& s : lines) {
        const double figure = s.time ? s.time->value() : speed_of(s).value_or(0);
        const auto at = last.find(s.step);
        bool again = at != last.end() && at->second.index + (s.rank ? drift : 1) >= out.size();
        if (again && s.rank)
            if (const auto own = at->second.by_rank.find(*s.rank); own != at->second.by_rank.end() && own->second != figure)
                again = false;
        if (!again) {
            Last now{out.size(), {}};
            if (s.rank)
                now.by_rank[*s.rank] = figure;
            last[s.step] = std::move(now);
            out.push_back(s);
            printed.push_back(1);
            continue;
        }
        if (s.rank)
            at->second.by_rank[*s.rank] = figure;
        TrainingStep& o = out[at->second.index];
        int& n = printed[at->second.index];
        highest(o.time, s.time);
        highest(o.memory, s.memory);
        average(o.tokens_per_second_per_gpu, s.tokens_per_second_per_gpu, n);
        average(o.tokens_per_second, s.tokens_per_second, n);
        average(o.samples_per_second, s.samples_per_second, n);
        average(o.flops_per_gpu, s.flops_per_gpu, n);
        average(o.mfu, s.mfu, n);
        ++n;
    }
    return out;
}

} // namespace

SteadyPart steady_part(const TrainingLog& log)
{
    SteadyPart out;
    std::vector<TrainingStep> kept = one_per_step(log.steps);
    // Lines of evaluation only, or of a loss alone, tell nothing about speed.
    std::erase_if(kept, [](const TrainingStep& s) { return !s.time && !speed_of(s) && !s.flops_per_gpu; });
    const std::size_t n = kept.size();
    const std::size_t warm_up = n > 4 ? std::max<std::size_t>(2, n / 10) : n > 1 ? 1 : 0;
    kept.erase(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(warm_up));
    out.dropped_warm_up = static_cast<int>(warm_up);
    if (const auto median = median_over(kept, &TrainingStep::time)) {
        out.dropped_outliers = static_cast<int>(std::erase_if(kept, [&](const TrainingStep& s) { return s.time && *s.time > *median * 1.5; }));
    } else {
        std::vector<double> speeds;
        for (const TrainingStep& s : kept)
            if (const auto v = speed_of(s))
                speeds.push_back(*v);
        if (!speeds.empty()) {
            const double least = median_of(speeds) / 1.5;
            out.dropped_outliers = static_cast<int>(std::erase_if(kept, [&](const TrainingStep& s) { return speed_of(s).value_or(least) < least; }));
        }
    }
    out.used = static_cast<int>(kept.size());
    out.step = median_over(kept, &TrainingStep::time);
    if (!out.step && log.run_time && log.run_steps && *log.run_steps > 0) {
        out.step = *log.run_time / static_cast<double>(*log.run_steps);
        out.mean_of_run = true;
    }
    out.tokens_per_second_per_gpu = median_over(kept, &TrainingStep::tokens_per_second_per_gpu);
    out.tokens_per_second = median_over(kept, &TrainingStep::tokens_per_second);
    out.flops_per_gpu = median_over(kept, &TrainingStep::flops_per_gpu);
    out.mfu = median_over(kept, &TrainingStep::mfu);
    return out;
}

std::optional<double> sequences_per_step(const TrainingStep& step)
{
    if (!step.time || !step.samples_per_second)
        return std::nullopt;
    return step.time->value() * *step.samples_per_second;
}

} // namespace ridgepoint
