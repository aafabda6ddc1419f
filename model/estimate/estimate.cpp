#include "model/estimate/estimate.h"

#include <array>

#include <fmt/format.h>

#include "model/estimate/disaggregated.h"
#include "model/estimate/error_bar.h"
#include "model/estimate/serving.h"
#include "model/estimate/training.h"

namespace ridgepoint {
namespace {

// Weights scaled by blocks of 128 x 128 are cut between blocks only: engines do not load a rank whose part of an MLP is no multiple
// of 128 (vLLM: "not divisible by weight quantization block_n = 128", of the experts of Qwen3-235B-A22B-FP8 over 8 GPUs).
Status check_blocks(const Job& job)
{
    constexpr int block = 128;
    const Layout l = serving_groups(job).layout;
    const auto refuse = [&](const char* what, int width, int ranks) {
        Error e = infeasible(fmt::format("{} width {} over {} GPUs is {} columns each, which cuts the blocks of 128 that share a scale", what, width, ranks, width / ranks),
            "Lower tp, spread the experts with ep, or choose a recipe with other scales");
        e.place.pointer = "/layout/tp";
        return e;
    };
    const auto cut = [](int width, int ranks) { return width > 0 && ranks > 1 && width % (ranks * block) != 0 && width % block == 0; };
    if (job.model.is_moe() && job.precision.expert_weights == NumberFormat::fp8_block && cut(job.model.moe.expert_width, l.etp))
        return refuse("The experts'", job.model.moe.expert_width, l.etp);
    for (const LayerKind& kind : job.model.kinds) {
        const int width = kind.moe ? job.model.moe.shared_width : kind.ffn_width;
        if (job.precision.weights == NumberFormat::fp8_block && cut(width, l.tp))
            return refuse(kind.moe ? "The shared experts'" : "The MLP's", width, l.tp);
    }
    return Done{};
}

// What one attention group of a served model must satisfy; the training rules do not apply.
Status check_serving(const Job& job, const Serving& s)
{
    const Layout& l = job.layout;
    if (job.model.is_moe() && l.attention_dp) {
        const int experts = l.ep * l.etp;
        if (experts < l.tp || experts % l.tp != 0 || job.cluster.gpus % (experts * l.pp) != 0)
            return infeasible("With attention data parallelism, ep x etp must be a multiple of tp and divide the GPUs of a stage", "Set ep to the GPUs of one replica");
    }
    if (s.thinking_length > 0 && s.thinking_length >= s.output_length && s.phase != ServingPhase::prefill)
        return bad_input("the output holds the thinking and the answer, so it is longer than the thinking", Place{{}, 0, "/workload/thinking_length"},
            fmt::format("{}", s.thinking_length), fmt::format("less than the output length of {}", s.output_length));
    if (s.adapters.resident > 0 && s.adapters.active > s.adapters.resident)
        return bad_input("a batch asks for more distinct adapters than are resident", Place{{}, 0, "/workload/adapters/active"}, fmt::format("{}", s.adapters.active),
            fmt::format("at most {}", s.adapters.resident));
    if (Status blocks = check_blocks(job); !blocks)
        return blocks;
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
        if (Status whole = check_blocks(pools->prompts); !whole) {
            Error e = whole.error();
            e.place.pointer = "/workload/prompt_pool/tp";
            return e;
        }
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
