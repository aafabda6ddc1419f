// The first pages: what to do, what else was looked at, whether it fits, what bounds it.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/estimate/flops.h"
#include "model/project/fields.h"
#include "model/hardware/read.h"
#include "model/report/sections.h"
#include "model/report/texts.h"
#include "model/roofline/roofline.h"
#include "model/units/format.h"

namespace ridgepoint {
namespace {

std::string money_of(const Evaluation& v)
{
    const Cost& c = v.cost;
    if (!c.price)
        return "no price: " + c.missing;
    std::string out;
    if (c.run)
        out = format(*c.run) + " for the run" + (v.estimate.relative_error > 0 ? " (" + spread_text(*c.run, v.estimate) + ")" : "");
    if (c.per_token)
        out += fmt::format("{}{} per million {}tokens", out.empty() ? "" : ", ", format(Dollars{c.per_token->value() * 1e6}), v.estimate.serving ? "output " : "");
    if (!c.per_token && c.per_input_token)
        out += fmt::format("{}{} per million input tokens", out.empty() ? "" : ", ", format(Dollars{c.per_input_token->value() * 1e6}));
    return out + fmt::format("; {} per month", format(c.per_month));
}

std::string speed_of(const Evaluation& v)
{
    const Estimate& e = v.estimate;
    if (e.training)
        return fmt::format("{} per step, {}", format(e.training->step), rate_text(e.training->tokens_per_second));
    const ServingResult& s = *e.serving;
    const auto phase = std::get<Serving>(v.job.workload).phase;
    if (phase == ServingPhase::prefill)
        return fmt::format("time to first token {}, {} of input per GPU", format(s.ttft), rate_text(s.input_per_second_per_gpu));
    std::string out = fmt::format("{} per output token, {} per GPU, {} per user", format(s.tpot), rate_text(s.output_per_second_per_gpu), rate_text(s.output_per_second_per_user));
    if (phase == ServingPhase::serving)
        out += fmt::format(", first token after {}", format(s.ttft));
    return out;
}

std::string confidence_of(const Estimate& e)
{
    if (e.relative_error <= 0)
        return "no error bar: the efficiency constants carry no residual";
    std::string out = fmt::format("{} of the time: {}", error_bar_text(e), error_bar_meaning(e));
    return e.training ? out : out + "; how a framework schedules the work adds to it";
}

// ---- alternatives

std::vector<std::string> row_of(const Evaluation& v, std::string name)
{
    const Estimate& e = v.estimate;
    const Cost& c = v.cost;
    const double mfu = e.training ? e.training->mfu : e.serving->mfu;
    const bool prefill = e.serving && e.serving->output_per_second_per_gpu.value() <= 0;
    const Seconds time = e.training ? e.training->step : prefill ? e.serving->ttft : e.serving->tpot;
    const auto& token_price = c.per_token ? c.per_token : c.per_input_token;
    return {std::move(name), group_thousands(v.job.cluster.nodes), e.memory.fits() ? format(e.memory.headroom()) : "does not fit (" + format(-e.memory.headroom()) + " short)",
        format(time), format_number(throughput_per_gpu(e)), format_percent(mfu), std::string(name_of(e.bound())), c.price ? format(c.per_month) : "-",
        token_price ? format(Dollars{token_price->value() * 1e6}) : "-"};
}

std::vector<std::string> header_of(const Evaluation& v)
{
    const char* time = v.estimate.training ? "Step time" : throughput_per_gpu(v.estimate) == v.estimate.serving->input_per_second_per_gpu.value() ? "TTFT" : "TPOT";
    return {"Choice", "Nodes", "Headroom", time, "Tokens/s per GPU", "MFU", "Bound by", "USD per month", "USD per 1M tokens"};
}

// Rented types that are not the plan's own, in the order of the catalogue.
std::vector<std::string> other_instances(const ReportInput& in)
{
    std::vector<std::string> out;
    for (const std::string& id : in.specs.ids(SpecKind::instance)) {
        const Expected<Node> node = read_node(in.specs, id);
        if (id != in.plan.instance && node && node->vendor == "aws")
            out.push_back(id);
    }
    return out;
}

ReportTable instance_table(const ReportInput& in)
{
    ReportTable t;
    t.title = "Other instance types with the same number of GPUs and the same layout";
    t.header = header_of(in.evaluation);
    t.rows.push_back(row_of(in.evaluation, in.plan.instance + " (this plan)"));
    std::string refused;
    for (const std::string& id : other_instances(in)) {
        const Expected<Node> node = read_node(in.specs, id);
        Plan other = in.plan;
        other.instance = id;
        const int gpus = in.evaluation.job.cluster.gpus;
        other.nodes = (gpus + node->accelerators - 1) / node->accelerators;
        other.gpus = gpus;
        Expected<Evaluation> v = evaluate_only(other, in.specs);
        if (!v) {
            refused += fmt::format("{}{}: {}", refused.empty() ? "" : "; ", id, v.error().message);
            continue;
        }
        std::string name = id;
        for (const char* term : {"on_demand", "capacity_block"}) { // sold another way only
            if (v->cost.price || other.price.term == term || in.plan.price.term == "custom")
                continue;
            other.price.term = term;
            if (Expected<Evaluation> again = evaluate_only(other, in.specs); again && again->cost.price) {
                v = std::move(again);
                name += fmt::format(" ({})", term == std::string_view("capacity_block") ? "Capacity Block" : "on demand");
            }
        }
        t.rows.push_back(row_of(*v, std::move(name)));
    }
    t.note = "Each row is a full estimate of this plan on that instance type in the same region, under the same term where it is sold that way.";
    if (!refused.empty())
        t.note += " Not possible: " + refused + ".";
    return t;
}

ReportTable change_table(const ReportInput& in)
{
    ReportTable t;
    t.title = in.evaluation.estimate.feasible() ? "Single changes that raise the throughput per GPU" : "Changes that make it fit, or come nearest";
    t.header = {"Change", "Effect", "Throughput per GPU", "Headroom [GiB]"};
    for (const Advice& a : in.evaluation.changes)
        t.rows.push_back({a.change, a.effect, fmt::format("{:+.1f} %", a.gain * 100.0), fmt::format("{:.1f}", a.headroom_gib)});
    t.note = "Each line is a full estimate of the changed plan. Changes of the number format also change the arithmetic of the model: check its quality.";
    return t;
}

} // namespace

ReportSection decision_section(const ReportInput& in)
{
    const Evaluation& v = in.evaluation;
    ReportSection s;
    s.title = "Decision";
    s.paragraphs.push_back(v.verdict + ".");
    if (!in.plan.notes.empty())
        s.paragraphs.push_back(in.plan.notes);
    ReportTable t;
    t.title = "At a glance";
    t.header = {"Question", "Answer"};
    t.rows.push_back({"What", fmt::format("{}: {}", v.job.model.name, workload_text(v.job))});
    t.rows.push_back({"On what", cluster_text(v.job)});
    t.rows.push_back({"How", layout_text(v.job) + "; " + precision_text(in.plan, v.job)});
    t.rows.push_back({"Does it fit", v.estimate.memory.fits() ? fmt::format("yes, {} of {} per GPU stay free", format(v.estimate.memory.headroom()), format(v.estimate.memory.capacity))
                                                              : fmt::format("no, {} are missing per GPU", format(-v.estimate.memory.headroom()))});
    t.rows.push_back({"How fast", speed_of(v)});
    if (v.estimate.training) {
        const TrainingResult& r = *v.estimate.training;
        if (r.time_to_train)
            t.rows.push_back({"How long", fmt::format("{} of computing{}; {} at {} utilization", format(*r.time_to_train), v.estimate.relative_error > 0 ? " (" + spread_text(*r.time_to_train, v.estimate) + ")" : "", format(*r.time_to_train / std::max(in.plan.price.utilization, 0.01)),
                                              format_percent(in.plan.price.utilization, 0))});
        t.rows.push_back({"How efficient", fmt::format("MFU {} ({} over the dense {} peak)", format_percent(r.mfu), name_of(r.convention), name_of(r.peak_arithmetic))});
    }
    t.rows.push_back({"Bound by", shares_text(v.estimate.time)});
    t.rows.push_back({"What it costs", money_of(v)});
    t.rows.push_back({"How sure", confidence_of(v.estimate)});
    if (!v.advice.empty())
        t.rows.push_back({"What to change", v.advice.front()});
    t.note = "Money: planning figures at dated list prices, not a quote.";
    s.tables.push_back(std::move(t));
    for (const std::string& note : v.estimate.notes)
        s.paragraphs.push_back("Note: " + note);
    return s;
}

ReportSection alternatives_section(const ReportInput& in)
{
    ReportSection s;
    s.title = "Alternatives";
    s.tables.push_back(instance_table(in));
    if (in.evaluation.changes.empty())
        s.paragraphs.push_back("None of the single changes tried (degrees of parallelism, recomputation, sharding, schedule, overlap, batch, precision) makes this plan better by 1 % or more.");
    else
        s.tables.push_back(change_table(in));
    return s;
}

ReportSection fit_section(const ReportInput& in)
{
    const MemoryFit& m = in.evaluation.estimate.memory;
    ReportSection s;
    s.title = "Fit";
    s.figure = "memory";
    const auto gib = [](Bytes b) { return fmt::format("{:.2f}", in_gibibytes(b)); };
    ReportTable t;
    t.title = "Memory of one GPU at its peak, by pipeline stage";
    t.header = {"Stage", "Weights [GiB]", "Gradients [GiB]", "Optimizer [GiB]", "Activations [GiB]", "KV cache [GiB]", "Workspace [GiB]", "Reserve [GiB]", "Total [GiB]", "Headroom [GiB]"};
    for (const StageMemory& x : m.stages)
        t.rows.push_back({fmt::format("{}{}", x.stage, x.stage == m.worst_stage && m.stages.size() > 1 ? " (fullest)" : ""), gib(x.weights), gib(x.gradients), gib(x.optimizer), gib(x.activations),
            gib(x.kv_cache), gib(x.workspace), gib(x.reserve), gib(x.total()), gib(m.capacity - x.total())});
    t.note = fmt::format("Capacity {} GiB per GPU{}: memory that software sees, not the marketed figure ({} GB).", gib(m.capacity),
        in.evaluation.estimate.serving ? fmt::format(" ({} of the visible memory, which the engine may take)", format_percent(in.plan.assumptions.memory_fraction, 0)) : std::string(),
        format_number(in_gigabytes(in.evaluation.job.cluster.accelerator.hbm_marketed)));
    s.tables.push_back(std::move(t));
    if (in.evaluation.estimate.serving)
        s.paragraphs.push_back(fmt::format("The KV cache takes {} per token of a sequence; at most {} sequences of this length fit on a replica.",
            format_decimal(Bytes{in.evaluation.estimate.serving->kv_bytes_per_token.value()}), group_thousands(in.evaluation.estimate.serving->largest_batch)));
    return s;
}

ReportSection bounds_section(const ReportInput& in)
{
    const Estimate& e = in.evaluation.estimate;
    ReportSection s;
    s.title = "Bounds";
    s.figure = "breakdown";
    s.paragraphs.push_back(fmt::format("{} is bound by {}. A share of 30 % means that 1 % more speed of that resource makes the whole 0.3 % faster; the shares add up to 100 %.",
        e.training ? "The step" : e.serving->output_per_second_per_gpu.value() > 0 ? "The time per output token" : "The time to first token", shares_text(e.time)));
    const AttributedTime total = e.breakdown.total();
    ReportTable t;
    t.title = "Where the time goes";
    t.header = {"Part", "Time", "Share", "Bound by"};
    for (std::size_t i = 0; i < step_part_count; ++i)
        if (e.breakdown.parts[i].total() != Seconds{})
            t.rows.push_back({std::string(name_of(static_cast<StepPart>(i))), format(e.breakdown.parts[i].total()), format_percent(e.breakdown.parts[i].total() / total.total()), part_shares_text(e.breakdown.parts[i])});
    t.rows.push_back({"Total", format(total.total()), "100.0 %", shares_text(total)});
    const StepBreakdown& b = e.breakdown;
    std::string hidden;
    for (const auto& [name, value] : {std::pair{"tensor parallel", b.tp_hidden}, {"context parallel", b.cp_hidden}, {"expert parallel", b.ep_hidden}, {"pipeline", b.pp_hidden}, {"data parallel", b.dp_hidden}})
        if (value > Seconds{})
            hidden += fmt::format("{}{} {}", hidden.empty() ? "" : ", ", name, format(value));
    if (!hidden.empty())
        t.note = "Communication hidden behind computation, not in the sum: " + hidden + ".";
    s.tables.push_back(std::move(t));
    return s;
}

ReportSection roofline_section(const ReportInput& in)
{
    const Evaluation& v = in.evaluation;
    const RooflineModel r = roofline_of(v.estimate, v.job);
    ReportSection s;
    s.title = "Roofline";
    s.figure = "roofline";
    ReportTable t;
    t.title = "Operators of one GPU, by their time in the step";
    t.header = {"Operator", "Phase", "Count", "FLOP", "HBM", "Network and NVLink", "FLOP per byte", "Time", "Share", "Of roof", "Bound by"};
    std::vector<const Operator*> order;
    for (const Operator& op : v.estimate.operators)
        order.push_back(&op);
    std::stable_sort(order.begin(), order.end(), [](const Operator* a, const Operator* b) { return a->total_time() > b->total_time(); });
    const double all = v.estimate.time.total().value();
    constexpr std::size_t shown = 20;
    for (std::size_t i = 0; i < order.size() && i < shown; ++i) {
        const Operator& op = *order[i];
        double roof = 0;
        for (const RooflinePoint& p : r.points)
            if (&v.estimate.operators[p.operator_index] == &op && p.level == MemoryLevel::hbm)
                roof = p.of_roof;
        const auto si = [](double x, const char* unit) { return x > 0 ? format_si(x, unit) : std::string("-"); };
        t.rows.push_back({std::string(name_of(op.kind)), std::string(name_of(op.phase)), format_number(op.count), si(op.flops.value(), "FLOP"), si(op.hbm.value(), "B"),
            si(op.nvlink.value() + op.network.value(), "B"), op.intensity().value() > 0 ? format_number(op.intensity().value()) : "-", format(op.time.total()),
            format_percent(op.total_time().value() / all), roof > 0 ? format_percent(roof, 0) : "-", fmt::format("{}{}", name_of(op.time.bound()), op.hidden > 0.995 ? ", hidden" : "")});
    }
    t.note = fmt::format("{} of {} operators; shares before overlap. Peaks are dense ones; bandwidths are in one direction.", std::min(shown, order.size()), order.size());
    s.tables.push_back(std::move(t));
    return s;
}

} // namespace ridgepoint
