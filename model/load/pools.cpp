#include "model/load/pools.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/estimate/worker_groups.h"
#include "model/load/prompt_stage.h"

namespace ridgepoint {
namespace {

constexpr int little_bisections = 14;
constexpr double steadiest = 0.98; // of the largest rate, for a closed loop

std::size_t samples_of(const QueueRules& rules) { return static_cast<std::size_t>(std::max(1, rules.samples_per_prompt)); }

// Lengths of the first sample of each prompt, by order of arrival.
std::vector<RequestLengths> prompt_lengths(const std::vector<RequestLengths>& lengths, std::size_t samples)
{
    std::vector<RequestLengths> out;
    for (std::size_t i = 0; i < lengths.size(); i += samples)
        out.push_back(lengths[i]);
    return out;
}

class PoolSimulation {
public:
    PoolSimulation(const PoolTimes& pools, const std::vector<RequestLengths>& lengths, const QueueRules& rules, const std::stop_token& stop)
        : m_pools(pools)
        , m_lengths(lengths)
        , m_rules(rules)
        , m_stop(stop)
        , m_samples(samples_of(rules))
        , m_prompt_lengths(prompt_lengths(lengths, m_samples))
    {
    }

    PoolRun run()
    {
        draw_arrivals();
        PromptStage stage(m_pools, m_prompt_lengths, m_rules);
        stage.compute(m_prompts);
        const double span = std::max(1e-9, std::max(stage.free_at(), m_prompts.back().arrival));
        stage.send(m_prompts);
        double sent = 0.0;
        for (const PromptPassage& p : m_prompts)
            sent += p.transfer;
        m_out.prompt_busy = stage.busy() / span / m_pools.prompt_workers;
        m_out.link_busy = sent / span / std::min(m_pools.prompt_workers, m_pools.decode_workers);
        for (int w = 0; w < m_pools.decode_workers && !m_stop.stop_requested(); ++w)
            decode(static_cast<std::size_t>(w));
        weigh();
        return std::move(m_out);
    }

private:
    // The measured ones between as many before and after them as the rules warm up with.
    void draw_arrivals()
    {
        const auto per = [&](int sequences) { return (static_cast<std::size_t>(sequences) + m_samples - 1) / m_samples; };
        m_before = per(m_rules.warm_up);
        m_measured = per(m_rules.measured);
        RandomStream random(m_rules.seed, 0);
        double now = 0.0;
        m_prompts.resize(2 * m_before + m_measured);
        for (std::size_t i = 0; i < m_prompts.size(); ++i) {
            now += (m_rules.even ? 1.0 : random.exponential()) / m_rules.rate;
            m_prompts[i].arrival = now;
            m_prompts[i].index = i;
        }
    }

    void decode(std::size_t worker)
    {
        const auto workers = static_cast<std::size_t>(m_pools.decode_workers);
        std::vector<const PromptPassage*> own;
        for (std::size_t i = worker; i < m_prompts.size(); i += workers)
            own.push_back(&m_prompts[i]);
        std::stable_sort(own.begin(), own.end(), [](const PromptPassage* a, const PromptPassage* b) { return a->ready < b->ready; });
        QueueRules rules = m_rules;
        rules.feed = Feed::given;
        rules.decode_only = true;
        std::vector<RequestLengths> lengths;
        for (const PromptPassage* p : own) {
            rules.arrivals.push_back(p->ready);
            for (std::size_t s = 0; s < m_samples; ++s) {
                lengths.push_back(m_lengths[(p->index * m_samples + s) % m_lengths.size()]);
                lengths.back().input = m_prompt_lengths[p->index % m_prompt_lengths.size()].input;
            }
        }
        const std::size_t all = m_prompts.size();
        const std::size_t first = own.size() * m_before / all;
        const std::size_t last = (own.size() * (m_before + m_measured) + all - 1) / all;
        rules.warm_up = static_cast<int>(first * m_samples);
        rules.measured = static_cast<int>((last - first) * m_samples);
        const QueueRun run = simulate_queue(m_pools.decode, lengths, rules, m_stop);
        QueueRun& out = m_out.whole;
        for (RequestTimes r : run.requests) {
            const PromptPassage& p = *own[r.prompt];
            r.waiting = p.taken - p.arrival;
            r.first_token = p.ready - p.arrival;
            r.end += p.ready - p.arrival;
            r.prompt = p.index;
            out.requests.push_back(r);
        }
        out.gaps.insert(out.gaps.end(), run.gaps.begin(), run.gaps.end());
        const double share = 1.0 / m_pools.decode_workers;
        out.rejected += run.rejected;
        out.span = std::max(out.span, run.span);
        out.mean_in_flight += run.mean_in_flight;
        out.mean_waiting += run.mean_waiting;
        out.cache_used += share * run.cache_used;
        m_out.decode_busy += share * run.busy;
        out.served_per_second += run.served_per_second;
        out.input_per_second += run.input_per_second;
        out.output_per_second += run.output_per_second;
    }

    // Shares of time of the whole unit, by GPUs.
    void weigh()
    {
        std::stable_sort(m_out.whole.requests.begin(), m_out.whole.requests.end(), [](const RequestTimes& a, const RequestTimes& b) { return a.prompt < b.prompt; });
        const double prompt_gpus = static_cast<double>(m_pools.prompt_workers) * m_pools.gpus_per_prompt_worker;
        const double decode_gpus = static_cast<double>(m_pools.decode_workers) * m_pools.gpus_per_decode_worker;
        const double prompts = m_out.prompt_busy * prompt_gpus, decode = m_out.decode_busy * decode_gpus;
        m_out.whole.busy = (prompts + decode) / (prompt_gpus + decode_gpus);
        m_out.whole.prefill_share = prompts + decode > 0.0 ? prompts / (prompts + decode) : 0.0;
    }

