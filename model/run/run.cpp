#include "model/run/run.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/economics/power.h"
#include "model/run/ramp.h"
#include "model/units/format.h"

namespace ridgepoint {
namespace {

constexpr double hopeless = 20.0; // wall time over training time

class Predictor {
public:
    explicit Predictor(const RunInput& in)
        : m_in(in), m_job(in.job), m_run(in.run), m_training(std::get<Training>(in.job.workload)), m_result(*in.estimate.training)
    {
    }

    Expected<RunPrediction> run()
    {
        m_out.nodes = m_job.cluster.nodes;
        m_out.spares = m_run.spare_nodes;
        if (Status s = add_steps(); !s)
            return s.error();
        if (Status s = add_data(); !s)
            return s.error();
        add_evaluation();
        if (Status s = add_checkpoint(); !s)
            return s.error();
        if (Status s = add_failures(); !s)
            return s.error();
        add_resources();
        add_distribution();
        add_energy();
        add_notes();
        return std::move(m_out);
    }

private:
    Seconds& part(RunPart p) { return m_out.parts[static_cast<std::size_t>(p)]; }

    Status add_steps()
    {
        const double per_step = static_cast<double>(m_training.global_batch) * m_training.sequence_length;
        m_out.steps = m_training.tokens.value() / per_step;
        part(RunPart::steps) = m_result.step * m_out.steps;
        EnergyPrediction& e = m_out.energy;
        e.clock = capped_clock(m_run.power_cap);
        e.clock_low = capped_clock(m_run.power_cap, 0.5);
        e.clock_high = capped_clock(m_run.power_cap, 0.25);
        m_step = capped(m_in.estimate.time, e.clock);
        m_work = m_in.estimate.time * m_out.steps;
        part(RunPart::power_cap) = (m_step - m_in.estimate.time).total() * m_out.steps;
        m_work += (m_step - m_in.estimate.time) * m_out.steps;
        if (m_run.ramp_batch == 0)
            return Done{};
        const Expected<RampTime> ramp = ramp_time(m_job, m_training, m_run);
        if (!ramp)
            return ramp.error();
        // Under the cap like the full steps, in proportion.
        const double slower = m_step.total() / m_in.estimate.time.total();
        const AttributedTime extra = (ramp->time - m_in.estimate.time * (ramp->tokens.value() / per_step)) * slower;
        part(RunPart::ramp) = extra.total();
        m_work += extra;
        m_out.steps += ramp->steps - ramp->tokens.value() / per_step;
        return Done{};
    }

    // Data are read ahead of the step that needs them: the slower of the two decides.
    Status add_data()
    {
        Expected<BatchReading> read = read_batch(m_job, m_training, m_run, m_in.data_tier, m_step.total());
        if (!read)
            return read.error();
        const AttributedTime step = larger(m_step, AttributedTime(Resource::storage, read->time));
        const double full_steps = m_training.tokens.value() / (static_cast<double>(m_training.global_batch) * m_training.sequence_length);
        part(RunPart::data) = (step - m_step).total() * full_steps;
        m_work += (step - m_step) * full_steps;
        m_step = step;
        m_out.step = step.total();
        m_out.storage.push_back(std::move(read->demand));
        return Done{};
    }

    // A forward pass is a third of a step's operations (2 of 6 N) [Kaplan 2020, table 1].
    void add_evaluation()
    {
        if (m_run.evaluate_every == 0 || m_run.evaluation_tokens <= Tokens{})
            return;
        const double evaluations = std::floor(m_out.steps / m_run.evaluate_every + 1e-9);
        const double per_step = static_cast<double>(m_training.global_batch) * m_training.sequence_length;
        const AttributedTime time = m_step * (evaluations * m_run.evaluation_tokens.value() / per_step / 3.0);
        part(RunPart::evaluation) = time.total();
        m_work += time;
    }

    Status add_checkpoint()
    {
        Expected<CheckpointWriting> writing = write_checkpoint(m_job, m_training, m_run, m_in.checkpoint_tier);
        if (!writing)
            return writing.error();
        m_out.checkpoint = std::move(writing->checkpoint);
        m_blocking = writing->blocking;
        m_out.storage.push_back(std::move(writing->demand));
        return Done{};
    }

