#include "model/project/run_answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/hardware/read.h"
#include "model/project/field_table.h"
#include "model/project/snapshots.h"

namespace ridgepoint {
namespace {

constexpr const char* market_id = "aws";
constexpr const char* archive_id = "s3-standard";

Error at(const char* pointer, Error error)
{
    error.place = Place{{}, 0, pointer};
    return error;
}

Expected<Market> market_of(const Plan& plan, const SpecStore& specs)
{
    Expected<Market> market = read_market(specs, market_id);
    if (!market || plan.run.support == "none" || market->find_support(plan.run.support) != nullptr)
        return market;
    std::vector<std::string> known = {"none"};
    for (const SupportPlan& s : market->support)
        known.push_back(s.id);
    return bad_input("there is no such support plan", Place{{}, 0, "/price/support"}, "\"" + plan.run.support + "\"", fmt::format("{}", fmt::join(known, ", ")));
}

// The instance's prices in the plan's region under every term that is sold there, and the plan's own.
std::vector<Price> offers_of(const Plan& plan, const SpecStore& specs)
{
    std::vector<Price> out;
    for (const char* term : {"on_demand", "capacity_block", "savings_plan_1y", "savings_plan_3y"})
        if (Expected<Price> price = find_price(specs, plan.instance, plan.price.region, term))
            out.push_back(std::move(*price));
    if (plan.price.term == "custom")
        if (Expected<Price> price = price_of(plan, specs))
            out.push_back(std::move(*price));
    return out;
}

void add_sizing(RunAnswer& out)
{
    const Job& job = out.evaluation.job;
    const auto& training = std::get<Training>(job.workload);
    if (training.kind != TrainingKind::pretraining)
        return;
    const double parameters = count_parameters(job.model).active, tokens = training.tokens.value();
    for (const ScalingLaw* law : {&chinchilla, &chinchilla_refit})
        out.sizing.push_back({law, law->loss(parameters, tokens), compute_optimum(*law, Flops{6.0 * parameters * tokens})});
    if (job.model.is_moe())
        out.notes.push_back("Scaling laws are of dense models; the active parameters of the mixture stand in");
}

Status add_dates(RunAnswer& out, const Plan& plan)
{
    if (plan.run.start.empty())
        return Done{};
    const Expected<Date> start = parse_date(plan.run.start);
    if (!start)
        return at("/run/start", start.error());
    out.start = *start;
    out.end_p50 = start->plus(out.run.time_to_train.at(0.5));
    out.end_p90 = start->plus(out.run.time_to_train.at(0.9));
    return Done{};
}

void add_carbon(RunAnswer& out, const Plan& plan, const SpecStore& specs)
{
    out.carbon = carbon_of(specs, market_id, plan.price.region);
    if (out.carbon)
        out.carbon_kg = out.run.energy.energy * out.carbon->factor / 1000.0;
    else
        out.notes.push_back(fmt::format("No carbon factor of {} is known", plan.price.region));
}

Status add_cost(RunAnswer& out, const Plan& plan, const SpecStore& specs, const RunInput& in, std::optional<Date> today)
{
    const Expected<Market> market = market_of(plan, specs);
    if (!market)
        return market.error();
    const Expected<StorageTier> archive = read_storage(specs, archive_id);
    if (!archive)
        return archive.error();
    const std::optional<Price>& price = out.evaluation.cost.price;
    if (!price)
        return Done{};
    const TrainingResult& r = *out.evaluation.estimate.training;
    const FlopsPerToken per_token = r.model_flops_per_step / (r.tokens_per_second * r.step);
    const BillInput bill{in.job, out.run, plan.run, *market, in.data_tier, in.checkpoint_tier, *archive, *price, per_token, "list prices of us-east-1, specs/storage and specs/markets"};
    out.cost = cost_run(bill, std::get<Training>(in.job.workload).tokens, offers_of(plan, specs), today);
    return Done{};
}

void collect_notes(RunAnswer& out)
{
    const auto add = [&](const std::vector<std::string>& notes) { out.notes.insert(out.notes.end(), notes.begin(), notes.end()); };
    add(out.run.notes);
    if (out.cost)
        add(out.cost->notes);
    add(out.evaluation.estimate.notes);
}

} // namespace

Expected<RunAnswer> evaluate_run(const Plan& plan, const SpecStore& catalogue, std::optional<Date> today)
{
    if (!std::holds_alternative<Training>(plan.workload))
        return bad_input("only a training plan has a run", Place{{}, 0, "/workload/kind"}, workload_kind(plan), "pretraining, fine_tuning or lora");
    Expected<SpecStore> specs = with_snapshots(plan, catalogue);
    if (!specs)
        return specs.error();
    Expected<Evaluation> evaluation = evaluate_only(plan, *specs);
    if (!evaluation)
        return evaluation.error();
    RunAnswer out;
    out.evaluation = std::move(*evaluation);
    const Expected<RunStorage> storage = storage_of(plan, *specs);
    if (!storage)
        return storage.error();
    const RunInput input{out.evaluation.job, out.evaluation.estimate, plan.run, storage->data_tier, storage->checkpoint_tier, storage->reliability};
    Expected<RunPrediction> run = predict_run(input);
    if (!run)
        return run.error();
    out.run = std::move(*run);
    if (Status s = add_dates(out, plan); !s)
        return s.error();
    if (Status s = add_cost(out, plan, *specs, input, today); !s)
        return s.error();
    add_carbon(out, plan, *specs);
    add_sizing(out);
    collect_notes(out);
    return out;
}

} // namespace ridgepoint
