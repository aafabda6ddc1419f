#include "model/report/run_json.h"

namespace ridgepoint {
namespace {

using Json = nlohmann::ordered_json;

constexpr double million = 1e6;
constexpr double joules_per_kwh = 3.6e6;

Json date_or_null(const std::optional<Date>& d) { return d ? Json(d->text()) : Json(nullptr); }

Json distribution(const TimeDistribution& d)
{
    Json quantiles = Json::array();
    for (const Quantile& q : d.quantiles)
        quantiles.push_back({{"share", q.share}, {"seconds", q.time.value()}});
    return {{"mean_s", d.mean.value()}, {"p50_s", d.at(0.5).value()}, {"p90_s", d.at(0.9).value()}, {"quantiles", quantiles}};
}

Json checkpoint(const RunPrediction& r)
{
    const CheckpointPrediction& c = r.checkpoint;
    return {{"bytes", c.size.total.value()}, {"bytes_per_gpu", c.size.shard.value()}, {"write_s", c.write.value()}, {"write_limited_by", c.write_limited_by},
        {"blocking_s", c.blocking.value()}, {"blocking_limited_by", c.blocking_limited_by}, {"reload_s", c.reload.value()},
        {"reload_limited_by", c.reload_limited_by}};
}

Json interval(const IntervalPrediction& i, Seconds step)
{
    return {{"used_s", i.used.value()}, {"used_steps", step > Seconds{} ? i.used / step : 0.0}, {"why", i.why}, {"young_s", i.young.value()}, {"daly_s", i.daly.value()}, {"optimum_s", i.optimum.value()}};
}

Json restart(const RestartPrediction& r)
{
    return {{"seconds", r.total().value()}, {"detection_s", r.detection.value()}, {"replacement_s", r.replacement.value()}, {"startup_s", r.startup.value()}, {"reload_s", r.reload.value()},
        {"replay_s", r.replay.value()}, {"no_spare_free", r.no_spare_free}};
}

Json storage(const std::vector<StorageDemand>& all)
{
    Json out = Json::array();
    for (const StorageDemand& d : all)
        out.push_back({{"what", d.what}, {"tier", d.tier}, {"name", d.tier_name}, {"needed_bytes", d.needed.value()}, {"capacity_bytes", d.capacity.value()},
            {"demand_bytes_per_second", d.demand.value()}, {"available_bytes_per_second", d.available.value()}, {"limited_by", d.limited_by}, {"limits", d.limits}});
    return out;
}

Json price(const Price& p, const PriceAge& age)
{
    return {{"term", p.term}, {"region", p.region}, {"usd_per_gpu_hour", p.per_gpu.value() * 3600.0}, {"date", p.date}, {"source", p.source}, {"age_days", age.days ? Json(*age.days) : Json(nullptr)},
        {"stale", age.stale}};
}

Json commitment(const Commitment& c)
{
    return {{"term", c.term}, {"instances", c.instances}, {"blocks", c.blocks}, {"used_hours", in_hours(c.used)}, {"paid_hours", in_hours(c.paid)}, {"cost_usd", c.cost.value()},
        {"obligation_usd", c.obligation.value()}, {"upfront_usd", c.upfront.value()}, {"problems", c.problems}};
}

Json bill(const Bill& b)
{
    Json lines = Json::array();
    for (const CostLine& l : b.lines)
        lines.push_back({{"kind", name_of(l.kind)}, {"name", l.name}, {"usd", l.amount.value()}, {"quantity", l.quantity}, {"rate", l.rate}, {"source", l.source}});
    return {{"wall_s", b.wall.value()}, {"usd", b.total.value()}, {"lines", lines}, {"commitment", commitment(b.commitment)}};
}

Json cost(const RunAnswer& a)
{
    if (!a.cost)
        return nullptr;
    const RunCost& c = *a.cost;
    Json terms = Json::array();
    for (const TermOffer& o : c.terms)
        terms.push_back({{"price", price(o.price, o.age)}, {"run_usd", o.run.value()}, {"commitment", commitment(o.commitment)},
            {"break_even_share_of_year", o.break_even_share ? Json(*o.break_even_share) : Json(nullptr)}});
    return {{"price", price(c.price, c.age)}, {"expected", bill(c.expected)}, {"p50_usd", c.p50.total.value()}, {"p90_usd", c.p90.total.value()},
        {"usd_per_million_tokens", c.per_token.value() * million}, {"usd_per_eflop", c.per_exaflop}, {"usd_per_month", c.per_month.value()},
        {"delay_usd_per_day", c.delay_per_day.value()}, {"delay_p90_usd", c.delay_p90.value()}, {"list_usd", c.list ? Json(c.list->value()) : Json(nullptr)}, {"terms", terms}};
}

Json energy(const RunAnswer& a)
{
    const EnergyPrediction& e = a.run.energy;
    Json carbon = nullptr;
    if (a.carbon)
        carbon = {{"g_per_kwh", a.carbon->factor.value() * joules_per_kwh}, {"kg_co2e", *a.carbon_kg}, {"source", a.carbon->source}, {"date", a.carbon->date}, {"confidence", a.carbon->confidence},
            {"note", a.carbon->note}};
    return {{"kwh", e.energy.value() / joules_per_kwh}, {"kwh_per_million_tokens", e.per_token.value() * million / joules_per_kwh}, {"busy_node_w", e.busy.value()}, {"idle_node_w", e.idle.value()},
        {"clock", e.clock}, {"clock_low", e.clock_low}, {"clock_high", e.clock_high}, {"carbon", carbon}};
}

Json sizing(const std::vector<SizingAid>& all)
{
    Json out = Json::array();
    for (const SizingAid& s : all)
        out.push_back({{"law", s.law->name}, {"source", s.law->source}, {"loss_of_plan", s.loss_of_plan}, {"best_parameters", s.optimum.parameters}, {"best_tokens", s.optimum.tokens},
            {"best_loss", s.optimum.loss}});
    return out;
}

Json resources(const AttributedTime& t)
{
    Json out = Json::object();
    for (std::size_t i = 0; i < resource_count; ++i)
        out[std::string(name_of(static_cast<Resource>(i)))] = t.share(static_cast<Resource>(i));
    return out;
}

} // namespace

Json run_to_json(const Plan& plan, const RunAnswer& a)
{
    const RunPrediction& r = a.run;
    Json parts = Json::array(), waste = Json::array();
    for (std::size_t i = 0; i < run_part_count; ++i)
        parts.push_back({{"part", name_of(static_cast<RunPart>(i))}, {"seconds", r.parts[i].value()}});
    for (const WastePoint& w : r.waste)
        waste.push_back({{"interval_s", w.interval.value()}, {"overhead", w.overhead}, {"waste", w.waste}});
    Json spares = Json::array();
    for (const SparePoint& s : r.by_spares)
        spares.push_back({{"spare_nodes", s.spares}, {"goodput", s.goodput}, {"wall_s", s.wall.value()}, {"no_spare_free", s.no_spare_free}});
    return {{"kind", "run"}, {"version", 1}, {"name", plan.name}, {"model", a.evaluation.job.model.name}, {"instance", plan.instance}, {"nodes", r.nodes}, {"spare_nodes", r.spares},
        {"fits", a.evaluation.estimate.feasible()}, {"steps", r.steps}, {"step_s", r.step.value()}, {"relative_error", a.evaluation.estimate.relative_error}, {"wall_s", r.wall.value()},
        {"goodput", r.goodput}, {"first_order_waste", r.first_order_waste}, {"bound", r.bound}, {"resource_shares", resources(r.time)}, {"parts", parts},
        {"time_to_train", distribution(r.time_to_train)}, {"time_to_train_failures_only", distribution(r.failures_only)}, {"start", date_or_null(a.start)}, {"end_p50", date_or_null(a.end_p50)},
        {"end_p90", date_or_null(a.end_p90)}, {"mtbf_s", r.mtbf.value()}, {"expected_failures", r.expected_failures}, {"checkpoint", checkpoint(r)}, {"interval", interval(r.interval, r.step)},
        {"restart", restart(r.restart)}, {"waste_curve", waste}, {"spares_curve", spares}, {"storage", storage(r.storage)}, {"cost", cost(a)}, {"price_missing", a.evaluation.cost.missing}, {"energy", energy(a)},
        {"sizing", sizing(a.sizing)}, {"notes", a.notes}, {"disclaimer", "planning figure, not a quote"}};
}

namespace {

Json layout_json(const FoundLayout& f)
{
    if (!f.plan)
        return nullptr;
    const Layout& l = f.plan->layout;
    const nlohmann::json fields = to_json(*f.plan);
    return {{"tp", l.tp}, {"pp", l.pp}, {"vpp", l.vpp}, {"cp", l.cp}, {"ep", l.ep}, {"micro_batch", l.micro_batch}, {"schedule", fields["layout"]["schedule"]},
        {"recompute", fields["layout"]["recompute"]}, {"sharding", fields["layout"]["sharding"]}, {"points", f.points}, {"search_stopped", f.stopped}};
}

Json short_run(const std::optional<RunAnswer>& a)
{
    if (!a)
        return nullptr;
    const RunPrediction& r = a->run;
    return {{"step_s", r.step.value()}, {"goodput", r.goodput}, {"bound", r.bound}, {"p50_s", r.time_to_train.at(0.5).value()}, {"p90_s", r.time_to_train.at(0.9).value()},
        {"relative_error", a->evaluation.estimate.relative_error}, {"cost_usd", a->cost ? Json(a->cost->expected.total.value()) : Json(nullptr)},
        {"cost_p90_usd", a->cost ? Json(a->cost->p90.total.value()) : Json(nullptr)}, {"usd_per_gpu_hour", a->cost ? Json(a->cost->price.per_gpu.value() * 3600.0) : Json(nullptr)},
        {"price_stale", a->cost ? Json(a->cost->age.stale) : Json(nullptr)}, {"kwh", r.energy.energy.value() / joules_per_kwh}, {"kg_co2e", a->carbon_kg ? Json(*a->carbon_kg) : Json(nullptr)}};
}

Json head(const Plan& plan, const char* question)
{
    return {{"kind", "capacity"}, {"version", 1}, {"question", question}, {"name", plan.name}, {"model", plan.model}};
}

} // namespace

Json finish_to_json(const Plan& plan, const FinishAnswer& a)
{
    Json out = head(plan, "finish"), alternatives = Json::array();
    for (const TrainingAlternative& t : a.alternatives)
        alternatives.push_back({{"instance", t.instance}, {"nodes", t.nodes}, {"does", t.does()}, {"binding", name_of(t.binding)}, {"why", t.why}, {"layout", layout_json(t.layout)}, {"run", short_run(t.answer)},
            {"latest_start", date_or_null(t.latest_start)}, {"earliest_end_p90", date_or_null(t.earliest_end)}, {"even_usd_per_gpu_hour", t.even_rate ? Json(t.even_rate->value()) : Json(nullptr)},
            {"notes", t.notes}});
    out.update({{"today", a.question.today.text()}, {"deadline", date_or_null(a.question.deadline)}, {"budget_usd", a.question.budget ? Json(a.question.budget->value()) : Json(nullptr)},
        {"alternatives", alternatives}, {"notes", a.notes}, {"disclaimer", "planning figure, not a quote"}});
    return out;
}

Json machines_to_json(const Plan& plan, const MachinesAnswer& a)
{
    Json out = head(plan, "machines"), models = Json::array();
    for (const TrainableModel& m : a.models)
        models.push_back({{"model", m.model}, {"does", m.binding == Binding::none}, {"binding", name_of(m.binding)}, {"why", m.why}, {"layout", layout_json(m.layout)}, {"run", short_run(m.answer)},
            {"tokens_p90", m.tokens.value()}, {"tokens_p50", m.tokens_median.value()}, {"tokens_per_parameter", m.tokens_per_parameter}});
    out.update({{"instance", a.question.instance}, {"nodes", a.question.nodes}, {"days", in_days(a.question.time)}, {"models", models}, {"sizing", sizing(a.optimum)}, {"notes", a.notes},
        {"disclaimer", "planning figure, not a quote"}});
    return out;
}

Json serve_to_json(const Plan& plan, const ServeAnswer& a)
{
    Json out = head(plan, "serve"), alternatives = Json::array();
    for (const ServingAlternative& s : a.alternatives) {
        Json j = {{"instance", s.instance}, {"does", s.does()}, {"binding", name_of(s.binding)}, {"why", s.why}, {"tp", s.tp}};
        if (s.answer) {
            const FleetPrediction& f = s.answer->fleet;
            Json day = Json::array();
            for (const FleetHour& h : f.day)
                day.push_back(h.instances);
            j.update({{"instances_by_hour", day}, {"instances_peak_first_month", f.months.front().instances}, {"instances_peak_last_month", f.months.back().instances},
                {"requests_per_second_per_replica", f.rate_per_replica}, {"relative_error", s.answer->load.relative_error}, {"cost_usd", f.cost ? Json(f.cost->value()) : Json(nullptr)},
                {"usd_per_million_input_tokens", f.per_input_token ? Json(f.per_input_token->value() * million) : Json(nullptr)},
                {"usd_per_million_output_tokens", f.per_output_token ? Json(f.per_output_token->value() * million) : Json(nullptr)},
                {"kwh_per_million_tokens", f.energy_per_token.value() * million / joules_per_kwh},
                {"break_even_requests_per_second", f.break_even_rate ? Json(*f.break_even_rate) : Json(nullptr)}});
        }
        alternatives.push_back(std::move(j));
    }
    out.update({{"months", plan.fleet.months}, {"alternatives", alternatives}, {"notes", a.notes}, {"disclaimer", "planning figure, not a quote"}});
    return out;
}

} // namespace ridgepoint