    Status add_failures()
    {
        const Seconds node = m_run.mtbf_hours ? hours(*m_run.mtbf_hours) : m_in.reliability.mtbf;
        if (!m_run.mtbf_hours && !m_in.reliability.known())
            return bad_input(fmt::format("no failure rate of {} is known", m_job.cluster.node.id), Place{{}, 0, "/run/mtbf_hours"}, {}, "hours between failures of a node; 0: never");
        m_out.mtbf = node / m_out.nodes;
        m_out.restart = predict_restart(m_run, m_out.mtbf, m_out.checkpoint, m_run.spare_nodes);
        m_out.failures = {m_out.mtbf, m_out.checkpoint.blocking, m_out.restart.total()};
        m_out.interval = choose_interval(m_run, m_out.failures, m_out.checkpoint, m_out.step, m_work.total());
        m_out.storage.back().limits = m_out.interval.limited_by_write;
        m_out.storage.back().demand = m_out.checkpoint.size.total / m_out.interval.used;
        const Seconds work = m_work.total();
        const double factor = wall_factor(m_out.failures, m_out.interval.used);
        if (!(factor < hopeless)) {
            Error e = infeasible(fmt::format("The job fails every {} and would never end: {} to restart, {} between checkpoints", format(m_out.mtbf), format(m_out.restart.total()), format(m_out.interval.used)),
                "Fewer nodes, spares, faster checkpoints or a shorter interval");
            e.place.pointer = "/run/checkpoint_interval_min";
            return e;
        }
        const FailureBreakdown b = expected_times(m_out.failures, m_out.interval.used, work);
        part(RunPart::checkpoints) = b.checkpoints;
        part(RunPart::lost) = b.lost;
        part(RunPart::restarts) = b.restarts;
        m_out.expected_failures = b.failures;
        m_out.wall = b.wall();
        m_out.goodput = part(RunPart::steps) / m_out.wall;
        m_out.first_order_waste = first_order_waste(m_out.failures, m_out.interval.used);
        m_out.waste = waste_curve(m_out.failures);
        m_out.by_spares = goodput_by_spares(m_run, m_out.failures, m_out.checkpoint, m_out.interval.used, work, part(RunPart::steps));
        return Done{};
    }

    // By resource: repeated work like the work; waiting for people, schedulers and processes as latency.
    void add_resources()
    {
        const Seconds checkpoints = part(RunPart::checkpoints), lost = part(RunPart::lost), restarts = part(RunPart::restarts);
        AttributedTime busy = m_work;
        if (m_blocking.total() > Seconds{})
            busy += m_blocking * (checkpoints / m_blocking.total());
        m_out.time = busy;
        if (busy.total() > Seconds{})
            m_out.time += busy * (lost / busy.total());
        const Seconds all = m_out.restart.total();
        if (all > Seconds{}) {
            const double reload = m_out.restart.reload / all;
            m_out.time += AttributedTime(Resource::storage, restarts * reload) + AttributedTime(Resource::latency, restarts * (1.0 - reload));
        }
        const Resource bound = m_out.time.bound();
        m_out.bound = std::string(name_of(bound));
        if (bound == Resource::storage)
            m_out.bound += m_out.storage.front().limits ? ": reading training data (" + m_out.storage.front().limited_by + ")" : ": checkpoints (" + m_out.checkpoint.write_limited_by + ")";
    }

    void add_distribution()
    {
        RunSimulation s;
        s.failures = m_out.failures;
        s.interval = m_out.interval.used;
        s.work = m_work.total();
        s.mtbf_low = s.mtbf_high = m_out.mtbf;
        s.seed = m_run.seed;
        s.samples = m_run.samples;
        m_out.failures_only = simulate_run(s);
        s.relative_error = m_in.estimate.relative_error;
        if (!m_run.mtbf_hours) {
            s.mtbf_low = m_in.reliability.low / m_out.nodes;
            s.mtbf_high = m_in.reliability.high / m_out.nodes;
        }
        m_out.time_to_train = simulate_run(s);
    }

