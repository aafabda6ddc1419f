#include "model/load/queue.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <queue>
#include <utility>

namespace ridgepoint {
namespace {

constexpr int growth_rounds = 3; // each leaves some per cent of the error before
constexpr std::size_t turns_between_looks = 256; // at whether to stop
constexpr double never = std::numeric_limits<double>::infinity();

struct Request {
    double arrival = 0;
    double taken = -1; // by a step
    double first = 0;
    int input = 1, output = 1, thinking = 0;
    double cached = 0; // prompt tokens that need no work
    double done = 0; // prompt tokens behind it
    double share = 0; // of the KV cache
    double joined = 0; // step count at which it began to decode
};

struct Group { // the samples of one prompt
    double share = 0; // of the KV cache, of the prompt
    int inside = 0; // samples that hold it
    int left = 0; // samples without an end
};

struct Finish {
    double step = 0;
    std::size_t id = 0;
    bool operator>(const Finish& o) const { return step != o.step ? step > o.step : id > o.id; }
};

class Simulation {
public:
    Simulation(const StepTimes& steps, const std::vector<RequestLengths>& lengths, const QueueRules& rules, const std::stop_token& stop)
        : m_steps(steps)
        , m_lengths(lengths)
        , m_rules(rules)
        , m_stop(stop)
        , m_samples(static_cast<std::size_t>(std::max(1, rules.samples_per_prompt)))
        , m_arrivals(rules.seed, 0)
        , m_first(static_cast<std::size_t>(rules.warm_up))
        , m_last(m_first + static_cast<std::size_t>(rules.measured))
    {
    }

    QueueRun run()
    {
        start();
        for (std::size_t turn = 0; m_left > 0 && (turn % turns_between_looks != 0 || !m_stop.stop_requested()); ++turn) {
            take_arrivals();
            admit();
            if (!m_prompts.empty())
                mixed_step();
            else if (m_decoding > 0)
                decode_stride();
            else if (m_next_arrival < never)
                elapse(m_next_arrival - m_now, 0.0);
            else
                break;
        }
        return finish();
    }

private:
    void start()
    {
        m_left = m_last - m_first;
        m_out.requests.resize(m_left);
        if (m_rules.feed == Feed::open)
            m_next_arrival = gap();
        if (m_rules.feed == Feed::given && !m_rules.arrivals.empty())
            m_next_arrival = m_rules.arrivals.front();
        const std::size_t at_once = m_rules.feed == Feed::drain ? m_last / (m_rules.grouped ? m_samples : 1) : m_rules.feed == Feed::closed ? static_cast<std::size_t>(m_rules.population) : 0;
        for (std::size_t i = 0; i < at_once; ++i)
            arrive_all(0.0);
    }

    double gap() { return (m_rules.even ? 1.0 : m_arrivals.exponential()) / m_rules.rate; }

    [[nodiscard]] bool measuring() const { return m_begin >= 0.0 && m_now <= m_close; }
    [[nodiscard]] bool measured(std::size_t id) const { return id >= m_first && id < m_last; }

    // A prompt with all its samples where they are grouped; true if any of them fits the cache.
    bool arrive_all(double when)
    {
        if (!m_rules.grouped)
            return arrive(when);
        m_groups.push_back({m_steps.cache_share.at(m_lengths[m_requests.size() % m_lengths.size()].input), 0, static_cast<int>(m_samples)});
        bool any = false;
        for (std::size_t i = 0; i < m_samples; ++i)
            any = arrive(when) || any;
        return any;
    }

    [[nodiscard]] Group* group_of(std::size_t id) { return m_rules.grouped ? &m_groups[id / m_samples] : nullptr; }

    bool arrive(double when) // false: larger than the whole cache
    {
        const RequestLengths& l = m_lengths[m_requests.size() % m_lengths.size()];
        Request r;
        r.arrival = when;
        r.input = l.input;
        r.output = l.output;
        r.thinking = l.thinking;
        const bool copy = m_requests.size() % m_samples != 0;
        if (copy && m_rules.grouped)
            r.input = m_requests[m_requests.size() / m_samples * m_samples].input;
        r.cached = copy ? r.input - 1.0 : std::min(r.input - 1.0, std::floor(r.input * m_rules.cached));
        r.done = r.cached;
        r.share = m_steps.cache_share.at(static_cast<double>(r.input) + r.output);
        const std::size_t id = m_requests.size();
        m_requests.push_back(r);
        if (id == m_first)
            m_begin = when;
        const bool too_large = r.share > 1.0;
        if (Group* g = group_of(id)) {
            m_requests[id].share = std::max(0.0, r.share - g->share);
            g->left -= too_large ? 1 : 0;
        }
        if (too_large) {
            m_rejected_ids.push_back(id);
            if (measured(id)) {
                ++m_out.rejected;
                --m_left;
            }
            return false;
        }
        m_waiting.push_back(id);
        return true;
    }

