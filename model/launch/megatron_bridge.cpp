// Training in the words of Megatron-Bridge: the arguments of Megatron-LM through the mapping that its guide documents.

#include <algorithm>

#include <fmt/format.h>

#include "model/launch/context.h"

namespace ridgepoint {
namespace {

const FlagSpec* counterpart(const FlagTable& table, const std::string& megatron)
{
    const auto it = std::ranges::find_if(table.flags, [&](const FlagSpec& f) { return f.megatron_lm == megatron; });
    return it == table.flags.end() ? nullptr : &*it;
}

// Arguments of pretrain_gpt.py that the recipe decides itself, or that are said by other keys below.
bool said_otherwise(const std::string& name)
{
    static constexpr std::string_view names[] = {"--swiglu", "--bf16", "--fp16", "--fp8-format", "--fp8-recipe", "--fp4-format", "--fp4-recipe",
        "--grad-reduce-in-bf16", "--accumulate-allreduce-grads-in-fp32", "--group-query-attention", "--max-position-embeddings", "--vocab-size",
        "--moe-enable-deepep", "--num-layers-per-virtual-pipeline-stage", "--data-path", "--log-throughput", "--log-interval", "--tokenizer-type"};
    return std::ranges::find(names, name) != std::end(names);
}

void precision(Arguments& out, const Plan& plan)
{
    const std::string& recipe = plan.precision.recipe;
    if (recipe == "nvfp4" || recipe == "w4a16")
        out.lacks("/precision/recipe", recipe == "nvfp4" ? "NVFP4" : "frozen weights in 4 bits", "BF16: this version has no such recipe");
    out.value("mixed_precision", recipe == "fp16" ? "fp16_mixed"
            : recipe == "fp8"                     ? "bf16_with_fp8_current_scaling_mixed"
            : recipe == "fp8_block"               ? "bf16_with_fp8_subchannel_scaling_mixed"
            : recipe == "mxfp8"                   ? "bf16_with_mxfp8_mixed"
                                                  : "bf16_mixed");
    if (plan.precision.gradients == NumberFormat::bf16)
        out.lacks("/precision/gradients", "gradients reduced in BF16 beside a named recipe", "set mixed_precision.grad_reduce_in_fp32=false in the recipe");
}

} // namespace

Arguments bridge_arguments(const LaunchContext& c)
{
    const Arguments megatron = megatron_arguments(c);
    Arguments out;
    const Layout& l = c.layout();
    for (const Argument& a : megatron.items()) {
        const FlagSpec* f = counterpart(c.table, a.name);
        if (!f) {
            if (!said_otherwise(a.name))
                out.lacks("/launch", fmt::format("{} of Megatron-LM", a.name), "whatever the recipe says; its key is not documented");
            continue;
        }
        if (a.variable)
            out.variable(f->name, a.values.front());
        else if (a.values.empty())
            out.truth(f->name, !f->negated);
        else
            out.values(f->name, a.values);
    }
    out.value("dataset.seq_length", std::get<Training>(c.job.workload).sequence_length);
    if (c.model().gated_mlp) {
        out.truth("model.gated_linear_unit", true);
        out.value("model.activation_func", "silu");
    }
    if (l.vpp > 1)
        out.value("model.virtual_pipeline_model_parallel_size", l.vpp);
    if (c.model().is_moe() && l.expert_dispatch_rdma)
        out.value("model.moe_flex_dispatcher_backend", "deepep");
    precision(out, c.plan);
    for (const NotExpressed& n : megatron.missing())
        out.lacks(n.field, n.what, n.instead);
    return out;
}

} // namespace ridgepoint
