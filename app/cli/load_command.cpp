// load PLAN: what users meet under the plan's arrivals, and the largest rate that it carries.

#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/text_table.h"
#include "model/report/operation_json.h"
#include "model/report/texts.h"
#include "model/units/format.h"

namespace ridgepoint::cli {
namespace {

struct Arguments {
    PlanArguments plan;
    OutputArguments output;
};

std::string rate(double v) { return format_number(v) + " 1/s"; }

std::string csv_of(const LoadPrediction& l)
{
    std::string out = "requests_per_second,utilization,ttft_mean_s,ttft_p50_s,ttft_p90_s,ttft_p99_s,tpot_mean_s,tpot_p50_s,tpot_p90_s,tpot_p99_s,"
                      "inter_token_p50_s,inter_token_p99_s,end_to_end_p50_s,end_to_end_p90_s,end_to_end_p99_s,output_tokens_per_second,within_limits,"
                      "goodput_requests_per_second,sequences_in_flight_per_replica,kv_cache_reserved\n";
    for (const LoadPoint& p : l.curve)
        out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", p.rate, p.utilization, p.ttft.mean.value(), p.ttft.p50.value(),
            p.ttft.p90.value(), p.ttft.p99.value(), p.tpot.mean.value(), p.tpot.p50.value(), p.tpot.p90.value(), p.tpot.p99.value(), p.gap.p50.value(),
            p.gap.p99.value(), p.end_to_end.p50.value(), p.end_to_end.p90.value(), p.end_to_end.p99.value(), p.output.value(), p.within_limits, p.goodput,
            p.in_flight, p.cache_used);
    return out;
}

void print_point(const LoadPrediction& l, const LoadPoint& p, const std::string& title)
{
    TextTable t({title, ">mean", ">p50", ">p90", ">p99"});
    std::vector<std::pair<const char*, const Quantiles*>> rows = {{"Waiting", &p.waiting}, {"TTFT", &p.ttft}, {"TPOT", &p.tpot}, {"Between tokens", &p.gap}, {"End to end", &p.end_to_end}};
    if (l.thinking)
        rows.insert(rows.begin() + 2, {"First answer token", &p.first_answer});
    if (l.samples > 1)
        rows.emplace_back("All samples", &p.whole);
    for (const auto& [name, q] : rows)
        t.add({name, format(q->mean), format(q->p50), format(q->p90), format(q->p99)});
    fmt::print("{}  {} output, {} input; {:.3g} sequences in flight per {}, {} of the KV cache reserved; {} within both limits\n", t.text(),
        format(p.output), format(p.input), p.in_flight, l.pools ? "unit" : "replica", format_percent(p.cache_used, 0), format_percent(p.within_limits));
    if (l.pools)
        fmt::print("  prompt workers {} busy, links {}; decoding workers have a sequence {} of the time\n", format_percent(p.prompts_busy, 0), format_percent(p.links_busy, 0), format_percent(p.decode_busy, 0));
    fmt::print("\n");
}

void add_pools(TextTable& head, const LoadPrediction& l)
{
    const PoolLoad& p = *l.pools;
    head.add({"Units", fmt::format("{} of {} GPUs: {} prompt and {} decoding worker{}", l.replicas, l.gpus_per_replica, p.prompt_workers, p.decode_workers, p.decode_workers == 1 ? "" : "s")});
    head.add({"Pools", fmt::format("prompt workers start {}, decoding workers finish {}, links carry {}", rate(p.prompt_rate), rate(p.decode_rate), rate(p.link_rate))});
}

void print_table(const Plan& plan, const LoadAnswer& a)
{
    const LoadPrediction& l = a.load;
    fmt::print("{}\n\n", plan.name);
    TextTable head({"", ""});
    head.add({"Model", a.evaluation.job.model.name});
    head.add({"Cluster", cluster_text(a.evaluation.job)});
    if (l.pools)
        add_pools(head, l);
    else
        head.add({"Replicas", fmt::format("{} of {} GPU{}", l.replicas, l.gpus_per_replica, l.gpus_per_replica == 1 ? "" : "s")});
    head.add({"Requests", fmt::format("{:.0f} prompt and {:.0f} output tokens on average{}", l.mean_input, l.mean_output, l.samples > 1 ? fmt::format("; {} samples of each prompt", l.samples) : "")});
    if (l.thinking)
        head.add({"Thinking", fmt::format("{:.0f} tokens on average, {:.0f} at p50, {:.0f} at p90, {:.0f} at p99, {:.0f} at most", l.thinking->mean, l.thinking->p50, l.thinking->p90, l.thinking->p99, l.thinking->longest)});
    head.add({"Largest rate", fmt::format("{} with a queue that never empties{}", rate(l.largest_rate), l.pools ? fmt::format(", set by {}", l.pools->saturates) : "")});
    const std::string limits = fmt::format("TTFT {} and TPOT {} for {} of the requests", format(plan.load.ttft_limit), format(plan.load.tpot_limit), format_percent(plan.load.limit_share, 0));
    head.add({"Within limits", l.at_limits ? fmt::format("{}, limited by {} ({})", rate(l.at_limits->rate), l.limited_by, limits)
                                           : fmt::format("none: even an idle replica breaks the {} limit ({})", l.limited_by, limits)});
    fmt::print("{}\n", head.text());
    print_point(l, l.unloaded, "One request at a time");
    if (l.saturated)
        fmt::print("  Saturated: {} arrive, the replicas sustain {}. The queue and every latency grow without end.\n\n", rate(plan.load.rate), rate(l.largest_rate));
    else if (l.offered)
        print_point(l, *l.offered, fmt::format("At {} ({} of the largest rate)", rate(l.offered->rate), format_percent(l.offered->utilization, 0)));
    TextTable t({">Rate", ">of largest", ">TTFT p50", ">p90", ">p99", ">TPOT p50", ">p90", ">p99", ">end to end p50", ">output", ">within limits", ">goodput"});
    for (const LoadPoint& p : l.curve)
        t.add({rate(p.rate), format_percent(p.utilization, 0), format(p.ttft.p50), format(p.ttft.p90), format(p.ttft.p99), format(p.tpot.p50), format(p.tpot.p90),
            format(p.tpot.p99), format(p.end_to_end.p50), format(p.output), format_percent(p.within_limits), rate(p.goodput)});
    fmt::print("{}\n", t.text());
    fmt::print("{}", wrapped(fmt::format("Simulated with {} requests; step times from the plan's estimate, +- {}.", group_thousands(plan.load.requests), format_percent(l.relative_error, 0)), "  "));
    for (const std::string& note : l.notes)
        fmt::print("{}", wrapped("Note: " + note, "  "));
}

int run(const Arguments& a)
{
    Expected<LoadedPlan> loaded = load(a.plan);
    if (!loaded)
        return fail(loaded.error(), a.output.json);
    const Expected<LoadAnswer> answer = evaluate_load(loaded->plan, loaded->specs, std::filesystem::path(a.plan.file).parent_path().string());
    if (!answer)
        return fail(located(answer.error(), a.plan), a.output.json);
    const int status = answer->load.saturated ? not_feasible : done;
    return give(a.output,
        {[&] { return csv_of(answer->load); }, [&] { return load_to_json(loaded->plan, *answer); },
            [&] { print_table(loaded->plan, *answer); }},
        status);
}

} // namespace

void add_load_command(CLI::App& app, int& status)
{
    CLI::App* command = app.add_subcommand("load", "Predict latency under load: TTFT, TPOT, end to end at p50, p90, p99, and the largest rate within limits");
    auto arguments = std::make_shared<Arguments>();
    add_plan_arguments(*command, arguments->plan);
    command->add_flag("--json", arguments->output.json, "Print JSON (specs/schema/load-output.schema.json)");
    command->add_option("--csv", arguments->output.csv, "Write the curve of latency against rate as CSV to a file, or - for standard output")->type_name("FILE");
    command->footer("Exit status 1 if the plan's rate saturates its replicas. The fields are those under /load; see `ridgepoint-cli fields`.");
    command->callback([arguments, &status] { status = run(*arguments); });
}

} // namespace ridgepoint::cli
