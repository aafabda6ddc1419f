#include "model/estimate/serving.h"

#include <algorithm>
#include <cmath>

#include "model/memory/adapters.h"
#include "model/memory/serving_memory.h"

namespace ridgepoint {
namespace {

struct StepShape {
    double sequences = 1; // of one attention group
    double queries = 1; // new tokens of each
    double keys = 1; // keys that exist for the last of them
    double sampled = 1; // rows that need logits, of one attention group
    double passes = 1; // equal passes (chunks)
    double requests = 1; // that they belong to, of one attention group
    double shared_keys = 0, sharing = 1; // as in TokenBatch
    Phase phase = Phase::decode;
};

class ServingModel {
public:
    ServingModel(const Job& job, const Serving& workload)
        : m_job(job)
        , m_workload(workload)
    {
        m_detail.groups = serving_groups(job);
        m_detail.stages = cut_into_stages(job.model, m_detail.groups.layout);
        if (job.assumptions.speculative_tokens == 0)
            drop_drafting_layers();
    }

    ServingDetail run()
    {
        const double prompt = m_workload.input_length * (1.0 - m_workload.prefix_hit);
        const double cached = m_workload.input_length * m_workload.prefix_hit;
        const double batch = std::max(1, m_workload.prefill_batch);
        const double per_group = std::max(1.0, batch / m_detail.groups.attention_groups);
        m_detail.chunks = m_workload.chunk > 0 ? std::max(1, static_cast<int>(std::ceil(per_group * prompt / m_workload.chunk))) : 1;
        StepShape prefill;
        prefill.phase = Phase::prefill;
        prefill.passes = m_detail.chunks;
        prefill.sequences = per_group;
        prefill.queries = std::max(1.0, prompt / m_detail.chunks);
        prefill.keys = cached + (m_detail.chunks - 1.0) * prefill.queries / 2.0 + prefill.queries; // mean over the chunks
        prefill.sampled = per_group / m_detail.chunks;
        prefill.requests = per_group;
        m_detail.prefill = step(prefill);

        const double drafted = m_job.assumptions.speculative_tokens;
        const double a = std::clamp(m_job.assumptions.speculative_acceptance, 0.0, 0.999);
        m_detail.tokens_per_step = drafted > 0 ? (1.0 - std::pow(a, drafted + 1.0)) / (1.0 - a) : 1.0;
        StepShape decode;
        decode.sequences = std::max(1.0, m_workload.concurrency / static_cast<double>(m_detail.groups.attention_groups));
        decode.queries = 1.0 + drafted;
        decode.keys = m_workload.input_length + m_workload.output_length / 2.0;
        decode.sampled = decode.sequences * decode.queries;
        decode.requests = decode.sequences / sharing();
        if (m_workload.shared_reads) {
            decode.sharing = sharing();
            decode.shared_keys = m_workload.input_length;
        }
        m_detail.decode = step(decode);
        if (drafted > 0)
            add_drafting(decode, drafted);
        finish();
        return std::move(m_detail);
    }

private:
    // Sequences of one attention group that share a prompt: the samples of a request stay together.
    [[nodiscard]] double sharing() const
    {
        return std::clamp(m_workload.concurrency / static_cast<double>(m_detail.groups.attention_groups), 1.0, static_cast<double>(std::max(1, m_workload.samples)));
    }

    // Multi-token-prediction layers only draft: without speculation an engine does not load them.
    void drop_drafting_layers()
    {
        StageContent& last = m_detail.stages.back();
        last.heads = std::min(last.heads, 1);
        if (m_job.model.mtp_depth > 0 && !m_job.model.layers.empty())
            last.layers[m_job.model.layers.back()] -= m_job.model.mtp_depth;
    }

