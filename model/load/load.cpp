#include "model/load/load.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/load/quantiles.h"

namespace ridgepoint {
namespace {

// Rates of the curve over the largest sustainable one, closer together where latency rises.
constexpr double curve_shares[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95};
constexpr double steadiest = 0.98; // beyond, a simulation of some thousand requests has not settled
constexpr int bisections = 12;
constexpr double expected_simulations = bisections + std::size(curve_shares) + 4.0;
constexpr int most_sequences = 65'536; // measured, where every prompt has several

// Each request brings all its samples, as long as a simulation stays short.
int sequences_of(int requests, int samples)
{
    const long long wanted = std::min<long long>(1LL * requests * samples, std::max(requests, most_sequences));
    return static_cast<int>((wanted + samples - 1) / samples * samples);
}

class Predictor {
public:
    Predictor(const StepTimes& steps, const PoolTimes* pools, const Serving& serving, const Load& load, std::vector<RequestLengths> lengths, const Progress& progress)
        : m_steps(steps)
        , m_pools(pools)
        , m_load(load)
        , m_lengths(std::move(lengths))
        , m_samples(std::max(1, serving.samples))
        , m_thinks(serving.thinking_length > 0)
        , m_progress(progress)
    {
        m_rules.even = load.arrival == Arrival::even;
        m_rules.max_batch = load.max_batch;
        m_rules.chunk = serving.chunk;
        m_rules.prefill_batch = serving.prefill_batch;
        m_rules.cached = serving.prefix_hit;
        m_rules.samples_per_prompt = m_samples;
        m_rules.grouped = m_samples > 1;
        m_rules.follow_growth = m_thinks || m_pools != nullptr || m_samples > 1;
        m_rules.measured = sequences_of(load.requests, m_samples);
        m_rules.seed = static_cast<std::uint64_t>(load.seed);
        // Two generations of all that a replica can hold, and the first part of the sample.
        const double room = std::min<double>(load.max_batch, steps.largest_batch);
        const double workers = pools ? pools->decode_workers : 1.0;
        m_rules.warm_up = sequences_of(load.requests / 4, m_samples) + static_cast<int>(2.0 * room * workers) / m_samples * m_samples;
        m_population = serving.concurrency;
    }

    Expected<LoadPrediction> run()
    {
        LoadPrediction out;
        out.replicas = m_steps.replicas;
        out.gpus_per_replica = m_steps.gpus_per_replica;
        out.samples = m_samples;
        for (const RequestLengths& l : m_lengths) {
            out.mean_input += static_cast<double>(l.input) / static_cast<double>(m_lengths.size());
            out.mean_output += static_cast<double>(l.output) / static_cast<double>(m_lengths.size());
        }
        if (m_thinks)
            out.thinking = thinking_tail(m_lengths);
        if (Status s = saturate(out); !s)
            return s.error();
        out.unloaded = alone();
        offer(out);
        find_limit(out);
        for (const double share : curve_shares)
            if (!m_progress.stopped())
                out.curve.push_back(open(share * m_largest));
        if (m_progress.stopped())
            return stopped_before_the_end();
        if (out.at_limits)
            out.curve.insert(std::upper_bound(out.curve.begin(), out.curve.end(), out.at_limits->rate, [](double r, const LoadPoint& p) { return r < p.rate; }),
                *out.at_limits);
        out.relative_error = m_steps.relative_error;
        return out;
    }

private:
    Status saturate(LoadPrediction& out)
    {
        if (m_pools) {
            const PoolRates r = pool_rates(*m_pools, m_lengths, m_rules, m_progress.stop);
            if (r.decode <= 0.0)
                return m_progress.stopped() ? stopped_before_the_end() : nothing_fits("decoding worker");
            const double units = m_steps.replicas;
            out.pools = PoolLoad{m_pools->prompt_workers, m_pools->decode_workers, r.prompts * units, r.decode * units, r.links * units, r.tightest()};
            m_largest = out.largest_rate = r.least() * units;
            return Done{};
        }
        // Always somebody in the queue: half as many more as can be in flight.
        const QueueRun full = closed(std::min(m_load.max_batch, 4 * m_steps.largest_batch) * 3 / 2 + 2);
        if (full.requests.empty())
            return m_progress.stopped() ? stopped_before_the_end() : nothing_fits("replica");
        m_largest = out.largest_rate = full.served_per_second / m_samples * m_steps.replicas;
        return Done{};
    }

    static Error nothing_fits(const char* where)
    {
        return infeasible(fmt::format("Not one of the requests fits into the KV cache of a {}", where), "Raise tp, shorten the requests or take a larger GPU");
    }

    QueueRun closed(int sequences)
    {
        note_progress();
        QueueRules rules = m_rules;
        rules.feed = Feed::closed;
        rules.population = m_samples > 1 && sequences > 1 ? sequences / m_samples + 1 : std::max(1, sequences);
        rules.warm_up = sequences == 1 ? m_samples : m_rules.warm_up + rules.population * m_samples;
        return simulate_queue(m_steps, m_lengths, rules, m_progress.stop);
    }

