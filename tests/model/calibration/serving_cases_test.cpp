#include "model/calibration/serving_cases.h"

#include <gtest/gtest.h>

#include "model/calibration/validate.h"
#include "model/estimate/estimate.h"
#include "model/specs/sources.h"

using namespace ridgepoint;

namespace {

const SpecStore& specs()
{
    static const SpecStore store = [] {
        const auto layers = default_spec_layers();
        Expected<SpecStore> s = layers ? SpecStore::load(*layers) : Expected<SpecStore>(layers.error());
        return s ? *s : SpecStore{};
    }();
    return store;
}

Expected<ServingReading> read(const std::string& header, const std::string& row)
{
    const Expected<CsvTable> t = parse_csv(header + "\n" + row + "\n", "test.csv");
    EXPECT_TRUE(t);
    return read_serving_row(CsvRow(*t, 0), specs());
}

constexpr const char* aggregated = "backend,model_path,system,precision,mode,isl,osl,gemm_quant_mode,moe_quant_mode,batch_size,tp_size,pp_size,"
                                   "attention_dp_size,moe_tp_size,moe_ep_size";
constexpr const char* split = "backend,model_path,system,precision,mode,isl,osl,gemm_quant_mode,silicon_data_source,prefill_num_workers,prefill_tp_size,"
                              "prefill_attention_dp_size,prefill_moe_ep_size,decode_num_workers,decode_tp_size,decode_attention_dp_size,decode_moe_ep_size";

} // namespace

// Eight GPUs with experts cut eight ways are also listed as tp 64 with moe_tp 8 and moe_ep 8: the published table has the
// same measurements under both.
TEST(ServingRows, BothSpellingsOfALayoutAreOneLayout)
{
    const auto a = read(aggregated, "sglang,MiniMaxAI/MiniMax-M2.5,h200_sxm,fp8,agg,1024,1024,fp8,fp8_block,16,64,1,1,8,8");
    const auto b = read(aggregated, "sglang,MiniMaxAI/MiniMax-M2.5,h200_sxm,fp8,agg,1024,1024,fp8,fp8_block,16,8,,1,1,8");
    ASSERT_TRUE(a) << a.error().text();
    ASSERT_TRUE(b) << b.error().text();
    ASSERT_EQ(a->cases.size(), 1u);
    EXPECT_EQ(a->cases[0].decode.layout.tp, 8);
    EXPECT_EQ(a->cases[0].decode.layout.ep, 8);
    EXPECT_EQ(b->cases[0].decode.layout.tp, 8); // empty pp is 1
    EXPECT_EQ(b->cases[0].decode.layout.ep, 8);
    const auto dp = read(aggregated, "sglang,MiniMaxAI/MiniMax-M2.5,h200_sxm,fp8,agg,1024,1024,fp8,fp8_block,16,1,1,64,8,8");
    ASSERT_TRUE(dp) << dp.error().text();
    EXPECT_EQ(dp->cases[0].decode.layout.tp, 1);
    EXPECT_EQ(dp->cases[0].decode.layout.dp, 8);
    EXPECT_TRUE(dp->cases[0].decode.layout.attention_dp);
}

TEST(ServingRows, WhatIsNotStatedIsABand)
{
    const auto stated = read(split, "trtllm,moonshotai/Kimi-K2.5,gb200,fp4,disagg,1024,1024,nvfp4,silicon_concurrency=192;,1,1,4,4,4,8,1,8");
    ASSERT_TRUE(stated) << stated.error().text();
    ASSERT_EQ(stated->cases.size(), 1u);
    EXPECT_DOUBLE_EQ(stated->cases[0].load.concurrency, 192);
    EXPECT_DOUBLE_EQ(stated->cases[0].decode_workers, 4);
    EXPECT_EQ(stated->cases[0].decode.layout.tp, 8);
    EXPECT_EQ(stated->cases[0].prefill.layout.dp, 4);
    const auto workers = read(split, "trtllm,moonshotai/Kimi-K2.5,gb200,fp4,disagg,1024,1024,nvfp4,silicon_concurrency=192;,,4,1,4,,8,1,4");
    ASSERT_TRUE(workers) << workers.error().text();
    EXPECT_GE(workers->cases.size(), 2u);
    // DeepSeek rows may draft tokens without saying so.
    const auto drafts = read(aggregated, "trtllm,deepseek-ai/DeepSeek-R1,h200_sxm,fp8,agg,1024,1024,fp8,fp8,16,8,1,1,8,1");
    ASSERT_TRUE(drafts) << drafts.error().text();
    EXPECT_GT(drafts->cases.size(), 1u);
}

