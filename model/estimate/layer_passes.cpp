#include "model/estimate/layer_passes.h"

#include <bit>

namespace ridgepoint {
namespace {

class Passes {
public:
    Passes(const OperatorContext& context, const Job& job, const TokenBatch& batch)
        : m_context(context)
        , m_job(job)
        , m_batch(batch)
        , m_rules(overlap_rules(job.layout, job.assumptions.host_per_launch, job.assumptions.host_per_moe_layer, job.training.overlap.expert_hidden))
    {
        m_out.operators.reserve(160);
    }

    LayerPasses run()
    {
        emit_layers();
        emit_ends();
        for (PassTimes& t : m_out.kinds)
            t.whole = t.sum().total();
        m_out.embedding.whole = m_out.embedding.sum().total();
        m_out.head.whole = m_out.head.sum().total();
        return std::move(m_out);
    }

private:
    template <typename Emit> LayerTime pass(Phase phase, std::uint8_t kind, bool embedding, Emit&& emit)
    {
        const std::size_t begin = m_out.operators.size();
        Emitter emitter(m_context, phase, kind, m_out.operators);
        emit(emitter);
        m_out.ranges.push_back({begin, m_out.operators.size(), phase, kind, embedding});
        return layer_time(std::span(m_out.operators).subspan(begin), m_rules);
    }

    void emit_layers()
    {
        const Layout& l = m_job.layout;
        m_out.kinds.resize(m_job.model.kinds.size());
        for (std::size_t k = 0; k < m_job.model.kinds.size() && k < most_layer_kinds; ++k) {
            const LayerKind& kind = m_job.model.kinds[k];
            const auto id = static_cast<std::uint8_t>(k);
            PassTimes& t = m_out.kinds[k];
            t.forward = pass(Phase::forward, id, false, [&](Emitter& e) { emit_layer(e, kind, m_batch); });
            const LayerParts again = recomputed_parts(l.recompute, kind.moe);
            if (again.any())
                t.recompute = l.recompute_share * pass(Phase::recompute, id, false, [&](Emitter& e) { emit_layer(e, kind, m_batch, again); });
            t.backward = pass(Phase::backward, id, false, [&](Emitter& e) { emit_layer(e, kind, m_batch); });
        }
    }

    void emit_ends()
    {
        const double rows = m_batch.tokens();
        m_out.embedding.forward = pass(Phase::forward, outside_layers, true, [&](Emitter& e) { emit_embedding(e, m_batch); });
        m_out.embedding.backward = pass(Phase::backward, outside_layers, true, [&](Emitter& e) { emit_embedding(e, m_batch); });
        m_out.head.forward = pass(Phase::forward, outside_layers, false, [&](Emitter& e) { emit_head(e, rows); });
        m_out.head.backward = pass(Phase::backward, outside_layers, false, [&](Emitter& e) { emit_head(e, rows); });
    }

    const OperatorContext& m_context;
    const Job& m_job;
    const TokenBatch& m_batch;
    OverlapRules m_rules;
    LayerPasses m_out;
};

} // namespace

LayerPasses layer_passes(const OperatorContext& context, const Job& job, const TokenBatch& batch) { return Passes(context, job, batch).run(); }

LayerPassMemo::Key LayerPassMemo::key_of(const Layout& l)
{
    // Whatever of a layout the emitters and overlap_rules() read.
    std::uint32_t flags = static_cast<std::uint32_t>(l.recompute) | static_cast<std::uint32_t>(l.context_kind) << 4;
    const bool bits[] = {l.sequence_parallel, l.overlap_tp, l.overlap_moe, l.expert_dispatch_rdma, l.fused_attention, l.cuda_graphs};
    for (std::size_t i = 0; i < std::size(bits); ++i)
        flags |= static_cast<std::uint32_t>(bits[i]) << (8 + i);
    return {l.tp, l.cp, l.ep, l.etp, l.micro_batch, flags, l.recompute_share};
}

std::size_t LayerPassMemo::Hash::operator()(const Key& k) const
{
    std::uint64_t h = std::bit_cast<std::uint64_t>(k.recompute_share);
    for (const std::uint64_t v : {static_cast<std::uint64_t>(k.tp), static_cast<std::uint64_t>(k.cp), static_cast<std::uint64_t>(k.ep),
             static_cast<std::uint64_t>(k.etp), static_cast<std::uint64_t>(k.micro_batch), static_cast<std::uint64_t>(k.flags)})
        h = (h ^ v) * 0x9e3779b97f4a7c15ULL + (h >> 29);
    return static_cast<std::size_t>(h);
}

const LayerPasses& LayerPassMemo::passes(const OperatorContext& context, const Job& job, const TokenBatch& batch)
{
    const Key key = key_of(job.layout);
    if (m_last && key == m_last_key)
        return *m_last;
    if (m_kept.size() >= most_kept)
        m_kept.clear();
    auto found = m_kept.find(key);
    if (found == m_kept.end()) {
        LayerPasses made = layer_passes(context, job, batch);
        made.operators = {}; // a search needs times alone
        made.ranges = {};
        found = m_kept.emplace(key, std::move(made)).first;
    }
    m_last = &found->second;
    m_last_key = key;
    return *m_last;
}

} // namespace ridgepoint
