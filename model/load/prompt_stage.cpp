#include "model/load/prompt_stage.h"

#include <algorithm>
#include <cmath>

#include "model/estimate/disaggregated.h"

namespace ridgepoint {

PromptStage::PromptStage(const PoolTimes& pools, const std::vector<RequestLengths>& lengths, const QueueRules& rules)
    : m_pools(pools)
    , m_lengths(lengths)
    , m_rules(rules)
    , m_free(static_cast<std::size_t>(pools.prompt_workers), 0.0)
{
}

double PromptStage::free_at() const { return *std::max_element(m_free.begin(), m_free.end()); }

double PromptStage::cached(const PromptPassage& p) const { return std::min(length(p).input - 1.0, std::floor(length(p).input * m_rules.cached)); }

void PromptStage::compute(std::vector<PromptPassage>& prompts)
{
    for (std::size_t next = 0; next < prompts.size();) {
        const auto worker = static_cast<std::size_t>(std::min_element(m_free.begin(), m_free.end()) - m_free.begin());
        const double start = std::max(m_free[worker], prompts[next].arrival);
        const auto [end, seconds] = batch(prompts, next, start);
        for (; next < end; ++next) {
            PromptPassage& p = prompts[next];
            p.taken = start;
            p.seconds = seconds;
            p.computed = start + seconds;
            p.worker = worker;
        }
        m_free[worker] = start + seconds / m_pools.prompts.stages;
        m_busy += seconds / m_pools.prompts.stages;
    }
}

void PromptStage::send(std::vector<PromptPassage>& prompts)
{
    std::vector<double> out(m_free.size(), 0.0), in(static_cast<std::size_t>(m_pools.decode_workers), 0.0);
    std::stable_sort(prompts.begin(), prompts.end(), [](const PromptPassage& a, const PromptPassage& b) { return a.computed < b.computed; });
    for (std::size_t i = 0; i < prompts.size(); ++i) {
        PromptPassage& p = prompts[i];
        const CacheTransfer t{{}, false, Seconds{m_pools.transfer.at(length(p).input)}};
        p.transfer = t.time.value();
        double& from = out[p.worker];
        double& to = in[i % in.size()];
        p.ready = std::max({p.computed + t.exposed(Seconds{p.seconds}, m_pools.overlap, m_pools.layers).value(), from + p.transfer, to + p.transfer});
        from = to = p.ready;
    }
}

// A step of one worker: prompts dealt to the attention group with the least to do, as far as the chunk of each leaves room. A
// prompt longer than the chunk runs alone, in as many chunks as it takes.
PromptStage::Batch PromptStage::batch(const std::vector<PromptPassage>& prompts, std::size_t first, double start) const
{
    struct Group {
        double tokens = 0, extra = 0;
    };
    const StepTimes& s = m_pools.prompts;
    const double chunk = m_rules.chunk;
    if (chunk > 0.0 && work(prompts[first]) > chunk)
        return {first + 1, alone(prompts[first])};
    std::vector<Group> groups(static_cast<std::size_t>(m_pools.prompt_groups));
    Batch out{first, 0.0};
    for (; out.end < prompts.size() && (out.end == first || prompts[out.end].arrival <= start); ++out.end) {
        const PromptPassage& p = prompts[out.end];
        Group& g = *std::min_element(groups.begin(), groups.end(), [](const Group& a, const Group& b) { return a.tokens < b.tokens; });
        const bool fits = chunk > 0.0 ? g.tokens + work(p) <= chunk : out.end - first < static_cast<std::size_t>(std::max(1, m_rules.prefill_batch));
        if (!fits)
            break;
        g.tokens += work(p);
        g.extra += s.prompt_context.at(work(p), cached(p));
    }
    for (const Group& g : groups)
        if (g.tokens > 0.0)
            out.seconds = std::max(out.seconds, s.prompt_tokens.at(g.tokens) + g.extra);
    return out;
}

double PromptStage::alone(const PromptPassage& p) const
{
    double seconds = 0.0;
    const double input = length(p).input;
    for (double done = cached(p); done < input;) {
        const double now = std::min<double>(m_rules.chunk, input - done);
        seconds += m_pools.prompts.prefill(now, done);
        done += now;
    }
    return seconds;
}

} // namespace ridgepoint
