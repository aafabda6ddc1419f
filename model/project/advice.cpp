// Advice is re-estimation: every candidate is a changed plan that went through the same estimate.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/project/fields.h"
#include "model/project/resolve.h"
#include "model/units/format.h"

namespace ridgepoint {
namespace {

using Edits = std::vector<std::pair<std::string, std::string>>;

constexpr double worth_saying = 0.01; // gain of throughput below which a change is noise
constexpr double gib = 1073741824.0;

class Candidates {
public:
    Candidates(const Plan& plan, const Job& job) : m_plan(plan), m_job(job)
    {
        if (std::holds_alternative<Training>(plan.workload))
            training(std::get<Training>(plan.workload));
        else
            serving(std::get<Serving>(plan.workload));
    }
    [[nodiscard]] const std::vector<Edits>& all() const { return m_all; }

private:
    void add(Edits edits)
    {
        std::erase_if(edits, [&](const auto& e) { return field_value(m_plan, e.first) == e.second; });
        if (edits.empty())
            return;
        const auto moves_gpus = [](const auto& e) { return e.first == "/layout/tp" || e.first == "/layout/pp" || e.first == "/layout/cp" || e.first.starts_with("/cluster/"); };
        if (m_plan.layout.dp != 0 && std::any_of(edits.begin(), edits.end(), moves_gpus))
            edits.emplace_back("/layout/dp", "0"); // a fixed dp would forbid every such change
        m_all.push_back(std::move(edits));
    }
    void set(const char* path, std::string value) { add({{path, std::move(value)}}); }
    void scale(const char* path, int value, int factor, int most)
    {
        if (value * factor <= most)
            set(path, std::to_string(value * factor));
        if (value % factor == 0)
            set(path, std::to_string(value / factor));
    }

