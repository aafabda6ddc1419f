#include "model/measured/training_log.h"

#include <algorithm>

namespace ridgepoint {
namespace {

double median_of(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    const std::size_t n = values.size();
    return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

template<typename Value, typename Get>
std::optional<Value> median_over(const std::vector<const TrainingStep*>& steps, Get get)
{
    std::vector<double> values;
    for (const TrainingStep* s : steps)
        if (const auto& v = get(*s))
            values.push_back(static_cast<double>(v->value()));
    if (values.empty())
        return std::nullopt;
    return Value{median_of(std::move(values))};
}

} // namespace

SteadyPart steady_part(const TrainingLog& log)
{
    SteadyPart out;
    std::vector<const TrainingStep*> kept;
    const std::size_t n = log.steps.size();
    const std::size_t warm_up = n > 4 ? std::max<std::size_t>(2, n / 10) : n > 1 ? 1 : 0;
    out.dropped_warm_up = static_cast<int>(warm_up);
    for (std::size_t i = warm_up; i < n; ++i)
        kept.push_back(&log.steps[i]);
    const auto time = [](const TrainingStep& s) -> const std::optional<Seconds>& { return s.time; };
    if (const auto median = median_over<Seconds>(kept, time))
        out.dropped_outliers = static_cast<int>(std::erase_if(kept, [&](const TrainingStep* s) { return s->time && *s->time > *median * 1.5; }));
    out.used = static_cast<int>(kept.size());
    out.step = median_over<Seconds>(kept, time);
    out.tokens_per_second_per_gpu = median_over<TokensPerSecond>(kept, [](const TrainingStep& s) -> const std::optional<TokensPerSecond>& { return s.tokens_per_second_per_gpu; });
    std::vector<double> mfu;
    for (const TrainingStep* s : kept)
        if (s->mfu)
            mfu.push_back(*s->mfu);
    if (!mfu.empty())
        out.mfu = median_of(std::move(mfu));
    return out;
}

} // namespace ridgepoint
