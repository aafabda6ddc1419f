#include "model/estimate/training.h"

#include <algorithm>
#include <cmath>

#include "model/estimate/flops.h"
#include "model/memory/training_memory.h"

namespace ridgepoint {
namespace {

TrainingRuntime training_runtime(Framework framework)
{
    if (framework == Framework::fsdp)
        return TrainingRuntime::fsdp;
    return framework == Framework::deepspeed ? TrainingRuntime::deepspeed : TrainingRuntime::megatron;
}

constexpr double usable_window = 0.9; // of a computation that communication can really hide behind

// What `work` behind `window` costs: what sticks out, and what the hidden part takes from the computation that it shares
// multiprocessors, memory and links with.
AttributedTime behind(const AttributedTime& work, const AttributedTime& window, double contention)
{
    const AttributedTime out = exposed(work, window);
    return out + contention * (work - out);
}

class TrainingStep {
public:
    // With a memo only times and memory are computed; without one, the operators as well.
    TrainingStep(const Job& job, const Training& workload, LayerPassMemo* memo = nullptr)
        : m_job(job)
        , m_workload(workload)
        , m_layout(job.layout)
        , m_context{job.model, job.cluster, job.layout, job.precision, job.kernels, job.collectives, place_groups(job.cluster, job.layout),
              job.assumptions.moe_imbalance, true, workload.kind == TrainingKind::lora, workload.lora,
              job.assumptions.framework == Framework::fsdp && job.assumptions.compiled ? 1.0 : job.training.framework.memory_passes}
        , m_memo(memo)
    {
        m_batch.sequences = m_layout.micro_batch;
        m_batch.queries = workload.sequence_length;
        m_batch.keys = workload.sequence_length;
        m_batch.share = 1.0 / m_layout.cp;
        m_batch.causal = workload.causal;
    }

    TrainingDetail run()
    {
        m_detail.stages = cut_into_stages(m_job.model, m_layout);
        m_detail.microbatches = m_workload.global_batch / (m_layout.dp * m_layout.micro_batch);
        take_passes();
        time_stages();
        time_pipeline();
        time_data_parallel();
        time_optimizer();
        fill_breakdown();
        if (!m_memo)
            fill_operators();
        fill_memory();
        fill_result();
        return std::move(m_detail);
    }

private:
    [[nodiscard]] bool sharded_weights() const { return m_layout.sharding == DataSharding::zero3 || m_layout.sharding == DataSharding::hsdp; }

    void take_passes()
    {
        if (m_memo) {
            const LayerPasses& p = m_memo->passes(m_context, m_job, m_batch);
            m_detail.kinds = p.kinds;
            m_detail.embedding = p.embedding;
            m_detail.head = p.head;
        } else {
            LayerPasses p = layer_passes(m_context, m_job, m_batch);
            m_detail.kinds = std::move(p.kinds);
            m_detail.embedding = p.embedding;
            m_detail.head = p.head;
            m_ops = std::move(p.operators);
            m_ranges = std::move(p.ranges);
        }
        if (sharded_weights())
            for (std::size_t k = 0; k < m_job.model.kinds.size() && k < max_layer_kinds; ++k)
                shard_layer(m_job.model.kinds[k], static_cast<std::uint8_t>(k), m_detail.kinds[k]);
    }

