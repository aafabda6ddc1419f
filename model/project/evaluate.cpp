#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/hardware/read.h"
#include "model/project/resolve.h"
#include "model/project/snapshots.h"
#include "model/units/format.h"

namespace ridgepoint {
namespace {

std::string why_missing(const Error& e)
{
    std::string out = e.message;
    if (!e.hint.empty())
        out += ". " + e.hint;
    return out;
}

Error at(const char* pointer, Error error)
{
    error.place = Place{{}, 0, pointer};
    return error;
}

std::string bound_text(const Estimate& e, const StorageStep* storage)
{
    const std::string step = fmt::format("{} ({})", name_of(e.bound()), format_percent(e.time.share(e.bound()), 0));
    if (storage == nullptr || storage->limit.empty())
        return "bound by " + step;
    return fmt::format("bound by storage ({}): {}; the step alone by {}", format_percent(storage->whole().share(Resource::storage), 0), storage->limit, step);
}

} // namespace

Expected<RunStorage> storage_of(const Plan& plan, const SpecStore& specs)
{
    RunStorage out{plan.run, {}, {}, {}};
    Expected<StorageTier> data = read_storage(specs, plan.run.data_tier);
    if (!data)
        return at("/run/data_tier", data.error());
    Expected<StorageTier> checkpoints = read_storage(specs, plan.run.checkpoint_tier);
    if (!checkpoints)
        return at("/run/checkpoint_tier", checkpoints.error());
    Expected<Reliability> reliability = read_reliability(specs, plan.instance);
    if (!reliability)
        return reliability.error();
    out.data_tier = std::move(*data);
    out.checkpoint_tier = std::move(*checkpoints);
    out.reliability = std::move(*reliability);
    return out;
}

double throughput_per_gpu(const Estimate& e)
{
    if (e.training)
        return e.training->tokens_per_second_per_gpu.value();
    if (!e.serving)
        return 0.0;
    const double output = e.serving->output_per_second_per_gpu.value();
    return output > 0.0 ? output : e.serving->input_per_second_per_gpu.value();
}

std::string verdict_of(const Estimate& e, const StorageStep* storage)
{
    const std::string by = bound_text(e, storage);
    const Bytes headroom = e.memory.headroom();
    if (e.memory.fits())
        return fmt::format("Fits with {} to spare; {}", format(headroom), by);
    const std::string where = e.memory.stages.size() > 1 ? fmt::format(" of stage {}", e.memory.worst_stage) : std::string();
    return fmt::format("Does not fit: a GPU{} lacks {} ({} of {}); else it would be {}", where, format(-headroom), format(e.memory.worst().total()),
        format(e.memory.capacity), by);
}

Expected<Price> price_of(const Plan& plan, const SpecStore& specs)
{
    if (plan.price.term != "custom")
        return find_price(specs, plan.instance, plan.price.region, plan.price.term);
    if (!plan.price.custom_dollars_per_gpu_hour)
        return bad_input("the term is \"custom\", but no own rate is given", Place{{}, 0, "/price/custom_usd_per_gpu_hour"});
    return custom_price(plan.instance, *plan.price.custom_dollars_per_gpu_hour);
}

Expected<Evaluation> evaluate_only(const Plan& plan, const SpecStore& catalogue)
{
    Expected<SpecStore> specs = with_snapshots(plan, catalogue);
    if (!specs)
        return specs.error();
    Expected<Job> job = resolve(plan, *specs);
    if (!job)
        return job.error();
    Expected<Estimate> e = estimate(*job);
    if (!e)
        return e.error();
    Evaluation out;
    out.job = std::move(*job);
    out.estimate = std::move(*e);
    Expected<Price> price = price_of(plan, *specs);
    out.cost = cost_of(out.estimate, out.job, price ? std::optional<Price>(*price) : std::nullopt, plan.price.utilization);
    if (!price)
        out.cost.missing = why_missing(price.error());
    if (const auto old = outdated_snapshots(plan, catalogue); !old.empty())
        out.estimate.notes.push_back(fmt::format("Computed with specs saved in the plan; the catalogue now differs for {}", fmt::join(old, ", ")));
    if (std::holds_alternative<Training>(out.job.workload))
        if (const Expected<RunStorage> storage = storage_of(plan, *specs)) // else only a run cannot be predicted
            if (Expected<StorageStep> step = storage_step(out.job, out.estimate.time, *storage))
                out.storage = std::move(*step);
    out.verdict = verdict_of(out.estimate, out.storage ? &*out.storage : nullptr);
    return out;
}

Expected<Evaluation> evaluate(const Plan& plan, const SpecStore& specs)
{
    Expected<Evaluation> out = evaluate_only(plan, specs);
    if (!out)
        return out;
    out->changes = advise(plan, out->job, out->estimate);
    for (const Advice& a : out->changes)
        out->advice.push_back(a.change + ": " + a.effect);
    return out;
}

} // namespace ridgepoint