    LoadPoint alone()
    {
        if (!m_pools)
            return point(closed(1), 0.0);
        QueueRules rules = m_rules;
        rules.even = true;
        rules.warm_up = m_samples;
        rules.rate = 1e-6 * m_largest / m_steps.replicas;
        const PoolRun run = simulate_pools(*m_pools, m_lengths, rules, m_progress.stop);
        LoadPoint p = point(run, rules.rate);
        p.rate = p.goodput = m_steps.replicas / std::max(1e-9, m_samples > 1 ? p.whole.mean.value() : p.end_to_end.mean.value());
        p.goodput *= p.within_limits;
        p.utilization = p.rate / m_largest;
        const double crowding = p.rate / (rules.rate * m_steps.replicas); // one request follows another at once
        for (double* share : {&p.in_flight, &p.cache_used, &p.busy, &p.prompts_busy, &p.decode_busy, &p.links_busy})
            *share *= crowding;
        p.input = TokensPerSecond{p.rate * mean_input()};
        p.output = TokensPerSecond{p.rate * m_samples * mean_output()};
        return p;
    }

    LoadPoint open(double rate)
    {
        note_progress();
        QueueRules rules = m_rules;
        rules.rate = rate / m_steps.replicas;
        if (!m_pools)
            return point(simulate_queue(m_steps, m_lengths, rules, m_progress.stop), rate);
        return point(simulate_pools(*m_pools, m_lengths, rules, m_progress.stop), rate);
    }

    LoadPoint users()
    {
        if (!m_pools)
            return point(closed(m_population), 0.0);
        const int prompts = std::max(1, m_population / m_samples) * m_pools->decode_workers;
        const PoolRun run = simulate_pools_closed(*m_pools, m_lengths, m_rules, prompts, m_progress.stop);
        return point(run, run.whole.served_per_second / m_samples * m_steps.replicas);
    }

    LoadPoint point(const PoolRun& run, double rate) const
    {
        LoadPoint p = point(run.whole, rate);
        p.prompts_busy = run.prompt_busy;
        p.decode_busy = run.decode_busy;
        p.links_busy = run.link_busy;
        return p;
    }

    void note_progress() { m_progress.at(std::min(0.99, ++m_simulations / expected_simulations)); }

    [[nodiscard]] double mean_input() const
    {
        double sum = 0.0;
        for (const RequestLengths& l : m_lengths)
            sum += l.input;
        return sum / static_cast<double>(m_lengths.size());
    }
    [[nodiscard]] double mean_output() const
    {
        double sum = 0.0;
        for (const RequestLengths& l : m_lengths)
            sum += l.output;
        return sum / static_cast<double>(m_lengths.size());
    }

    // Of each request, until its last sample has ended; samples of a request follow each other.
    [[nodiscard]] static std::vector<RequestTimes> last_samples(const std::vector<RequestTimes>& samples)
    {
        std::vector<RequestTimes> out;
        for (const RequestTimes& r : samples)
            if (out.empty() || out.back().prompt != r.prompt)
                out.push_back(r);
            else if (r.end > out.back().end)
                out.back() = r;
        return out;
    }

    LoadPoint point(const QueueRun& run, double rate) const
    {
        const double limit = m_load.limit_share;
        const double overhead = m_load.overhead.value();
        const auto ttft = [&](const RequestTimes& r) { return r.first_token + overhead; };
        LoadPoint p;
        p.rate = rate > 0.0 ? rate : run.served_per_second / m_samples * m_steps.replicas;
        p.utilization = p.rate / m_largest;
        p.waiting = quantiles(run.requests, limit, [](const RequestTimes& r) { return std::optional<double>(r.waiting); });
        p.ttft = quantiles(run.requests, limit, [&](const RequestTimes& r) { return std::optional<double>(ttft(r)); });
        p.tpot = quantiles(run.requests, limit, [](const RequestTimes& r) { return r.output > 1 ? std::optional<double>(r.per_token()) : std::nullopt; });
        p.end_to_end = quantiles(run.requests, limit, [&](const RequestTimes& r) { return std::optional<double>(r.end + overhead); });
        p.gap = gap_quantiles(run.gaps, limit);
        if (m_thinks)
            p.first_answer = quantiles(run.requests, limit, [&](const RequestTimes& r) { return std::optional<double>(r.first_answer() + overhead); });
        if (m_samples > 1)
            p.whole = quantiles(last_samples(run.requests), limit, [&](const RequestTimes& r) { return std::optional<double>(r.end + overhead); });
        p.input = TokensPerSecond{run.input_per_second * m_steps.replicas};
        p.output = TokensPerSecond{run.output_per_second * m_steps.replicas};
        double within = 0.0;
        for (const RequestTimes& r : run.requests)
            if (ttft(r) <= m_load.ttft_limit.value() && r.per_token() <= m_load.tpot_limit.value())
                within += 1.0;
        p.within_limits = run.requests.empty() ? 0.0 : within / static_cast<double>(run.requests.size());
        p.goodput = p.rate * p.within_limits;
        p.in_flight = run.mean_in_flight;
        p.cache_used = run.cache_used;
        p.busy = run.busy;
        p.prefill_share = run.prefill_share;
        p.rejected = run.rejected;
        return p;
    }

