// rl PLAN: one iteration of reinforcement learning, what bounds it, and how the GPUs are best divided.

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

std::string csv_of(const PostTrainingPrediction& p)
{
    std::string out = "rollout_gpus,training_gpus,fits,bound,iteration_s,rollout_side_s,training_side_s,synchronize_s,rollout_tail_share\n";
    const auto row = [&](const Iteration& it) {
        out += fmt::format("{},{},{},{},{},{},{},{},{}\n", it.rollout_gpus, it.training_gpus, it.fits, it.bound, it.time.value(), it.rollout_side.value(),
            it.training_side.value(), it[IterationPart::synchronize].value(), it.rollout.tail);
    };
    if (p.divisions.empty())
        row(p.best);
    for (const Iteration& it : p.divisions)
        row(it);
    return out;
}

void print_table(const Plan& plan, const PostTrainingAnswer& a)
{
    const PostTrainingPrediction& p = a.prediction;
    const Iteration& it = p.best;
    fmt::print("{}\n\n", plan.name);
    TextTable head({"", ">", ""});
    head.add({"Iteration", format(it.time), fmt::format("bound by {}{}", it.bound, it.fits ? "" : "; does not fit in memory")});
    head.add({"Samples", group_thousands(p.samples), fmt::format("of {:.0f} output tokens on average, the longest {:.0f}; {} samples/s", p.mean_output, p.longest_output, format_number(p.samples_per_second))});
    head.add({"Tokens", rate_text(p.tokens_per_second), "prompts and answers"});
    if (p.divisions.empty())
        head.add({"GPUs", fmt::format("{}", it.training_gpus), it.rollout_gpus > 0 ? "take turns" : "learn"});
    else
        head.add({"GPUs", fmt::format("{} + {}", it.rollout_gpus, it.training_gpus), fmt::format("roll out + learn{}", plan.post_training.rollout_gpus > 0 ? "" : ", the best division")});
    if (p.cost)
        head.add({"Cost", format(*p.cost), fmt::format("per iteration, {} GPU-hours", format_number(p.gpu_hours))});
    else
        head.add({"Cost", "-", a.cost.missing});
    fmt::print("{}\n", head.text());
    TextTable parts({"Where the time goes", ">time", ">of the iteration"});
    for (std::size_t i = 0; i < iteration_part_count; ++i)
        if (it.parts[i] > Seconds{})
            parts.add({std::string(name_of(static_cast<IterationPart>(i))), format(it.parts[i]), format_percent(it.parts[i] / it.time)});
    fmt::print("{}\n", parts.text());
    if (it.rollout_gpus > 0) {
        const Rollout& r = it.rollout;
        TextTable t({"Rollout", ">", ""});
        t.add({"Until the last answer", format(r.time), fmt::format("half are done after {}, nine tenths after {}: a tail of {}", format(r.half), format(r.most), format_percent(r.tail, 0))});
        t.add({"With full batches", format(r.work), fmt::format("{} replicas of {} sequences", r.replicas, r.batch)});
        t.add({"The longest alone", format(r.longest), "on an idle replica"});
        t.add({"Output", rate_text(r.output), ""});
        t.add({"Weights", format_decimal(it.weights), fmt::format("to each rollout GPU, {} on the wire", format(it.synchronize_bytes_time))});
        fmt::print("{}\n", t.text());
    }
    if (!p.divisions.empty()) {
        TextTable t({">Rollout GPUs", ">learner GPUs", ">iteration", ">rollout", ">learner", "bound", ""});
        for (const Iteration& d : p.divisions)
            t.add({fmt::format("{}", d.rollout_gpus), fmt::format("{}", d.training_gpus), format(d.time), format(d.rollout_side), format(d.training_side), d.bound, d.fits ? "" : "does not fit"});
        fmt::print("{}\n", t.text());
    }
    for (const std::string& note : p.notes)
        fmt::print("{}", wrapped("Note: " + note, "  "));
}

int run(const Arguments& a)
{
    Expected<LoadedPlan> loaded = load(a.plan);
    if (!loaded)
        return fail(loaded.error(), a.output.json);
    const Expected<PostTrainingAnswer> answer = evaluate_post_training(loaded->plan, loaded->specs);
    if (!answer)
        return fail(located(answer.error(), a.plan), a.output.json);
    const int status = answer->prediction.best.fits ? done : not_feasible;
    return give(a.output,
        {[&] { return csv_of(answer->prediction); }, [&] { return post_training_to_json(loaded->plan, *answer); },
            [&] { print_table(loaded->plan, *answer); }},
        status);
}

} // namespace

void add_rl_command(CLI::App& app, int& status)
{
    CLI::App* command = app.add_subcommand("rl", "Predict an iteration of GRPO, PPO or DPO: rollout, log-probabilities, update, weight transfer; divide the GPUs");
    auto arguments = std::make_shared<Arguments>();
    add_plan_arguments(*command, arguments->plan);
    command->add_flag("--json", arguments->output.json, "Print JSON (specs/schema/rl-output.schema.json)");
    command->add_option("--csv", arguments->output.csv, "Write the divisions of the GPUs as CSV to a file, or - for standard output")->type_name("FILE");
    command->footer("PLAN is a fine_tuning or lora plan: it describes the learner. The fields are those under /post_training.");
    command->callback([arguments, &status] { status = run(*arguments); });
}

} // namespace ridgepoint::cli