// The published configuration of 654 users on B300: one prompt worker of two GPUs, one decoding worker of eight with replicated
// attention, three drafted tokens [InferenceX, nvidia-master.yaml, dsr1-fp4-b300-dynamo-trt].
TEST(ServingRows, PublishedConfigurationsFillWhatTheTableLeavesOut)
{
    const auto r = read(split, "trtllm,deepseek-ai/DeepSeek-R1,b300_sxm,fp4,disagg,1024,1024,nvfp4,silicon_concurrency=654;,,2,1,2,,8,1,2");
    ASSERT_TRUE(r) << r.error().text();
    ASSERT_EQ(r->cases.size(), 1u);
    const ServingCase& c = r->cases[0];
    EXPECT_EQ(c.drafted, 3);
    EXPECT_DOUBLE_EQ(c.prefill_workers, 1);
    EXPECT_DOUBLE_EQ(c.decode_workers, 1);
    EXPECT_EQ(c.decode.layout.ep, 8);
    EXPECT_TRUE(c.decode.layout.attention_dp);
    EXPECT_EQ(c.prefill.cluster.gpus, 2);
    // Ten users: five workers whose attention is cut, with three drafted tokens.
    const auto few = read(split, "trtllm,deepseek-ai/DeepSeek-R1,b300_sxm,fp4,disagg,1024,1024,nvfp4,silicon_concurrency=20;,,2,1,2,,8,1,2");
    ASSERT_TRUE(few);
    ASSERT_EQ(few->cases.size(), 1u);
    EXPECT_DOUBLE_EQ(few->cases[0].decode_workers, 5);
    EXPECT_FALSE(few->cases[0].decode.layout.attention_dp);
    // Lengths or users that no configuration names leave it open.
    const auto other = read(split, "trtllm,deepseek-ai/DeepSeek-R1,b300_sxm,fp4,disagg,1024,1024,nvfp4,silicon_concurrency=655;,,2,1,2,,8,1,2");
    ASSERT_TRUE(other);
    EXPECT_GT(other->cases.size(), 1u);
}

// A worker of 16 GPUs with replicated attention, listed as tp 16, moe_tp 4, moe_ep 4, which elsewhere is how four are listed.
TEST(ServingRows, DegreesAreReadAsTheyStandWhereAConfigurationHasThem)
{
    const auto r = read(std::string(split) + ",decode_moe_tp_size,backend_version",
        "trtllm,deepseek-ai/DeepSeek-R1,gb200,fp4,disagg,1024,8192,nvfp4,silicon_concurrency=3072;,,4,1,4,,16,1,4,4,0.8.1.post2");
    ASSERT_TRUE(r) << r.error().text();
    ASSERT_EQ(r->cases.size(), 1u);
    EXPECT_EQ(r->cases[0].decode.cluster.gpus, 16);
    EXPECT_DOUBLE_EQ(r->cases[0].decode_workers, 3);
    EXPECT_EQ(r->cases[0].drafted, 3);
}

// Scripts of 2025 replicated attention for 64 users and prompts of 8,192 tokens by themselves, and took one prompt a step.
TEST(ServingRows, TheOldestRowsRanWhatTheirScriptsChose)
{
    const std::string header = std::string(aggregated) + ",backend_version,silicon_data_source";
    const std::string row = "trtllm,deepseek-ai/DeepSeek-R1,b200_sxm,fp4,agg,8192,1024,nvfp4,nvfp4,64,8,1,1,8,1,";
    const auto oldest = read(header, row + ",source_file=x; silicon_concurrency=64; wip=False");
    ASSERT_TRUE(oldest) << oldest.error().text();
    EXPECT_TRUE(oldest->cases[0].decode.layout.attention_dp);
    EXPECT_EQ(oldest->cases[0].decode.engine.token_budget, 8192);
    const auto later = read(header, row + "1.2.0rc6.post2,source_file=x; silicon_concurrency=64; wip=False");
    ASSERT_TRUE(later);
    EXPECT_FALSE(later->cases[0].decode.layout.attention_dp);
    EXPECT_EQ(later->cases[0].decode.engine.token_budget, 8256);
}

