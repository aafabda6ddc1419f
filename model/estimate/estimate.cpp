#include "model/estimate/estimate.h"

#include <array>

#include "model/estimate/disaggregated.h"
#include "model/estimate/error_bar.h"
#include "model/estimate/serving.h"
#include "model/estimate/training.h"

namespace ridgepoint {
namespace {

// What one attention group of a served model must satisfy; the training rules do not apply.
Status check_serving(const Job& job, const Serving& s)
{
    const Layout& l = job.layout;
    if (job.model.is_moe() && l.attention_dp) {
        const int experts = l.ep * l.etp;
        if (experts < l.tp || experts % l.tp != 0 || job.cluster.gpus % (experts * l.pp) != 0)
            return infeasible("With attention data parallelism, ep x etp must be a multiple of tp and divide the GPUs of a stage", "Set ep to the GPUs of one replica");
    }
    const ServingGroups g = serving_groups(job);
    if (s.concurrency < g.attention_groups && s.phase != ServingPhase::prefill)
        return infeasible("Fewer sequences than attention groups: some GPUs have nothing to do", "Raise the concurrency or lower ep");
    return Done{};
}

} // namespace

std::string_view name_of(StepPart p)
{
    static constexpr std::array<std::string_view, step_part_count> names = {"GEMM", "Attention", "Memory-bound kernels", "Recomputation",
        "TP exposed", "CP exposed", "EP exposed", "PP sends exposed", "Pipeline bubble", "DP exposed", "Optimizer", "Host", "Stragglers",
        "Prefill of others"};
    return names[static_cast<std::size_t>(p)];
}

Expected<Estimate> estimate(const Job& job)
{
    if (runs_prompts_apart(job.workload)) {
        const auto& serving = std::get<Serving>(job.workload);
        const Expected<Pools> pools = cut_into_pools(job, serving);
        if (!pools)
            return pools.error();
        if (Status legal = check_serving(pools->decode, serving); !legal)
            return legal.error();
        Expected<DisaggregatedDetail> d = disaggregate(job, serving);
        if (!d)
            return d.error();
        add_error_bar(d->estimate, job);
        return std::move(d->estimate);
    }
    if (Status legal = check_legal(job.model, job.workload, job.cluster, job.layout, job.precision); !legal)
        return legal.error();
    Estimate e;
    if (const auto* training = std::get_if<Training>(&job.workload)) {
        e = std::move(train(job, *training).estimate);
    } else {
        const auto& serving = std::get<Serving>(job.workload);
        if (Status legal = check_serving(job, serving); !legal)
            return legal.error();
        e = std::move(serve(job, serving).estimate);
    }
    add_error_bar(e, job);
    return e;
}

} // namespace ridgepoint
