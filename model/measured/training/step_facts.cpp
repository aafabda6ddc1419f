#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "model/measured/training/training_formats.h"

namespace ridgepoint {
namespace {

double mean_of(const std::vector<double>& v, std::size_t from)
{
    double sum = 0;
    for (std::size_t i = from; i < v.size(); ++i)
        sum += v[i];
    return sum / static_cast<double>(v.size() - from);
}

} // namespace

nlohmann::json step_facts(const TrainingLog& log)
{
    nlohmann::json f = nlohmann::json::object();
    std::vector<double> seconds, ms, tflops, tps, mfu;
    std::set<std::int64_t> distinct;
    std::set<int> ranks;
    for (const TrainingStep& s : log.steps) {
        distinct.insert(s.step);
        if (s.rank)
            ranks.insert(*s.rank);
        if (s.time) {
            seconds.push_back(s.time->value());
            ms.push_back(in_milliseconds(*s.time));
        }
        if (s.flops_per_gpu)
            tflops.push_back(in_teraflops_per_second(*s.flops_per_gpu));
        if (s.tokens_per_second_per_gpu)
            tps.push_back(s.tokens_per_second_per_gpu->value());
        if (s.mfu)
            mfu.push_back(*s.mfu);
    }
    f["framework"] = log.framework;
    f["n_steps"] = distinct.size();
    f["n_lines"] = log.steps.size();
    f["tflops"] = tflops;
    if (!tps.empty())
        f["tokens_per_second_per_gpu"] = tps;
    if (!mfu.empty())
        f["mfu_fraction"] = mfu;
    if (!ranks.empty())
        f["n_ranks"] = ranks.size();
    if (!seconds.empty()) {
        f["elapsed_ms"] = ms;
        f["first_s"] = seconds.front();
        f["last_s"] = seconds.back();
        f["mean_s"] = mean_of(seconds, 0);
        f["mean_s_last20"] = mean_of(seconds, seconds.size() > 20 ? seconds.size() - 20 : 0);
        f["mean_ms_excl_first"] = ms.size() > 1 ? nlohmann::json(mean_of(ms, 1)) : nlohmann::json(nullptr);
        std::sort(seconds.begin(), seconds.end());
        const std::size_t n = seconds.size();
        f["median_s"] = n % 2 == 1 ? seconds[n / 2] : (seconds[n / 2 - 1] + seconds[n / 2]) / 2;
    }
    const SteadyPart steady = steady_part(log);
    if (steady.step)
        f["steady_step_s"] = steady.step->value();
    if (steady.tokens_per_second_per_gpu)
        f["steady_tokens_per_second_per_gpu"] = steady.tokens_per_second_per_gpu->value();
    f["steady_used"] = steady.used;
    f["dropped_warm_up"] = steady.dropped_warm_up;
    f["dropped_outliers"] = steady.dropped_outliers;
    if (log.global_batch)
        f["global_batch_size"] = *log.global_batch;
    if (log.sequence_length)
        f["sequence_length"] = *log.sequence_length;
    if (log.gpus)
        f["gpus"] = *log.gpus;
    return f;
}

Expected<Measured> finished(std::string_view format, const std::string& file, TrainingLog log, std::vector<Skipped> skipped, std::vector<std::string> notes, const nlohmann::json& own_facts)
{
    if (log.steps.empty() && !log.run_time)
        return bad_input(fmt::format("it looks like a log of {}, but states no step", log.framework), Place{file, 0, {}}, {}, "lines of training steps with a time or a throughput");
    const bool tokens_of_job = std::any_of(log.steps.begin(), log.steps.end(), [](const TrainingStep& s) { return s.tokens_per_second && !s.tokens_per_second_per_gpu; });
    if (tokens_of_job) {
        if (log.gpus)
            for (TrainingStep& s : log.steps)
                if (s.tokens_per_second && !s.tokens_per_second_per_gpu)
                    s.tokens_per_second_per_gpu = *s.tokens_per_second / static_cast<double>(*log.gpus);
        notes.emplace_back("Tokens per second are stated without \"per GPU\" and taken as those of the whole job" + std::string(log.gpus ? "." : "; how many GPUs it has is not stated."));
    }
    if (std::any_of(log.steps.begin(), log.steps.end(), [](const TrainingStep& s) { return s.flops_per_gpu.has_value(); }))
        notes.emplace_back("FLOP/s are as the framework counts them (its own formula, recomputation not counted); compare step times.");
    Measured m;
    m.file = file;
    m.format = std::string(format);
    m.facts = step_facts(log);
    m.facts.update(own_facts);
    m.content = std::move(log);
    m.skipped = std::move(skipped);
    m.notes = std::move(notes);
    return m;
}

} // namespace ridgepoint