    void take_arrivals()
    {
        while (m_next_arrival <= m_now) {
            arrive_all(m_next_arrival);
            if (m_rules.feed != Feed::given)
                m_next_arrival += gap();
            else if (++m_given < m_rules.arrivals.size())
                m_next_arrival = m_rules.arrivals[m_given];
            else
                m_close = std::exchange(m_next_arrival, never);
        }
    }

    void admit()
    {
        while (!m_waiting.empty() && m_in_flight < m_rules.max_batch) {
            const std::size_t id = m_waiting.front();
            const Request& r = m_requests[id];
            Group* group = group_of(id);
            const double share = r.share + (group && group->inside == 0 ? group->share : 0.0);
            if (m_cache + share > 1.0 + 1e-9)
                return;
            m_cache += share;
            if (group)
                ++group->inside;
            ++m_in_flight;
            m_waiting.pop_front();
            if (m_rules.decode_only) {
                m_requests[id].taken = m_now;
                first_token(id, r.arrival);
            } else {
                m_prompts.push_back(id);
            }
        }
    }

    // A step or a stride runs, or the replica idles; those who arrive meanwhile wait.
    void elapse(double seconds, double prefill)
    {
        const double until = m_now + seconds;
        const double prefill_share = seconds > 0.0 ? prefill / seconds : 0.0;
        while (m_next_arrival < until) {
            count(m_next_arrival - m_now, prefill_share);
            m_now = std::max(m_now, m_next_arrival);
            take_arrivals();
        }
        count(until - m_now, prefill_share);
        m_now = until;
    }

    void count(double seconds, double prefill_share)
    {
        seconds = std::min(seconds, m_close - m_now);
        if (m_begin < 0.0 || seconds <= 0.0)
            return;
        m_flight_area += seconds * m_in_flight;
        m_waiting_area += seconds * static_cast<double>(m_waiting.size());
        m_cache_area += seconds * m_cache;
        m_busy += m_in_flight > 0 ? seconds : 0.0;
        m_prefill += seconds * prefill_share;
    }

    void mixed_step()
    {
        const double queries = m_decoding * std::max(1.0, m_steps.tokens_per_step);
        double room = m_rules.chunk > 0 ? std::max(1.0, m_rules.chunk - queries) : never;
        double tokens = 0.0, extra = 0.0;
        std::size_t complete = 0;
        for (const std::size_t id : m_prompts) {
            if (room <= 0.0 || (m_rules.chunk == 0 && complete >= static_cast<std::size_t>(std::max(1, m_rules.prefill_batch))))
                break;
            Request& r = m_requests[id];
            const double now = std::min(room, r.input - r.done);
            if (r.taken < 0.0)
                r.taken = m_now;
            tokens += now;
            extra += m_steps.prompt_context.at(now, r.done);
            r.done += now;
            room -= now;
            if (r.done >= r.input)
                ++complete;
        }
        const double prefill = m_steps.prompt_tokens.at(tokens) + extra;
        const double decode = m_decoding > 0 ? m_steps.decode.at(m_decoding, m_contexts / m_decoding) : 0.0;
        const double seconds = decode + prefill / m_steps.stages;
        note_gaps(seconds, m_decoding);
        elapse(seconds, prefill / m_steps.stages);
        advance(1.0);
        const double through = prefill * (1.0 - 1.0 / m_steps.stages); // the other stages, beside the next step
        for (; complete > 0; --complete) {
            const std::size_t id = m_prompts.front();
            m_prompts.pop_front();
            first_token(id, m_now + through);
        }
        retire();
    }

    void first_token(std::size_t id, double when)
    {
        Request& r = m_requests[id];
        r.first = when;
        if (r.output <= 1)
            return end(id, when);
        r.joined = m_step;
        m_contexts += r.input + 1.0;
        ++m_decoding;
        m_finishes.push({m_step + std::ceil((r.output - 1.0) / m_steps.tokens_per_step), id});
    }

    // Nothing but decoding until a sequence ends, or an arrival finds room.
    void decode_stride()
    {
        const double mean = m_contexts / m_decoding;
        const double grows = m_steps.tokens_per_step;
        double steps = m_finishes.top().step - m_step;
        const bool open_door = m_waiting.empty() && m_in_flight < m_rules.max_batch;
        double each = m_steps.decode.at(m_decoding, mean + grows * (steps - 1.0) / 2.0);
        if (open_door && m_next_arrival < m_now + steps * each) {
            each = m_steps.decode.at(m_decoding, mean);
            steps = std::clamp(std::ceil((m_next_arrival - m_now) / each), 1.0, steps);
            each = m_steps.decode.at(m_decoding, mean + grows * (steps - 1.0) / 2.0);
            for (int i = 0; m_rules.follow_growth && i < growth_rounds; ++i) {
                steps = std::clamp(std::ceil((m_next_arrival - m_now) / each), 1.0, steps);
                each = m_steps.decode.at(m_decoding, mean + grows * (steps - 1.0) / 2.0);
            }
        }
        note_gaps(each, steps * m_decoding);
        elapse(steps * each, 0.0);
        advance(steps);
        retire();
    }