TEST(ServingRows, BlocksOfWeightsAreNotCut) // trap T20
{
    const auto r = read(aggregated, "vllm,MiniMaxAI/MiniMax-M2.5,h200_sxm,fp8,agg,1024,1024,fp8,fp8_block,16,8,1,1,8,1");
    ASSERT_TRUE(r) << r.error().text(); // 1,536 / 8 = 192 columns would cut blocks of 128
    EXPECT_EQ(r->cases[0].decode.layout.ep, 8);
    const auto four = read(aggregated, "vllm,MiniMaxAI/MiniMax-M2.5,h200_sxm,fp8,agg,1024,1024,fp8,fp8_block,16,4,1,1,4,1");
    ASSERT_TRUE(four);
    EXPECT_EQ(four->cases[0].decode.layout.ep, 1); // 384 is three blocks
}

TEST(ServingRows, ServersAreReadWithTheirSettings)
{
    const std::string header = std::string(aggregated) + ",backend_version,silicon_data_source";
    const std::string row = "sglang,Qwen/Qwen3.5-397B-A17B,b200_sxm,fp8,agg,1024,1024,fp8,fp8,32,8,1,1,8,1,0.5.9,";
    const auto r = read(header, row + "db-dump/x; silicon_concurrency=32;");
    ASSERT_TRUE(r) << r.error().text();
    EXPECT_EQ(r->cases[0].decode.engine.token_budget, 32768);
    EXPECT_DOUBLE_EQ(r->cases[0].load.poll, 30);
    EXPECT_EQ(std::get<Serving>(r->cases[0].decode.workload).input_length, 922); // 0.9 of 1,024 on average
    // Another benchmark: as long as stated, and the engine's own budget.
    const auto other = read(header, row + "source_file=mine.csv; silicon_concurrency=32");
    ASSERT_TRUE(other);
    EXPECT_EQ(other->cases[0].decode.engine.token_budget, 8192);
    EXPECT_EQ(std::get<Serving>(other->cases[0].decode.workload).input_length, 1024);
}

// The batch column is of one attention group: 32 of 8 groups are 256 users, as the row's key says.
TEST(ServingRows, UsersAreThoseOfAllAttentionGroups)
{
    const auto r = read(aggregated, "trtllm,deepseek-ai/DeepSeek-R1,b200_sxm,fp4,agg,1024,1024,nvfp4,nvfp4,32,1,1,8,1,8");
    ASSERT_TRUE(r) << r.error().text();
    EXPECT_DOUBLE_EQ(r->cases[0].load.concurrency, 256);
}

TEST(ServingRows, FourBitWeightsAreUnpackedWithoutFourBitUnits) // trap T7
{
    EXPECT_EQ(serving_recipe("MiniMaxAI/MiniMax-M2.5", "h200_sxm", "nvfp4", "nvfp4", "fp4"), "w4a16");
    EXPECT_EQ(serving_recipe("MiniMaxAI/MiniMax-M2.5", "b300_sxm", "nvfp4", "nvfp4", "fp4"), "nvfp4");
    EXPECT_EQ(serving_recipe("openai/gpt-oss-120b", "h200_sxm", "nvfp4", "nvfp4", "fp4"), "mxfp4");
    EXPECT_EQ(serving_recipe("deepseek-ai/DeepSeek-V3", "h200_sxm", "fp8", "fp8", "fp8"), "fp8_block");
    EXPECT_EQ(serving_recipe("meta-llama/Llama-3.1-70B", "h200_sxm", "fp8", "fp8", "fp8"), "fp8");
}

namespace {

const QuantityScore* quantity(const FileValidation& v, const std::string& name)
{
    for (const QuantityScore& q : v.quantities)
        if (q.quantity == name)
            return &q;
    return nullptr;
}

} // namespace

