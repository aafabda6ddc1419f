// plan -> arguments -> plan keeps what the arguments say; hostile text is refused with its place.

#include <gmock/gmock.h>

#include "model/estimate/serving.h"
#include "model/launch/context.h"
#include "model/project/fields.h"
#include "model/transformer/read.h"
#include "tests/model/launch/support.h"

namespace ridgepoint {
namespace {

using testing::HasSubstr;

Expected<ReadPlan> read(const std::string& text, const ReadRequest& request = {}) { return plan_from_launch_text(text, "job", tables(), catalogue(), request); }

// Fields that a generator said it could not express.
bool excused(const Launch& l, const std::string& field)
{
    const std::string also = field == "/layout/shard_group" ? "/layout/sharding" : field == "/layout/recompute_share" ? "/layout/recompute"
        : field == "/layout/vpp" && l.arguments.front().name == "job.description"                              ? "/layout/pp" // torchtitan's own cut
                                                                                                               : field;
    return std::ranges::any_of(l.not_expressed, [&](const NotExpressed& n) { return n.field == field || n.field == also; });
}

// What must come back. Options of features that are not in use say nothing, so they are compared where they matter.
std::vector<std::string> compared(const Plan& p, const Job& job, LaunchFramework f)
{
    const Layout& l = p.layout;
    std::vector<std::string> out = {"/layout/tp", "/layout/pp", "/layout/cp", "/precision/recipe"};
    const bool megatron = f == LaunchFramework::megatron_lm;
    if (job.model.is_moe())
        out.push_back("/layout/ep");
    if (is_training(p)) {
        for (const char* field : {"/layout/vpp", "/workload/sequence_length", "/workload/global_batch", "/layout/micro_batch", "/layout/sharding", "/layout/recompute"})
            out.emplace_back(field);
        if (l.recompute != Recompute::none)
            out.emplace_back("/layout/recompute_share");
        if (l.cp > 1)
            out.emplace_back("/layout/context_kind");
        if (l.sharding == DataSharding::hsdp && l.shard_group > 0)
            out.emplace_back("/layout/shard_group");
        if (l.tp > 1)
            out.insert(out.end(), {"/layout/overlap_tp", "/layout/sequence_parallel"});
        if (megatron) {
            out.insert(out.end(), {"/workload/kind", "/layout/fused_loss", "/layout/fused_attention", "/layout/cuda_graphs", "/layout/overlap_grad_reduce", "/precision/gradients"});
            if (job.model.is_moe())
                out.insert(out.end(), {"/layout/etp", "/layout/expert_dispatch_rdma", "/layout/overlap_moe"});
            if (l.vpp > 1)
                out.emplace_back("/layout/overlap_p2p");
        }
    } else {
        out.insert(out.end(), {"/workload/kind", "/layout/cuda_graphs"});
        if (std::get<Serving>(p.workload).phase != ServingPhase::decode)
            out.emplace_back("/workload/chunk");
        out.emplace_back(std::get<Serving>(p.workload).phase == ServingPhase::prefill ? "/workload/input_length" : "/workload/concurrency");
        if (job.model.is_moe())
            out.push_back("/layout/attention_dp");
    }
    return out;
}

void expect_round_trip(const Plan& plan, const Job& job, LaunchFramework f, LaunchForm form)
{
    const Expected<Launch> l = make_launch(plan, job, tables().at(f), {form, ""});
    ASSERT_TRUE(l) << l.error().text();
    if (excused(*l, "/layout/dp"))
        return;
    ReadRequest request;
    request.framework = f;
    request.instance = plan.instance;
    request.nodes = plan.nodes;
    const bool dimensions = f == LaunchFramework::megatron_lm && !excused(*l, "/model");
    if (!dimensions && f != LaunchFramework::vllm && f != LaunchFramework::sglang)
        request.model = plan.model; // torchtitan names flavors, TensorRT-LLM repositories
    const Expected<ReadPlan> back = read(l->text, request);
    ASSERT_TRUE(back) << plan.model << ": " << back.error().text() << "\n" << l->text;
    if (dimensions)
        EXPECT_EQ(megatron_model_arguments(read_transformer(catalogue(), back->plan.model).value(), 1).items(), megatron_model_arguments(job.model, 1).items());
    else
        EXPECT_EQ(back->plan.model, plan.model);
    Plan sent = plan;
    const int ranks = job.layout.dp * job.layout.cp;
    sent.layout.sharding = sharding_of(job);
    if (!is_training(plan)) { // experts go no further than the replica, and one group of attention is none
        const ServingGroups g = serving_groups(job);
        sent.layout.ep = g.layout.ep;
        sent.layout.attention_dp = g.attention_groups > 1;
    }
    if (ranks == 1)
        sent.layout.sharding = back->plan.layout.sharding; // nothing to share
    if (sent.layout.schedule == PipelineSchedule::interleaved && sent.layout.vpp == 1)
        sent.layout.schedule = PipelineSchedule::one_f_one_b;
    for (const std::string& field : compared(sent, job, f))
        if (!excused(*l, field))
            EXPECT_EQ(field_value(back->plan, field), field_value(sent, field)) << field << " of " << plan.model << "\n" << l->text;
    if (!excused(*l, "/layout/schedule") && is_training(plan) && plan.layout.pp > 1)
        EXPECT_EQ(field_value(back->plan, "/layout/schedule"), field_value(sent, "/layout/schedule"));
    EXPECT_TRUE(plan_from_text(to_text(back->plan), "back")) << "every field is within its range";
}

TEST(RoundTrip, MegatronArguments)
{
    const auto plans = random_plans(true, 120, 21);
    ASSERT_GE(plans.size(), 100U);
    for (const auto& [plan, job] : plans)
        expect_round_trip(plan, job, LaunchFramework::megatron_lm, LaunchForm::shell);
}

TEST(RoundTrip, TorchtitanToml)
{
    for (auto& [plan, job] : random_plans(true, 120, 22))
        expect_round_trip(plan, job, LaunchFramework::torchtitan, LaunchForm::arguments);
}

TEST(RoundTrip, ServersCommandLines)
{
    for (auto& [plan, job] : random_plans(false, 150, 23))
        for (const LaunchFramework f : {LaunchFramework::vllm, LaunchFramework::sglang})
            expect_round_trip(plan, job, f, LaunchForm::shell);
}

TEST(RoundTrip, AllFormsOfTheExamples)
{
    for (const Plan& p : examples()) {
        const Job job = *legal_job(p);
        for (const LaunchForm form : {LaunchForm::shell, LaunchForm::slurm, LaunchForm::jobset})
            expect_round_trip(p, job, is_training(p) ? LaunchFramework::megatron_lm : LaunchFramework::vllm, form);
    }
}

// A second passage changes nothing more.
TEST(RoundTrip, SettlesAfterOnePassage)
{
    for (const auto& [plan, job] : random_plans(true, 40, 24)) {
        const auto first = make_launch(plan, job, tables().at(LaunchFramework::megatron_lm), {LaunchForm::shell, ""});
        ReadRequest request;
        request.instance = plan.instance;
        request.nodes = plan.nodes;
        request.model = plan.model;
        const auto back = read(first->text, request);
        ASSERT_TRUE(back) << back.error().text();
        const std::optional<Job> again = legal_job(back->plan);
        ASSERT_TRUE(again) << first->text;
        const auto second = make_launch(back->plan, *again, tables().at(LaunchFramework::megatron_lm), {LaunchForm::shell, ""});
        ASSERT_TRUE(second);
        EXPECT_EQ(first->arguments, second->arguments) << first->text;
    }
}

const char* const small = "torchrun --nnodes=2 --nproc-per-node=8 pretrain_gpt.py --num-layers 24 --hidden-size 2048 --num-attention-heads 16 --vocab-size 50304 --seq-length 2048 "
                          "--micro-batch-size 1 --global-batch-size 64 --tensor-model-parallel-size 2 --bf16";

TEST(Read, AnUnknownNetworkTravelsInThePlan)
{
    const auto p = read(small);
    ASSERT_TRUE(p) << p.error().text();
    EXPECT_EQ(p->plan.model, "megatron-24x2048");
    ASSERT_EQ(p->plan.snapshots.size(), 1U);
    EXPECT_EQ(p->plan.nodes, 2);
    const auto v = evaluate_only(p->plan, catalogue());
    ASSERT_TRUE(v) << v.error().text();
    // 24 layers of 4 h^2 + 8 h^2 weights, input table tied, learned positions: 12 x 24 x 2048^2 + 50304 x 2048 = 1.31e9.
    EXPECT_NEAR(count_parameters(v->job.model).total, 1.31e9, 0.02e9);
}

TEST(Read, EnginesByTheirCommands)
{
    auto p = read("CUDA_VISIBLE_DEVICES=0 vllm serve meta-llama/Meta-Llama-3.1-8B -tp 2 --max_num_seqs=64 --quantization fp8 --kv-cache-dtype fp8_e4m3 --max-model-len 4096");
    ASSERT_TRUE(p) << p.error().text();
    EXPECT_EQ(p->plan.model, "llama-3.1-8b");
    EXPECT_EQ(p->plan.layout.tp, 2);
    EXPECT_EQ(p->plan.precision.recipe, "fp8");
    EXPECT_EQ(p->plan.precision.kv_cache, NumberFormat::fp8);
    EXPECT_EQ(std::get<Serving>(p->plan.workload).concurrency, 64);
    p = read("python -m sglang.launch_server --model-path deepseek-ai/DeepSeek-V3 --tp 16 --dp 16 --enable-dp-attention --ep 16 --max-running-requests 512");
    ASSERT_TRUE(p) << p.error().text();
    EXPECT_EQ(p->plan.model, "deepseek-v3");
    EXPECT_TRUE(p->plan.layout.attention_dp);
    EXPECT_EQ(p->plan.layout.tp, 1);
    EXPECT_EQ(p->plan.layout.ep, 16);
    EXPECT_EQ(p->plan.nodes, 2);
    p = read("trtllm-serve meta-llama/Meta-Llama-3.1-8B --tp_size 4 --max_batch_size 32 --max_seq_len 2048");
    ASSERT_TRUE(p) << p.error().text();
    EXPECT_EQ(p->framework, LaunchFramework::tensorrt_llm);
    EXPECT_EQ(p->plan.gpus, 4);
}

TEST(Read, NotesWhatItLeavesOut)
{
    const auto p = read(std::string(small) + " --some-new-option 3 --bf16");
    ASSERT_TRUE(p);
    EXPECT_THAT(p->notes, testing::Contains(HasSubstr("--some-new-option")));
    EXPECT_THAT(p->notes, testing::Contains(HasSubstr("given twice")));
}

TEST(Read, RunsNothing)
{
    const auto p = read(std::string(small) + " --expert-model-parallel-size $(touch pwned)");
    ASSERT_TRUE(p) << p.error().text(); // not a mixture of experts: the value is not asked for
    const auto q = read("vllm serve llama-3.1-8b --tensor-parallel-size $((2 * 4))");
    ASSERT_FALSE(q);
    EXPECT_THAT(q.error().text(), HasSubstr("not evaluated"));
}

TEST(Read, RefusesWithThePlace)
{
    const std::pair<std::string, const char*> wrong[] = {{"", "no command"}, {"ls -la", "no command"}, {"vllm serve nobody/knows", "--model"}, {"vllm serve llama-3.1-8b --tensor-parallel-size", "lacks its value"},
        {"vllm serve llama-3.1-8b\\\n --tensor-parallel-size 0", "at least 1"}, {"vllm serve llama-3.1-8b --tensor-parallel-size 99999999999999999999", "whole number"},
        {"vllm serve llama-3.1-8b --kv-cache-dtype int3", "one of auto"}, {"vllm serve llama-3.1-8b --enforce-eager=yes", "takes no value"}, {"vllm serve llama-3.1-8b --kv-transfer-config '{'", "no JSON"},
        {"pretrain_gpt.py --num-layers 4", "missing"}, {std::string(small) + " --num-experts 8 --moe-layer-freq '([0]*3'", "pattern"},
        {std::string(small) + " --num-experts 8 --moe-layer-freq '" + std::string(5000, '(') + "'", "pattern"}, {std::string(small) + " --num-experts 8 --moe-layer-freq '[1]*99999999'", "pattern"},
        {std::string(small) + " --pipeline-model-parallel-layout 'E((((t*99999)*99999|)*99999)*9999L'", "stages"}, {std::string(small) + " --num-layers-per-virtual-pipeline-stage 5", "not cut"},
        {"[model]\nname = \"llama3\"\nflavor = \"9Z\"\n", "flavor"}, {"[training]\nseq_len = \"x\"\n", "whole number"}, {"[training]\nseq_len = [1]\n", "one value"},
        {"[model]\nname = 'llama3'\nflavor = '8B'\n[activation_checkpoint]\nmode='selective'\nselective_ac_option='zero'", "neither a number"}};
    for (const auto& [text, said] : wrong) {
        const auto p = read(text);
        ASSERT_FALSE(p) << text.substr(0, 100);
        EXPECT_THAT(p.error().text(), HasSubstr(said)) << text.substr(0, 100);
    }
    const auto p = read("vllm serve llama-3.1-8b \\\n  --enforce-eager \\\n  --tensor-parallel-size x");
    ASSERT_FALSE(p);
    EXPECT_EQ(p.error().place.line, 3);
    EXPECT_EQ(p.error().place.pointer, "--tensor-parallel-size");
    EXPECT_FALSE(read(std::string((1U << 20) + 1, 'a')));
}

TEST(Read, SurvivesDamagedText)
{
    std::mt19937 random(5);
    const Plan plan = example_plan();
    std::string good;
    for (const LaunchForm form : {LaunchForm::slurm, LaunchForm::jobset})
        good += make_launch(plan, *legal_job(plan), tables().at(LaunchFramework::megatron_lm), {form, ""})->text;
    good += make_launch(plan, *legal_job(plan), tables().at(LaunchFramework::torchtitan), {LaunchForm::arguments, ""})->text;
    for (int i = 0; i < 60; ++i) {
        std::string bad = good.substr(0, std::uniform_int_distribution<std::size_t>(0, good.size())(random));
        for (int n = 0; n < 10 && !bad.empty(); ++n)
            bad[std::uniform_int_distribution<std::size_t>(0, bad.size() - 1)(random)] = static_cast<char>(std::uniform_int_distribution(0, 255)(random));
        (void)read(bad);
    }
}

} // namespace
} // namespace ridgepoint
