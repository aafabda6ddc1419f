#include "model/post_training/post_training.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "model/post_training/samples.h"
#include "model/post_training/synchronize.h"

namespace ridgepoint {
namespace {

constexpr int most_divisions = 48;

int round_up(double v, int multiple) { return static_cast<int>(std::ceil(v / multiple - 1e-9)) * multiple; }

// Share of a step's passes that is the forward one, of the stage that decides the time.
double forward_share(const Estimate& e)
{
    double forward = 0.0, all = 0.0;
    for (const Operator& op : e.operators) {
        const double t = op.total_time().value() * (1.0 - op.hidden);
        if (op.phase == Phase::forward)
            forward += t;
        if (op.phase == Phase::forward || op.phase == Phase::recompute || op.phase == Phase::backward)
            all += t;
    }
    return all > 0.0 ? forward / all : 1.0 / 3.0;
}

class Predictor {
public:
    Predictor(const Job& learner, const Job& rollout, const PostTraining& p, const std::optional<Price>& price, const Progress& progress)
        : m_learner(learner)
        , m_rollout(rollout)
        , m_p(p)
        , m_price(price)
        , m_progress(progress)
        , m_samples(draw_samples(p))
    {
    }

    Expected<PostTrainingPrediction> run()
    {
        m_out.samples = static_cast<double>(m_samples.lengths.size());
        m_out.mean_output = m_samples.mean_output;
        m_out.longest_output = m_samples.longest_output;
        m_out.tokens = m_samples.total;
        m_out.packed_length = m_samples.squares / m_samples.total;
        if (generates())
            if (Status s = measure_rollout(); !s)
                return s.error();
        const Status s = generates() && m_p.placement == Placement::disaggregated ? divide() : together();
        if (!s)
            return s.error();
        finish();
        return std::move(m_out);
    }

private:
    [[nodiscard]] bool generates() const { return m_p.algorithm != PostTrainingAlgorithm::dpo; }

    Status measure_rollout()
    {
        if (m_p.placement == Placement::colocated && !m_p.offload) {
            // The learner's states stay where the KV cache could be.
            const Expected<Iteration> it = learn(m_learner.cluster.gpus);
            if (!it)
                return it.error();
            m_rollout.assumptions.runtime_reserve += it->offloaded;
        }
        const Expected<Estimate> e = estimate(m_rollout);
        if (!e)
            return e.error();
        m_rollout_weights = e->memory.worst().weights;
        m_gpus_per_replica = std::max(1, m_rollout.layout.tp * m_rollout.layout.pp);
        Expected<StepTimes> steps = tabulate_steps(m_rollout, m_p.prompt_length + m_samples.longest_output, m_p.rollout_batch, ServingPhase::serving, m_progress.stop);
        if (!steps)
            return steps.error();
        m_steps = std::move(*steps);
        return Done{};
    }

    // The learner's side: everything but the rollout. `offloaded` is what could leave the GPU.
    Expected<Iteration> learn(int gpus)
    {
        Job job = m_learner;
        Layout& l = job.layout;
        const int model = l.tp * l.pp * l.cp;
        if (gpus < model || gpus % model != 0)
            return infeasible(fmt::format("The learner's tp x pp x cp of {} does not divide its {} GPUs", model, gpus), "Give it a multiple of that");
        job.cluster.gpus = gpus;
        job.cluster.nodes = (gpus + job.cluster.node.accelerators - 1) / job.cluster.node.accelerators;
        l.dp = gpus / model;
        Training t = std::get<Training>(job.workload);
        // Packed to E[L^2] / E[L], the learner sees as many tokens and as much attention as there are.
        t.sequence_length = round_up(m_out.packed_length, l.tp * l.cp * 2);
        const double per_update = m_samples.total / m_p.updates / t.sequence_length;
        t.global_batch = round_up(per_update, l.dp * l.micro_batch);
        t.tokens = Tokens{};
        job.workload = t;
        const Expected<Estimate> e = estimate(job);
        if (!e)
            return e.error();

        Iteration it;
        it.training_gpus = gpus;
        it.fits = e->feasible();
        const StageMemory& worst = e->memory.worst();
        it.offloaded = worst.weights + worst.gradients + worst.optimizer;
        const double steps = static_cast<double>(m_p.updates) * m_p.epochs;
        const Seconds step = e->training->step;
        const Seconds passes = step - e->breakdown[StepPart::optimizer].total() - e->breakdown[StepPart::dp_exposed].total();
        const Seconds forward = passes * forward_share(*e) * static_cast<double>(m_p.updates); // of all samples once
        it[IterationPart::update] = step * steps;
        if (m_p.algorithm == PostTrainingAlgorithm::ppo)
            it[IterationPart::critic] = forward + step * steps;
        if (generates() && m_p.recompute_old)
            it[IterationPart::old_log_probs] = forward;
        if (m_p.reference || !generates())
            it[IterationPart::reference] = forward;
        it[IterationPart::reward] = generates() ? forward * m_p.reward_model + m_p.reward_time : Seconds{};
        for (const Seconds& part : it.parts)
            it.training_side += part;
        return it;
    }

