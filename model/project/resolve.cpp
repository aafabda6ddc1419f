#include "model/project/resolve.h"

#include <algorithm>

#include <fmt/format.h>

#include "model/collectives/read.h"
#include "model/hardware/read.h"
#include "model/kernels/read.h"
#include "model/project/precision_recipes.h"
#include "model/project/snapshots.h"
#include "model/transformer/read.h"

namespace ridgepoint {
namespace {

Error at(const char* pointer, Error error)
{
    if (error.place.file.empty() && error.place.pointer.empty())
        error.place.pointer = pointer;
    return error;
}

// The kernels of the plan's software where they were measured, else those of the file's default class.
std::string software_of(const SpecStore& specs, const std::string& efficiency_id, Framework framework)
{
    const std::vector<std::string> known = software_classes(specs, efficiency_id);
    const auto has = [&](const char* name) { return std::find(known.begin(), known.end(), name) != known.end(); };
    if (framework == Framework::sglang && has("sglang"))
        return "sglang";
    if ((framework == Framework::vllm || framework == Framework::sglang) && has("vllm"))
        return "vllm";
    if (framework == Framework::tensorrt_llm && has("tensorrt-llm"))
        return "tensorrt-llm";
    return {};
}

// Its id in specs/efficiency/serving.json.
std::string engine_of(Framework framework)
{
    if (framework == Framework::sglang)
        return "sglang";
    return framework == Framework::tensorrt_llm ? "tensorrt_llm" : "vllm";
}

Status derive_dp(Job& job)
{
    Layout& l = job.layout;
    if (l.dp != 0)
        return Done{};
    if (runs_prompts_apart(job.workload)) { // of the decoding workers; the prompt workers have a layout of their own
        const int workers = std::get<Serving>(job.workload).pool.decode_workers;
        const int groups = l.attention_dp ? std::max(1, l.ep * std::max(l.etp, 1) / std::max(l.tp, 1)) : 1;
        l.dp = workers * groups;
        return Done{};
    }
    const long long one = 1LL * std::max(l.tp, 1) * std::max(l.cp, 1) * std::max(l.pp, 1);
    const int gpus = job.cluster.gpus;
    if (gpus % one == 0) {
        l.dp = static_cast<int>(gpus / one);
        return Done{};
    }
    const long long used = gpus / one * one;
    Error e = infeasible(fmt::format("tp {} x cp {} x pp {} is {} GPUs, which does not divide the {} of the plan", l.tp, l.cp, l.pp, one, gpus),
        used > 0 ? fmt::format("Use {} GPUs, or degrees whose product divides {}", used, gpus) : fmt::format("Use at least {} GPUs", one));
    e.place.pointer = "/layout/dp";
    return e;
}

Status check_framework(const Plan& plan)
{
    const Framework f = plan.assumptions.framework;
    const bool trains = std::holds_alternative<Training>(plan.workload);
    if ((f == Framework::megatron || f == Framework::fsdp || f == Framework::deepspeed) == trains)
        return Done{};
    return bad_input(fmt::format("this framework is not for {}", trains ? "training" : "serving"), Place{{}, 0, "/assumptions/framework"}, {},
        trains ? "megatron, fsdp or deepspeed" : "vllm, sglang or tensorrt_llm");
}

void apply_measured(Job& job, const MeasuredFactors& measured)
{
    if (measured.gpu.empty() || measured.gpu != job.kernels.gpu)
        return;
    job.measured = measured;
    apply(job.kernels, job.collectives, measured);
    job.training.framework.per_step = job.training.framework.per_step + measured.per_step;
    job.engine.per_step = job.engine.per_step + measured.per_step;
}

// Everything but model, GPU and constants.
Status fill_from_plan(Job& job, const Plan& plan)
{
    if (Status s = check_framework(plan); !s)
        return s;
    job.name = plan.name;
    job.workload = plan.workload;
    job.layout = plan.layout;
    job.assumptions = plan.assumptions;
    Expected<PrecisionRecipe> precision = resolve_precision(plan, job.model, job.cluster.accelerator);
    if (!precision)
        return precision.error();
    job.precision = *precision;
    return derive_dp(job);
}

} // namespace

Expected<Job> resolve(const Plan& plan, const SpecStore& catalogue)
{
    Expected<SpecStore> specs = with_snapshots(plan, catalogue);
    if (!specs)
        return specs.error();
    Job job;
    Expected<Transformer> model = read_transformer(*specs, plan.model);
    if (!model)
        return at("/model", model.error());
    job.model = std::move(*model);
    Expected<Cluster> cluster = build_cluster(*specs, plan.instance, plan.nodes, plan.gpus);
    if (!cluster)
        return at(specs->contains(SpecKind::instance, plan.instance) ? "/cluster" : "/cluster/instance", cluster.error());
    job.cluster = std::move(*cluster);

    const std::string& gpu = job.cluster.accelerator.efficiency_id;
    Expected<KernelConstants> kernels = read_kernel_constants(*specs, gpu, software_of(*specs, gpu, plan.assumptions.framework));
    if (!kernels)
        return kernels.error();
    job.kernels = std::move(*kernels);
    Expected<CollectiveConstants> collectives = read_collective_constants(*specs, gpu, job.cluster.fabric.efficiency_id);
    if (!collectives)
        return collectives.error();
    job.collectives = std::move(*collectives);
    if (std::holds_alternative<Training>(plan.workload)) {
        const bool fsdp = plan.assumptions.framework == Framework::fsdp;
        Expected<TrainingConstants> training
            = read_training_constants(*specs, gpu, job.cluster.fabric.efficiency_id, fsdp ? "fsdp" : "megatron");
        if (!training)
            return training.error();
        job.training = *training;
        sustain(job.kernels, job.collectives, job.training, job.cluster.accelerator, fsdp);
    } else {
        Expected<EngineConstants> engine = read_engine_constants(*specs, engine_of(plan.assumptions.framework));
        if (!engine)
            return engine.error();
        job.engine = *engine;
        run_inside(job.kernels, job.engine);
    }

    apply_measured(job, plan.measured);

    if (Status s = fill_from_plan(job, plan); !s)
        return s.error();
    return job;
}

Expected<Job> resolve_variant(const Plan& plan, const Job& base)
{
    Job job = base;
    const int per_node = job.cluster.node.accelerators;
    const long long all = 1LL * plan.nodes * per_node;
    if (plan.nodes < 1 || all > 10'000'000 || plan.gpus > all)
        return at("/cluster", infeasible("the nodes do not have that many GPUs"));
    job.cluster.nodes = plan.nodes;
    job.cluster.gpus = plan.gpus > 0 ? plan.gpus : static_cast<int>(all);
    if (Status s = fill_from_plan(job, plan); !s)
        return s.error();
    return job;
}

} // namespace ridgepoint