    // FSDP gathers a layer before its forward and before its backward pass and reduces its gradients after, behind the
    // computation of the neighbouring layer. Every microbatch pays again.
    void shard_layer(const LayerKind& kind, std::uint8_t id, PassTimes& t)
    {
        const LayerParameters p = count_layer_parameters(m_job.model, kind);
        const DataParallelTraffic traffic = sharded_layer_traffic(m_context,
            (p.attention + p.mlp + p.shared_expert) / m_layout.tp + p.norms + p.router, p.experts / (static_cast<double>(m_layout.ep) * m_layout.etp));
        const AttributedTime reduce = m_context.frozen_weights ? AttributedTime{} : traffic.reduce;
        const AttributedTime forward_window = m_layout.overlap_param_gather ? usable_window * t.forward.total() : AttributedTime{};
        const AttributedTime backward_window
            = m_layout.overlap_grad_reduce ? usable_window * (t.backward.total() + t.recompute.total()) : AttributedTime{};
        const double k = m_job.training.overlap.contention;
        const AttributedTime forward = behind(traffic.gather, forward_window, k);
        const AttributedTime gather_again = behind(traffic.gather, backward_window, k);
        const AttributedTime backward = behind(traffic.gather + reduce, backward_window, k);
        t.sharded_exposed = forward + backward;
        t.sharded_hidden = (2.0 * traffic.gather + reduce).total() - t.sharded_exposed.total();
        list_sharded(OperatorKind::dp_gather, Phase::forward, id, traffic.gather, forward, traffic);
        list_sharded(OperatorKind::dp_gather, Phase::backward, id, traffic.gather, gather_again, traffic);
        list_sharded(OperatorKind::dp_reduce, Phase::backward, id, reduce, backward - gather_again, traffic);
    }

    // For the operator table and the error bar; the times are already in the stage through sharded_exposed.
    void list_sharded(OperatorKind kind, Phase phase, std::uint8_t layer, const AttributedTime& time, const AttributedTime& out, const DataParallelTraffic& traffic)
    {
        if (m_memo || time.total() <= Seconds{})
            return;
        Operator op;
        op.kind = kind;
        op.phase = phase;
        op.layer_kind = layer;
        op.time = time;
        const double share = time.total() / (traffic.gather + traffic.reduce).total();
        op.nvlink = share * traffic.nvlink;
        op.network = share * traffic.network;
        op.hidden = std::clamp(1.0 - out.total() / time.total(), 0.0, 1.0);
        m_ops.push_back(op);
        m_ranges.push_back({m_ops.size() - 1, m_ops.size(), phase, layer, false});
    }

    // One microbatch on one stage, as a sum over its layers by `part`.
    template <typename Part> auto over_stage(const StageContent& stage, Part&& part) const
    {
        auto sum = decltype(part(m_detail.embedding)){};
        for (std::size_t k = 0; k < m_detail.kinds.size(); ++k)
            if (stage.layers[k] > 0)
                sum += static_cast<double>(stage.layers[k]) * part(m_detail.kinds[k]);
        if (stage.embedding)
            sum += part(m_detail.embedding);
        if (stage.heads > 0)
            sum += static_cast<double>(stage.heads) * part(m_detail.head);
        return sum;
    }

    void time_stages()
    {
        m_detail.stage_times.reserve(m_detail.stages.size());
        for (std::size_t i = 0; i < m_detail.stages.size(); ++i) {
            const StageContent& stage = m_detail.stages[i];
            if (i > 0 && stage == m_detail.stages[i - 1]) { // most stages are alike
                m_detail.stage_times.push_back(m_detail.stage_times.back());
                continue;
            }
            AttributedTime t = over_stage(stage, [](const PassTimes& p) { return p.whole; });
            if (sharded_weights())
                t += over_stage(stage, [](const PassTimes& p) { return p.sharded_exposed; });
            m_detail.stage_times.push_back(t);
            if (t.total() > m_detail.stage_times[static_cast<std::size_t>(m_detail.slowest_stage)].total())
                m_detail.slowest_stage = static_cast<int>(i);
        }
    }

    void time_pipeline()
    {
        if (m_layout.pp > 1) {
            const double cut = m_layout.sequence_parallel ? m_layout.tp : 1.0; // scatter-gather or sequence parallel
            const Bytes message{2.0 * m_batch.tokens() * m_job.model.hidden / cut};
            const CollectiveCost cost = collective_cost({Collective::send_recv, message, m_context.groups.pp_neighbour}, m_job.cluster, m_job.collectives);
            m_detail.send = cost.time;
            m_send_cost = cost;
        }
        m_detail.pipeline = pipeline_time(m_detail.stage_times, m_detail.send, m_layout, m_detail.microbatches);
    }

