#include "model/launch/launch.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "model/launch/script.h"

namespace ridgepoint {
namespace {

constexpr std::array<std::string_view, 5> forms = {"arguments", "shell", "slurm", "pytorchjob", "jobset"};

Status check(const LaunchContext& c, LaunchForm form)
{
    const bool training = std::holds_alternative<Training>(c.job.workload);
    if (trains(c.table.framework) != training)
        return bad_input(fmt::format("{} does not {}", c.table.title, training ? "train" : "serve"), Place{{}, 0, "/workload/kind"}, {},
            training ? "megatron-lm, megatron-bridge, torchtitan, accelerate-fsdp or maxtext" : "vllm, sglang or tensorrt-llm");
    if (form == LaunchForm::pytorch_job && !training)
        return bad_input("a PyTorchJob runs a training", Place{{}, 0, "/workload/kind"}, {}, "shell, slurm or jobset for a server");
    if (form >= LaunchForm::pytorch_job && c.table.framework == LaunchFramework::tensorrt_llm && hosts_of(c.job).count > 1)
        return infeasible("TensorRT-LLM over several hosts runs under MPI, which these Kubernetes objects do not start", "Use the form slurm");
    return Done{};
}

// Files are read by the same table, so that the generator cannot outrun it.
Status check_arguments(const LaunchContext& c, const HostScript& script)
{
    if (const auto unknown = first_unknown(script.arguments, c.table))
        return bad_input(*unknown, Place{fmt::format("specs/launch/{}.json", name_of(c.table.framework)), 0, {}});
    return Done{};
}

std::string text_of(const LaunchContext& c, const HostScript& script, LaunchForm form, const std::string& suffix)
{
    switch (form) {
    case LaunchForm::arguments:
        return comments(c, script) + argument_text(c, script);
    case LaunchForm::shell:
        return "#!/bin/bash\n" + comments(c, script) + script.text;
    case LaunchForm::slurm:
        return slurm_script(c, script);
    case LaunchForm::pytorch_job:
    case LaunchForm::jobset:
        break;
    }
    return kubernetes_objects(c, script, form, suffix);
}

// Where the two pools of a service meet; the router is the engine's own.
std::string router(const FlagTable& table)
{
    const char* how = table.framework == LaunchFramework::vllm
        ? "requests go to the prefill server and, with the kv_transfer_params of its answer, to the decode server: a proxy such as the toy proxy of vLLM's NixlConnector tests does it"
        : table.framework == LaunchFramework::sglang ? "python3 -m sglang_router.launch_router --pd-disaggregation --prefill http://PREFILL:30000 8998 --decode http://DECODE:30000"
                                                     : "trtllm-serve disaggregated -c FILE, with context_servers and generation_servers that name both addresses";
    return fmt::format("# How clients reach both pools: {}\n", how);
}

} // namespace

std::string_view name_of(LaunchForm f) { return forms[static_cast<std::size_t>(f)]; }

std::optional<LaunchForm> parse_launch_form(std::string_view name)
{
    const auto* it = std::ranges::find(forms, name);
    return it == forms.end() ? std::nullopt : std::optional(static_cast<LaunchForm>(it - forms.begin()));
}

Expected<Launch> make_launch(const Plan& plan, const Job& job, const FlagTable& table, const LaunchRequest& request)
{
    const LaunchContext c{plan, job, table, request.checkpoint};
    if (Status s = check(c, request.form); !s)
        return s.error();
    HostScript script = host_script(c, PoolRole::whole);
    if (Status s = check_arguments(c, script); !s)
        return s.error();
    Launch out;
    out.text = text_of(c, script, request.form, {});
    out.arguments = std::move(script.arguments);
    out.not_expressed = std::move(script.not_expressed);
    out.placeholders = std::move(script.placeholders);
    return out;
}

Expected<Launch> make_disaggregated_launch(const PoolPlan& prefill, const PoolPlan& decode, const FlagTable& table, const LaunchRequest& request)
{
    if (prefill.job.model.id != decode.job.model.id)
        return bad_input("the pools serve different models", Place{{}, 0, "/model"}, decode.job.model.id, prefill.job.model.id);
    if (request.form == LaunchForm::slurm || request.form == LaunchForm::pytorch_job)
        return bad_input("a file of this form holds one pool", {}, std::string(name_of(request.form)), "arguments, shell or jobset; or a Slurm job of each plan");
    Launch out;
    out.text = router(table);
    for (const auto& [pool, role, suffix] : {std::tuple{&prefill, PoolRole::prefill, "-prefill"}, {&decode, PoolRole::decode, "-decode"}}) {
        const LaunchContext c{pool->plan, pool->job, table, request.checkpoint};
        if (Status s = check(c, request.form); !s)
            return s.error();
        HostScript script = host_script(c, role);
        if (Status s = check_arguments(c, script); !s)
            return s.error();
        if (request.form == LaunchForm::shell)
            out.text += fmt::format("{}if [ \"${{1:-}}\" = {} ]; then\n{}{}fi\n", role == PoolRole::prefill ? "#!/bin/bash\n# Run with \"prefill\" or \"decode\".\n" : "", suffix + 1, comments(c, script), script.text);
        else
            out.text += (role == PoolRole::decode && request.form == LaunchForm::jobset ? "---\n" : "") + text_of(c, script, request.form, suffix);
        out.arguments.insert(out.arguments.end(), script.arguments.begin(), script.arguments.end());
        for (auto& n : script.not_expressed)
            if (std::ranges::find(out.not_expressed, n) == out.not_expressed.end())
                out.not_expressed.push_back(n);
        for (auto& p : script.placeholders)
            if (std::ranges::find(out.placeholders, p) == out.placeholders.end())
                out.placeholders.push_back(p);
    }
    if (request.form == LaunchForm::shell) // a shebang is the first line or none
        out.text = "#!/bin/bash\n" + out.text.replace(out.text.find("#!/bin/bash\n"), 12, "");
    return out;
}

} // namespace ridgepoint