    // All stages of one step. With pipeline parallelism the sequences are cut into pp microbatches that follow each other:
    // a token waits for pp turns of the slowest stage, so its latency does not shrink.
    ServingStep step(const StepShape& shape)
    {
        const Layout& l = m_detail.groups.layout;
        const ServedAdapters& adapters = m_workload.adapters;
        const double asked_for = adapters.resident > 0 ? std::min<double>(adapters.active, shape.requests) : 0.0;
        const OperatorContext context{m_job.model, m_job.cluster, l, m_job.precision, m_job.kernels, m_job.collectives, place_groups(m_job.cluster, l),
            m_job.assumptions.moe_imbalance, false, false, {adapters.rank, adapters.attention, adapters.mlp}, 1.0, asked_for};
        const bool decode = shape.phase == Phase::decode;
        TokenBatch batch;
        batch.sequences = decode ? std::max(1.0, shape.sequences / l.pp) : shape.sequences;
        batch.queries = shape.queries;
        batch.keys = shape.keys;
        batch.shared_keys = shape.shared_keys;
        batch.sharing = std::min(shape.sharing, batch.sequences);
        const double turns = decode ? l.pp : 1.0;

        OverlapRules rules = overlap_rules(l, Seconds{});
        rules.tp = false;
        OperatorList ops;
        ops.reserve(64);
        struct Range {
            std::size_t begin, end;
            LayerTime time;
        };
        const auto pass = [&](std::uint8_t kind, auto&& emit) {
            const std::size_t begin = ops.size();
            Emitter e(context, shape.phase, kind, ops);
            emit(e);
            if (!decode)
                for (std::size_t i = begin; i < ops.size(); ++i) {
                    const bool expert = ops[i].kind == OperatorKind::expert_gate_up || ops[i].kind == OperatorKind::expert_down;
                    ops[i].time *= 1.0 / (m_job.engine.prefill_share * (expert ? m_job.engine.prompt_expert_share : 1.0));
                }
            return Range{begin, ops.size(), layer_time(std::span(ops).subspan(begin), rules)};
        };
        std::vector<Range> kinds;
        for (std::size_t k = 0; k < m_job.model.kinds.size() && k < max_layer_kinds; ++k)
            kinds.push_back(pass(static_cast<std::uint8_t>(k), [&](Emitter& e) { emit_layer(e, m_job.model.kinds[k], batch); }));
        const Range embedding = pass(outside_layers, [&](Emitter& e) { emit_embedding(e, batch); });
        const double sampled = decode ? std::max(1.0, shape.sampled / l.pp) : shape.sampled;
        const Range head = pass(outside_layers, [&](Emitter& e) { emit_head(e, std::max(sampled, 1e-3)); });

        std::size_t slowest = 0;
        LayerTime sum, largest;
        for (std::size_t i = 0; i < m_detail.stages.size(); ++i) {
            LayerTime t;
            for (std::size_t k = 0; k < kinds.size(); ++k)
                t += static_cast<double>(m_detail.stages[i].layers[k]) * kinds[k].time;
            if (m_detail.stages[i].embedding)
                t += embedding.time;
            if (m_detail.stages[i].heads > 0)
                t += head.time;
            sum += t;
            if (t.total().total() > largest.total().total()) {
                largest = t;
                slowest = i;
            }
        }
        // Prefill: one prompt runs through all stages. Decode: pp turns of the slowest.
        LayerTime t = decode ? turns * largest : sum;
        t *= shape.passes;

        ServingStep out;
        out.gemm = t.gemm;
        out.attention = t.attention;
        out.elementwise = t.elementwise;
        out.tp = t.tp;
        out.ep = t.ep;
        if (l.pp > 1) {
            const CollectiveCost send = collective_cost(
                {Collective::send_recv, Bytes{2.0 * batch.tokens() * m_job.model.hidden / l.tp}, context.groups.pp_neighbour}, m_job.cluster, m_job.collectives);
            out.p2p = ((decode ? static_cast<double>(l.pp) : l.pp - 1.0) * shape.passes) * send.time;
        }
        const double running = shape.sequences; // each attention group has a scheduler of its own
        out.host = AttributedTime{Resource::latency,
            shape.passes * (m_job.engine.per_step + m_job.assumptions.host_per_step + running * (m_job.engine.per_request + m_job.assumptions.host_per_request))};
        if (!decode)
            out.host += exposed(AttributedTime{Resource::latency, shape.passes * expert_launches()}, t.total());
        out.time = t.total() + out.p2p + out.host;

        // Counts of the slowest stage, over all passes and turns.
        const StageContent& s = m_detail.stages[slowest];
        const auto count = [&](const Range& r, double n) {
            for (std::size_t i = r.begin; i < r.end; ++i)
                ops[i].count = n * shape.passes * turns;
        };
        for (std::size_t k = 0; k < kinds.size(); ++k)
            count(kinds[k], s.layers[k]);
        count(embedding, s.embedding ? 1.0 : 0.0);
        count(head, s.heads > 0 ? 1.0 : 0.0);
        std::erase_if(ops, [](const Operator& op) { return op.count <= 0.0; });
        Operator host;
        host.kind = OperatorKind::host;
        host.phase = shape.phase;
        host.layer_kind = outside_layers;
        host.time = out.host;
        ops.push_back(host);
        for (const Operator& op : ops) {
            out.flops += op.flops * op.count;
            out.hbm += op.hbm * op.count;
        }
        out.operators = std::move(ops);
        return out;
    }