    void add_energy()
    {
        EnergyPrediction& e = m_out.energy;
        const Cluster& c = m_job.cluster;
        e.busy = capped_node_power(c.node, c.accelerator, activity_of(m_in.estimate.time), m_run.power_cap);
        e.idle = node_power(c.node, c.accelerator, 0.0);
        const Seconds waiting = part(RunPart::data) + part(RunPart::checkpoints) + part(RunPart::restarts);
        const Joules nodes = (e.busy * (m_out.wall - waiting) + e.idle * waiting) * static_cast<double>(m_out.nodes);
        e.energy = (nodes + e.idle * m_out.wall * static_cast<double>(m_out.spares)) * m_run.pue;
        e.per_token = e.energy / m_training.tokens;
    }

    void add_notes()
    {
        auto& notes = m_out.notes;
        const Reliability& r = m_in.reliability;
        if (m_run.mtbf_hours)
            notes.push_back("The MTBF is your own figure; its uncertainty is not in the quantiles");
        else
            notes.push_back(fmt::format("MTBF of a node {:.0f} h, {:.0f} to {:.0f} h (10 and 90 %): {} [{}, {}, confidence {}]", in_hours(r.mtbf), in_hours(r.low), in_hours(r.high), r.note, r.source,
                r.date, r.confidence));
        notes.push_back("A restart reads each byte of the checkpoint once and spreads it over the network; where every replica reads its own weights, it takes longer");
        notes.push_back("Failures are taken as independent and exponential: no early deaths, no common cause, no silent corruption, no planned maintenance");
        if (m_run.asynchronous)
            notes.push_back("Asynchronous checkpoints: the write behind training is assumed not to slow it");
        for (const StorageDemand& d : m_out.storage)
            if (d.limits)
                notes.push_back(fmt::format("Storage limits: {} on {} ({})", d.what, d.tier_name, d.limited_by));
        if (m_in.checkpoint_tier.kind == StorageKind::local_nvme)
            notes.push_back("Checkpoints on local drives are lost with their node: a copy on other nodes or a tier behind is assumed, and not timed");
        if (m_in.data_tier.shares_efa || m_in.checkpoint_tier.shares_efa)
            notes.push_back("The file system shares the EFA cards with collectives; contention is not modelled");
        const Bytes held = m_out.checkpoint.size.shard * static_cast<double>(std::min(m_job.cluster.gpus, m_job.cluster.gpus_per_node()));
        if (m_run.asynchronous && m_job.cluster.node.host_memory > Bytes{} && held > m_job.cluster.node.host_memory)
            notes.push_back(fmt::format("Host memory does not hold a checkpoint: {} of {}", format(held), format(m_job.cluster.node.host_memory)));
        if (m_run.power_cap < 1.0)
            notes.push_back(fmt::format("Power cap: clock {:.0f} % ({:.0f} to {:.0f} %), cube law of dynamic power; kernels that draw less than the TDP lose less", 100.0 * m_out.energy.clock,
                100.0 * m_out.energy.clock_low, 100.0 * m_out.energy.clock_high));
        if (!m_in.estimate.feasible())
            notes.push_back("The plan does not fit in memory: this run cannot be");
    }

    const RunInput& m_in;
    const Job& m_job;
    const Run& m_run;
    const Training& m_training;
    const TrainingResult& m_result;
    AttributedTime m_step; // one full step
    AttributedTime m_work; // everything between checkpoints and failures
    AttributedTime m_blocking; // one checkpoint
    RunPrediction m_out;
};

} // namespace

std::string_view name_of(RunPart p)
{
    constexpr std::array<std::string_view, run_part_count> names
        = {"steps", "power cap", "batch ramp", "waiting for data", "evaluation", "checkpoints", "work done again", "restarts"};
    return names[static_cast<std::size_t>(p)];
}

Expected<RunPrediction> predict_run(const RunInput& in)
{
    const auto* training = std::get_if<Training>(&in.job.workload);
    if (training == nullptr || !in.estimate.training)
        return bad_input("only a training plan has a run", Place{{}, 0, "/workload/kind"}, {}, "pretraining, fine_tuning or lora");
    if (training->tokens <= Tokens{})
        return bad_input("the run has no end", Place{{}, 0, "/workload/tokens"}, "0 tokens", "the tokens to train on");
    return Predictor(in).run();
}

} // namespace ridgepoint
