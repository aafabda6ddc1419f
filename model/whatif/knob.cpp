#include "model/whatif/knob.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "model/project/fields.h"
#include "model/project/resolve.h"
#include "model/project/snapshots.h"

namespace ridgepoint {
namespace {

struct Factor {
    const char* id;
    const char* label;
    double low, high;
    void (*turn)(Job&, double);
};
constexpr std::array factors = {
    Factor{"hardware/compute", "Tensor-core rate", 0.25, 4, [](Job& j, double k) { for (Peak& p : j.cluster.accelerator.peaks) p.dense *= k; }},
    Factor{"hardware/hbm", "HBM bandwidth", 0.25, 4, [](Job& j, double k) { j.cluster.accelerator.hbm_bandwidth *= k; }},
    Factor{"hardware/nvlink", "NVLink bandwidth", 0.25, 4, [](Job& j, double k) { j.cluster.accelerator.nvlink_per_direction *= k; }},
    Factor{"hardware/network", "Network bandwidth", 0.25, 4, [](Job& j, double k) { j.cluster.node.nic_rate *= k; }},
    Factor{"hardware/hbm_capacity", "HBM capacity", 0.5, 4, [](Job& j, double k) { j.cluster.accelerator.hbm_visible *= k; }},
    Factor{"hardware/storage", "Storage bandwidth", 0.05, 4, [](Job& j, double k) { scale_rates(j.cluster.node, k); }},
    Factor{"price/rate", "Price", 0.25, 4, nullptr},
};

constexpr std::string_view storage = "hardware/storage"; // turned in tiers too, which are no part of a job

const Factor* factor(const std::string& id)
{
    const auto found = std::ranges::find_if(factors, [&](const Factor& f) { return id == f.id; });
    return found == factors.end() ? nullptr : &*found;
}

bool of_this_kind(const PlanField& f, const Plan& plan) { return std::holds_alternative<Training>(plan.workload) ? f.training : f.serving; }

std::string as_text(const PlanField& f, double value)
{
    return f.type == FieldType::whole ? fmt::format("{:.0f}", std::round(value)) : fmt::format("{}", value);
}

Outcome impossible(std::string why)
{
    Outcome o;
    o.impossible = why.empty() ? "cannot run" : std::move(why);
    return o;
}

} // namespace

std::vector<Knob> knobs_of(const Plan& plan)
{
    std::vector<Knob> out;
    for (const PlanField& f : plan_fields())
        if ((f.type == FieldType::whole || f.type == FieldType::number) && of_this_kind(f, plan) && !is_operation(f.group))
            out.push_back({f.path, f.label, f.unit, f.minimum, f.maximum, f.type == FieldType::whole, false});
    for (const Factor& f : factors)
        if (f.id != storage || std::holds_alternative<Training>(plan.workload))
            out.push_back({f.id, f.label, "x", f.low, f.high, false, true});
    return out;
}

Expected<Knob> find_knob(const Plan& plan, const std::string& id)
{
    const std::string path = id.starts_with("/") || factor(id) ? id : "/" + id;
    std::string known;
    for (Knob& k : knobs_of(plan)) {
        if (k.id == path)
            return std::move(k);
        known += (known.empty() ? "" : ", ") + k.id;
    }
    return bad_input("This cannot be swept", {}, "\"" + id + "\"", "one of: " + known);
}

Expected<WhatIf> WhatIf::make(const Plan& plan, const SpecStore& specs)
{
    Expected<Job> job = resolve(plan, specs);
    if (!job)
        return job.error();
    WhatIf w;
    w.m_plan = plan;
    w.m_job = std::move(*job);
    w.m_specs = &specs;
    if (Expected<Price> price = price_of(plan, specs))
        w.m_price = std::move(*price);
    if (std::holds_alternative<Training>(plan.workload))
        if (Expected<SpecStore> own = with_snapshots(plan, specs))
            if (Expected<RunStorage> tiers = storage_of(plan, *own))
                w.m_storage = std::move(*tiers);
    return w;
}

double WhatIf::value(const Knob& knob) const { return knob.factor ? 1.0 : std::strtod(field_value(m_plan, knob.id).c_str(), nullptr); }

Expected<Plan> WhatIf::plan_at(const std::vector<Setting>& settings) const
{
    Plan plan = m_plan;
    for (const auto& [id, value] : settings) {
        if (factor(id))
            continue;
        const PlanField* f = find_field(id);
        if (!f)
            return bad_input("There is no such field", {}, "\"" + id + "\"");
        if (Status s = set_field(plan, id, as_text(*f, value)); !s)
            return s.error();
    }
    return plan;
}

// The step as a run has it: slower where storage does not deliver its data.
void WhatIf::add_storage(Outcome& o, QuickEstimate& e, const Job& job, double factor) const
{
    RunStorage turned = *m_storage;
    scale_rates(turned, factor);
    const Expected<StorageStep> s = storage_step(job, e.time, turned);
    if (!s)
        return; // then only a run cannot be predicted
    const double slower = s->step.total() / e.time.total();
    e.time = s->step;
    e.training->step *= slower;
    e.training->tokens_per_second *= 1.0 / slower;
    e.training->tokens_per_second_per_gpu *= 1.0 / slower;
    e.training->achieved_per_gpu *= 1.0 / slower;
    e.training->mfu /= slower;
    o.stops = s->stops;
}

Outcome WhatIf::at(const std::vector<Setting>& settings)
{
    const bool fields = std::ranges::any_of(settings, [](const Setting& s) { return factor(s.first) == nullptr; });
    Job job = m_job;
    if (fields) {
        const Expected<Plan> plan = plan_at(settings);
        if (!plan)
            return impossible(plan.error().message);
        Expected<Job> other = resolve_variant(*plan, m_job);
        if (!other)
            return impossible(other.error().message);
        job = std::move(*other);
    }
    std::optional<DollarsPerSecond> rate = m_price ? std::optional(m_price->per_gpu) : std::nullopt;
    for (const auto& [id, value] : settings)
        if (const Factor* f = factor(id); f && f->turn)
            f->turn(job, value);
        else if (f && rate)
            *rate *= value;

    QuickEstimator estimator;
    QuickEstimate e = estimator(job);
    if (!e.possible())
        return impossible(e.refused ? "no operating point" : std::string(name_of(e.rule)));
    Outcome o;
    if (m_storage && e.training) {
        const auto turned = std::ranges::find(settings, storage, &Setting::first);
        add_storage(o, e, job, turned == settings.end() ? 1.0 : turned->second);
    }
    o.time = e.time.total();
    o.made_of = e.time;
    o.headroom = e.headroom();
    const UnitCost cost = unit_cost(e.time, e.training, e.serving, job, rate, m_plan.price.utilization);
    o.cost_per_token = cost.per_token ? cost.per_token : cost.per_input_token;
    o.energy_per_token = cost.energy_per_token;
    if (e.training) {
        o.tokens_per_second_per_gpu = e.training->tokens_per_second_per_gpu;
        o.mfu = e.training->mfu;
    } else {
        o.tokens_per_second_per_gpu
            = e.serving->output_per_second_per_gpu > TokensPerSecond{} ? e.serving->output_per_second_per_gpu : e.serving->input_per_second_per_gpu;
        o.mfu = e.serving->mfu;
        o.ttft = e.serving->ttft;
    }
    o.tokens_per_second = o.tokens_per_second_per_gpu * static_cast<double>(job.cluster.gpus);
    return o;
}

} // namespace ridgepoint