    void time_data_parallel()
    {
        const Lora* lora = m_context.frozen_weights ? &m_workload.lora : nullptr;
        for (std::size_t i = 0; i < m_detail.stages.size(); ++i) {
            if (i > 0 && m_detail.stages[i] == m_detail.stages[i - 1])
                continue;
            const RankParameters p = rank_parameters(m_job.model, m_layout, m_detail.stages[i], lora);
            m_parameters = p.total() > m_parameters.total() ? p : m_parameters;
        }
        const double dense = m_context.frozen_weights ? m_parameters.adapters : m_parameters.dense;
        const double experts = m_context.frozen_weights ? 0.0 : m_parameters.experts;
        if (sharded_weights()) {
            m_detail.hsdp = hsdp_reduce(m_context, dense + experts);
            if (m_layout.overlap_grad_reduce)
                m_detail.hsdp = behind(m_detail.hsdp, usable_window * backward_of_slowest(), m_job.training.overlap.contention);
            return;
        }
        m_detail.replicated = replicated_traffic(m_context, dense, experts);
        const AttributedTime& reduce = m_detail.replicated.reduce;
        const AttributedTime& gather = m_detail.replicated.gather;
        // Gradients are final only in the last microbatch's backward pass, parameters are gathered ahead of the first
        // forward pass; the last bucket (about one layer of the stage) has nothing left to hide behind.
        const double layers = std::max(1, m_detail.stages[static_cast<std::size_t>(m_detail.slowest_stage)].layer_count());
        const double k = m_job.training.overlap.contention;
        const double window = usable_window * final_microbatches();
        m_detail.reduce_exposed = m_layout.overlap_grad_reduce
            ? larger((1.0 / layers) * reduce, behind(reduce, window * backward_of_slowest(), k))
            : reduce;
        m_detail.gather_exposed = m_layout.overlap_param_gather
            ? larger((1.0 / layers) * gather, behind(gather, window * forward_of_slowest(), k))
            : gather;
    }

    // Microbatches that run between the first chunk's last use of its parameters or gradients and the stage's. With one
    // chunk, the last one; interleaved schedules work through the chunks in rounds of p microbatches, so that all chunks
    // but one have whole rounds to hide behind [Narayanan 2021, figure 4].
    [[nodiscard]] double final_microbatches() const
    {
        if (m_layout.schedule != PipelineSchedule::interleaved || m_layout.vpp <= 1)
            return 1.0;
        const double round = std::min(m_layout.pp, m_detail.microbatches);
        return std::max(1.0, round * (m_layout.vpp - 1.0) / m_layout.vpp);
    }

    [[nodiscard]] const StageContent& slowest() const { return m_detail.stages[static_cast<std::size_t>(m_detail.slowest_stage)]; }
    // Computation only: exposed TP, CP and EP traffic of the same pass already uses the links.
    [[nodiscard]] AttributedTime backward_of_slowest() const
    {
        return over_stage(slowest(), [](const PassTimes& p) { return p.backward.compute() + p.recompute.compute(); });
    }
    [[nodiscard]] AttributedTime forward_of_slowest() const
    {
        return over_stage(slowest(), [](const PassTimes& p) { return p.forward.compute(); });
    }

    // Adam, fused: read master, two moments and gradient, write master, moments and the bf16 weight: 30 bytes per
    // parameter of the shard; norm and clip read and write the gradient once more; zeroing writes the whole buffer.
    void time_optimizer()
    {
        const ShardDegrees dense = shard_degrees(m_layout, static_cast<double>(m_layout.dp) * m_layout.cp, m_job.cluster.gpus_per_node());
        const ShardDegrees expert = shard_degrees(m_layout, m_layout.expert_dp(), m_job.cluster.gpus_per_node());
        const double d = m_context.frozen_weights ? m_parameters.adapters : m_parameters.dense;
        const double e = m_context.frozen_weights ? 0.0 : m_parameters.experts;
        const double shard = d / dense.optimizer + e / expert.optimizer;
        const double buffer = d / dense.gradients + e / expert.gradients;
        const double g = bytes_per_element(m_job.precision.gradients);
        m_optimizer_bytes = Bytes{30.0 * shard + 3.0 * g * shard + g * buffer};
        m_detail.optimizer = memory_time(m_optimizer_bytes, 4, m_job.cluster.accelerator, m_job.kernels);
        // Norm of the gradients: one scalar over all ranks.
        const GroupPlacement everyone = place_group(m_job.cluster, m_job.cluster.gpus, 1);
        if (everyone.ranks > 1)
            m_detail.optimizer += collective_cost({Collective::all_reduce, Bytes{4.0}, everyone}, m_job.cluster, m_job.collectives).time;
    }

