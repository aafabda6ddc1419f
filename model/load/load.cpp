#include "model/load/load.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace ridgepoint {
namespace {

// Rates of the curve over the largest sustainable one, closer together where latency rises.
constexpr double curve_shares[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95};
constexpr double steadiest = 0.98; // beyond, a simulation of some thousand requests has not settled
constexpr int bisections = 12;

template <typename Value> Quantiles quantiles(const std::vector<RequestTimes>& requests, double limit, Value value)
{
    std::vector<double> v;
    v.reserve(requests.size());
    double sum = 0.0;
    for (const RequestTimes& r : requests)
        if (const std::optional<double> x = value(r)) {
            v.push_back(*x);
            sum += *x;
        }
    std::sort(v.begin(), v.end());
    const auto q = [&](double p) { return Seconds{quantile_of(v, p)}; };
    return {Seconds{v.empty() ? 0.0 : sum / static_cast<double>(v.size())}, q(0.5), q(0.9), q(0.99), q(limit)};
}

Quantiles gap_quantiles(std::vector<WeightedTime> gaps, double limit)
{
    std::sort(gaps.begin(), gaps.end(), [](const WeightedTime& a, const WeightedTime& b) { return a.seconds < b.seconds; });
    double total = 0.0, sum = 0.0;
    for (const WeightedTime& g : gaps) {
        total += g.weight;
        sum += g.weight * g.seconds;
    }
    const auto q = [&](double p) {
        double below = 0.0;
        for (const WeightedTime& g : gaps)
            if ((below += g.weight) >= p * total)
                return Seconds{g.seconds};
        return gaps.empty() ? Seconds{} : Seconds{gaps.back().seconds};
    };
    return {Seconds{total > 0.0 ? sum / total : 0.0}, q(0.5), q(0.9), q(0.99), q(limit)};
}

class Predictor {
public:
    Predictor(const StepTimes& steps, const Serving& serving, const Load& load, std::vector<RequestLengths> lengths)
        : m_steps(steps)
        , m_load(load)
        , m_lengths(std::move(lengths))
    {
        m_rules.even = load.arrival == Arrival::even;
        m_rules.max_batch = load.max_batch;
        m_rules.chunk = serving.chunk;
        m_rules.prefill_batch = serving.prefill_batch;
        m_rules.cached = serving.prefix_hit;
        m_rules.measured = load.requests;
        m_rules.seed = static_cast<std::uint64_t>(load.seed);
        // Two generations of all that a replica can hold, and the first part of the sample.
        const double room = std::min<double>(load.max_batch, steps.largest_batch);
        m_rules.warm_up = load.requests / 4 + static_cast<int>(2.0 * room);
        m_population = serving.concurrency;
    }

    Expected<LoadPrediction> run()
    {
        LoadPrediction out;
        out.replicas = m_steps.replicas;
        out.gpus_per_replica = m_steps.gpus_per_replica;
        for (const RequestLengths& l : m_lengths) {
            out.mean_input += static_cast<double>(l.input) / static_cast<double>(m_lengths.size());
            out.mean_output += static_cast<double>(l.output) / static_cast<double>(m_lengths.size());
        }
        // Always somebody in the queue: half as many more as can be in flight.
        const QueueRun full = closed(std::min(m_load.max_batch, 4 * m_steps.largest_batch) * 3 / 2 + 2);
        if (full.requests.empty())
            return infeasible("Not one of the requests fits into the KV cache of a replica", "Raise tp, shorten the requests or take a larger GPU");
        m_largest = out.largest_rate = full.served_per_second * m_steps.replicas;
        out.unloaded = point(closed(1), 0.0);
        offer(out);
        find_limit(out);
        for (const double share : curve_shares)
            out.curve.push_back(open(share * m_largest));
        if (out.at_limits)
            out.curve.insert(std::upper_bound(out.curve.begin(), out.curve.end(), out.at_limits->rate, [](double r, const LoadPoint& p) { return r < p.rate; }),
                *out.at_limits);
        out.relative_error = m_steps.relative_error;
        return out;
    }

private:
    QueueRun closed(int population)
    {
        QueueRules rules = m_rules;
        rules.feed = Feed::closed;
        rules.population = std::max(1, population);
        rules.warm_up = population == 1 ? 1 : m_rules.warm_up + population;
        return simulate_queue(m_steps, m_lengths, rules);
    }

