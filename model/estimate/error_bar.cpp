#include "model/estimate/error_bar.h"

#include <algorithm>

#include <fmt/format.h>

#include "model/kernels/kernels.h"

namespace ridgepoint {
namespace {

const Residual& gemm_residual(const Operator& op, const Job& job)
{
    GemmShape s;
    const bool expert = op.kind == OperatorKind::expert_gate_up || op.kind == OperatorKind::expert_down;
    const bool high = op.kind == OperatorKind::router || op.kind == OperatorKind::lora || op.kind == OperatorKind::kv_up_projection;
    s.arithmetic = op.kind == OperatorKind::lm_head ? job.precision.lm_head : high ? Arithmetic::bf16 : job.precision.gemm;
    if (expert && job.precision.native_fp4_experts)
        s.arithmetic = Arithmetic::fp4;
    s.b = s.arithmetic == Arithmetic::bf16 && job.precision.gemm != Arithmetic::bf16 ? NumberFormat::bf16
        : expert                                                                      ? job.precision.expert_weights
                                                                                      : job.precision.weights;
    const auto kind = static_cast<std::size_t>(kind_of(s));
    return expert ? job.kernels.grouped[kind].residual : job.kernels.gemm[kind].residual;
}

const Residual& attention_residual(const Operator& op, const Job& job)
{
    const bool low = bytes_per_element(job.precision.kv_cache) < 2.0;
    if (op.phase != Phase::decode)
        return job.precision.attention == Arithmetic::fp8 ? job.kernels.prefill_fp8.residual : job.kernels.prefill_bf16.residual;
    const LayerKind& kind = job.model.kinds[op.layer_kind];
    if (kind.attention.kind == AttentionKind::latent)
        return low ? job.kernels.latent_fp8.residual : job.kernels.latent_bf16.residual;
    return low ? job.kernels.decode_fp8.residual : job.kernels.decode_bf16.residual;
}

// Relative errors of predictions are close to Laplace-distributed: their 80th percentile is ln 5 / ln 10 of the 90th.
constexpr double p80_of_p90 = 0.7;
constexpr double p80_of_engines = 0.8; // theirs spread more evenly: 17.5 of 24 %, 28 of 30 % (vLLM, whole models left out)
constexpr double p80_of_first_tokens = 0.7;
constexpr double unmeasured_kind = 1.5; // times wider where no run of this kind on this GPU was seen

// The error of whole steps that were predicted without any run of their source.
void bar_of_steps(Estimate& e, const Job& job)
{
    const TrainingRates& rates = job.training.rates;
    const Residual& r = job.model.is_moe() ? rates.mixture : rates.dense;
    e.relative_error = p80_of_p90 * r.p90;
    if (r.rows > 0)
        return;
    e.relative_error *= unmeasured_kind;
    e.notes.push_back(fmt::format("No published training run of {} on {} is known: the error bar is that of other GPUs, widened.",
        job.model.is_moe() ? "a mixture of experts" : "a dense model", job.cluster.accelerator.name));
}

// The error of published operating points of the engine, predicted without any of their model and GPU.
void bar_of_engine(Estimate& e, const Job& job)
{
    const EngineConstants& c = job.engine;
    const bool experts = job.model.is_moe();
    e.relative_error = p80_of_engines * (experts ? c.mixture : c.dense).p90;
    e.first_token_error = p80_of_first_tokens * (experts ? c.mixture_first : c.dense_first).p90;
    e.rate_error = p80_of_engines * (experts ? c.mixture_rate : c.dense_rate).p90;
}

} // namespace

void add_error_bar(Estimate& e, const Job& job)
{
    double weighted = 0.0;
    Seconds all, unmeasured;
    for (const Operator& op : e.operators) {
        const Seconds t = (1.0 - op.hidden) * op.total_time();
        Residual r;
        switch (class_of(op.kind)) {
        case OperatorClass::gemm:
            r = op.flops > Flops{} ? gemm_residual(op, job) : job.kernels.memory.residual;
            break;
        case OperatorClass::attention:
            r = attention_residual(op, job);
            break;
        case OperatorClass::collective: {
            const bool leaves = op.network > Bytes{};
            r.p90 = leaves ? job.collectives.fabric.residual_p90 : job.collectives.domain.residual_p90;
            r.rows = r.p90 > 0.0 ? 1 : 0;
            break;
        }
        case OperatorClass::memory:
        case OperatorClass::other:
            r = job.kernels.memory.residual;
            break;
        }
        all += t;
        weighted += t.value() * r.p90;
        if (r.rows == 0 && class_of(op.kind) != OperatorClass::other)
            unmeasured += t;
    }
    if (e.training && job.training.rates.dense.p90 > 0.0) {
        bar_of_steps(e, job);
    } else if (e.serving && job.engine.dense.p90 > 0.0) {
        bar_of_engine(e, job);
    } else if (all > Seconds{}) {
        e.relative_error = weighted / all.value();
        if (unmeasured > 0.05 * all)
            e.notes.push_back(fmt::format("{:.0f} % of the time follows laws that no kernel measurement on this GPU stands behind; their constants are derived from published peaks.",
                100.0 * (unmeasured / all)));
    }
}

} // namespace ridgepoint