    Status add_rollout(Iteration& it, int gpus)
    {
        it.rollout_gpus = gpus;
        const int replicas = gpus / m_gpus_per_replica;
        if (replicas < 1)
            return infeasible(fmt::format("{} GPUs do not hold one rollout replica of {}", gpus, m_gpus_per_replica), "Lower rollout_tp");
        Expected<Rollout> r = roll_out(m_steps, m_samples, m_p, replicas, m_progress.stop);
        if (!r)
            return r.error();
        it.rollout = *r;
        Job learner = m_learner;
        learner.layout.dp = it.training_gpus / (learner.layout.tp * learner.layout.pp * learner.layout.cp);
        const Synchronization sync = synchronize_weights(learner, m_rollout, m_rollout_weights, m_p.placement, replicas);
        it[IterationPart::synchronize] = sync.transfer + sync.load;
        it.synchronize_bytes_time = sync.transfer;
        it.weights = sync.received;
        return Done{};
    }

    Status together()
    {
        Expected<Iteration> it = learn(m_learner.cluster.gpus);
        if (!it)
            return it.error();
        if (generates()) {
            if (Status s = add_rollout(*it, m_learner.cluster.gpus); !s)
                return s;
            (*it)[IterationPart::rollout] = it->rollout.time;
            it->rollout_side = it->rollout.time;
            const BytesPerSecond link = m_learner.cluster.node.host_link_per_direction;
            if (m_p.offload && link > BytesPerSecond{})
                (*it)[IterationPart::offload] = 2.0 * it->offloaded / link;
            const Bytes on_host = it->offloaded * static_cast<double>(m_learner.cluster.node.accelerators);
            if (m_p.offload && m_learner.cluster.node.host_memory > Bytes{} && on_host > m_learner.cluster.node.host_memory) {
                it->fits = false;
                m_out.notes.push_back("What is offloaded does not fit into the host memory of a node");
            }
        } else {
            it->offloaded = Bytes{};
        }
        for (const Seconds& part : it->parts)
            it->time += part;
        it->bound = largest_part(*it, false);
        m_out.best = std::move(*it);
        return Done{};
    }

    // One division: staleness 0 waits at every border; k iterations in flight take the longer side, and the rollout's
    // long tail overlaps with the next iterations: a closed system with k customers passes at most one per
    // max(work, latency / k) [asymptotic bounds, Lazowska et al., Quantitative System Performance, 1984, section 5.2].
    Expected<Iteration> division(int rollout_gpus)
    {
        Expected<Iteration> it = learn(m_learner.cluster.gpus - rollout_gpus);
        if (!it)
            return it;
        it->offloaded = Bytes{};
        if (Status s = add_rollout(*it, rollout_gpus); !s)
            return s.error();
        const int k = m_p.staleness;
        const Seconds sync = (*it)[IterationPart::synchronize];
        it->rollout_side = k > 0 ? std::max(it->rollout.work, it->rollout.time / static_cast<double>(k)) : it->rollout.time;
        (*it)[IterationPart::rollout] = it->rollout_side;
        it->time = sync + (k > 0 ? std::max(it->rollout_side, it->training_side) : it->rollout_side + it->training_side);
        (*it)[IterationPart::wait] = k > 0 ? Seconds{std::fabs((it->rollout_side - it->training_side).value())} : Seconds{};
        const bool by_learner = k > 0 && it->training_side > it->rollout_side;
        it->bound = k > 0 && !by_learner ? std::string(name_of(IterationPart::rollout)) : largest_part(*it, by_learner);
        return it;
    }

