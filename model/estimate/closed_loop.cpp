#include "model/estimate/closed_loop.h"

#include <algorithm>
#include <cmath>

#include "model/estimate/serving.h"

namespace ridgepoint {
namespace {

constexpr double step_found = 0.5; // of the step in progress that is left on average when a prompt arrives
constexpr double full = 0.999; // load of a server that is always busy
constexpr double busy = 0.95; // beyond, a closed loop's own users run out
constexpr int bisections = 14;

// How one worker takes prompts: as many as fill the token budget of a step, on every attention group.
class Prompts {
public:
    Prompts(const Job& job, Serving w)
        : m_job(job)
        , m_work(w)
        , m_groups(serving_groups(job).attention_groups)
    {
        m_work.phase = ServingPhase::prefill;
        m_work.chunk = job.engine.token_budget;
        m_fill = std::max(1, job.engine.token_budget / std::max(1, w.input_length));
        m_one = step(1);
        m_all = step(m_groups * m_fill);
    }

    [[nodiscard]] Seconds one() const { return m_one; } // latency of a prompt alone
    [[nodiscard]] int together() const { return m_groups * m_fill; } // prompts of one full step
    [[nodiscard]] Seconds each() const { return m_all / together(); } // between two prompts of a full queue
    [[nodiscard]] int groups() const { return m_groups; }
    [[nodiscard]] Seconds step(int prompts) const
    {
        Serving w = m_work;
        w.prefill_batch = prompts;
        return serve(m_job, w).prefill.time.total();
    }
    // A step that carries `decoding` sequences too.
    [[nodiscard]] Seconds beside(int prompts, double decoding) const
    {
        Serving w = m_work;
        w.phase = ServingPhase::serving;
        w.prefill_batch = prompts;
        w.concurrency = std::max(1, static_cast<int>(std::lround(decoding)));
        return serve(m_job, w).mixed;
    }
    // Mean wait and step of `users` prompts that come at once to `workers`. Those that have started decode beside the rest: a
    // third of all, on the mean over the prompts that wait.
    [[nodiscard]] Seconds burst(double users, double workers, double mixed = 0.0) const
    {
        const double queue = users / workers;
        const Seconds step = mixed > 0.0 && queue > together() ? (1.0 - mixed) * m_all + mixed * beside(together(), queue / 3.0) : m_all;
        return std::max(m_one, (queue + std::min<double>(queue, together())) / 2.0 / together() * step);
    }

private:
    const Job& m_job;
    Serving m_work;
    int m_groups = 1;
    int m_fill = 1;
    Seconds m_one, m_all;
};

// M/D/1: mean wait of a server that is busy a share `load` of the time.
Seconds wait(Seconds service, double load) { return load / (2.0 * (1.0 - load)) * service; }

// Sequences of one worker that its cache holds, at most `wanted`.
double held(const Job& job, Serving w, double wanted)
{
    w.output_length = std::max(1, static_cast<int>(std::lround(w.output_length * job.engine.reserved_output)));
    w.concurrency = 1;
    const int largest = serve(job, w).estimate.serving->largest_batch;
    return std::clamp(wanted, 1.0, std::max(1.0, static_cast<double>(largest)));
}

} // namespace

ClosedLoopResult closed_loop(const Job& job, const ClosedLoop& load)
{
    const EngineConstants& engine = job.engine;
    Serving w = std::get<Serving>(job.workload);
    w.phase = ServingPhase::serving;
    w.burst = false;
    w.chunk = engine.token_budget;
    const Prompts prompts(job, w);
    const double running = held(job, w, load.concurrency);
    w.concurrency = static_cast<int>(std::lround(running));

    // Attention groups step together: a prompt of one holds up all, and those that come meanwhile to others run beside
    // it. So a step takes the prompts that arrive during one, or while they are held back, at most what fills it.
    ServingDetail d;
    const int most = std::clamp(prompts.together(), 1, std::max(1, w.concurrency));
    const bool queue = load.concurrency > running; // then every step is full
    const double held_back = prompts.groups() > 1 ? load.gather : 0.0;
    w.prefill_batch = most;
    for (int i = 0; i < 6; ++i) {
        d = serve(job, w);
        if (prompts.groups() == 1 || queue)
            break;
        const double rate = w.concurrency / (w.output_length * d.estimate.serving->tpot.value());
        const double arrive = rate * (d.prefill.time.total() + (1.0 + held_back) * d.decode.time.total()).value();
        const int next = std::clamp(static_cast<int>(std::lround(arrive)), 1, w.prefill_batch);
        if (next == w.prefill_batch)
            break;
        w.prefill_batch = next;
    }

    ClosedLoopResult r;
    r.running = running;
    const Seconds tpot = d.estimate.serving->tpot;
    // Outputs of unequal lengths drift apart: less where a burst of prompts takes longer than the drift.
    const Seconds drift = load.spread * w.output_length * tpot;
    const Seconds burst = running * prompts.each();
    const double first = 1.0 / std::max(1.0, load.waves);
    const double together = (1.0 - first) * engine.bunching * (burst / (burst + drift));
    // Sequences that start together meet half of each other's prompts on average.
    r.tpot = tpot - 0.5 * (first + together) * d.steal.total();
    // Prompts run one after another, so their sequences end one after another too: later waves do not queue like the
    // first. A prompt finds the step in progress, which is another's prompt for the share of the time that those take, and
    // runs with those that started, and so ended, in the same step.
    const double prompts_share = d.steal.total() / tpot;
    const Seconds decode_step = d.decode.time.total();
    const double rate = running / (static_cast<double>(w.output_length) * tpot).value();
    // Who looks for arrivals every few steps takes all of them at once.
    const double arrived = std::clamp(1.0 + rate * ((std::max(1.0, load.poll) - 1.0) * decode_step).value(), 1.0, static_cast<double>(most));
    const auto step = [&](int n) {
        return (1.0 - engine.mixed_batches) * prompts.step(n) + engine.mixed_batches * (engine.mixed_batches > 0.0 ? prompts.beside(n, running) : Seconds{});
    };
    const Seconds own = step(static_cast<int>(std::lround(arrived)));
    const Seconds full_step = step(prompts.together());
    const Seconds service = full_step / prompts.together();
    const Seconds alone = own + step_found * (prompts_share * own + (1.0 - prompts_share) * std::max(1.0, load.poll) * decode_step)
        + 0.5 * held_back * decode_step + wait(service, std::min(rate * service.value(), busy));
    const Seconds beside = alone + prompts.step(std::clamp(static_cast<int>(std::lround(running)), 1, prompts.together())) - prompts.one();
    const Seconds ttft = first * prompts.burst(running, 1.0, engine.mixed_batches) + together * beside + (1.0 - first - together) * alone;
    r.requests_per_second = running / (static_cast<double>(w.output_length) * r.tpot + alone).value();
    const Seconds queued{(load.concurrency - running) / r.requests_per_second}; // users without a place in the cache
    r.ttft = ttft + queued + engine.per_prompt;
    return r;
}

ClosedLoopResult closed_loop(const SplitPools& pools, const ClosedLoop& load)
{
    Serving w = std::get<Serving>(pools.decode.workload);
    const Prompts prompts(pools.prefill, w);
    const Seconds each = prompts.each() / pools.prefill_workers;
    w.phase = ServingPhase::decode;
    const auto step = [&](double running) {
        w.concurrency = std::max(1, static_cast<int>(std::lround(running / pools.decode_workers)));
        return serve(pools.decode, w).estimate.serving->tpot;
    };
    // `running` sequences decode, each for output x TPOT; as many enter, which the prompt workers must keep up with.
    const auto entering = [&](double running, Seconds tpot) { return running / (w.output_length * tpot.value()); };
    const auto latency = [&](double rate) { return prompts.one() + wait(each, std::min(rate * each.value(), full)); };
    const auto too_many = [&](double running) {
        const double rate = entering(running, step(running));
        return rate * each.value() >= full || running + rate * latency(rate).value() > load.concurrency;
    };
    double low = 0.0;
    double high = std::min(load.concurrency, pools.decode_workers * held(pools.decode, w, load.concurrency / pools.decode_workers));
    if (too_many(high))
        for (int i = 0; i < bisections; ++i) {
            const double middle = 0.5 * (low + high);
            (too_many(middle) ? high : low) = middle;
        }
    ClosedLoopResult r;
    r.running = high;
    r.tpot = step(high);
    r.requests_per_second = entering(high, r.tpot);
    // Little's law: who does not decode is on the way to the first token.
    const Seconds queued{(load.concurrency - high) / r.requests_per_second};
    const Seconds later = std::max(latency(r.requests_per_second), queued) + step_found * r.tpot;
    const Seconds first = std::max(prompts.burst(load.concurrency, pools.prefill_workers), queued);
    const double share = 1.0 / std::max(1.0, load.waves);
    r.ttft = share * first + (1.0 - share) * later + pools.prefill.engine.per_prompt + pools.prefill.engine.handover;
    return r;
}

} // namespace ridgepoint