    void fill_breakdown()
    {
        StepBreakdown& b = m_detail.estimate.breakdown;
        const double m = m_detail.microbatches;
        const StageContent& s = slowest();
        const LayerTime main = over_stage(s, [](const PassTimes& p) { return p.forward + p.backward; });
        const LayerTime again = over_stage(s, [](const PassTimes& p) { return p.recompute; });
        b[StepPart::gemm] = m * main.gemm;
        b[StepPart::attention] = m * main.attention;
        b[StepPart::elementwise] = m * main.elementwise;
        b[StepPart::recompute] = m * again.total();
        b[StepPart::tp_exposed] = m * main.tp;
        b[StepPart::cp_exposed] = m * main.cp;
        b[StepPart::ep_exposed] = m * main.ep;
        b[StepPart::host] = m * main.host;
        b[StepPart::pp_exposed] = m_detail.pipeline.p2p;
        b[StepPart::bubble] = m_detail.pipeline.bubble;
        b[StepPart::dp_exposed] = m_detail.reduce_exposed + m_detail.gather_exposed + m_detail.hsdp;
        b[StepPart::optimizer] = m_detail.optimizer;
        b.tp_hidden = m * (main.tp_hidden + again.tp_hidden);
        b.cp_hidden = m * (main.cp_hidden + again.cp_hidden);
        b.ep_hidden = m * (main.ep_hidden + again.ep_hidden);
        b.pp_hidden = m_detail.pipeline.p2p_hidden;
        if (sharded_weights()) {
            b[StepPart::dp_exposed] += m * over_stage(s, [](const PassTimes& p) { return p.sharded_exposed; });
            b.dp_hidden = m * over_stage(s, [](const PassTimes& p) { return p.sharded_hidden; });
        } else {
            b.dp_hidden = (m_detail.replicated.reduce + m_detail.replicated.gather).total() - b[StepPart::dp_exposed].total();
        }
        // The slowest of N nodes whose speeds scatter by s: 1 + s sqrt(2 ln N), the expected maximum of N normals.
        const double nodes = std::max(1, m_job.cluster.nodes);
        const double late = m_job.assumptions.straggler * std::sqrt(2.0 * std::log(nodes));
        m_detail.straggler = late * b.total();
        b[StepPart::straggler] = m_detail.straggler;
        b[StepPart::host] += AttributedTime(Resource::latency, m_job.training.framework.per_step);
        m_detail.estimate.time = b.total();
    }

    void fill_operators()
    {
        const StageContent& s = slowest();
        const double m = m_detail.microbatches;
        double executed = 0.0; // by all stages, one microbatch, one rank of each
        for (const PassRange& r : m_ranges) {
            double here = 0.0, everywhere = 0.0;
            for (const StageContent& stage : m_detail.stages)
                everywhere += count(stage, r);
            here = count(s, r);
            for (std::size_t i = r.begin; i < r.end; ++i) {
                executed += everywhere * m_ops[i].flops.value();
                m_ops[i].count = m * here;
            }
        }
        std::erase_if(m_ops, [](const Operator& op) { return op.count <= 0.0; });
        const double ranks = static_cast<double>(m_layout.tp) * m_layout.cp * m_layout.dp;
        m_detail.executed = Flops{executed * m * ranks};
        add_step_operators();
        m_detail.estimate.operators = std::move(m_ops);
    }

    [[nodiscard]] double count(const StageContent& stage, const PassRange& r) const
    {
        const double share = r.phase == Phase::recompute ? m_layout.recompute_share : 1.0;
        if (r.layer_kind != outside_layers)
            return share * stage.layers[r.layer_kind];
        return r.embedding ? (stage.embedding ? 1.0 : 0.0) : stage.heads;
    }