    Status divide()
    {
        const int gpus = m_learner.cluster.gpus;
        const int model = m_learner.layout.tp * m_learner.layout.pp * m_learner.layout.cp;
        std::vector<int> candidates;
        for (int r = m_gpus_per_replica; r <= gpus - model; r += m_gpus_per_replica)
            if ((gpus - r) % model == 0)
                candidates.push_back(r);
        if (m_p.rollout_gpus > 0 && std::find(candidates.begin(), candidates.end(), m_p.rollout_gpus) == candidates.end()) {
            Error e = infeasible(fmt::format("{} of {} GPUs cannot roll out: replicas take {}, the learner a multiple of {}", m_p.rollout_gpus, gpus, m_gpus_per_replica, model),
                candidates.empty() ? "Take more GPUs" : fmt::format("For example {}, or 0 for the best division", candidates[candidates.size() / 2]));
            e.place.pointer = "/post_training/rollout_gpus";
            return e;
        }
        if (candidates.empty())
            return infeasible(fmt::format("{} GPUs are too few for a rollout replica of {} and a learner of {}", gpus, m_gpus_per_replica, model), "Take more GPUs, or colocate");
        std::optional<Error> first;
        const std::size_t stride = (candidates.size() + most_divisions - 1) / most_divisions;
        for (std::size_t i = 0; i < candidates.size(); ++i)
            if (i % stride == 0 || candidates[i] == m_p.rollout_gpus) {
                m_progress.at(static_cast<double>(i) / static_cast<double>(candidates.size()));
                Expected<Iteration> it = division(candidates[i]);
                if (m_progress.stopped())
                    return stopped_before_the_end();
                if (it)
                    m_out.divisions.push_back(std::move(*it));
                else if (!first)
                    first = it.error();
            }
        if (m_out.divisions.empty())
            return *first;
        const auto better = [](const Iteration& a, const Iteration& b) { return a.fits != b.fits ? a.fits : a.time < b.time; };
        m_out.best = *std::min_element(m_out.divisions.begin(), m_out.divisions.end(), better);
        for (const Iteration& it : m_out.divisions)
            if (it.rollout_gpus == m_p.rollout_gpus)
                m_out.best = it;
        if (m_p.rollout_gpus > 0 && m_out.best.rollout_gpus != m_p.rollout_gpus)
            return *first;
        return Done{};
    }

    static std::string largest_part(const Iteration& it, bool learner_only)
    {
        std::size_t best = static_cast<std::size_t>(IterationPart::update);
        for (std::size_t i = 0; i < iteration_part_count; ++i) {
            const auto part = static_cast<IterationPart>(i);
            if (part == IterationPart::wait || (learner_only && (part == IterationPart::rollout || part == IterationPart::synchronize)))
                continue;
            if (it.parts[i] > it.parts[best])
                best = i;
        }
        return std::string(name_of(static_cast<IterationPart>(best)));
    }

    void finish()
    {
        const double seconds = m_out.best.time.value();
        m_out.samples_per_second = m_out.samples / seconds;
        m_out.tokens_per_second = TokensPerSecond{m_out.tokens / seconds};
        m_out.output_per_second = TokensPerSecond{generates() ? m_out.samples * m_out.mean_output / seconds : 0.0};
        const double rented = static_cast<double>(m_learner.cluster.nodes) * m_learner.cluster.node.accelerators;
        m_out.gpu_hours = rented * seconds / 3600.0;
        if (m_price)
            m_out.cost = m_price->per_gpu * rented * m_out.best.time;
        if (m_p.algorithm == PostTrainingAlgorithm::ppo)
            m_out.notes.push_back("The critic's memory is not counted: with one as large as the policy the learner needs twice the states");
        if (m_p.staleness > 1 && m_p.placement == Placement::disaggregated && generates())
            m_out.notes.push_back("More than one iteration ahead: the rollout's time is the bound of a pipeline that never starves");
    }

    const Job m_learner;
    Job m_rollout;
    const PostTraining& m_p;
    const std::optional<Price>& m_price;
    const Progress& m_progress;
    const Samples m_samples;
    StepTimes m_steps;
    Bytes m_rollout_weights;
    int m_gpus_per_replica = 1;
    PostTrainingPrediction m_out;
};

} // namespace

std::string_view name_of(IterationPart p)
{
    static constexpr std::array<std::string_view, iteration_part_count> names = {"rollout", "old log-probabilities", "reference log-probabilities", "reward",
        "critic", "update", "weight synchronization", "offload and reload", "wait"};
    return names[static_cast<std::size_t>(p)];
}

Expected<PostTrainingPrediction> predict_post_training(const Job& learner, const Job& rollout, const PostTraining& p, const std::optional<Price>& price, const Progress& progress)
{
    if (!std::holds_alternative<Training>(learner.workload))
        return bad_input("post-training needs a training plan for its learner", Place{{}, 0, "/workload/kind"}, {}, "fine_tuning or lora");
    return Predictor(learner, rollout, p, price, progress).run();
}

} // namespace ridgepoint
