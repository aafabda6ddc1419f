#include "model/load/step_times.h"

#include <algorithm>
#include <cmath>

namespace ridgepoint {
namespace {

struct Cell { // where a value lies on an axis
    std::size_t low = 0;
    double share = 0.0; // of the way to the next point; above 1 beyond the last
};

Cell cell_of(const std::vector<double>& axis, double v)
{
    if (axis.size() < 2 || v <= axis.front())
        return {};
    const auto upper = std::upper_bound(axis.begin(), axis.end() - 1, v);
    const auto low = static_cast<std::size_t>(upper - axis.begin()) - 1;
    return {low, (v - axis[low]) / (axis[low + 1] - axis[low])};
}

// From `first` to `last`, each point at most `ratio` times the one before; whole numbers.
std::vector<double> axis(double first, double last, double ratio)
{
    std::vector<double> out{first};
    while (out.back() < last)
        out.push_back(std::min(last, std::max(out.back() + 1.0, std::round(out.back() * ratio))));
    return out;
}

class Tabulator {
public:
    Tabulator(const Job& job, int longest, int most_sequences, ServingPhase phase, const std::stop_token& stop)
        : m_job(job)
        , m_mean(std::get<Serving>(job.workload))
        , m_longest(std::max(2, longest))
        , m_phase(phase)
        , m_stop(stop)
    {
        // Attention groups without a sequence of their own still take part in every step.
        if (job.model.is_moe() && job.layout.attention_dp)
            m_least = std::max(1, job.layout.ep * job.layout.etp / std::max(1, job.layout.tp));
        m_most = std::max(m_least, most_sequences);
    }

    Expected<StepTimes> run()
    {
        Serving whole = m_mean;
        whole.phase = m_phase;
        whole.concurrency = m_most;
        Expected<Estimate> e = ask(whole);
        if (!e)
            return e.error();
        m_out.largest_batch = e->serving->largest_batch;
        m_out.replicas = e->serving->replicas;
        m_out.gpus_per_replica = m_phase == ServingPhase::prefill
            ? 1
            : std::max(1, static_cast<int>(std::lround(e->serving->output_per_second / e->serving->output_per_second_per_gpu)));
        m_out.relative_error = e->relative_error;
        m_out.notes = e->notes;
        m_out.stages = std::max(1, m_job.layout.pp);
        if (m_out.largest_batch == 0)
            return infeasible("The weights leave no room for the KV cache of even one request", "Raise tp, lower the precision or take a larger GPU");
        using Step = Status (Tabulator::*)();
        std::vector<Step> steps = {&Tabulator::decode, &Tabulator::prompts, &Tabulator::cache};
        if (m_phase == ServingPhase::prefill)
            steps = {&Tabulator::prompts};
        else if (m_phase == ServingPhase::decode)
            steps = {&Tabulator::decode, &Tabulator::cache};
        for (const Step step : steps)
            if (Status s = (this->*step)(); !s)
                return s.error();
        return std::move(m_out);
    }

private:
    Expected<Estimate> ask(const Serving& s)
    {
        if (m_stop.stop_requested())
            return stopped_before_the_end();
        m_job.workload = s;
        return estimate(m_job);
    }

    Status decode()
    {
        Serving s = m_mean;
        s.phase = ServingPhase::decode;
        s.output_length = 1;
        s.thinking_length = 0;
        m_out.decode.x = axis(m_least, m_most, 1.42);
        m_out.decode.y = axis(1.0, m_longest, 3.0);
        for (const double sequences : m_out.decode.x)
            for (const double context : m_out.decode.y) {
                s.concurrency = static_cast<int>(sequences);
                s.output_length = 1;
                s.input_length = static_cast<int>(context);
                if (m_mean.shared_reads && s.input_length > m_mean.input_length) { // only the prompt is shared
                    s.output_length = 2 * (s.input_length - m_mean.input_length);
                    s.input_length = m_mean.input_length;
                }
                const Expected<Estimate> e = ask(s);
                if (!e)
                    return e.error();
                m_out.decode.value.push_back(e->serving->decode_step.value());
                m_out.tokens_per_step = e->serving->decode_step / e->serving->tpot;
            }
        return Done{};
    }

