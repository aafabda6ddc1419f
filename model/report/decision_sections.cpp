// The first pages: what to do, whether it fits, what bounds it.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/estimate/flops.h"
#include "model/project/fields.h"
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
    if (s.thinking)
        out += fmt::format(", first token of the answer after {}", format(s.thinking->first_answer));
    return out;
}

std::string confidence_of(const Estimate& e)
{
    if (e.relative_error <= 0)
        return "no error bar: the efficiency constants carry no residual";
    std::string out = fmt::format("{} of the time: {}", error_bar_text(e), error_bar_meaning(e));
    return e.training ? out : out + "; how a framework schedules the work adds to it";
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
        if (in.run) {
            const RunPrediction& run = in.run->run;
            t.rows.push_back({"How long", fmt::format("half of such runs end within {}, nine in ten within {}{}; goodput {}", format(run.time_to_train.at(0.5)), format(run.time_to_train.at(0.9)),
                in.run->end_p90 ? fmt::format(" (started on {}: {} and {})", in.run->start->text(), in.run->end_p50->text(), in.run->end_p90->text()) : "", format_percent(run.goodput))});
        } else if (r.time_to_train)
            t.rows.push_back({"How long", fmt::format("{} of computing{}; {} at {} utilization", format(*r.time_to_train), v.estimate.relative_error > 0 ? " (" + spread_text(*r.time_to_train, v.estimate) + ")" : "", format(*r.time_to_train / std::max(in.plan.price.utilization, 0.01)),
                                              format_percent(in.plan.price.utilization, 0))});
        t.rows.push_back({"How efficient", fmt::format("MFU {} ({} over the dense {} peak)", format_percent(r.mfu), name_of(r.convention), name_of(r.peak_arithmetic))});
    }
    t.rows.push_back({"Bound by", shares_text(v.estimate.time)});
    if (in.run && in.run->cost) {
        const RunCost& c = *in.run->cost;
        t.rows.push_back({"What it costs", fmt::format("{} expected, {} at the 90th percentile, all in; {} per million tokens", format(c.expected.total), format(c.p90.total),
            format(Dollars{c.per_token.value() * 1e6}))});
    } else {
        t.rows.push_back({"What it costs", money_of(v)});
    }
    if (in.run) {
        const EnergyPrediction& energy = in.run->run.energy;
        t.rows.push_back({"Energy", fmt::format("{} MWh{}", format_number(energy.energy.value() / 3.6e9), in.run->carbon_kg ? fmt::format(", {} t CO2e", format_number(*in.run->carbon_kg / 1000.0)) : "")});
    }
    t.rows.push_back({"How sure", confidence_of(v.estimate)});
    if (!v.advice.empty())
        t.rows.push_back({"What to change", v.advice.front()});
    t.note = "Money: planning figures at dated list prices, not a quote.";
    s.tables.push_back(std::move(t));
    for (const std::string& note : v.estimate.notes)
        s.paragraphs.push_back("Note: " + note);
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
