#include "model/launch/prepare.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "model/estimate/worker_groups.h"
#include "model/project/resolve.h"
#include "model/project/snapshots.h"
#include "model/specs/json_document.h"

namespace ridgepoint {
namespace {

LaunchFramework framework_of(Framework f)
{
    switch (f) {
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
    return LaunchFramework::megatron_lm;
}

Expected<Job> legal_job(const Plan& plan, const SpecStore& catalogue)
{
    Expected<SpecStore> specs = with_snapshots(plan, catalogue);
    if (!specs)
        return specs.error();
    Expected<Job> job = resolve(plan, *specs);
    if (!job)
        return job;
    const auto* serving = std::get_if<Serving>(&job->workload); // pools are cut, and looked at, one by one
    if (serving != nullptr && serving->pool.apart)
        return job;
    if (Status legal = check_legal(job->model, job->workload, job->cluster, job->layout, job->precision); !legal)
        return legal.error();
    return job;
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

} // namespace

Expected<FlagTable> read_flag_table(LaunchFramework framework)
{
    const std::string file = (std::filesystem::path(find_builtin_specs()) / "launch" / (std::string(name_of(framework)) + ".json")).string();
    Expected<std::string> text = read_text_file(file, JsonLimits{}.bytes);
    return text ? flag_table_from_json(*text, file) : Expected<FlagTable>(text.error());
}

std::vector<LaunchFramework> launch_frameworks(const Plan& plan)
{
    constexpr std::array training = {LaunchFramework::megatron_lm, LaunchFramework::megatron_bridge, LaunchFramework::torchtitan, LaunchFramework::accelerate_fsdp, LaunchFramework::maxtext};
    constexpr std::array serving = {LaunchFramework::vllm, LaunchFramework::sglang, LaunchFramework::tensorrt_llm};
    std::vector<LaunchFramework> out;
    if (std::holds_alternative<Training>(plan.workload))
        out.assign(training.begin(), training.end());
    else
        out.assign(serving.begin(), serving.end());
    if (const auto own = std::ranges::find(out, framework_of(plan.assumptions.framework)); own != out.end())
        std::rotate(out.begin(), own, own + 1);
    return out;
}

std::string repository_of(const std::string& model, const SpecStore& specs)
{
    const auto document = specs.document(SpecKind::model, model);
    if (!document)
        return {};
    const std::string url = (*document)->value("/source/url"_json_pointer, std::string());
    constexpr std::string_view site = "https://huggingface.co/";
    return url.starts_with(site) ? url.substr(site.size()) : std::string();
}

Expected<Launch> launch_plan(const Plan& plan, const Plan* decode, const SpecStore& specs, LaunchFramework framework, LaunchRequest request, bool* decode_failed)
{
    const Expected<Job> job = legal_job(plan, specs);
    if (!job)
        return job.error();
    const Expected<FlagTable> table = read_flag_table(framework);
    if (!table)
        return table.error();
    if (request.checkpoint.empty())
        request.checkpoint = repository_of(plan.model, specs);
    if (decode != nullptr) {
        const Expected<Job> other = legal_job(*decode, specs);
        if (!other) {
            if (decode_failed != nullptr)
                *decode_failed = true;
            return other.error();
        }
        return make_disaggregated_launch({plan, *job}, {*decode, *other}, *table, request);
    }
    const auto* serving = std::get_if<Serving>(&plan.workload);
    if (serving == nullptr || !serving->pool.apart)
        return make_launch(plan, *job, *table, request);
    const Expected<Pools> pools = cut_into_pools(*job, *serving);
    if (!pools)
        return pools.error();
    const Plan prompts = plan_of_pool(plan, pools->prompts), answers = plan_of_pool(plan, pools->decode);
    return make_disaggregated_launch({prompts, pools->prompts}, {answers, pools->decode}, *table, request);
}

Expected<ReadPlan> read_launch_text(const std::string& text, const std::string& file, const SpecStore& specs, const ReadRequest& request)
{
    FlagTables tables;
    for (const LaunchFramework f : {LaunchFramework::megatron_lm, LaunchFramework::torchtitan, LaunchFramework::vllm, LaunchFramework::sglang, LaunchFramework::tensorrt_llm}) {
        Expected<FlagTable> table = read_flag_table(f);
        if (!table)
            return table.error();
        tables[f] = std::move(*table);
    }
    Expected<ReadPlan> read = plan_from_launch_text(text, file, tables, specs, request);
    if (!read)
        return read;
    const Expected<Plan> checked = plan_from_text(to_text(read->plan), "the plan");
    if (!checked)
        return checked.error();
    return read;
}

} // namespace ridgepoint
