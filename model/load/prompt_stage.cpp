#include "model/load/prompt_stage.h"

#include <algorithm>
#include <cmath>

#include "model/estimate/worker_groups.h"

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
        const Batch taken = batch(prompts, next, start);
        const double seconds = taken.seconds;
        for (const double done : taken.done) {
            PromptPassage& p = prompts[next++];
            p.taken = start;
            p.seconds = done;
            p.computed = start + done;
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

// What one worker takes at once: prompts dealt to the attention group with the least to do, as far as the chunk of each leaves room,
// or, behind a prompt longer than that, as many tokens as it has. Groups step together, so the fullest sets the time; a prompt is done
// with the chunk that holds its last token.
PromptStage::Batch PromptStage::batch(const std::vector<PromptPassage>& prompts, std::size_t first, double start) const
{
    struct Group {
        double tokens = 0, seconds = 0;
    };
    const StepTimes& s = m_pools.prompts;
    const double chunk = m_rules.chunk;
    const double room = std::max(chunk, work(prompts[first]));
    std::vector<Group> groups(static_cast<std::size_t>(m_pools.prompt_groups));
    std::vector<double> behind; // tokens of its group up to each prompt's last
    Batch out;
    for (std::size_t i = first; i < prompts.size() && (i == first || prompts[i].arrival <= start); ++i) {
        const PromptPassage& p = prompts[i];
        Group& g = *std::min_element(groups.begin(), groups.end(), [](const Group& a, const Group& b) { return a.tokens < b.tokens; });
        const bool fits = chunk > 0.0 ? g.tokens + work(p) <= room : i - first < static_cast<std::size_t>(std::max(1, m_rules.prefill_batch));
        if (!fits)
            break;
        for (double left = work(p), before = cached(p); left > 0.0;) {
            const double now = chunk > 0.0 ? std::min(chunk, left) : left;
            g.seconds += s.prompt_context.at(now, before);
            before += now;
            left -= now;
        }
        g.tokens += work(p);
        behind.push_back(g.tokens);
    }
    double most = 0.0;
    for (Group& g : groups) {
        most = std::max(most, g.tokens);
        for (double left = g.tokens; left > 0.0; left -= chunk > 0.0 ? chunk : left)
            g.seconds += s.prompt_tokens.at(chunk > 0.0 ? std::min(chunk, left) : left);
        out.seconds = std::max(out.seconds, g.seconds);
    }
    const double chunks = chunk > 0.0 ? std::ceil(most / chunk) : 1.0;
    for (const double tokens : behind)
        out.done.push_back(out.seconds * (chunk > 0.0 ? std::ceil(tokens / chunk) / chunks : 1.0));
    return out;
}

} // namespace ridgepoint