    Status prompts()
    {
        Serving s = m_mean;
        s.phase = ServingPhase::prefill;
        s.prefill_batch = 1;
        s.chunk = 0;
        const double most = m_mean.chunk > 0 ? std::min(m_mean.chunk, m_longest) : m_longest;
        m_out.prompt_tokens.x = axis(1.0, std::max(2.0, most), 1.42);
        m_out.prompt_context.x = m_out.prompt_tokens.x;
        m_out.prompt_context.y = axis(0.0, m_longest, 2.0);
        for (const double tokens : m_out.prompt_tokens.x) {
            double base = 0.0;
            for (const double before : m_out.prompt_context.y) {
                s.input_length = static_cast<int>(tokens + before);
                s.prefix_hit = before / (tokens + before);
                const Expected<Estimate> e = ask(s);
                if (!e)
                    return e.error();
                const double time = e->serving->prefill_step.value();
                if (before == 0.0) {
                    base = time - e->breakdown[StepPart::attention].total().value();
                    m_out.prompt_tokens.value.push_back(base);
                }
                m_out.prompt_context.value.push_back(std::max(0.0, time - base));
            }
        }
        return Done{};
    }

    // The fullest stage decides: cache that one sequence takes over what the rest of the memory leaves.
    Status cache()
    {
        m_out.cache_share.x = axis(1.0, m_longest, 1.5);
        for (const double tokens : m_out.cache_share.x) {
            Serving s = m_mean;
            s.phase = m_phase;
            s.samples = 1;
            s.thinking_length = 0;
            s.input_length = std::max(1, static_cast<int>(tokens) - 1);
            s.output_length = static_cast<int>(tokens) - s.input_length;
            s.concurrency = std::max(m_least, std::min(m_most, m_out.largest_batch));
            const Expected<Estimate> e = ask(s);
            if (!e)
                return e.error();
            double share = 0.0;
            for (const StageMemory& stage : e->memory.stages) {
                const Bytes room = e->memory.capacity - (stage.total() - stage.kv_cache);
                share = std::max(share, room > Bytes{} ? stage.kv_cache / room / s.concurrency : 2.0);
            }
            m_out.cache_share.value.push_back(share);
        }
        return Done{};
    }

    Job m_job;
    const Serving m_mean;
    const int m_longest;
    const ServingPhase m_phase;
    const std::stop_token m_stop;
    int m_least = 1;
    int m_most = 1;
    StepTimes m_out;
};

} // namespace

double Table1::at(double px) const
{
    if (value.empty())
        return 0.0;
    const Cell c = cell_of(x, px);
    return c.share == 0.0 ? value[c.low] : value[c.low] + c.share * (value[c.low + 1] - value[c.low]);
}

double Table2::at(double px, double py) const
{
    if (value.empty())
        return 0.0;
    const Cell cx = cell_of(x, px);
    const Cell cy = cell_of(y, py);
    const auto row = [&](std::size_t i) {
        const double* v = value.data() + i * y.size() + cy.low;
        return cy.share == 0.0 ? v[0] : v[0] + cy.share * (v[1] - v[0]);
    };
    return cx.share == 0.0 ? row(cx.low) : row(cx.low) + cx.share * (row(cx.low + 1) - row(cx.low));
}

Error stopped_before_the_end()
{
    Error e;
    e.kind = ErrorKind::cancelled;
    e.message = "Stopped before the end";
    return e;
}

Expected<StepTimes> tabulate_steps(const Job& job, int longest, int most_sequences, ServingPhase phase, const std::stop_token& stop)
{
    if (!std::holds_alternative<Serving>(job.workload))
        return bad_input("only an inference plan has a load", Place{{}, 0, "/workload/kind"}, {}, "serving");
    return Tabulator(job, longest, most_sequences, phase, stop).run();
}

} // namespace ridgepoint
