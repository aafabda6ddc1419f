#include "model/post_training/samples.h"

#include <algorithm>
#include <cmath>

namespace ridgepoint {

Samples draw_samples(const PostTraining& p)
{
    Serving mean;
    mean.input_length = p.prompt_length;
    mean.output_length = p.output_length;
    Load spread;
    spread.input_spread = 0.0;
    spread.output_spread = p.output_spread;
    const bool rollout = p.algorithm != PostTrainingAlgorithm::dpo;
    const int count = p.prompts * (rollout ? p.group : 2);
    Samples s;
    s.lengths = draw_lengths(mean, spread, {}, count);
    for (RequestLengths& l : s.lengths) {
        l.output = std::min(l.output, p.output_limit);
        const double tokens = static_cast<double>(l.input) + l.output;
        s.total += tokens;
        s.squares += tokens * tokens;
        s.mean_output += static_cast<double>(l.output) / count;
        s.longest_output = std::max(s.longest_output, l.output);
    }
    return s;
}

Expected<Rollout> roll_out(const StepTimes& steps, const Samples& samples, const PostTraining& p, int replicas, const std::stop_token& stop)
{
    Rollout out;
    out.replicas = replicas;
    const double shared = p.share_prompts && p.group > 1 ? steps.cache_share.at(p.prompt_length) * (1.0 - 1.0 / p.group) : 0.0;
    const double held = 1.0 / std::max(1e-9, steps.cache_share.at(p.prompt_length + samples.mean_output) - shared);
    out.batch = static_cast<int>(std::min<double>(p.rollout_batch, std::floor(held)));
    if (out.batch < 1 || steps.cache_share.at(static_cast<double>(p.prompt_length) + samples.longest_output) > 1.0)
        return infeasible("The KV cache of a rollout replica cannot hold the longest answer", "Raise rollout_tp or lower output_limit");
    QueueRules rules;
    rules.feed = Feed::drain;
    rules.max_batch = p.rollout_batch;
    rules.samples_per_prompt = p.group;
    rules.grouped = p.share_prompts && p.group > 1;

    // Whole groups, as even as they go.
    std::vector<double> ends;
    const int used = std::min(replicas, p.prompts);
    std::size_t from = 0;
    for (int r = 0; r < used; ++r) {
        const int prompts = p.prompts / used + (r < p.prompts % used ? 1 : 0);
        const std::size_t count = static_cast<std::size_t>(prompts) * static_cast<std::size_t>(p.group);
        const std::vector<RequestLengths> own(samples.lengths.begin() + static_cast<std::ptrdiff_t>(from), samples.lengths.begin() + static_cast<std::ptrdiff_t>(from + count));
        from += count;
        rules.measured = static_cast<int>(count);
        const QueueRun run = simulate_queue(steps, own, rules, stop);
        if (stop.stop_requested())
            return stopped_before_the_end();
        ends.insert(ends.end(), run.ends.begin(), run.ends.end());
    }
    std::sort(ends.begin(), ends.end());
    out.time = Seconds{ends.back()};
    out.half = Seconds{quantile_of(ends, 0.5)};
    out.most = Seconds{quantile_of(ends, 0.9)};
    out.tail = 1.0 - out.most / out.time;
    double tokens = 0.0;
    for (const RequestLengths& l : samples.lengths)
        tokens += l.output;
    out.output = TokensPerSecond{tokens / out.time.value()};

    // A replica that never runs out of samples.
    QueueRules steady = rules;
    steady.feed = Feed::closed;
    steady.population = out.batch + std::max(1, out.batch / 2);
    if (rules.grouped)
        steady.population = steady.population / p.group + 2;
    steady.warm_up = 2 * out.batch;
    steady.measured = std::clamp(static_cast<int>(samples.lengths.size()), 500, 5000);
    const double rate = simulate_queue(steps, samples.lengths, steady, stop).served_per_second;
    if (stop.stop_requested())
        return stopped_before_the_end();
    out.work = std::min(out.time, Seconds{static_cast<double>(samples.lengths.size()) / (rate * replicas)});
    // The longest answer on an otherwise idle replica.
    rules.measured = 1;
    rules.samples_per_prompt = 1;
    rules.grouped = false;
    out.longest = Seconds{simulate_queue(steps, {{p.prompt_length, samples.longest_output}}, rules).ends.front()};
    return out;
}

} // namespace ridgepoint