    void offer(LoadPrediction& out)
    {
        if (m_load.arrival == Arrival::closed) {
            out.offered = users();
            return;
        }
        out.saturated = m_load.rate >= m_largest;
        if (out.saturated)
            return;
        if (m_load.rate > steadiest * m_largest)
            out.notes.push_back("So close to saturation that latencies depend on how long the load lasts");
        out.offered = open(m_load.rate);
    }

    // The quantile at the limit's share rises with the rate: bisection.
    void find_limit(LoadPrediction& out)
    {
        const auto broken = [&](const LoadPoint& p) -> const char* {
            return p.ttft.limit > m_load.ttft_limit ? "TTFT" : p.tpot.limit > m_load.tpot_limit ? "TPOT" : nullptr;
        };
        if (const char* by = broken(out.unloaded)) {
            out.limited_by = by;
            return;
        }
        LoadPoint best = open(steadiest * m_largest);
        const char* by = broken(best);
        if (by == nullptr) {
            out.limited_by = "saturation";
            out.at_limits = best;
            return;
        }
        double low = 0.0, high = best.rate;
        std::optional<LoadPoint> kept;
        for (int i = 0; i < bisections && !m_progress.stopped(); ++i) {
            const LoadPoint p = open(0.5 * (low + high));
            if (const char* now = broken(p)) {
                high = p.rate;
                by = now;
            } else {
                low = p.rate;
                kept = p;
            }
        }
        out.limited_by = by;
        out.at_limits = kept;
    }

    const StepTimes& m_steps; // of a replica, or of a decoding worker with the figures of a unit
    const PoolTimes* m_pools; // null: one pool
    const Load& m_load;
    std::vector<RequestLengths> m_lengths;
    const int m_samples;
    const bool m_thinks;
    const Progress& m_progress;
    double m_simulations = 0.0;
    QueueRules m_rules;
    int m_population = 1;
    double m_largest = 0.0;
};

} // namespace

Expected<LoadPrediction> predict_load(const Job& job, const Load& load, const std::vector<RequestLengths>& from_file, const Progress& progress)
{
    const auto* serving = std::get_if<Serving>(&job.workload);
    if (serving == nullptr || serving->phase != ServingPhase::serving)
        return bad_input("only a serving plan has a load", Place{{}, 0, "/workload/kind"}, {}, "serving");
    if (load.lengths == LengthSpread::file && from_file.empty())
        return bad_input("the lengths are to come from a file, but there is none", Place{{}, 0, "/load/lengths_file"}, {}, "a CSV or JSON Lines file");
    const Expected<Estimate> whole = estimate(job); // what is wrong with the plan itself, and what its units are
    if (!whole)
        return whole.error();
    std::vector<RequestLengths> lengths = draw_lengths(*serving, load, from_file, sequences_of(load.requests, std::max(1, serving->samples)));
    int longest = 1;
    for (const RequestLengths& l : lengths)
        longest = std::max(longest, static_cast<int>(std::min<long long>(1LL * l.input + l.output, longest_request)));
    const int most = std::max(load.max_batch, serving->concurrency);
    std::optional<PoolTimes> pools;
    StepTimes steps;
    if (runs_prompts_apart(job.workload)) {
        Expected<PoolTimes> tables = tabulate_pools(job, longest, most, progress.stop);
        if (!tables)
            return tables.error();
        pools = std::move(*tables);
        steps = pools->decode;
        steps.replicas = whole->serving->replicas;
        steps.gpus_per_replica = pools->prompt_workers * pools->gpus_per_prompt_worker + pools->decode_workers * pools->gpus_per_decode_worker;
        steps.relative_error = whole->relative_error;
        steps.notes = whole->notes;
    } else {
        Expected<StepTimes> tables = tabulate_steps(job, longest, most, ServingPhase::serving, progress.stop);
        if (!tables)
            return tables.error();
        steps = std::move(*tables);
    }
    Expected<LoadPrediction> out = Predictor(steps, pools ? &*pools : nullptr, *serving, load, std::move(lengths), progress).run();
    if (!out)
        return out;
    if (out->offered && out->offered->rejected > 0)
        out->notes.push_back(fmt::format("{} of {} requests are larger than the whole KV cache and are turned away", out->offered->rejected, load.requests));
    out->notes.insert(out->notes.end(), steps.notes.begin(), steps.notes.end());
    return out;
}

} // namespace ridgepoint