    void add_step_operators()
    {
        const auto add = [&](OperatorKind kind, Phase phase, double n, const AttributedTime& time, Bytes hbm, Bytes nvlink, Bytes network, double hidden) {
            if (time.total() <= Seconds{})
                return;
            Operator op;
            op.kind = kind;
            op.phase = phase;
            op.layer_kind = outside_layers;
            op.count = n;
            op.time = time;
            op.hbm = hbm;
            op.nvlink = nvlink;
            op.network = network;
            op.hidden = hidden;
            m_ops.push_back(op);
        };
        const auto hidden_share = [](const AttributedTime& whole, const AttributedTime& out) {
            return whole.total() > Seconds{} ? std::clamp(1.0 - out.total() / whole.total(), 0.0, 1.0) : 0.0;
        };
        if (m_layout.pp > 1) {
            const double sends = 2.0 * m_layout.vpp * m_detail.microbatches;
            const double all = (m_detail.pipeline.p2p.total() + m_detail.pipeline.p2p_hidden).value();
            add(OperatorKind::pp_send, Phase::forward, sends, m_detail.send, {}, m_send_cost.nvlink, m_send_cost.network,
                all > 0 ? m_detail.pipeline.p2p_hidden.value() / all : 0.0);
        }
        const DataParallelTraffic& t = m_detail.replicated;
        add(OperatorKind::dp_reduce, Phase::optimizer, 1, t.reduce, {}, t.nvlink, t.network, hidden_share(t.reduce, m_detail.reduce_exposed));
        add(OperatorKind::dp_gather, Phase::optimizer, 1, t.gather, {}, {}, {}, hidden_share(t.gather, m_detail.gather_exposed));
        add(OperatorKind::optimizer, Phase::optimizer, 1, m_detail.optimizer, m_optimizer_bytes, {}, {}, 0.0);
    }

    void fill_memory()
    {
        const TrainingMemoryCase c{m_job.model, m_layout, m_job.precision, m_workload, m_detail.stages, m_detail.microbatches,
            m_job.cluster.gpus_per_node(), m_job.assumptions.moe_imbalance, m_job.assumptions.runtime_reserve, m_job.assumptions.fragmentation,
            m_job.cluster.accelerator.hbm_visible, training_runtime(m_job.assumptions.framework)};
        m_detail.estimate.memory = training_memory(c);
    }

    void fill_result()
    {
        TrainingResult r;
        r.step = m_detail.estimate.time.total();
        const double tokens = static_cast<double>(m_workload.global_batch) * m_workload.sequence_length;
        const double gpus = m_job.cluster.gpus;
        r.tokens_per_second = TokensPerSecond{tokens / r.step.value()};
        r.tokens_per_second_per_gpu = r.tokens_per_second / gpus;
        r.convention = m_job.assumptions.convention;
        r.model_flops_per_step = r.convention == FlopConvention::hardware ? m_detail.executed : training_flops(m_job.model, m_workload, r.convention);
        r.achieved_per_gpu = FlopPerSecond{r.model_flops_per_step.value() / r.step.value() / gpus};
        r.peak_arithmetic = m_job.precision.gemm;
        r.mfu = r.achieved_per_gpu / m_job.cluster.accelerator.dense_peak(r.peak_arithmetic);
        r.bubble_fraction = m_detail.pipeline.bubble.total() / r.step;
        r.microbatches = m_detail.microbatches;
        if (m_workload.tokens > Tokens{})
            r.time_to_train = Seconds{m_workload.tokens.value() / r.tokens_per_second.value()};
        m_detail.estimate.training = r;
    }

    const Job& m_job;
    const Training& m_workload;
    const Layout& m_layout;
    OperatorContext m_context;
    LayerPassMemo* m_memo;
    TokenBatch m_batch;
    TrainingDetail m_detail;
    OperatorList m_ops;
    std::vector<PassRange> m_ranges;
    RankParameters m_parameters; // of the largest stage
    CollectiveCost m_send_cost;
    Bytes m_optimizer_bytes;
};

} // namespace

TrainingDetail train(const Job& job, const Training& workload) { return TrainingStep(job, workload).run(); }

TrainingDetail train_quickly(const Job& job, const Training& workload, LayerPassMemo& memo) { return TrainingStep(job, workload, &memo).run(); }

} // namespace ridgepoint