    void advance(double steps)
    {
        m_step += steps;
        m_contexts += steps * m_decoding * m_steps.tokens_per_step;
    }

    void retire()
    {
        while (!m_finishes.empty() && m_finishes.top().step <= m_step) {
            const std::size_t id = m_finishes.top().id;
            m_finishes.pop();
            const Request& r = m_requests[id];
            m_contexts -= r.input + 1.0 + (m_step - r.joined) * m_steps.tokens_per_step;
            if (--m_decoding == 0)
                m_contexts = 0.0;
            end(id, m_now);
        }
    }

    void end(std::size_t id, double when)
    {
        const Request r = m_requests[id];
        Group* group = group_of(id);
        if (--m_in_flight == 0)
            m_cache = 0.0;
        else
            m_cache -= r.share + (group && group->inside == 1 ? group->share : 0.0);
        if (group) {
            --group->inside;
            --group->left;
        }
        if (measuring()) {
            m_input += m_rules.grouped && id % m_samples != 0 ? 0 : r.input;
            m_output += r.output;
            ++m_served;
        }
        if (m_rules.feed == Feed::drain)
            m_out.ends.push_back(when);
        if (measured(id)) {
            m_out.requests[id - m_first] = {r.taken - r.arrival, r.first - r.arrival, when - r.arrival, r.output, r.thinking, id / m_samples};
            --m_left;
        }
        const bool answered = group == nullptr || group->left == 0;
        for (std::size_t tries = 0; m_rules.feed == Feed::closed && answered && tries < m_lengths.size(); ++tries)
            if (arrive_all(m_now))
                break;
    }

    void note_gaps(double seconds, double weight)
    {
        if (measuring() && weight > 0.0)
            m_out.gaps.push_back({seconds, weight});
    }

    QueueRun finish()
    {
        std::size_t kept = 0; // rejected requests have no times, nor have those that a stop cut off
        for (std::size_t i = 0; i < m_out.requests.size() && m_left == 0; ++i)
            if (!std::binary_search(m_rejected_ids.begin(), m_rejected_ids.end(), i + m_first))
                m_out.requests[kept++] = m_out.requests[i];
        m_out.requests.resize(kept);
        std::sort(m_out.ends.begin(), m_out.ends.end());
        m_out.span = std::min(m_now, m_close) - m_begin;
        if (m_out.span <= 0.0)
            return std::move(m_out);
        m_out.mean_in_flight = m_flight_area / m_out.span;
        m_out.mean_waiting = m_waiting_area / m_out.span;
        m_out.cache_used = m_cache_area / m_out.span;
        m_out.busy = m_busy / m_out.span;
        m_out.prefill_share = m_busy > 0.0 ? m_prefill / m_busy : 0.0;
        m_out.served_per_second = m_served / m_out.span;
        m_out.input_per_second = m_input / m_out.span;
        m_out.output_per_second = m_output / m_out.span;
        return std::move(m_out);
    }

    const StepTimes& m_steps;
    const std::vector<RequestLengths>& m_lengths;
    const QueueRules& m_rules;
    const std::stop_token& m_stop;
    const std::size_t m_samples;
    RandomStream m_arrivals;
    const std::size_t m_first, m_last;

    std::vector<Request> m_requests;
    std::vector<Group> m_groups;
    std::size_t m_given = 0; // of Feed::given, the next
    std::deque<std::size_t> m_waiting, m_prompts;
    std::priority_queue<Finish, std::vector<Finish>, std::greater<>> m_finishes;
    std::vector<std::size_t> m_rejected_ids;
    double m_now = 0, m_next_arrival = never, m_begin = -1;
    double m_close = never; // no arrivals after it: what the averages do not cover
    double m_step = 0; // decode steps so far
    double m_contexts = 0; // tokens of all decoding sequences
    double m_cache = 0;
    int m_in_flight = 0, m_decoding = 0;
    std::size_t m_left = 0;
    double m_flight_area = 0, m_waiting_area = 0, m_cache_area = 0, m_busy = 0, m_prefill = 0;
    double m_input = 0, m_output = 0, m_served = 0;
    QueueRun m_out;
};

} // namespace

QueueRun simulate_queue(const StepTimes& steps, const std::vector<RequestLengths>& lengths, const QueueRules& rules, const std::stop_token& stop)
{
    return Simulation(steps, lengths, rules, stop).run();
}

} // namespace ridgepoint
