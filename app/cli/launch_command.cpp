// launch PLAN, plan-from FILE: a plan as what starts it, and back.

#include <memory>

#include <fmt/format.h>

#include "app/cli/command.h"
#include "model/launch/prepare.h"
#include "model/specs/json_document.h"

namespace ridgepoint::cli {
namespace {

constexpr const char* frameworks = "megatron-lm, megatron-bridge, torchtitan, accelerate-fsdp, maxtext, vllm, sglang, tensorrt-llm";

Expected<LaunchFramework> framework_of(const std::string& name, const Plan& plan)
{
    if (name.empty())
        return launch_frameworks(plan).front();
    if (const auto f = parse_launch_framework(name))
        return *f;
    return bad_input("there is no such framework", Place{"--for", 0, {}}, name, frameworks);
}

struct Arguments {
    PlanArguments plan;
    std::string decode; // plan of the decode pool
    std::string framework;
    std::string form = "slurm";
    std::string checkpoint;
    std::string output;
};

int run(const Arguments& a)
{
    const Expected<LoadedPlan> loaded = load(a.plan);
    if (!loaded)
        return fail(loaded.error());
    const Expected<LaunchFramework> framework = framework_of(a.framework, loaded->plan);
    if (!framework)
        return fail(framework.error());
    const auto form = parse_launch_form(a.form);
    if (!form)
        return fail(bad_input("there is no such form", Place{"--as", 0, {}}, a.form, "arguments, shell, slurm, pytorchjob or jobset"));
    PlanArguments other = a.plan;
    other.file = a.decode;
    other.edits.clear();
    std::optional<LoadedPlan> decode;
    if (!a.decode.empty()) {
        Expected<LoadedPlan> second = load(other);
        if (!second)
            return fail(second.error());
        decode = std::move(*second);
    }
    bool decode_failed = false;
    const Expected<Launch> launch = launch_plan(loaded->plan, decode ? &decode->plan : nullptr, loaded->specs, *framework, {*form, a.checkpoint}, &decode_failed);
    if (!launch)
        return fail(located(launch.error(), decode_failed ? other : a.plan));
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
    Expected<SpecStore> specs = load_specs(a.specs);
    if (!specs)
        return fail(specs.error());
    const Expected<ReadPlan> read = read_launch_text(a.text, a.file.empty() ? "--text" : a.file, *specs, a.request);
    if (!read)
        return fail(read.error());
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