    LoadPoint open(double rate)
    {
        QueueRules rules = m_rules;
        rules.rate = rate / m_steps.replicas;
        return point(simulate_queue(m_steps, m_lengths, rules), rate);
    }

    LoadPoint point(const QueueRun& run, double rate) const
    {
        const double limit = m_load.limit_share;
        const double overhead = m_load.overhead.value();
        const auto ttft = [&](const RequestTimes& r) { return r.first_token + overhead; };
        LoadPoint p;
        p.rate = rate > 0.0 ? rate : run.served_per_second * m_steps.replicas;
        p.utilization = p.rate / m_largest;
        p.waiting = quantiles(run.requests, limit, [](const RequestTimes& r) { return std::optional<double>(r.waiting); });
        p.ttft = quantiles(run.requests, limit, [&](const RequestTimes& r) { return std::optional<double>(ttft(r)); });
        p.tpot = quantiles(run.requests, limit, [](const RequestTimes& r) { return r.output > 1 ? std::optional<double>(r.per_token()) : std::nullopt; });
        p.end_to_end = quantiles(run.requests, limit, [&](const RequestTimes& r) { return std::optional<double>(r.end + overhead); });
        p.gap = gap_quantiles(run.gaps, limit);
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
            out.offered = point(closed(m_population), 0.0);
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
        for (int i = 0; i < bisections; ++i) {
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

    const StepTimes& m_steps;
    const Load& m_load;
    std::vector<RequestLengths> m_lengths;
    QueueRules m_rules;
    int m_population = 1;
    double m_largest = 0.0;
};

} // namespace

double quantile_of(const std::vector<double>& sorted, double p)
{
    if (sorted.empty())
        return 0.0;
    const double at = p * static_cast<double>(sorted.size() - 1);
    const auto low = static_cast<std::size_t>(at);
    const std::size_t high = std::min(low + 1, sorted.size() - 1);
    return sorted[low] + (at - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

Expected<LoadPrediction> predict_load(const Job& job, const Load& load, const std::vector<RequestLengths>& from_file)
{
    if (runs_prompts_apart(job.workload)) {
        Error e = infeasible("Prompts on workers of their own are not simulated under load", "Switch the prompt pool off, or read the rates of the plan");
        e.place.pointer = "/workload/prompt_pool/apart";
        return e;
    }
    const auto* serving = std::get_if<Serving>(&job.workload);
    if (serving == nullptr || serving->phase != ServingPhase::serving)
        return bad_input("only a serving plan has a load", Place{{}, 0, "/workload/kind"}, {}, "serving");
    if (load.lengths == LengthSpread::file && from_file.empty())
        return bad_input("the lengths are to come from a file, but there is none", Place{{}, 0, "/load/lengths_file"}, {}, "a CSV or JSON Lines file");
    std::vector<RequestLengths> lengths = draw_lengths(*serving, load, from_file, load.requests);
    int longest = 1;
    for (const RequestLengths& l : lengths)
        longest = std::max(longest, static_cast<int>(std::min<long long>(1LL * l.input + l.output, longest_request)));
    const Expected<StepTimes> steps = tabulate_steps(job, longest, std::max(load.max_batch, serving->concurrency));
    if (!steps)
        return steps.error();
    Expected<LoadPrediction> out = Predictor(*steps, *serving, load, std::move(lengths)).run();
    if (!out)
        return out;
    if (out->offered && out->offered->rejected > 0)
        out->notes.push_back(fmt::format("{} of {} requests are larger than the whole KV cache and are turned away", out->offered->rejected, load.requests));
    out->notes.insert(out->notes.end(), steps->notes.begin(), steps->notes.end());
    return out;
}

} // namespace ridgepoint
