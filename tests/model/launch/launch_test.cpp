// What is generated stands in the table of its version, nothing is lost silently, and no name breaks a file.

#include <gmock/gmock.h>

#include "model/launch/context.h"
#include "model/launch/script.h"
#include "model/launch/shell.h"
#include "tests/model/launch/support.h"

namespace ridgepoint {
namespace {

using testing::HasSubstr;
using testing::Not;

const Argument* argument(const Launch& l, std::string_view name)
{
    const auto it = std::ranges::find_if(l.arguments, [&](const Argument& a) { return a.name == name; });
    return it == l.arguments.end() ? nullptr : &*it;
}
std::string value(const Launch& l, std::string_view name)
{
    const Argument* a = argument(l, name);
    return !a ? "(absent)" : a->values.empty() ? "(flag)" : a->values.front();
}
bool misses(const Launch& l, std::string_view field)
{
    return std::ranges::any_of(l.not_expressed, [&](const NotExpressed& n) { return n.field == field; });
}

Launch launched(const Plan& plan, LaunchFramework f, LaunchForm form = LaunchForm::shell, const std::string& checkpoint = "org/Model")
{
    const std::optional<Job> job = legal_job(plan);
    EXPECT_TRUE(job) << plan.name;
    const Expected<Launch> l = make_launch(plan, *job, tables().at(f), {form, checkpoint});
    EXPECT_TRUE(l) << l.error().text();
    return l ? *l : Launch{};
}

Plan example(const std::string& model, bool training)
{
    for (const Plan& p : examples())
        if (p.model == model && is_training(p) == training)
            return p;
    ADD_FAILURE() << model;
    return {};
}

TEST(Tables, SayVersionSourceAndDate)
{
    ASSERT_EQ(tables().size(), launch_framework_count);
    for (const auto& [f, table] : tables()) {
        EXPECT_FALSE(table.version.empty());
        EXPECT_THAT(table.source, testing::StartsWith("https://"));
        EXPECT_GT(table.flags.size(), 20U) << name_of(f);
        for (const FlagSpec& flag : table.flags)
            EXPECT_FALSE(flag.meaning.empty()) << flag.name;
    }
}

TEST(Tables, NameTheirMistakes)
{
    const auto wrong = [](const std::string& flags) { return flag_table_from_json(R"({"framework":"vllm","title":"t","version":"1","sources":[{"url":"https://x","date":"d"}],"flags":)" + flags + "}", "f.json"); };
    EXPECT_TRUE(wrong(R"([{"flag":"--a","type":"flag","meaning":"m"}])"));
    for (const char* flags : {R"([{"flag":"--a","type":"thing","meaning":"m"}])", R"([{"flag":"--a","type":"choice","meaning":"m"}])", R"([{"type":"flag","meaning":"m"}])",
             R"([{"flag":"--a","type":"flag","meaning":"m"},{"flag":"--a","type":"flag","meaning":"m"}])", R"({"a":1})", R"([{"flag":"--a","type":"flag","meaning":"m","aliases":[1]}])"})
        EXPECT_FALSE(wrong(flags)) << flags;
    EXPECT_FALSE(flag_table_from_json("[", "f.json"));
}

// make_launch fails where an argument is not in the table or has another value: all examples and random layouts pass.
TEST(Launch, EveryArgumentOfEveryExampleIsInTheTable)
{
    int made = 0;
    for (const Plan& p : examples()) {
        const std::optional<Job> job = legal_job(p);
        ASSERT_TRUE(job) << p.name;
        for (const LaunchFramework f : all_frameworks)
            for (const LaunchForm form : {LaunchForm::arguments, LaunchForm::shell, LaunchForm::slurm, LaunchForm::pytorch_job, LaunchForm::jobset}) {
                const Expected<Launch> l = make_launch(p, *job, tables().at(f), {form, "org/Model"});
                if (trains(f) != is_training(p)) {
                    EXPECT_FALSE(l);
                    continue;
                }
                if (!l) {
                    EXPECT_TRUE(form >= LaunchForm::pytorch_job && !is_training(p)) << p.name << " " << name_of(f) << ": " << l.error().text();
                    continue;
                }
                ++made;
                EXPECT_EQ(first_unknown(l->arguments, tables().at(f)), std::nullopt);
                for (const NotExpressed& n : l->not_expressed)
                    EXPECT_TRUE(!n.field.empty() && !n.what.empty() && !n.instead.empty());
            }
    }
    EXPECT_GT(made, 100);
}

TEST(Launch, EveryArgumentOfRandomLayoutsIsInTheTable)
{
    for (const bool training : {true, false}) {
        const auto plans = random_plans(training, 150, training ? 1 : 2);
        ASSERT_GE(plans.size(), 150U);
        for (const auto& [plan, job] : plans)
            for (const LaunchFramework f : all_frameworks)
                if (trains(f) == training) {
                    const Expected<Launch> l = make_launch(plan, job, tables().at(f), {LaunchForm::shell, ""});
                    EXPECT_TRUE(l) << plan.model << ": " << l.error().text();
                }
    }
}

TEST(Launch, ATableThatLacksAnOptionIsAnError)
{
    FlagTable table = tables().at(LaunchFramework::megatron_lm);
    std::erase_if(table.flags, [](const FlagSpec& f) { return f.name == "--context-parallel-size"; });
    const Plan p = example_plan();
    const Expected<Launch> l = make_launch(p, *legal_job(p), table, {LaunchForm::shell, ""});
    ASSERT_FALSE(l);
    EXPECT_THAT(l.error().text(), HasSubstr("--context-parallel-size"));
}

// Llama 3.1 405B: 126 layers in 16 x 7 = 112 chunks: no even cut, so the layout is written out, 126 layers in 112 stages.
TEST(Megatron, WritesUnevenStagesOut)
{
    const Launch l = launched(example_plan(), LaunchFramework::megatron_lm);
    EXPECT_EQ(argument(l, "--num-layers-per-virtual-pipeline-stage"), nullptr);
    const std::string layout = value(l, "--pipeline-model-parallel-layout");
    EXPECT_EQ(std::ranges::count(layout, '|'), 111);
    EXPECT_EQ(layout.front(), 'E');
    EXPECT_EQ(layout.back(), 'L');
    int layers = 0;
    for (std::size_t i = 0; i < layout.size(); ++i)
        if (layout[i] == 't')
            layers += layout.substr(i + 1, 1) == "*" ? std::stoi(layout.substr(i + 2)) : 1;
    EXPECT_EQ(layers, 126);
    EXPECT_EQ(value(l, "--train-iters"), "929833"); // 15.6e12 / (2048 x 8192) = 929832.5
}

// Qwen3 235B: 94 layers; pp 8 x vpp 4 does not divide them either. 96 chunks of DeepSeek would; a hand-made even case:
// Llama 3.1 8B, 32 layers, pp 4, vpp 2: 4 layers in a chunk.
TEST(Megatron, CountsLayersOfAChunk)
{
    Plan p = example_plan();
    p.model = "llama-3.1-8b";
    p.nodes = 4;
    p.layout.tp = 2;
    p.layout.pp = 4;
    p.layout.vpp = 2;
    EXPECT_EQ(value(launched(p, LaunchFramework::megatron_lm), "--num-layers-per-virtual-pipeline-stage"), "4");
    EXPECT_EQ(value(launched(p, LaunchFramework::megatron_bridge), "model.virtual_pipeline_model_parallel_size"), "2");
    EXPECT_EQ(value(launched(p, LaunchFramework::torchtitan), "parallelism.pipeline_parallel_layers_per_stage"), "4");
}

TEST(Megatron, SaysExpertsAndLatentAttention)
{
    Plan p = example_plan();
    p.model = "deepseek-v3";
    p.instance = "p5en.48xlarge";
    p.nodes = 16;
    p.layout = {};
    p.layout.dp = 0;
    p.layout.ep = 8;
    p.layout.expert_dispatch_rdma = true;
    p.precision.recipe = "fp8_block";
    const Launch l = launched(p, LaunchFramework::megatron_lm);
    EXPECT_EQ(value(l, "--moe-layer-freq"), "([0]*3+[1]*58)");
    EXPECT_EQ(value(l, "--num-experts"), "256");
    EXPECT_EQ(value(l, "--moe-router-topk"), "8");
    EXPECT_EQ(value(l, "--expert-tensor-parallel-size"), "1"); // tp where absent
    EXPECT_EQ(value(l, "--moe-token-dispatcher-type"), "flex");
    EXPECT_EQ(value(l, "--moe-enable-deepep"), "(flag)");
    EXPECT_EQ(value(l, "--qk-pos-emb-head-dim"), "64");
    EXPECT_EQ(value(l, "--fp8-recipe"), "blockwise");
    EXPECT_EQ(value(l, "--mtp-num-layers"), "1");
    EXPECT_TRUE(misses(l, "/model")); // groups of experts
}

TEST(Megatron, NamesWhatItLacks)
{
    Plan p = example_plan();
    p.layout.schedule = PipelineSchedule::dualpipe;
    p.layout.vpp = 1;
    p.layout.sharding = DataSharding::zero3;
    Launch l = launched(p, LaunchFramework::megatron_lm);
    EXPECT_TRUE(misses(l, "/layout/schedule"));
    EXPECT_TRUE(misses(l, "/layout/sharding")); // ZeRO-3 with a pipeline
    EXPECT_EQ(value(l, "--use-distributed-optimizer"), "(flag)");
    EXPECT_EQ(argument(l, "--use-megatron-fsdp"), nullptr);
    EXPECT_THAT(l.text, HasSubstr("DualPipe"));
    p.layout.pp = 1;
    p.layout.schedule = PipelineSchedule::one_f_one_b;
    l = launched(p, LaunchFramework::megatron_lm);
    EXPECT_FALSE(misses(l, "/layout/sharding"));
    EXPECT_EQ(value(l, "--data-parallel-sharding-strategy"), "optim_grads_params");
    // NVFP4 is there, and FP4 has no recipe in this version of the bridge.
    p.instance = "p6-b200.48xlarge";
    p.precision.recipe = "nvfp4";
    EXPECT_EQ(value(launched(p, LaunchFramework::megatron_lm), "--fp4-format"), "e2m1");
    EXPECT_TRUE(misses(launched(p, LaunchFramework::megatron_bridge), "/precision/recipe"));
    EXPECT_TRUE(misses(launched(p, LaunchFramework::torchtitan), "/precision/recipe"));
}

TEST(Torchtitan, BatchesByTheRank)
{
    Plan p = example_plan();
    p.layout.sharding = DataSharding::zero3;
    const Launch l = launched(p, LaunchFramework::torchtitan);
    EXPECT_EQ(value(l, "training.local_batch_size"), "16"); // 2048 sequences over dp 128, all microbatches of the pipeline
    EXPECT_EQ(value(l, "parallelism.pipeline_parallel_microbatch_size"), "1");
    EXPECT_EQ(value(l, "parallelism.data_parallel_shard_degree"), "128");
    EXPECT_EQ(value(l, "model.flavor"), "405B");
    EXPECT_TRUE(misses(l, "/layout/pp")); // 126 layers in 112 chunks
}

TEST(Accelerate, HasDataParallelismAlone)
{
    const Launch l = launched(example_plan(), LaunchFramework::accelerate_fsdp);
    EXPECT_TRUE(misses(l, "/layout/tp"));
    EXPECT_TRUE(misses(l, "/layout/pp"));
    EXPECT_THAT(l.text, HasSubstr("TRAIN_SCRIPT"));
}

TEST(MaxText, MeshHoldsAllGpus)
{
    for (const auto& [plan, job] : random_plans(true, 60, 3)) {
        const Expected<Launch> l = make_launch(plan, job, tables().at(LaunchFramework::maxtext), {LaunchForm::shell, ""});
        ASSERT_TRUE(l);
        long long product = 1;
        for (const Argument& a : l->arguments)
            if (a.name.ends_with("_parallelism"))
                product *= std::stoll(a.values.front());
        EXPECT_EQ(product, job.cluster.gpus) << plan.model;
    }
}

// DeepSeek-V3 decode, 16 GPUs, attention data parallel over all of them, 1,024 sequences: 64 in each group.
TEST(Serving, AttentionGroupsInEachEnginesWords)
{
    const Plan p = example("deepseek-v3", false);
    const Launch v = launched(p, LaunchFramework::vllm);
    EXPECT_EQ(value(v, "--data-parallel-size"), "16");
    EXPECT_EQ(value(v, "--tensor-parallel-size"), "1");
    EXPECT_EQ(value(v, "--enable-expert-parallel"), "(flag)");
    EXPECT_EQ(value(v, "--all2all-backend"), "deepep_low_latency");
    EXPECT_EQ(value(v, "--max-num-seqs"), "64");
    EXPECT_EQ(value(v, "--kv-transfer-config"), R"({"kv_connector":"NixlConnector","kv_role":"kv_consumer"})");
    EXPECT_THAT(v.text, HasSubstr("--data-parallel-size-local 8"));
    const Launch s = launched(p, LaunchFramework::sglang);
    EXPECT_EQ(value(s, "--tensor-parallel-size"), "16");
    EXPECT_EQ(value(s, "--data-parallel-size"), "16");
    EXPECT_EQ(value(s, "--expert-parallel-size"), "16");
    EXPECT_EQ(value(s, "--max-running-requests"), "1024");
    EXPECT_EQ(value(s, "--disaggregation-mode"), "decode");
    const Launch t = launched(p, LaunchFramework::tensorrt_llm, LaunchForm::slurm);
    EXPECT_EQ(value(t, "--tp_size"), "16");
    EXPECT_EQ(value(t, "enable_attention_dp"), "true");
    EXPECT_THAT(t.text, HasSubstr("--mpi=pmix"));
}

TEST(Serving, PoolsOfADisaggregatedService)
{
    Plan prefill = example("llama-3.1-70b", false);
    Plan decode = prefill;
    auto w = std::get<Serving>(decode.workload);
    w.phase = ServingPhase::decode;
    decode.workload = w;
    decode.layout.tp = 8;
    const Job a = *legal_job(prefill);
    const Job b = *legal_job(decode);
    for (const LaunchFramework f : {LaunchFramework::vllm, LaunchFramework::sglang, LaunchFramework::tensorrt_llm})
        for (const LaunchForm form : {LaunchForm::arguments, LaunchForm::shell, LaunchForm::jobset}) {
            const Expected<Launch> l = make_disaggregated_launch({prefill, a}, {decode, b}, tables().at(f), {form, "org/Model"});
            ASSERT_TRUE(l) << l.error().text();
            EXPECT_EQ(first_unknown(l->arguments, tables().at(f)), std::nullopt);
            const char* roles[] = {"kv_producer", "kv_consumer", "--disaggregation-mode prefill", "--disaggregation-mode decode", "--server_role CONTEXT", "--server_role GENERATION"};
            const std::size_t first = f == LaunchFramework::vllm ? 0 : f == LaunchFramework::sglang ? 2 : 4;
            EXPECT_THAT(l->text, HasSubstr(roles[first]));
            EXPECT_THAT(l->text, HasSubstr(roles[first + 1]));
        }
    EXPECT_FALSE(make_disaggregated_launch({prefill, a}, {decode, b}, tables().at(LaunchFramework::vllm), {LaunchForm::slurm, ""}));
    decode.model = "llama-3.1-8b";
    EXPECT_FALSE(make_disaggregated_launch({prefill, a}, {decode, *legal_job(decode)}, tables().at(LaunchFramework::vllm), {LaunchForm::shell, ""}));
}

TEST(Forms, AskForWhatTheInstanceHas)
{
    Plan p = example("llama-3.1-70b", true);
    for (const Plan& q : examples())
        if (is_training(q) && q.instance == "p5.48xlarge")
            p = q;
    const std::string slurm = launched(p, LaunchFramework::megatron_lm, LaunchForm::slurm).text;
    EXPECT_THAT(slurm, HasSubstr("#SBATCH --nodes=8"));
    EXPECT_THAT(slurm, HasSubstr("#SBATCH --gpus-per-node=8"));
    EXPECT_THAT(slurm, HasSubstr("# PLACEHOLDER"));
    EXPECT_THAT(slurm, HasSubstr("export FI_PROVIDER=efa"));
    EXPECT_THAT(slurm, HasSubstr("export CUDA_DEVICE_MAX_CONNECTIONS=1"));
    const std::string job = launched(p, LaunchFramework::megatron_lm, LaunchForm::pytorch_job).text;
    EXPECT_THAT(job, HasSubstr("nvidia.com/gpu: 8"));
    EXPECT_THAT(job, HasSubstr("vpc.amazonaws.com/efa: 32")); // p5.48xlarge: 32 EFA devices of 100 Gbit/s
    EXPECT_THAT(job, HasSubstr("replicas: 7"));
    EXPECT_THAT(launched(p, LaunchFramework::megatron_lm, LaunchForm::jobset).text, HasSubstr("completions: 8"));
    p.instance = "u-p6e-gb200x72"; // 18 hosts of 4
    p.nodes = 1;
    p.layout = {};
    p.layout.dp = 0;
    auto t = std::get<Training>(p.workload);
    t.global_batch = 72;
    p.workload = t;
    EXPECT_THAT(launched(p, LaunchFramework::megatron_lm, LaunchForm::slurm).text, HasSubstr("#SBATCH --nodes=18\n#SBATCH --ntasks-per-node=1\n#SBATCH --gpus-per-node=4"));
}

TEST(Forms, NoNameBreaksAFile)
{
    for (const std::string name : {"a'b", "a\"b", "a\nRIDGEPOINT_HOST\nrm -rf x", "$(touch pwned)", "`id`", "a\r\n#SBATCH --nodes=9", "---\nkind: Pod", "", "日本", "a: b # c", std::string(200, '-').c_str()}) {
        Plan p = example_plan();
        p.name = name;
        for (const LaunchFramework f : {LaunchFramework::megatron_lm, LaunchFramework::torchtitan, LaunchFramework::maxtext, LaunchFramework::accelerate_fsdp})
            for (const LaunchForm form : {LaunchForm::arguments, LaunchForm::shell, LaunchForm::slurm, LaunchForm::jobset, LaunchForm::pytorch_job}) {
                const Launch l = launched(p, f, form, name);
                Plan calm = p;
                calm.name = "x";
                const Launch other = launched(calm, f, form, "y");
                EXPECT_EQ(std::ranges::count(l.text, '\n'), std::ranges::count(other.text, '\n') + (name.empty() ? std::ranges::count(l.text, '\n') - std::ranges::count(other.text, '\n') : 0)) << name;
                if (form == LaunchForm::shell || form == LaunchForm::slurm) {
                    const auto commands = split_shell(l.text, "t");
                    EXPECT_TRUE(commands) << commands.error().text();
                }
            }
    }
}

TEST(Forms, LabelsAreDnsLabels)
{
    EXPECT_EQ(label_of("Llama 3.1 405B pre-training"), "llama-3-1-405b-pre-training");
    EXPECT_EQ(label_of("$(x)"), "x");
    EXPECT_EQ(label_of(""), "plan");
    EXPECT_EQ(label_of("405B"), "plan-405b");
    EXPECT_LE(label_of(std::string(500, 'a')).size(), 40U);
}

} // namespace
} // namespace ridgepoint
