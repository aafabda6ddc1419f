// launch PLAN, plan-from FILE: a plan as what starts it, and back.

#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "model/estimate/disaggregated.h"
#include "model/launch/launch.h"
#include "model/launch/read.h"
#include "model/project/resolve.h"
#include "model/project/snapshots.h"
#include "model/specs/json_document.h"

namespace ridgepoint::cli {
namespace {

constexpr const char* frameworks = "megatron-lm, megatron-bridge, torchtitan, accelerate-fsdp, maxtext, vllm, sglang, tensorrt-llm";

Expected<FlagTable> load_table(LaunchFramework framework)
{
    const std::string file = (std::filesystem::path(find_builtin_specs()) / "launch" / (std::string(name_of(framework)) + ".json")).string();
    Expected<std::string> text = read_text_file(file, JsonLimits{}.bytes);
    return text ? flag_table_from_json(*text, file) : Expected<FlagTable>(text.error());
}

Expected<LaunchFramework> framework_of(const std::string& name, const Plan& plan)
{
    if (name.empty()) {
        switch (plan.assumptions.framework) {
        case Framework::megatron:
        case Framework::deepspeed:
            return LaunchFramework::megatron_lm;
        case Framework::fsdp:
            return LaunchFramework::torchtitan;
        case Framework::vllm:
            return LaunchFramework::vllm;
        case Framework::sglang:
            return LaunchFramework::sglang;
        case Framework::tensorrt_llm:
            return LaunchFramework::tensorrt_llm;
        }
    }
    if (const auto f = parse_launch_framework(name))
        return *f;
    return bad_input("there is no such framework", Place{"--for", 0, {}}, name, frameworks);
}

// The repository that the model's spec names as its source.
std::string repository_of(const std::string& model, const SpecStore& specs)
{
    const auto document = specs.document(SpecKind::model, model);
    if (!document)
        return {};
    const std::string url = (*document)->value("/source/url"_json_pointer, std::string());
    constexpr std::string_view site = "https://huggingface.co/";
    return url.starts_with(site) ? url.substr(site.size()) : std::string();
}

struct Arguments {
    PlanArguments plan;
    std::string decode; // plan of the decode pool
    std::string framework;
    std::string form = "slurm";
    std::string checkpoint;
    std::string output;
};

struct Resolved {
    LoadedPlan loaded;
    Job job;
};
Expected<Resolved> resolved(const PlanArguments& a)
{
    Expected<LoadedPlan> loaded = load(a);
    if (!loaded)
        return loaded.error();
    Expected<SpecStore> specs = with_snapshots(loaded->plan, loaded->specs);
    if (!specs)
        return specs.error();
    Expected<Job> job = resolve(loaded->plan, *specs);
    if (!job)
        return located(job.error(), a);
    const auto* serving = std::get_if<Serving>(&job->workload); // pools are cut, and looked at, one by one
    if (Status legal = serving != nullptr && serving->pool.apart ? Status(Done{}) : check_legal(job->model, job->workload, job->cluster, job->layout, job->precision); !legal)
        return located(legal.error(), a);
    return Resolved{std::move(*loaded), std::move(*job)};
}

// One side of a plan whose prompts run apart, as a plan of its own.
Plan plan_of_pool(const Plan& plan, const Job& pool)
{
    Plan p = plan;
    std::get<Serving>(p.workload).pool = {};
    p.layout = pool.layout;
    p.layout.dp = 0;
    p.gpus = pool.cluster.gpus;
    p.nodes = (pool.cluster.gpus + pool.cluster.node.accelerators - 1) / pool.cluster.node.accelerators;
    return p;
}

int run(const Arguments& a)
{
    Expected<Resolved> first = resolved(a.plan);
    if (!first)
        return fail(first.error());
    const Plan& plan = first->loaded.plan;
    const Expected<LaunchFramework> framework = framework_of(a.framework, plan);
    if (!framework)
        return fail(framework.error());
    const auto form = parse_launch_form(a.form);
    if (!form)
        return fail(bad_input("there is no such form", Place{"--as", 0, {}}, a.form, "arguments, shell, slurm, pytorchjob or jobset"));
    const Expected<FlagTable> table = load_table(*framework);
    if (!table)
        return fail(table.error());
    const LaunchRequest request{*form, a.checkpoint.empty() ? repository_of(plan.model, first->loaded.specs) : a.checkpoint};
    Expected<Launch> launch = bad_input("", {});
    const auto* serving = std::get_if<Serving>(&plan.workload);
    if (a.decode.empty() && serving != nullptr && serving->pool.apart) {
        const Expected<Pools> pools = cut_into_pools(first->job, *serving);
        if (!pools)
            return fail(located(pools.error(), a.plan));
        const Plan prompts = plan_of_pool(plan, pools->prompts), decode = plan_of_pool(plan, pools->decode);
        launch = make_disaggregated_launch({prompts, pools->prompts}, {decode, pools->decode}, *table, request);
    } else if (a.decode.empty()) {
        launch = make_launch(plan, first->job, *table, request);
    } else {
        PlanArguments other = a.plan;
        other.file = a.decode;
        other.edits.clear();
        Expected<Resolved> second = resolved(other);
        if (!second)
            return fail(second.error());
        launch = make_disaggregated_launch({plan, first->job}, {second->loaded.plan, second->job}, *table, request);
    }
    if (!launch)
        return fail(located(launch.error(), a.plan));
    if (Status s = write_output(a.output, launch->text); !s)
        return fail(s.error());
    if (a.output.empty() || a.output == "-")
        return done;
    for (const NotExpressed& n : launch->not_expressed)
        fmt::print(stderr, "  Not expressed, {}: {}. Instead: {}\n", n.field, n.what, n.instead);
    for (const std::string& p : launch->placeholders)
        fmt::print(stderr, "  To be filled in: {}\n", p);
    fmt::print("{}\n", a.output);
    return done;
}

struct FromArguments {
    std::string file;
    std::string text;
    std::string framework;
    std::string output;
    ReadRequest request;
    SpecArguments specs;
};

int run_from(FromArguments a)
{
    if (a.file.empty() == a.text.empty())
        return fail(bad_input("one of a file and --text is read", {}, {}, "plan-from FILE, or plan-from --text '...'"));
    if (!a.file.empty()) {
        Expected<std::string> text = read_text_file(a.file, std::size_t{1} << 20);
        if (!text)
            return fail(text.error());
        a.text = std::move(*text);
    }
    if (!a.framework.empty()) {
        a.request.framework = parse_launch_framework(a.framework);
        if (!a.request.framework)
            return fail(bad_input("there is no such framework", Place{"--for", 0, {}}, a.framework, frameworks));
    }
    FlagTables tables;
    for (const LaunchFramework f : {LaunchFramework::megatron_lm, LaunchFramework::torchtitan, LaunchFramework::vllm, LaunchFramework::sglang, LaunchFramework::tensorrt_llm}) {
        Expected<FlagTable> table = load_table(f);
        if (!table)
            return fail(table.error());
        tables[f] = std::move(*table);
    }
    Expected<SpecStore> specs = load_specs(a.specs);
    if (!specs)
        return fail(specs.error());
    Expected<ReadPlan> read = plan_from_launch_text(a.text, a.file.empty() ? "--text" : a.file, tables, *specs, a.request);
    if (!read)
        return fail(read.error());
    const Expected<Plan> checked = plan_from_text(to_text(read->plan), "the plan"); // ranges of every field
    if (!checked)
        return fail(checked.error());
    if (Status s = write_output(a.output, to_text(read->plan)); !s)
        return fail(s.error());
    for (const std::string& note : read->notes)
        fmt::print(stderr, "  Note: {}\n", note);
    return done;
}

} // namespace

void add_launch_command(CLI::App& app, int& status)
{
    CLI::App* command = app.add_subcommand("launch", "Write what starts the plan: arguments, a script, a Slurm job or Kubernetes objects");
    auto arguments = std::make_shared<Arguments>();
    add_plan_arguments(*command, arguments->plan);
    command->add_option("--for", arguments->framework, fmt::format("Framework: {}; without it, the plan's", frameworks))->type_name("FRAMEWORK");
    command->add_option("--as", arguments->form, "Form: arguments, shell, slurm, pytorchjob or jobset")->type_name("FORM")->capture_default_str();
    command->add_option("--decode", arguments->decode, "Plan of the decode pool; PLAN is then the prefill pool")->type_name("PLAN");
    command->add_option("--checkpoint", arguments->checkpoint, "Weights or tokenizer: a folder or a repository; without it, the source of the model's spec")->type_name("NAME");
    command->add_option("-o,--output", arguments->output, "File to write; without it, standard output")->type_name("FILE");
    command->callback([arguments, &status] { status = run(*arguments); });
}

void add_plan_from_command(CLI::App& app, int& status)
{
    CLI::App* command = app.add_subcommand("plan-from", "Turn arguments of Megatron-LM, a torchtitan TOML or a server's command line into a plan");
    auto arguments = std::make_shared<FromArguments>();
    command->add_option("FILE", arguments->file, "Script, argument list or TOML")->type_name("");
    command->add_option("--text", arguments->text, "The command line itself")->type_name("TEXT");
    command->add_option("--for", arguments->framework, "Framework, where the text does not tell")->type_name("FRAMEWORK");
    command->add_option("--instance", arguments->request.instance, "Instance type, which no command line names")->type_name("ID");
    command->add_option("--nodes", arguments->request.nodes, "Instances, where the text does not tell")->check(CLI::Range(1, 100'000))->type_name("N");
    command->add_option("--model", arguments->request.model, "Model by its id, where the text does not tell")->type_name("ID");
    command->add_option("-o,--output", arguments->output, "Plan to write; without it, standard output")->type_name("FILE");
    add_spec_arguments(*command, arguments->specs);
    command->callback([arguments, &status] { status = run_from(*arguments); });
}

} // namespace ridgepoint::cli