// What the constants reach on the rows at hand: half of each kind of published point is kept back and judges.
TEST(ServingRows, PublishedPointsArePredicted)
{
    const char* shared = RIDGEPOINT_SHARED_DIR "/reference/measurements/serving.csv";
    if (!read_csv(shared))
        GTEST_SKIP() << "the shared measurements are not here";
    const Expected<FileValidation> v = validate_file(shared, specs());
    ASSERT_TRUE(v) << v.error().text();
    const QuantityScore* tpot = quantity(*v, "silicon_tpot_ms");
    const QuantityScore* ttft = quantity(*v, "silicon_ttft_ms");
    ASSERT_NE(tpot, nullptr);
    ASSERT_NE(ttft, nullptr);
    EXPECT_GE(tpot->predicted, tpot->rows - 4); // four rows cut an odd number of ways
    const Score& dense = tpot->strata.at("architecture").at("dense");
    EXPECT_LT(dense.median_abs_error, 0.10);
    EXPECT_LT(dense.p90_abs_error, 0.35);
    EXPECT_LT(tpot->strata.at("architecture").at("moe").median_abs_error, 0.14);
    // In full: by the row, or by the published configuration that it ran. Aggregated rows state their layout themselves.
    EXPECT_LT(tpot->strata.at("stated").at("in full").median_abs_error, 0.10);
    EXPECT_GE(tpot->strata.at("stated").at("in full").count, 1500);
    EXPECT_LT(tpot->strata.at("mode").at("agg").p90_abs_error, 0.25);
    EXPECT_LT(tpot->strata.at("stated").at("in full").p90_abs_error, 0.265);
    EXPECT_LT(tpot->total.p90_abs_error, 0.35);
    EXPECT_LT(ttft->strata.at("mode").at("agg").median_abs_error, 0.20);
    EXPECT_LT(ttft->strata.at("stated").at("in full").median_abs_error, 0.25);
    EXPECT_LT(ttft->total.median_abs_error, 0.25);
    EXPECT_LT(ttft->strata.at("architecture").at("dense").median_abs_error, 0.25);
    EXPECT_GT(tpot->total.bands, 0);
}

TEST(ServingRows, PublishedThroughputsArePredicted)
{
    const char* shared = RIDGEPOINT_SHARED_DIR "/reference/measurements/serving_offline.csv";
    if (!read_csv(shared))
        GTEST_SKIP() << "the shared measurements are not here";
    const Expected<FileValidation> v = validate_file(shared, specs());
    ASSERT_TRUE(v) << v.error().text();
    const QuantityScore* rate = quantity(*v, "output_tok_s_per_gpu");
    ASSERT_NE(rate, nullptr);
    EXPECT_EQ(rate->predicted, rate->rows);
    EXPECT_LT(rate->total.median_abs_error, 0.15);
    EXPECT_LT(rate->strata.at("architecture").at("dense").median_abs_error, 0.08);
}

// DeepSeek's inference system in production [open-infra-index, day 6, 2025-03-01]: nodes of eight H800 decode 14.8 k tokens/s
// at 20 to 22 tokens/s a user, one drafted token, 4,989 tokens of context on average, experts over 144 GPUs (128 here: 32 of
// the 288 places are copies). Prompts run at 73.7 k tokens/s, of which 56.3 % come from the cache.
TEST(ServingRows, ProductionNodesOfDeepSeek)
{
    const Expected<Transformer> model = served_model(specs(), "DeepSeek-V3");
    ASSERT_TRUE(model);
    Serving decode;
    decode.phase = ServingPhase::decode;
    decode.input_length = 4989;
    decode.output_length = 1;
    decode.concurrency = 88 * 128; // 14.8 k / 8 / 21 sequences a GPU
    Expected<Job> job = served_job(specs(), "H800", *model, Pool{1, 1, 128, 1, 128, 1}, decode, "fp8_block", Framework::sglang);
    ASSERT_TRUE(job) << job.error().text();
    job->assumptions.speculative_tokens = 1;
    job->assumptions.speculative_acceptance = 0.85;
    const Expected<Estimate> d = estimate(*job);
    ASSERT_TRUE(d);
    EXPECT_NEAR(8.0 * d->serving->output_per_second_per_gpu.value(), 14.8e3, 0.2 * 14.8e3);
    Serving prefill;
    prefill.phase = ServingPhase::prefill;
    prefill.input_length = 4096;
    prefill.prefill_batch = 32 * 4;
    prefill.chunk = 16384;
    job = served_job(specs(), "H800", *model, Pool{1, 1, 32, 1, 32, 1}, prefill, "fp8_block", Framework::sglang);
    ASSERT_TRUE(job) << job.error().text();
    const Expected<Estimate> p = estimate(*job);
    ASSERT_TRUE(p);
    EXPECT_NEAR(8.0 * p->serving->input_per_second_per_gpu.value(), 73.7e3 * (1.0 - 0.563), 0.2 * 32.2e3);
}
