#include "model/report/evaluation_json.h"

#include "model/estimate/flops.h"
#include "model/project/fields.h"

namespace ridgepoint {
namespace {

using Json = nlohmann::ordered_json;

template <typename Q> Json value_or_null(const std::optional<Q>& q) { return q ? Json(q->value()) : Json(nullptr); }

Json shares(const AttributedTime& t)
{
    Json out = Json::object();
    for (std::size_t i = 0; i < resource_count; ++i) {
        static constexpr std::array<const char*, resource_count> keys = {"compute", "hbm", "nvlink", "network", "latency", "storage"};
        out[keys[i]] = t.share(static_cast<Resource>(i));
    }
    return out;
}

Json time_json(const AttributedTime& t)
{
    return {{"seconds", t.total().value()}, {"bound", name_of(t.bound())}, {"regime_shares", shares(t)}};
}

Json training_json(const Evaluation& v, const TrainingResult& r)
{
    Json mfu = Json::object();
    for (const auto& [name, value] : mfu_by_convention(v))
        mfu[name] = value;
    return {{"step_time_s", r.step.value()}, {"tokens_per_second", r.tokens_per_second.value()},
        {"tokens_per_second_per_gpu", r.tokens_per_second_per_gpu.value()}, {"model_flops_per_step_flop", r.model_flops_per_step.value()},
        {"achieved_flop_per_second_per_gpu", r.achieved_per_gpu.value()}, {"mfu", r.mfu}, {"mfu_convention", name_of(r.convention)},
        {"mfu_peak_arithmetic", name_of(r.peak_arithmetic)},
        {"mfu_dense_peak_flop_per_second", v.job.cluster.accelerator.dense_peak(r.peak_arithmetic).value()}, {"mfu_by_convention", mfu},
        {"bubble_fraction", r.bubble_fraction}, {"microbatches", r.microbatches}, {"time_to_train_s", value_or_null(r.time_to_train)}};
}

Json thinking_json(const ThinkingResult& t)
{
    return {{"tokens", t.tokens}, {"answer_tokens", t.answer_tokens}, {"thinking_s", t.time.value()}, {"time_to_first_answer_token_s", t.first_answer.value()},
        {"first_decode_step_s", t.first_step.value()}, {"last_decode_step_s", t.last_step.value()}, {"first_cache_bytes_per_sequence", t.first_cache.value()},
        {"last_cache_bytes_per_sequence", t.last_cache.value()}};
}

Json serving_json(const ServingResult& r)
{
    return {{"ttft_s", r.ttft.value()}, {"tpot_s", r.tpot.value()}, {"prefill_step_s", r.prefill_step.value()}, {"decode_step_s", r.decode_step.value()},
        {"output_tokens_per_second_per_replica", r.output_per_second.value()}, {"output_tokens_per_second_per_gpu", r.output_per_second_per_gpu.value()},
        {"input_tokens_per_second_per_gpu", r.input_per_second_per_gpu.value()}, {"output_tokens_per_second_per_user", r.output_per_second_per_user.value()},
        {"requests_per_second_per_replica", r.requests_per_second}, {"largest_batch_sequences", r.largest_batch},
        {"kv_bytes_per_token", r.kv_bytes_per_token.value()}, {"mfu", r.mfu}, {"mbu", r.mbu}, {"replicas", r.replicas},
        {"adapter_bytes_per_gpu", r.adapter > Bytes{} ? Json(r.adapter.value()) : Json(nullptr)}, {"thinking", r.thinking ? thinking_json(*r.thinking) : Json(nullptr)}};
}

Json disaggregated_json(const DisaggregatedResult& d)
{
    return {{"prompt_workers", d.prompt_workers}, {"decode_workers", d.decode_workers}, {"gpus_per_prompt_worker", d.gpus_per_prompt_worker},
        {"gpus_per_decode_worker", d.gpus_per_decode_worker}, {"prompt_requests_per_second", d.prompt_requests_per_second},
        {"decode_requests_per_second", d.decode_requests_per_second}, {"input_tokens_per_second_per_prompt_gpu", d.input_per_prompt_gpu.value()},
        {"output_tokens_per_second_per_decode_gpu", d.output_per_decode_gpu.value()}, {"cache_bytes", d.cache.value()}, {"inside_nvlink_domain", d.inside_domain},
        {"transfer_s", d.transfer.value()}, {"exposed_transfer_s", d.exposed_transfer.value()}, {"link_utilization", d.link_utilization},
        {"best_ratio", d.best_ratio}, {"best_prompt_workers", d.best_prompt_workers}, {"best_decode_workers", d.best_decode_workers},
        {"best_requests_per_second_per_gpu", d.best_requests_per_second_per_gpu}};
}

Json breakdown_json(const Estimate& e)
{
    Json out = Json::array();
    const double total = e.breakdown.total().total().value();
    for (std::size_t i = 0; i < step_part_count; ++i) {
        const AttributedTime& t = e.breakdown.parts[i];
        if (t.total() == Seconds{})
            continue;
        out.push_back({{"part", name_of(static_cast<StepPart>(i))}, {"seconds", t.total().value()},
            {"share", total > 0 ? t.total().value() / total : 0.0}, {"regime_shares", shares(t)}});
    }
    return out;
}

Json memory_json(const MemoryFit& m)
{
    Json stages = Json::array();
    for (const StageMemory& s : m.stages)
        stages.push_back({{"stage", s.stage}, {"weights_bytes", s.weights.value()}, {"gradients_bytes", s.gradients.value()},
            {"optimizer_bytes", s.optimizer.value()}, {"activations_bytes", s.activations.value()}, {"kv_cache_bytes", s.kv_cache.value()},
            {"workspace_bytes", s.workspace.value()}, {"reserve_bytes", s.reserve.value()}, {"total_bytes", s.total().value()}});
    return {{"fits", m.fits()}, {"capacity_bytes", m.capacity.value()}, {"headroom_bytes", m.headroom().value()}, {"worst_stage", m.worst_stage},
        {"stages", stages}};
}

Json cost_json(const Cost& c)
{
    Json price = nullptr;
    if (c.price)
        price = {{"instance", c.price->instance}, {"region", c.price->region}, {"term", c.price->term},
            {"usd_per_gpu_hour", c.price->per_gpu.value() * 3600.0}, {"date", c.price->date}, {"source", c.price->source}, {"note", c.price->note}};
    const auto money = [&](double v) { return c.price ? Json(v) : Json(nullptr); };
    return {{"price", price}, {"missing", c.missing}, {"cluster_usd_per_hour", money(c.cluster.value() * 3600.0)},
        {"cluster_usd_per_month", money(c.per_month.value())}, {"run_usd", value_or_null(c.run)},
        {"usd_per_million_tokens", c.per_token ? Json(c.per_token->value() * 1e6) : Json(nullptr)},
        {"usd_per_million_input_tokens", c.per_input_token ? Json(c.per_input_token->value() * 1e6) : Json(nullptr)},
        {"usd_per_million_output_tokens_all_in", c.per_output_token_all ? Json(c.per_output_token_all->value() * 1e6) : Json(nullptr)},
        {"run_gpu_hours", c.gpu_hours}, {"power_w", c.power.value()}, {"energy_j_per_token", c.energy_per_token.value()},
        {"disclaimer", "planning figure, not a quote"}};
}

Json advice_json(const std::vector<Advice>& advice)
{
    Json out = Json::array();
    for (const Advice& a : advice) {
        Json edits = Json::array();
        for (const auto& [path, value] : a.edits)
            edits.push_back({{"path", path}, {"value", value}});
        out.push_back({{"change", a.change}, {"effect", a.effect}, {"edits", edits}, {"throughput_gain_fraction", a.gain},
            {"headroom_gib", a.headroom_gib}, {"fits", a.fits}});
    }
    return out;
}

} // namespace

std::vector<std::pair<std::string, double>> mfu_by_convention(const Evaluation& v)
{
    std::vector<std::pair<std::string, double>> out;
    const auto* workload = std::get_if<Training>(&v.job.workload);
    if (workload == nullptr || !v.estimate.training)
        return out;
    const TrainingResult& r = *v.estimate.training;
    const double capacity = r.step.value() * v.job.cluster.gpus * v.job.cluster.accelerator.dense_peak(r.peak_arithmetic).value();
    const std::pair<const char*, FlopConvention> conventions[] = {{"six_n", FlopConvention::six_n},
        {"six_n_full_attention", FlopConvention::six_n_full_attention}, {"six_n_causal_attention", FlopConvention::six_n_causal_attention},
        {"model_exact", FlopConvention::model_exact}};
    for (const auto& [name, convention] : conventions)
        out.emplace_back(name, training_flops(v.job.model, *workload, convention).value() / capacity);
    Job executed = v.job; // what is executed is known to the estimate alone
    executed.assumptions.convention = FlopConvention::hardware;
    if (const Expected<Estimate> e = estimate(executed); e && e->training)
        out.emplace_back("hardware", e->training->mfu);
    return out;
}

Json derivation_to_json(const Derivation& d)
{
    Json inputs = Json::array();
    for (const Derivation& i : d.inputs)
        inputs.push_back(derivation_to_json(i));
    return {{"name", d.name}, {"formula", d.formula}, {"value", d.value}, {"source", d.source}, {"inputs", inputs}};
}

Json evaluation_to_json(const Plan& plan, const Evaluation& v)
{
    const Estimate& e = v.estimate;
    Json out;
    out["kind"] = "plan";
    out["version"] = 1;
    out["plan"] = to_json(plan);
    out["gpus"] = v.job.cluster.gpus;
    out["data_parallel"] = v.job.layout.dp;
    out["feasible"] = e.feasible();
    out["verdict"] = v.verdict;
    out["time"] = time_json(e.time);
    out["relative_error"] = e.relative_error;
    out["first_token_error"] = e.first_token_error;
    out["rate_error"] = e.rate_error;
    out["training"] = e.training ? training_json(v, *e.training) : Json(nullptr);
    out["serving"] = e.serving ? serving_json(*e.serving) : Json(nullptr);
    out["disaggregated"] = e.disaggregated ? disaggregated_json(*e.disaggregated) : Json(nullptr);
    out["breakdown"] = breakdown_json(e);
    const StepBreakdown& b = e.breakdown;
    out["hidden_communication_s"] = {{"tp", b.tp_hidden.value()}, {"cp", b.cp_hidden.value()}, {"ep", b.ep_hidden.value()},
        {"pp", b.pp_hidden.value()}, {"dp", b.dp_hidden.value()}};
    out["memory"] = memory_json(e.memory);
    out["cost"] = cost_json(v.cost);
    out["advice"] = advice_json(v.changes);
    out["notes"] = e.notes;
    return out;
}

Json roofline_to_json(const Plan& plan, const Evaluation& v, const RooflineModel& r)
{
    Json out;
    out["kind"] = "roofline";
    out["version"] = 1;
    out["name"] = plan.name;
    Json compute = Json::array(), bandwidth = Json::array(), operators = Json::array(), ridgeline = Json::array();
    for (const ComputeCeiling& c : r.compute)
        compute.push_back({{"label", c.label}, {"arithmetic", name_of(c.arithmetic)}, {"flop_per_second", c.peak.value()}, {"used", c.used}});
    for (const BandwidthCeiling& b : r.bandwidth)
        bandwidth.push_back({{"label", b.label}, {"level", name_of(b.level)}, {"bytes_per_second", b.bandwidth.value()}});
    for (const Operator& op : v.estimate.operators)
        operators.push_back({{"operator", name_of(op.kind)}, {"class", name_of(class_of(op.kind))}, {"phase", name_of(op.phase)},
            {"layer_kind", op.layer_kind == outside_layers ? Json(nullptr) : Json(op.layer_kind)}, {"count", op.count},
            {"flop", op.flops.value()}, {"model_flop", op.model_flops.value()}, {"hbm_bytes", op.hbm.value()}, {"nvlink_bytes", op.nvlink.value()},
            {"network_bytes", op.network.value()}, {"intensity_flop_per_byte", op.intensity().value()}, {"m", op.m}, {"n", op.n}, {"k", op.k},
            {"time_s", op.time.total().value()}, {"total_time_s", op.total_time().value()}, {"hidden_share", op.hidden},
            {"bound", name_of(op.time.bound())}, {"regime_shares", shares(op.time)}});
    for (const RidgelinePoint& p : r.ridgeline)
        ridgeline.push_back({{"label", p.label}, {"flop_per_hbm_byte", p.arithmetic_intensity.value()},
            {"hbm_byte_per_network_byte", p.memory_intensity}, {"network", name_of(p.network)}, {"total_time_s", p.total_time.value()},
            {"whole_step", p.whole_step}});
    out["compute_ceilings"] = compute;
    out["bandwidth_ceilings"] = bandwidth;
    out["operators"] = operators;
    out["ridgeline"] = ridgeline;
    out["not_plottable"] = r.not_plottable;
    return out;
}

Json error_to_json(const Error& e)
{
    static constexpr std::array<const char*, 4> kinds = {"bad_input", "infeasible", "io", "cancelled"};
    return {{"error", {{"kind", kinds[static_cast<std::size_t>(e.kind)]}, {"message", e.message}, {"file", e.place.file}, {"line", e.place.line},
                {"pointer", e.place.pointer}, {"found", e.found}, {"expected", e.expected}, {"hint", e.hint}}}};
}

} // namespace ridgepoint
