#pragma once
// What the launch tests share: the catalogue, the tables of all frameworks, the example plans.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "model/launch/launch.h"
#include "model/launch/read.h"
#include "model/project/resolve.h"

namespace ridgepoint {

inline std::string file_text(const std::filesystem::path& path)
{
    std::ifstream in(path, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}

inline const SpecStore& catalogue()
{
    static const SpecStore specs = *SpecStore::load({{std::string(RIDGEPOINT_SOURCE_DIR) + "/specs", "built-in"}});
    return specs;
}

inline constexpr LaunchFramework all_frameworks[] = {LaunchFramework::megatron_lm, LaunchFramework::megatron_bridge, LaunchFramework::torchtitan,
    LaunchFramework::accelerate_fsdp, LaunchFramework::maxtext, LaunchFramework::vllm, LaunchFramework::sglang, LaunchFramework::tensorrt_llm};

inline const FlagTables& tables()
{
    static const FlagTables all = [] {
        FlagTables out;
        for (const LaunchFramework f : all_frameworks) {
            const std::string file = std::string(RIDGEPOINT_SOURCE_DIR) + "/specs/launch/" + std::string(name_of(f)) + ".json";
            Expected<FlagTable> table = flag_table_from_json(file_text(file), file);
            EXPECT_TRUE(table) << table.error().text();
            if (table)
                out[f] = *table;
        }
        return out;
    }();
    return all;
}

// Those of one pool; prompts apart are two plans (make_disaggregated_launch).
inline std::vector<Plan> examples()
{
    std::vector<Plan> out;
    for (const auto& entry : std::filesystem::directory_iterator(std::string(RIDGEPOINT_SOURCE_DIR) + "/specs/examples"))
        if (const Expected<Plan> plan = load_plan(entry.path().string()))
            if (const auto* serving = std::get_if<Serving>(&plan->workload); serving == nullptr || !serving->pool.apart)
                out.push_back(*plan);
    std::ranges::sort(out, {}, &Plan::name);
    return out;
}

inline bool is_training(const Plan& p) { return std::holds_alternative<Training>(p.workload); }

// The plan with dp filled in; nothing where the layout is illegal.
inline std::optional<Job> legal_job(const Plan& plan)
{
    const Expected<Job> job = resolve(plan, catalogue());
    if (!job || !check_legal(job->model, job->workload, job->cluster, job->layout, job->precision))
        return std::nullopt;
    return *job;
}

// Random plans whose layouts are legal, of all kinds that generators distinguish.
inline std::vector<std::pair<Plan, Job>> random_plans(bool training, std::size_t count, unsigned seed)
{
    std::mt19937 random(seed);
    const auto any = [&](auto list) { return *(list.begin() + std::uniform_int_distribution<std::ptrdiff_t>(0, static_cast<std::ptrdiff_t>(list.size()) - 1)(random)); };
    const auto coin = [&] { return any(std::initializer_list<bool>{false, true}); };
    using Ints = std::initializer_list<int>;
    using Texts = std::initializer_list<const char*>;
    std::vector<std::pair<Plan, Job>> out;
    for (std::size_t tries = 0; out.size() < count && tries < 400 * count; ++tries) {
        Plan p = training ? example_plan() : examples().front();
        p.model = any(Texts{"llama-3.1-8b", "llama-3.1-405b", "qwen3-32b", "qwen3-235b-a22b", "deepseek-v3", "gpt3-175b", "mixtral-8x7b", "qwen2.5-7b", "gpt-oss-120b", "gemma-2-9b"});
        p.instance = any(Texts{"p5.48xlarge", "p5en.48xlarge", "p6-b200.48xlarge", "p4d.24xlarge", "u-p6e-gb200x72", "dgx-h100"});
        p.nodes = any(Ints{1, 2, 4, 16, 64});
        Layout& l = p.layout = {};
        l.dp = 0;
        l.tp = any(Ints{1, 2, 4, 8});
        l.pp = any(Ints{1, 1, 2, 4, 8});
        l.ep = any(Ints{1, 1, 4, 8, 16});
        l.etp = any(Ints{1, 1, 2});
        l.cuda_graphs = coin();
        l.expert_dispatch_rdma = coin();
        l.fused_attention = coin();
        if (training) {
            Training t;
            t.kind = any(std::initializer_list<TrainingKind>{TrainingKind::pretraining, TrainingKind::fine_tuning});
            t.sequence_length = any(Ints{2048, 8192, 32768});
            t.global_batch = any(Ints{256, 1024, 3072});
            t.tokens = Tokens{any(Ints{0, 1}) * 1e4 * t.global_batch * t.sequence_length};
            t.dropout = coin();
            p.workload = t;
            l.cp = any(Ints{1, 1, 2, 4});
            l.micro_batch = any(Ints{1, 2});
            l.schedule = any(std::initializer_list<PipelineSchedule>{PipelineSchedule::one_f_one_b, PipelineSchedule::interleaved, PipelineSchedule::interleaved, PipelineSchedule::gpipe, PipelineSchedule::zero_bubble, PipelineSchedule::dualpipe});
            l.vpp = l.schedule == PipelineSchedule::interleaved && l.pp > 1 ? any(Ints{1, 2, 3}) : 1;
            l.sharding = any(std::initializer_list<DataSharding>{DataSharding::none, DataSharding::zero1, DataSharding::zero2, DataSharding::zero3, DataSharding::hsdp});
            l.shard_group = l.sharding == DataSharding::hsdp ? any(Ints{0, 2, 4, 8}) : 0;
            l.recompute = static_cast<Recompute>(any(Ints{0, 1, 2, 2, 3, 4, 5, 6}));
            l.recompute_share = l.recompute == Recompute::none ? 1.0 : any(std::initializer_list<double>{1.0, 1.0, 0.5, 0.25});
            l.context_kind = l.cp > 1 ? static_cast<ContextParallelKind>(any(Ints{0, 1, 2})) : ContextParallelKind::ring;
            l.sequence_parallel = coin();
            l.overlap_tp = coin();
            l.overlap_grad_reduce = coin();
            l.overlap_param_gather = coin();
            l.overlap_p2p = coin();
            l.overlap_moe = coin();
            l.fused_loss = coin();
            p.precision = {};
            p.precision.recipe = any(Texts{"bf16", "fp16", "fp8", "fp8_block", "mxfp8", "nvfp4"});
            if (coin())
                p.precision.gradients = NumberFormat::bf16;
        } else {
            Serving s;
            s.phase = static_cast<ServingPhase>(any(Ints{0, 1, 2}));
            s.input_length = any(Ints{1024, 8192});
            s.output_length = any(Ints{128, 1024});
            s.concurrency = any(Ints{16, 64, 1024});
            s.prefill_batch = any(Ints{1, 4});
            s.chunk = any(Ints{0, 2048, 8192});
            s.prefix_hit = any(std::initializer_list<double>{0.0, 0.5});
            p.workload = s;
            l.attention_dp = coin();
            l.sequence_parallel = false;
            p.precision = {};
            p.precision.recipe = any(Texts{"bf16", "fp16", "fp8", "fp8_block", "nvfp4", "w4a16", "int8", "mxfp4", "mxfp8"});
            if (coin())
                p.precision.kv_cache = any(std::initializer_list<NumberFormat>{NumberFormat::fp8, NumberFormat::bf16, NumberFormat::int8, NumberFormat::nvfp4});
            p.assumptions = {};
            p.assumptions.framework = Framework::vllm;
            p.assumptions.speculative_tokens = any(Ints{0, 2});
        }
        const std::optional<Job> job = legal_job(p);
        const bool groups = !training && l.attention_dp; // what a served mixture of experts asks of its groups
        if (job && (!groups || (l.ep * l.etp % l.tp == 0 && job->cluster.gpus % (l.ep * l.etp * l.pp) == 0)))
            out.emplace_back(p, *job);
    }
    return out;
}

} // namespace ridgepoint
