// plan PLAN: fit, bounds, time, throughput, cost, and what would help.

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/text_table.h"
#include "model/estimate/flops.h"
#include "model/project/resolve.h"
#include "model/report/evaluation_json.h"
#include "model/report/texts.h"
#include "model/units/format.h"

namespace ridgepoint::cli {
namespace {

void print_head(const Plan& plan, const Evaluation& v)
{
    fmt::print("{}\n\n", plan.name);
    TextTable t({"", ""});
    t.add({"Model", v.job.model.name});
    t.add({"Workload", workload_text(v.job)});
    t.add({"Cluster", cluster_text(v.job)});
    t.add({"Layout", layout_text(v.job)});
    t.add({"Precision", precision_text(plan, v.job)});
    fmt::print("{}\n  {}\n\n", t.text(), v.verdict);
}

void print_training(const Evaluation& v, const TrainingResult& r)
{
    TextTable t({"", ">", ""});
    const double error = v.estimate.relative_error;
    t.add({"Step time", format(r.step), error > 0 ? fmt::format("{}: {}", error_bar_text(v.estimate), error_bar_meaning(v.estimate)) : ""});
    t.add({"Throughput", rate_text(r.tokens_per_second), fmt::format("{} per GPU", format(r.tokens_per_second_per_gpu))});
    t.add({"Achieved", format(r.achieved_per_gpu), "model FLOPs per GPU and second"});
    t.add({"MFU", format_percent(r.mfu), fmt::format("{} over the dense {} peak of {}", name_of(r.convention), name_of(r.peak_arithmetic),
        format(v.job.cluster.accelerator.dense_peak(r.peak_arithmetic)))});
    t.add({"Pipeline bubble", format_percent(r.bubble_fraction), fmt::format("{} microbatches", r.microbatches)});
    if (r.time_to_train)
        t.add({"Time to train", format(*r.time_to_train), fmt::format("{}{}computing only: no failures, checkpoints or pauses", spread_text(*r.time_to_train, v.estimate), error > 0 ? "; " : "")});
    fmt::print("{}\n", t.text());
}

void add_pools(TextTable& t, const DisaggregatedResult& d)
{
    t.add({"Prompt workers", fmt::format("{} x {} GPUs", d.prompt_workers, d.gpus_per_prompt_worker), fmt::format("start {} requests/s at best; {} of input per GPU of theirs", format_number(d.prompt_requests_per_second), format(d.input_per_prompt_gpu))});
    t.add({"Decoding workers", fmt::format("{} x {} GPUs", d.decode_workers, d.gpus_per_decode_worker), fmt::format("finish {} requests/s at best; {} of output per GPU of theirs", format_number(d.decode_requests_per_second), format(d.output_per_decode_gpu))});
    t.add({"Cache transfer", format(d.transfer), fmt::format("{} a prompt over {}, {} of it before the first token; links {} busy", format_decimal(d.cache), d.inside_domain ? "NVLink" : "the network", format(d.exposed_transfer), format_percent(d.link_utilization))});
    t.add({"Best ratio", format_number(d.best_ratio), fmt::format("prompt workers per decoding worker; {}:{} gives {} requests/s per GPU", d.best_prompt_workers, d.best_decode_workers, format_number(d.best_requests_per_second_per_gpu))});
}

void add_variants(TextTable& t, const Serving& w, const ServingResult& r)
{
    if (const auto& think = r.thinking) {
        t.add({"First answer token", format(think->first_answer), fmt::format("TTFT and {} tokens of thinking in {}; the answer has {}", group_thousands(think->tokens), format(think->time), group_thousands(think->answer_tokens))});
        t.add({"Decode step", format(think->first_step), fmt::format("with every sequence at its first token, {} at its last; its cache grows from {} to {}", format(think->last_step), format_decimal(think->first_cache), format_decimal(think->last_cache))});
    }
    if (w.samples > 1)
        t.add({"Samples", fmt::format("{}", w.samples), fmt::format("sequences of one prompt, whose cache is kept once and read {}; a request is all of them", w.shared_reads ? "once" : "by each")});
    if (w.adapters.resident > 0)
        t.add({"LoRA adapters", fmt::format("{}", w.adapters.resident), fmt::format("resident, {} each and {} in all on the fullest GPU; {} distinct in a batch", format(r.adapter), format(static_cast<double>(w.adapters.resident) * r.adapter), w.adapters.active)});
}

void print_serving(const Evaluation& v, const ServingResult& r)
{
    const auto phase = std::get<Serving>(v.job.workload).phase;
    const bool prefill = phase == ServingPhase::prefill;
    const double error = v.estimate.relative_error;
    TextTable t({"", ">", ""});
    const std::string bar = error > 0 ? fmt::format("{}: {}", error_bar_text(v.estimate), error_bar_meaning(v.estimate)) : "";
    if (phase != ServingPhase::decode)
        t.add({"TTFT", format(r.ttft), prefill ? bar : fmt::format("mean time to first token, no queueing{}", v.estimate.first_token_error > 0 ? fmt::format("; within a factor of {:.1f}", 1.0 + v.estimate.first_token_error) : "")});
    if (!prefill) {
        t.add({"TPOT", format(r.tpot), bar});
        t.add({"Output per user", format(r.output_per_second_per_user), ""});
        t.add({"Output per GPU", format(r.output_per_second_per_gpu), fmt::format("{} per replica, {} replica{}", format(r.output_per_second), r.replicas, r.replicas == 1 ? "" : "s")
            + (v.estimate.rate_error > 0 ? fmt::format("; +- {}", format_percent(v.estimate.rate_error, 0)) : "")});
        t.add({"Largest batch", group_thousands(r.largest_batch), "sequences whose KV cache fits, per replica"});
    }
    if (r.input_per_second_per_gpu > TokensPerSecond{})
        t.add({"Input per GPU", format(r.input_per_second_per_gpu), ""});
    t.add({"Requests", format_number(r.requests_per_second) + " 1/s", "per replica"});
    if (!prefill)
        add_variants(t, std::get<Serving>(v.job.workload), r);
    if (v.estimate.disaggregated)
        add_pools(t, *v.estimate.disaggregated);
    t.add({"KV cache", format_decimal(Bytes{r.kv_bytes_per_token.value()}), "per token, whole model"});
    t.add({"MFU", format_percent(r.mfu), fmt::format("executed FLOPs of the {} step over the dense {} peak of {}", prefill ? "prefill" : "decode",
        name_of(v.job.precision.gemm), format(v.job.cluster.accelerator.dense_peak(v.job.precision.gemm)))});
    t.add({"MBU", format_percent(r.mbu), fmt::format("memory traffic over {}", format(v.job.cluster.accelerator.hbm_bandwidth))});
    fmt::print("{}\n", t.text());
}

void print_breakdown(const Estimate& e)
{
    TextTable t({"Where the time goes", ">time", ">share", "bound by"});
    const AttributedTime total = e.breakdown.total();
    for (std::size_t i = 0; i < step_part_count; ++i) {
        const AttributedTime& part = e.breakdown.parts[i];
        if (part.total() == Seconds{})
            continue;
        t.add({std::string(name_of(static_cast<StepPart>(i))), format(part.total()), format_percent(part.total() / total.total()), part_shares_text(part)});
    }
    t.rule();
    t.add({"Total", format(total.total()), "100.0 %", shares_text(total)});
    fmt::print("{}", t.text());
    const StepBreakdown& b = e.breakdown;
    std::string hidden;
    for (const auto& [name, value] : {std::pair{"TP", b.tp_hidden}, {"CP", b.cp_hidden}, {"EP", b.ep_hidden}, {"PP", b.pp_hidden}, {"DP", b.dp_hidden}})
        if (value > Seconds{})
            hidden += fmt::format("{}{} {}", hidden.empty() ? "" : ", ", name, format(value));
    fmt::print("{}\n", hidden.empty() ? "" : "  Communication hidden behind computation: " + hidden + "\n");
}

void print_memory(const MemoryFit& m)
{
    TextTable t({"GPU memory", ">weights", ">gradients", ">optimizer", ">activations", ">KV cache", ">workspace", ">reserve", ">total", ">headroom"});
    const auto amount = [](Bytes b) { return b == Bytes{} ? std::string("-") : format(b); };
    const auto row = [&](const StageMemory& s, std::string name) {
        t.add({std::move(name), amount(s.weights), amount(s.gradients), amount(s.optimizer), amount(s.activations), amount(s.kv_cache), amount(s.workspace),
            amount(s.reserve), format(s.total()), format(m.capacity - s.total())});
    };
    const int last = static_cast<int>(m.stages.size()) - 1;
    for (const StageMemory& s : m.stages) {
        const bool shown = last < 8 || s.stage == 0 || s.stage == last || s.stage == m.worst_stage || s.stage == last / 2;
        if (shown)
            row(s, fmt::format("stage {}{}", s.stage, s.stage == m.worst_stage && last > 0 ? " (fullest)" : ""));
    }
    fmt::print("{}  Capacity {} per GPU{}\n\n", t.text(), format(m.capacity), last >= 8 ? fmt::format("; {} stages in all, see --json", last + 1) : "");
}

void print_cost(const Plan& plan, const Evaluation& v)
{
    const Cost& c = v.cost;
    TextTable t({"Cost", ">", ""});
    if (!c.price) {
        fmt::print("  Cost: {}\n\n", c.missing);
        return;
    }
    const std::string where = c.price->region.empty() ? c.price->term : c.price->term + ", " + c.price->region;
    t.add({"GPU-hour", format(Dollars{c.price->per_gpu.value() * 3600.0}), fmt::format("{} ({}{}{})", where, shortened(c.price->source, 60), c.price->date.empty() ? "" : ", ", c.price->date)});
    t.add({"Cluster", format(Dollars{c.cluster.value() * 3600.0}) + "/h", format(c.per_month) + " per month of 730 h"});
    if (c.run)
        t.add({"Run", format(*c.run), fmt::format("{}{}{} GPU-hours paid at {} utilization", spread_text(*c.run, v.estimate), v.estimate.relative_error > 0 ? "; " : "", group_thousands(c.gpu_hours), format_percent(plan.price.utilization, 0))});
    if (c.per_token)
        t.add({v.estimate.serving ? "Output" : "Training", format(Dollars{c.per_token->value() * 1e6}), "per million tokens"});
    if (c.per_input_token)
        t.add({"Input", format(Dollars{c.per_input_token->value() * 1e6}), "per million tokens"});
    if (c.power > Watts{})
        t.add({"Power", format(c.power), fmt::format("cluster with cooling, {} J per token", format_number(c.energy_per_token.value()))});
    fmt::print("{}  Planning figures, not a quote.\n\n", t.text());
}

void print_derivation(const Derivation& d, int depth)
{
    std::string line(static_cast<std::size_t>(2 + 2 * depth), ' ');
    line += fmt::format("{} = {}", d.name, d.value);
    if (!d.formula.empty())
        line += fmt::format("   [{}]", d.formula);
    if (!d.source.empty())
        line += fmt::format("   ({})", d.source);
    fmt::print("{}\n", line);
    for (const Derivation& i : d.inputs)
        print_derivation(i, depth + 1);
}

void print_conventions(const Evaluation& v)
{
    TextTable t({"MFU by convention", ">"});
    for (const auto& [name, value] : mfu_by_convention(v))
        t.add({name, format_percent(value)});
    if (!t.empty())
        fmt::print("{}\n", t.text());
}

struct Arguments {
    PlanArguments plan;
    bool json = false;
    bool explain = false;
};

int run(const Arguments& a)
{
    Expected<LoadedPlan> loaded = load(a.plan);
    if (!loaded)
        return fail(loaded.error(), a.json);
    const Plan& plan = loaded->plan;
    Expected<Evaluation> v = evaluate(plan, loaded->specs);
    if (!v)
        return fail(located(v.error(), a.plan), a.json);
    std::optional<Derivation> derivation;
    if (a.explain) {
        Expected<Derivation> d = explain(v->job);
        if (!d)
            return fail(d.error(), a.json);
        derivation = std::move(*d);
    }
    const int status = v->estimate.feasible() ? done : not_feasible;
    if (a.json) {
        nlohmann::ordered_json out = evaluation_to_json(plan, *v);
        out["derivation"] = derivation ? derivation_to_json(*derivation) : nlohmann::ordered_json(nullptr);
        fmt::print("{}\n", json_text(out));
        return status;
    }
    print_head(plan, *v);
    if (v->estimate.training)
        print_training(*v, *v->estimate.training);
    if (v->estimate.serving)
        print_serving(*v, *v->estimate.serving);
    print_breakdown(v->estimate);
    print_memory(v->estimate.memory);
    print_cost(plan, *v);
    if (!v->advice.empty()) {
        fmt::print("  {}\n", v->estimate.feasible() ? "What would help (each re-estimated):" : "What would make it fit (each re-estimated):");
        for (const std::string& line : v->advice)
            fmt::print("    - {}\n", line);
        fmt::print("\n");
    }
    for (const std::string& note : v->estimate.notes)
        fmt::print("{}", wrapped("Note: " + note, "  "));
    if (derivation) {
        print_conventions(*v);
        fmt::print("  How it is computed:\n");
        print_derivation(*derivation, 1);
    }
    return status;
}

} // namespace

void add_plan_command(CLI::App& app, int& status)
{
    CLI::App* command = app.add_subcommand("plan", "Evaluate a plan: fit, bounds, time, throughput, cost");
    auto arguments = std::make_shared<Arguments>();
    add_plan_arguments(*command, arguments->plan);
    command->add_flag("--json", arguments->json, "Print JSON (specs/schema/plan-output.schema.json)");
    command->add_flag("--explain", arguments->explain, "Print how the numbers are computed");
    command->callback([arguments, &status] { status = run(*arguments); });
}

} // namespace ridgepoint::cli