    void degrees(int sequences = 0)
    {
        const Layout& l = m_job.layout;
        const int domain = m_job.cluster.node.nvlink_domain;
        const bool experts_set_the_replica = l.attention_dp && m_job.model.is_moe();
        scale_replica("/layout/tp", l.tp, domain, experts_set_the_replica ? 0 : sequences);
        scale_replica("/layout/pp", l.pp, m_job.model.layer_count(), sequences);
        if (m_job.model.is_moe())
            scale_replica("/layout/ep", l.ep, m_job.model.moe.experts, experts_set_the_replica ? sequences : 0);
    }
    // A replica of twice the GPUs serves twice the sequences, so that layouts compare at the same load of the cluster.
    void scale_replica(const char* path, int value, int most, int sequences)
    {
        if (sequences == 0)
            return scale(path, value, 2, most);
        if (value * 2 <= most && sequences <= 500'000)
            add({{path, std::to_string(value * 2)}, {"/workload/concurrency", std::to_string(sequences * 2)}});
        if (value % 2 == 0 && sequences % 2 == 0)
            add({{path, std::to_string(value / 2)}, {"/workload/concurrency", std::to_string(sequences / 2)}});
    }

    void precision(const std::vector<const char*>& recipes)
    {
        for (const char* r : recipes)
            if (const PlanField* f = find_field("/precision/recipe"); f != nullptr) {
                const auto allowed = choices_for(*f, m_plan);
                if (std::find(allowed.begin(), allowed.end(), r) != allowed.end())
                    set("/precision/recipe", r);
            }
    }

    void training(const Training& t)
    {
        const Layout& l = m_job.layout;
        degrees();
        for (const char* r : {"none", "norm_activation", "selective", "full"})
            set("/layout/recompute", r);
        set("/layout/sharding", l.dp * l.cp > 1 && l.sharding == DataSharding::none ? "zero1" : "zero3");
        if (l.sharding == DataSharding::zero3 || l.sharding == DataSharding::hsdp)
            set("/layout/sharding", "zero1");
        scale("/layout/micro_batch", l.micro_batch, 2, t.global_batch);
        if (l.pp > 1 && l.vpp == 1)
            add({{"/layout/vpp", "2"}, {"/layout/schedule", "interleaved"}});
        if (l.vpp > 1) {
            scale("/layout/vpp", l.vpp, 2, m_job.model.layer_count() / l.pp);
            add({{"/layout/vpp", "1"}, {"/layout/schedule", "1f1b"}});
        }
        if (l.pp > 1)
            add({{"/layout/vpp", "1"}, {"/layout/schedule", "zero_bubble"}});
        if (t.sequence_length >= 16384 || l.cp > 1)
            scale("/layout/cp", l.cp, 2, 64);
        for (const char* flag : {"/layout/overlap_tp", "/layout/overlap_grad_reduce", "/layout/overlap_param_gather", "/layout/overlap_p2p"})
            set(flag, "true");
        if (m_job.model.is_moe()) {
            set("/layout/overlap_moe", "true");
            set("/layout/expert_dispatch_rdma", "true");
        }
        set("/layout/cuda_graphs", "true");
        if (m_job.precision.gemm == Arithmetic::bf16)
            precision({"fp8", "mxfp8"});
        Edits more = {{"/cluster/nodes", std::to_string(m_plan.nodes * 2)}};
        if (m_plan.gpus > 0)
            more.emplace_back("/cluster/gpus", std::to_string(m_plan.gpus * 2));
        add(std::move(more));
    }

    void serving(const Serving& s)
    {
        const bool decodes = s.phase != ServingPhase::prefill;
        degrees(decodes ? s.concurrency : 0);
        if (decodes) {
            scale("/workload/concurrency", s.concurrency, 2, 1'000'000);
            if (m_job.precision.kv_cache == NumberFormat::bf16)
                set("/precision/kv_cache", "fp8");
        }
        if (s.phase != ServingPhase::decode)
            scale("/workload/prefill_batch", s.prefill_batch, 2, 1024);
        if (bytes_per_element(m_job.precision.weights) > 1.5)
            precision({"fp8", "w4a16"});
        if (m_job.precision.gemm != Arithmetic::fp4)
            precision({"nvfp4"});
        if (m_job.model.is_moe() && m_job.layout.attention_dp)
            set("/layout/expert_dispatch_rdma", "true");
        set("/layout/cuda_graphs", "true");
    }

    const Plan& m_plan;
    const Job& m_job;
    std::vector<Edits> m_all;
};

std::string change_text(const Plan& plan, const Edits& edits)
{
    std::string out;
    for (const auto& [path, value] : edits) {
        if (path == "/layout/dp")
            continue; // follows from the rest
        const PlanField* f = find_field(path);
        const std::string label = f ? f->label : path;
        if (!out.empty())
            out += ", ";
        if (f && f->type == FieldType::flag)
            out += fmt::format("{} {}", label, value == "true" ? "on" : "off");
        else
            out += fmt::format("{} {} -> {}", label, field_value(plan, path), value);
    }
    return out;
}

std::string percent_change(double before, double after)
{
    return fmt::format("{:+.1f} %", (after / before - 1.0) * 100.0);
}

std::string times(const char* what, Seconds before, Seconds after)
{
    return fmt::format("{} {} -> {} ({})", what, format(before), format(after), percent_change(before.value(), after.value()));
}

std::string effect_text(const Estimate& before, const Estimate& after, bool more_gpus)
{
    std::string out;
    if (before.training && after.training) {
        out = times("step", before.training->step, after.training->step);
        if (more_gpus)
            out += fmt::format(", {} tokens/s per GPU", percent_change(throughput_per_gpu(before), throughput_per_gpu(after)));
    } else if (before.serving && after.serving) {
        const bool prefill = before.serving->output_per_second_per_gpu.value() <= 0.0;
        out = prefill ? times("TTFT", before.serving->ttft, after.serving->ttft) : times("TPOT", before.serving->tpot, after.serving->tpot);
        out += fmt::format(", {} tokens/s per GPU ({})", format_number(throughput_per_gpu(after)), percent_change(throughput_per_gpu(before), throughput_per_gpu(after)));
    }
    const Bytes headroom = after.memory.headroom();
    return out + (after.memory.fits() ? fmt::format(", {} to spare", format(headroom)) : fmt::format(", still lacks {}", format(-headroom)));
}

// Legal changes with their estimates; illegal ones are not advice.
std::optional<Advice> try_change(const Plan& plan, const Job& job, const Estimate& before, const Edits& edits)
{
    Plan changed = plan;
    for (const auto& [path, value] : edits)
        if (Status s = set_field(changed, path, value); !s)
            return std::nullopt;
    Expected<Job> variant = resolve_variant(changed, job);
    if (!variant)
        return std::nullopt;
    Expected<Estimate> after = estimate(*variant);
    if (!after)
        return std::nullopt;
    Advice a;
    a.edits = edits;
    a.change = change_text(plan, edits);
    a.effect = effect_text(before, *after, variant->cluster.gpus != job.cluster.gpus);
    a.gain = throughput_per_gpu(*after) / throughput_per_gpu(before) - 1.0;
    a.headroom_gib = after->memory.headroom().value() / gib;
    a.fits = after->memory.fits();
    if (!std::isfinite(a.gain))
        return std::nullopt;
    return a;
}

bool touches(const Edits& edits, const Edits& others)
{
    for (const auto& e : edits)
        for (const auto& o : others)
            if (e.first == o.first)
                return true;
    return false;
}

bool by_gain(const Advice& a, const Advice& b) { return a.gain > b.gain; }

// One line per field: of several values for it the most useful.
void keep_best_per_field(std::vector<Advice>& advice, std::size_t count)
{
    std::vector<Advice> kept;
    for (Advice& a : advice) {
        const bool seen = std::any_of(kept.begin(), kept.end(), [&](const Advice& k) { return k.edits.front().first == a.edits.front().first; });
        if (!seen && kept.size() < count)
            kept.push_back(std::move(a));
    }
    advice = std::move(kept);
}

std::vector<Advice> mend_fit(const Plan& plan, const Job& job, const Estimate& before, const Candidates& candidates, std::size_t count)
{
    const double now = before.memory.headroom().value() / gib;
    std::vector<Advice> fitting, better;
    for (const Edits& edits : candidates.all()) {
        std::optional<Advice> a = try_change(plan, job, before, edits);
        if (a && a->fits)
            fitting.push_back(std::move(*a));
        else if (a && a->headroom_gib > now + 0.01)
            better.push_back(std::move(*a));
    }
    std::sort(better.begin(), better.end(), [](const Advice& a, const Advice& b) { return a.headroom_gib > b.headroom_gib; });
    if (fitting.empty()) // no single change is enough: pairs of those that help
        for (std::size_t i = 0; i < better.size() && i < 12; ++i)
            for (std::size_t j = i + 1; j < better.size() && j < 12; ++j) {
                if (touches(better[i].edits, better[j].edits))
                    continue;
                Edits both = better[i].edits;
                both.insert(both.end(), better[j].edits.begin(), better[j].edits.end());
                if (std::optional<Advice> a = try_change(plan, job, before, both); a && a->fits)
                    fitting.push_back(std::move(*a));
            }
    std::sort(fitting.begin(), fitting.end(), by_gain);
    keep_best_per_field(fitting, count);
    if (fitting.empty()) {
        keep_best_per_field(better, count);
        return better;
    }
    return fitting;
}

} // namespace

std::vector<Advice> advise(const Plan& plan, const Job& job, const Estimate& before, std::size_t count)
{
    const Candidates candidates(plan, job);
    if (!before.memory.fits())
        return mend_fit(plan, job, before, candidates, count);
    std::vector<Advice> out;
    for (const Edits& edits : candidates.all())
        if (std::optional<Advice> a = try_change(plan, job, before, edits); a && a->fits && a->gain >= worth_saying)
            out.push_back(std::move(*a));
    std::sort(out.begin(), out.end(), by_gain);
    keep_best_per_field(out, count);
    return out;
}

} // namespace ridgepoint