    const PoolTimes& m_pools;
    const std::vector<RequestLengths>& m_lengths;
    const QueueRules& m_rules;
    const std::stop_token& m_stop;
    const std::size_t m_samples;
    const std::vector<RequestLengths> m_prompt_lengths;
    std::vector<PromptPassage> m_prompts;
    std::size_t m_before = 0, m_measured = 0;
    PoolRun m_out;
};

} // namespace

double PoolRates::least() const { return std::min({prompts, decode, links}); }

const char* PoolRates::tightest() const
{
    if (links <= prompts && links <= decode)
        return "the links between the pools";
    return prompts <= decode ? "the prompt workers" : "the decoding workers";
}

PoolRates pool_rates(const PoolTimes& pools, const std::vector<RequestLengths>& lengths, const QueueRules& asked, const std::stop_token& stop)
{
    PoolRates out;
    const std::size_t samples = samples_of(asked);
    const std::vector<RequestLengths> prompts = prompt_lengths(lengths, samples);
    std::vector<PromptPassage> all(prompts.size());
    double transfer = 0.0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i].index = i;
        transfer += pools.transfer.at(prompts[i].input) / static_cast<double>(all.size());
    }
    PromptStage stage(pools, prompts, asked);
    stage.compute(all);
    out.prompts = static_cast<double>(all.size()) * pools.prompt_workers / stage.busy();
    out.links = transfer > 0.0 ? std::min(pools.prompt_workers, pools.decode_workers) / transfer : std::numeric_limits<double>::infinity();
    QueueRules rules = asked;
    rules.feed = Feed::closed;
    rules.decode_only = true;
    rules.grouped = true;
    // Always somebody in the queue: half as many more as can be in flight.
    const int sequences = std::min(rules.max_batch, 4 * pools.decode.largest_batch) * 3 / 2 + 2;
    rules.population = sequences / static_cast<int>(samples) + 2;
    rules.warm_up += rules.population * static_cast<int>(samples);
    // Little's law: outputs of one length end in waves, of which a count would catch one more or less.
    const QueueRun run = simulate_queue(pools.decode, lengths, rules, stop);
    double inside = 0.0;
    for (const RequestTimes& r : run.requests)
        inside += (r.end - r.waiting) / static_cast<double>(run.requests.size());
    if (inside > 0.0)
        out.decode = pools.decode_workers * run.mean_in_flight / inside / static_cast<double>(samples);
    return out;
}

PoolRun simulate_pools(const PoolTimes& pools, const std::vector<RequestLengths>& lengths, const QueueRules& rules, const std::stop_token& stop)
{
    return PoolSimulation(pools, lengths, rules, stop).run();
}

PoolRun simulate_pools_closed(const PoolTimes& pools, const std::vector<RequestLengths>& lengths, QueueRules rules, int users, const std::stop_token& stop)
{
    rules.feed = Feed::open;
    double low = 0.0, high = steadiest * pool_rates(pools, lengths, rules, stop).least();
    PoolRun out;
    for (int i = 0; i < little_bisections && !stop.stop_requested(); ++i) {
        rules.rate = i == 0 ? high : 0.5 * (low + high);
        out = simulate_pools(pools, lengths, rules, stop);
        double inside = 0.0;
        for (const RequestTimes& r : out.whole.requests)
            inside += r.end * rules.rate / static_cast<double>(out.whole.requests.size());
        if (i == 0 && inside <= users)
            break;
        (inside > users ? high : low) = rules.rate;
    }
    return out;
}

Expected<PoolTimes> tabulate_pools(const Job& job, int longest, int most_sequences, const std::stop_token& stop)
{
    Serving side = std::get<Serving>(job.workload);
    Expected<Pools> cut = cut_into_pools(job, side);
    if (!cut)
        return cut.error();
    PoolTimes out;
    out.prompt_workers = side.pool.workers;
    out.decode_workers = side.pool.decode_workers;
    out.gpus_per_prompt_worker = cut->prompts.cluster.gpus / out.prompt_workers;
    out.gpus_per_decode_worker = cut->decode.cluster.gpus / out.decode_workers;
    out.prompt_groups = serving_groups(cut->prompts).attention_groups;
    out.overlap = side.pool.overlap;
    out.layers = job.model.layer_count();
    for (int tokens = 1; tokens < 2 * longest && tokens <= longest_request; tokens *= 2) {
        out.transfer.x.push_back(tokens);
        out.transfer.value.push_back(transfer_cache(job, *cut, tokens).time.value());
    }
    side.pool.apart = false;
    cut->prompts.workload = cut->decode.workload = side;
    Expected<StepTimes> prompts = tabulate_steps(cut->prompts, longest, 1, ServingPhase::prefill, stop);
    if (!prompts)
        return prompts.error();
    Expected<StepTimes> decode = tabulate_steps(cut->decode, longest, most_sequences, ServingPhase::decode, stop);
    if (!decode)
        return decode.error();
    out.prompts = std::move(*prompts);
    out.decode = std::move(*decode);
    return out;
}

} // namespace ridgepoint