    // One MTP layer and the head draft each token in turn.
    void add_drafting(const StepShape& decode, double drafted)
    {
        StepShape one = decode;
        one.queries = 1.0;
        one.sampled = decode.sequences;
        const ServingStep draft = step(one);
        const double share = 1.0 / std::max(1, m_job.model.layer_count());
        AttributedTime t = share * (draft.time - draft.host);
        m_detail.decode.time += drafted * t;
        m_detail.decode.elementwise += drafted * t;
    }

    // Launching the experts of a prompt's step runs ahead of the GPU: only what it takes longer shows.
    Seconds expert_launches() const
    {
        double layers = 0.0;
        for (std::size_t k = 0; k < m_job.model.kinds.size(); ++k)
            layers += m_job.model.kinds[k].moe ? m_job.model.layers_of_kind(k) : 0.0;
        return layers * m_job.engine.host_per_expert_layer;
    }

    // A mixed batch reads the weights, reduces and is scheduled once for its prompt tokens and its decoding sequences; both
    // steps count that. Attention is each sequence's own, and so is the arithmetic of products.
    AttributedTime shared_with_decode() const
    {
        constexpr double most = 0.7; // of a prompt's step
        const ServingStep& d = m_detail.decode;
        const AttributedTime products = d.gemm - AttributedTime{Resource::compute, d.gemm.part(Resource::compute)};
        const AttributedTime both = m_detail.chunks * m_job.engine.prefill_overlap * (products + d.elementwise + d.tp + d.ep + d.host);
        return smaller(both, most * m_detail.prefill.time);
    }

