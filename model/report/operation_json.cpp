#include "model/report/operation_json.h"

namespace ridgepoint {
namespace {

using Json = nlohmann::ordered_json;

Json quantiles(const Quantiles& q)
{
    return {{"mean_s", q.mean.value()}, {"p50_s", q.p50.value()}, {"p90_s", q.p90.value()}, {"p99_s", q.p99.value()}, {"at_limit_share_s", q.limit.value()}};
}

Json point(const LoadPoint& p)
{
    return {{"requests_per_second", p.rate}, {"utilization", p.utilization}, {"waiting", quantiles(p.waiting)}, {"ttft", quantiles(p.ttft)},
        {"tpot", quantiles(p.tpot)}, {"inter_token", quantiles(p.gap)}, {"end_to_end", quantiles(p.end_to_end)},
        {"input_tokens_per_second", p.input.value()}, {"output_tokens_per_second", p.output.value()}, {"goodput_requests_per_second", p.goodput},
        {"within_limits", p.within_limits}, {"sequences_in_flight_per_replica", p.in_flight}, {"kv_cache_reserved", p.cache_used}, {"busy", p.busy},
        {"prefill_share", p.prefill_share}, {"rejected_requests", p.rejected}};
}

// With what only some plans have: a phase of thinking, several samples of a prompt, pools.
Json point_of(const LoadPoint& p, const LoadPrediction& l)
{
    Json out = point(p);
    out["first_answer_token"] = l.thinking ? quantiles(p.first_answer) : Json(nullptr);
    out["all_samples"] = l.samples > 1 ? quantiles(p.whole) : Json(nullptr);
    out["pools"] = l.pools ? Json{{"prompt_workers_busy", p.prompts_busy}, {"decode_workers_busy", p.decode_busy}, {"links_busy", p.links_busy}} : Json(nullptr);
    return out;
}

Json pools_json(const PoolLoad& p)
{
    return {{"prompt_workers", p.prompt_workers}, {"decode_workers", p.decode_workers}, {"prompt_requests_per_second", p.prompt_rate},
        {"decode_requests_per_second", p.decode_rate}, {"link_requests_per_second", p.link_rate}, {"saturates", p.saturates}};
}

Json tail_json(const LengthTail& t) { return {{"mean", t.mean}, {"p50", t.p50}, {"p90", t.p90}, {"p99", t.p99}, {"longest", t.longest}}; }

Json point_or_null(const std::optional<LoadPoint>& p, const LoadPrediction& l) { return p ? point_of(*p, l) : Json(nullptr); }

Json load_part(const Plan& plan, const LoadPrediction& l)
{
    Json curve = Json::array();
    for (const LoadPoint& p : l.curve)
        curve.push_back(point_of(p, l));
    return {{"mean_input_tokens", l.mean_input}, {"mean_output_tokens", l.mean_output}, {"samples_per_request", l.samples},
        {"thinking_tokens", l.thinking ? tail_json(*l.thinking) : Json(nullptr)}, {"replicas", l.replicas}, {"gpus_per_replica", l.gpus_per_replica},
        {"pools", l.pools ? pools_json(*l.pools) : Json(nullptr)},
        {"limits", {{"ttft_s", plan.load.ttft_limit.value()}, {"tpot_s", plan.load.tpot_limit.value()}, {"share", plan.load.limit_share}}},
        {"largest_requests_per_second", l.largest_rate}, {"saturated", l.saturated}, {"limited_by", l.limited_by},
        {"relative_error", l.relative_error}, {"unloaded", point_of(l.unloaded, l)}, {"offered", point_or_null(l.offered, l)},
        {"at_limits", point_or_null(l.at_limits, l)}, {"curve", curve}, {"notes", l.notes}};
}

Json price_json(const Cost& c)
{
    if (!c.price)
        return nullptr;
    return {{"instance", c.price->instance}, {"region", c.price->region}, {"term", c.price->term}, {"usd_per_gpu_hour", c.price->per_gpu.value() * 3600.0},
        {"date", c.price->date}, {"source", c.price->source}};
}

template <typename Q> Json scaled(const std::optional<Q>& q, double factor = 1.0) { return q ? Json(q->value() * factor) : Json(nullptr); }

constexpr double million = 1e6;
constexpr double joules_per_kwh = 3.6e6;

Json iteration(const Iteration& it)
{
    Json parts = Json::array();
    for (std::size_t i = 0; i < iteration_part_count; ++i)
        if (it.parts[i] > Seconds{})
            parts.push_back({{"part", name_of(static_cast<IterationPart>(i))}, {"seconds", it.parts[i].value()}});
    const Rollout& r = it.rollout;
    return {{"rollout_gpus", it.rollout_gpus}, {"training_gpus", it.training_gpus}, {"fits", it.fits}, {"bound", it.bound}, {"seconds", it.time.value()},
        {"rollout_side_s", it.rollout_side.value()}, {"training_side_s", it.training_side.value()}, {"parts", parts},
        {"rollout",
            {{"seconds", r.time.value()}, {"half_done_s", r.half.value()}, {"ninety_percent_done_s", r.most.value()}, {"tail_share", r.tail},
                {"full_batch_s", r.work.value()}, {"longest_alone_s", r.longest.value()}, {"replicas", r.replicas}, {"sequences_per_replica", r.batch},
                {"output_tokens_per_second", r.output.value()}}},
        {"weights_bytes_per_rollout_gpu", it.weights.value()}, {"weights_transfer_s", it.synchronize_bytes_time.value()},
        {"offloaded_bytes_per_gpu", it.offloaded.value()}};
}

} // namespace

Json load_to_json(const Plan& plan, const LoadAnswer& a)
{
    Json out = {{"kind", "load"}, {"version", 1}, {"name", plan.name}, {"model", a.evaluation.job.model.name}};
    out.update(load_part(plan, a.load));
    return out;
}

Json fleet_to_json(const Plan& plan, const FleetAnswer& a)
{
    const FleetPrediction& f = a.fleet;
    Json day = Json::array(), months = Json::array(), pareto = Json::array();
    for (std::size_t h = 0; h < f.day.size(); ++h)
        day.push_back({{"hour", h}, {"requests_per_second", f.day[h].rate}, {"instances", f.day[h].instances}, {"utilization", f.day[h].utilization},
            {"power_w", f.day[h].power.value()}});
    for (const FleetMonth& m : f.months)
        months.push_back({{"month", m.month}, {"mean_requests_per_second", m.mean_rate}, {"peak_requests_per_second", m.peak_rate}, {"instances", m.instances},
            {"instance_hours", m.instance_hours}, {"cost_usd", scaled(m.cost)}, {"energy_kwh", m.energy.value() / joules_per_kwh},
            {"input_tokens", m.input_tokens}, {"output_tokens", m.output_tokens}});
    for (const ParetoPoint& p : a.pareto)
        pareto.push_back({{"tp", p.tp}, {"concurrency", p.concurrency}, {"output_tokens_per_second_per_user", p.per_user.value()},
            {"output_tokens_per_second_per_gpu", p.per_gpu.value()}, {"ttft_s", p.ttft.value()}, {"tpot_s", p.tpot.value()},
            {"usd_per_million_output_tokens_all_in", scaled(p.per_output_token, million)}, {"front", p.front}});
    return {{"kind", "fleet"}, {"version", 1}, {"name", plan.name}, {"model", a.evaluation.job.model.name}, {"price", price_json(a.evaluation.cost)},
        {"price_missing", a.evaluation.cost.missing}, {"requests_per_second_per_replica", f.rate_per_replica},
        {"planned_requests_per_second_per_replica", f.planned_rate_per_replica}, {"replicas_per_instance", f.replicas_per_instance},
        {"instances_per_replica", f.instances_per_replica}, {"cost_usd", scaled(f.cost)}, {"prefill_share", f.prefill_share},
        {"usd_per_million_input_tokens", scaled(f.per_input_token, million)}, {"usd_per_million_output_tokens", scaled(f.per_output_token, million)},
        {"kwh_per_million_tokens", f.energy_per_token.value() * million / joules_per_kwh}, {"api_cost_usd", scaled(f.api_cost)},
        {"break_even_requests_per_second", f.break_even_rate ? Json(*f.break_even_rate) : Json(nullptr)}, {"day", day}, {"months", months}, {"pareto", pareto},
        {"load", load_part(plan, a.load)}, {"notes", f.notes}, {"disclaimer", "planning figure, not a quote"}};
}

Json post_training_to_json(const Plan& plan, const PostTrainingAnswer& a)
{
    const PostTrainingPrediction& p = a.prediction;
    Json divisions = Json::array();
    for (const Iteration& it : p.divisions)
        divisions.push_back(iteration(it));
    return {{"kind", "rl"}, {"version", 1}, {"name", plan.name}, {"model", a.learner.model.name}, {"samples", p.samples}, {"mean_output_tokens", p.mean_output},
        {"longest_output_tokens", p.longest_output}, {"tokens", p.tokens}, {"packed_sequence_tokens", p.packed_length},
        {"samples_per_second", p.samples_per_second}, {"tokens_per_second", p.tokens_per_second.value()}, {"output_tokens_per_second", p.output_per_second.value()},
        {"gpu_hours_per_iteration", p.gpu_hours}, {"usd_per_iteration", scaled(p.cost)}, {"price", price_json(a.cost)}, {"iteration", iteration(p.best)},
        {"divisions", divisions}, {"notes", p.notes}, {"disclaimer", "planning figure, not a quote"}};
}

} // namespace ridgepoint