    void finish()
    {
        Estimate& e = m_detail.estimate;
        ServingResult r;
        const double concurrency = std::max(1, m_workload.concurrency);
        const double batch = std::max(1, m_workload.prefill_batch);
        const double output = std::max(1, m_workload.output_length);
        r.prefill_step = m_detail.prefill.time.total();
        r.decode_step = m_detail.decode.time.total();
        const AttributedTime per_token = (1.0 / m_detail.tokens_per_step) * m_detail.decode.time;

        // Every `output` decode steps of a steady mixture admit one new prompt per sequence in flight.
        const bool steady = m_workload.phase == ServingPhase::serving && !m_workload.burst;
        // With pipeline stages, prefill occupies one stage at a time.
        const double stages = static_cast<double>(m_detail.stages.size());
        if (steady)
            m_detail.steal = (prompts_in_flight(m_workload) / output / batch / stages) * (m_detail.prefill.time - shared_with_decode());
        m_detail.mixed = m_detail.prefill.time.total() + static_cast<double>(m_detail.chunks) * r.decode_step - shared_with_decode().total();
        const AttributedTime tpot = per_token + m_detail.steal;
        r.tpot = tpot.total();
        r.ttft = r.prefill_step;

        const bool prefill_only = m_workload.phase == ServingPhase::prefill;
        const double gpus = m_detail.groups.gpus_per_replica;
        if (prefill_only) {
            r.input_per_second_per_gpu = TokensPerSecond{batch * m_workload.input_length / (r.prefill_step.value() / stages) / gpus};
            r.requests_per_second = batch / (r.prefill_step.value() / stages);
        } else {
            r.output_per_second = TokensPerSecond{concurrency / r.tpot.value()};
            r.requests_per_second = prompts_in_flight(m_workload) / (output * r.tpot.value() + (m_workload.burst ? r.ttft.value() : 0.0));
            r.output_per_second_per_user = TokensPerSecond{1.0 / r.tpot.value()};
            r.output_per_second_per_gpu = r.output_per_second / gpus;
            if (m_workload.phase == ServingPhase::serving)
                r.input_per_second_per_gpu = TokensPerSecond{r.requests_per_second * m_workload.input_length / gpus};
        }
        const ServingStep& shown = prefill_only ? m_detail.prefill : m_detail.decode;
        const double seconds = shown.time.total().value();
        r.mfu = shown.flops.value() / seconds / m_job.cluster.accelerator.dense_peak(m_job.precision.gemm).value();
        r.mbu = shown.hbm.value() / seconds / m_job.cluster.accelerator.hbm_bandwidth.value();
        r.kv_bytes_per_token = kv_bytes_per_token(m_job.model, m_job.precision.kv_cache);
        r.replicas = m_detail.groups.replicas;

        fill_breakdown(prefill_only);
        e.time = e.breakdown.total();
        const Bytes capacity = m_job.assumptions.memory_fraction * m_job.cluster.accelerator.hbm_visible;
        const double sequences = prefill_only ? std::max(1.0, batch / m_detail.groups.attention_groups) : concurrency / m_detail.groups.attention_groups;
        const double step_tokens = m_workload.phase == ServingPhase::decode
            ? 0.0
            : (m_workload.chunk > 0 ? std::min(static_cast<double>(m_workload.chunk), batch * m_workload.input_length) : batch * m_workload.input_length);
        const double reserved = m_workload.input_length + (prefill_only ? 0.0 : m_workload.output_length);
        const ServingMemoryCase memory{m_job.model, m_detail.groups.layout, m_job.precision, m_detail.stages, sequences, reserved, step_tokens,
            m_job.assumptions.runtime_reserve, capacity, prefill_only ? reserved : static_cast<double>(m_workload.output_length), prefill_only ? 1.0 : sharing(),
            m_workload.adapters};
        e.memory = serving_memory(memory);
        r.largest_batch = largest_batch(memory) * m_detail.groups.attention_groups;
        if (m_workload.adapters.resident > 0)
            r.adapter = adapter_bytes(m_job.model, m_detail.groups.layout, m_detail.stages[static_cast<std::size_t>(e.memory.worst_stage)], m_workload.adapters);
        e.operators = shown.operators;
        e.serving = r;
        if (m_workload.thinking_length > 0 && !prefill_only)
            e.serving->thinking = think(m_job, m_workload, m_detail);
    }

    void fill_breakdown(bool prefill_only)
    {
        StepBreakdown& b = m_detail.estimate.breakdown;
        const auto add = [&](const ServingStep& s, double k) {
            b[StepPart::gemm] += k * s.gemm;
            b[StepPart::attention] += k * s.attention;
            b[StepPart::elementwise] += k * s.elementwise;
            b[StepPart::tp_exposed] += k * s.tp;
            b[StepPart::ep_exposed] += k * s.ep;
            b[StepPart::pp_exposed] += k * s.p2p;
            b[StepPart::host] += k * s.host;
        };
        if (prefill_only)
            return add(m_detail.prefill, 1.0);
        add(m_detail.decode, 1.0 / m_detail.tokens_per_step);
        b[StepPart::prefill_share] = m_detail.steal;
    }

    const Job& m_job;
    const Serving& m_workload;
    ServingDetail m_detail;
};

} // namespace

ServingGroups serving_groups(const Job& job)
{
    ServingGroups g;
    g.layout = job.layout;
    Layout& l = g.layout;
    l.sequence_parallel = false;
    if (!job.model.is_moe() || !l.attention_dp) {
        l.ep = std::min(l.ep, l.tp);
        l.etp = std::max(1, l.tp / std::max(1, l.ep));
        l.attention_dp = false;
        g.gpus_per_replica = l.tp * l.pp;
    } else {
        g.attention_groups = std::max(1, l.ep * l.etp / l.tp);
        g.gpus_per_replica = g.attention_groups * l.tp * l.pp;
    }
    g.replicas = std::max(1, job.cluster.gpus / std::max(1, g.gpus_per_replica));
    return g;
}

double prompts_in_flight(const Serving& w) { return static_cast<double>(std::max(1, w.concurrency)) / std::max(1, w.samples); }

ServingDetail serve(const Job& job, const Serving& workload) { return ServingModel(job, workload).run(); }

} // namespace ridgepoint
