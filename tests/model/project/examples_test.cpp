// The examples, checked by hand: FLOPs, bytes, memory and intensities from the published dimensions of the models, worked
// out in the comments without the engine's own formulas.

#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "model/project/fields.h"
#include "model/project/resolve.h"
#include "tests/model/project/catalogue.h"

namespace ridgepoint {
namespace {

Evaluation example(const std::string& name)
{
    const Expected<Plan> plan = load_plan(example_file(name));
    EXPECT_TRUE(plan) << plan.error().text();
    Expected<Evaluation> v = evaluate_only(*plan, catalogue());
    EXPECT_TRUE(v) << v.error().text();
    EXPECT_TRUE(v->estimate.feasible()) << name << ": " << v->verdict;
    return *v;
}

void expect_close(double computed, double by_hand, double tolerance, const char* what)
{
    EXPECT_NEAR(computed / by_hand, 1.0, tolerance) << what << ": " << computed << " against " << by_hand << " by hand";
}

// One operator of the list: of its phase, the one that takes longest.
const Operator& find(const Estimate& e, OperatorKind kind, Phase phase)
{
    const Operator* best = nullptr;
    for (const Operator& op : e.operators)
        if (op.kind == kind && op.phase == phase && (best == nullptr || op.total_time() > best->total_time()))
            best = &op;
    EXPECT_NE(best, nullptr) << name_of(kind);
    static const Operator none;
    return best ? *best : none;
}

constexpr double gib = 1073741824.0;

TEST(Examples, TheBuiltInPlanIsTheExampleFile)
{
    const Expected<Plan> plan = load_plan(example_file("llama-3.1-405b-pretrain-p5en"));
    ASSERT_TRUE(plan) << plan.error().text();
    EXPECT_TRUE(*plan == example_plan());
}

TEST(Examples, AllAreHereAndFit)
{
    int count = 0;
    std::map<std::string, int> kinds;
    for (const auto& entry : std::filesystem::directory_iterator(std::string(RIDGEPOINT_SOURCE_DIR) + "/specs/examples"))
        if (entry.path().extension() == ".ridgepoint") {
            const Expected<Plan> plan = load_plan(entry.path().string());
            ASSERT_TRUE(plan) << plan.error().text();
            ++kinds[field_value(*plan, "/workload/kind")];
            const Evaluation v = example(entry.path().stem().string());
            EXPECT_TRUE(v.cost.price) << entry.path() << v.cost.missing;
            EXPECT_GT(v.estimate.relative_error, 0.0) << "every example has an error bar";
            EXPECT_LT(v.estimate.relative_error, 0.5);
            ++count;
        }
    EXPECT_GE(count, 9);
    EXPECT_EQ(kinds.size(), 6u) << "every kind of workload has an example";
}

// Llama 3.1 405B [arXiv:2407.21783, table 3]: 126 layers, h 16,384, 128 heads of 128, 8 KV heads, f 53,248, V 128,256.
//   attention  h d (a + 2 a_kv) + a d h = 16384 x 128 x 144 + 16384^2        =   570,425,344
//   MLP        3 h f = 3 x 16384 x 53248                                     = 2,617,245,696
//   one layer                                                                = 3,187,671,040 (+ two norms of 16,384)
//   LM head    h V                                                           = 2,101,346,304
TEST(Examples, PretrainingOf405B)
{
    const Evaluation v = example("llama-3.1-405b-pretrain-p5en");
    const TrainingResult& t = *v.estimate.training;
    const double layer = 3'187'671'040.0;
    // Forward, per token: 2 (126 layer + head) + causal attention 4 a d (s + 1)/2 per layer = 4 x 16384 x 4096.5 x 126.
    const double forward = 2.0 * (126 * layer + 2'101'346'304.0) + 4.0 * 16384 * 4096.5 * 126;
    expect_close(t.model_flops_per_step.value(), 3.0 * forward * 2048 * 8192, 1e-12, "model FLOPs of a step");
    // 4.23e19 FLOP over 16,384 x 989.5e12 FLOP/s is 2.612 s at 100 %; MFU is that over the step.
    expect_close(t.mfu, 3.0 * forward * 2048 * 8192 / (16384 * 989.5e12) / t.step.value(), 1e-9, "MFU");
    // Meta reports 38 to 43 % for 400 to 430 TFLOP/s on H100 with these degrees [table 4]; H200 has the same peak.
    EXPECT_GT(t.mfu, 0.33);
    EXPECT_LT(t.mfu, 0.52);
    EXPECT_EQ(t.microbatches, 16); // 2048 sequences / (128 replicas x 1)

    // 126 layers over 16 stages: 14 of them hold 8. tp 8 cuts the matrices, not the norms; the optimizer is cut over dp 128.
    const double rank = 8 * (layer / 8 + 2 * 16384);
    const StageMemory& middle = v.estimate.memory.stages[8];
    expect_close(middle.weights.value(), 2 * rank, 1e-9, "bf16 weights");
    expect_close(middle.gradients.value(), 4 * rank, 1e-9, "fp32 gradients");
    expect_close(middle.optimizer.value(), 12 * rank / 128, 1e-9, "fp32 master and moments, cut over 128");
    EXPECT_GT(v.estimate.memory.stages[0].activations, v.estimate.memory.stages[15].activations) << "the first stage has most microbatches in flight";

    // Gate and up projection, forward: m = 8192 tokens, n = 2 f/8, k = h. 2 m n k = 3.573e12 FLOP;
    // bytes 2 (m k + k n + m n) = 2 (134,217,728 + 218,103,808 + 109,051,904) = 922,746,880: 3,873 FLOP/B, far right of the ridge.
    const Operator& up = find(v.estimate, OperatorKind::gate_up_projection, Phase::forward);
    expect_close(up.flops.value(), 2.0 * 8192 * 13312 * 16384, 1e-12, "FLOPs of gate and up");
    expect_close(up.hbm.value(), 922'746'880.0, 1e-9, "bytes of gate and up");
    EXPECT_EQ(up.time.bound(), Resource::compute);
}

// Llama 3.1 70B: 80 layers, h 8,192, 64 heads of 128, 8 KV heads, f 28,672.
//   attention 8192 x 128 x 80 + 8192^2 = 150,994,944; MLP 3 x 8192 x 28672 = 704,643,072; layer 855,638,016;
//   head and embedding 8192 x 128256 = 1,050,673,152 each.
constexpr double layer_70b = 855'638'016.0;
constexpr double table_70b = 1'050'673'152.0;

TEST(Examples, FineTuningOf70B)
{
    const Evaluation v = example("llama-3.1-70b-sft-p5");
    const TrainingResult& t = *v.estimate.training;
    const double forward = 2.0 * (80 * layer_70b + table_70b) + 4.0 * 8192 * 4096.5 * 80;
    expect_close(t.model_flops_per_step.value(), 3.0 * forward * 64 * 8192, 1e-12, "model FLOPs of a step");
    // 64 GPUs / (8 x 2): dp 4; 64 sequences are 16 microbatches; 1F1B bubble (p-1)/(m+p-1) = 1/17 of the pipeline.
    EXPECT_EQ(v.job.layout.dp, 4);
    EXPECT_EQ(t.microbatches, 16);
    EXPECT_GT(t.bubble_fraction, 0.03);
    EXPECT_LT(t.bubble_fraction, 1.0 / 17.0 + 0.01);
    // Stage 0: 40 layers and the embedding, all over tp 8; V pads to 128,256 = 1002 x 128 -> multiple of 1024: 129,024.
    const double rank = 40 * (layer_70b / 8 + 2 * 8192) + 129'024.0 * 8192 / 8;
    expect_close(v.estimate.memory.stages[0].weights.value(), 2 * rank, 1e-9, "weights of stage 0");
    expect_close(v.estimate.memory.stages[0].optimizer.value(), 12 * rank / 4, 1e-9, "optimizer of stage 0");
    // Nothing is computed again: per token and layer the inputs of two norms and of two products (8 h), Q and attention output
    // (4 a d), K and V (4 a_kv d), log-sum-exp (4 a), gate, up (4 f) and the input of the down projection (2 f):
    // 65,536 + 32,768 + 4,096 + 256 + 114,688 + 57,344 = 274,688 B, cut over tp 8; 40 layers, two microbatches in flight.
    expect_close(v.estimate.memory.stages[0].activations.value(), 274'688.0 * 8192 / 8 * 40 * 2, 1e-9, "activations of stage 0");
    // 1.6384e9 tokens are 3,125 steps.
    expect_close(t.time_to_train->value(), 3125 * t.step.value(), 1e-9, "time of the run");
}

TEST(Examples, LoraOf70BTrainsTheAdaptersOnly)
{
    const Evaluation v = example("llama-3.1-70b-lora-p4de");
    const StageMemory& m = v.estimate.memory.worst();
    // Frozen bf16 weights over tp 8: 2 (80 layers + embedding + head)/8, about 17.6 GB; vocabulary padded as above.
    const double frozen = 2.0 * (80 * (layer_70b / 8 + 2 * 8192) + 2 * 129'024.0 * 8192 / 8);
    // Rank 16: r (in + out) of every matrix, output by output: q 16384, k and v 9216 each, o 16384, gate, up and down 36864 each:
    // 16 x 161,792 = 2,588,672 a layer... 80 of them: 207 M adapters, 1/340 of the model.
    const double adapters = 80 * 16.0 * (16384 + 2 * 9216 + 16384 + 3 * 36864);
    expect_close(m.weights.value(), frozen + 2 * adapters / 8, 0.01, "weights with adapters");
    EXPECT_LT(m.optimizer.value(), 12 * adapters) << "no optimizer state of the frozen weights";
    EXPECT_LT(m.gradients.value(), 4 * adapters);
    // 6N would be forward 2 + backward 4; without weight gradients of the frozen matrices it is 4N, plus attention.
    const double linear = 2.0 * (80 * layer_70b + table_70b);
    const double attention = 4.0 * 8192 * 2048.5 * 80;
    expect_close(v.estimate.training->model_flops_per_step.value(), (2 * linear + 3 * attention) * 32 * 4096, 1e-9, "FLOPs of a step");
}

// Qwen3-235B-A22B: 94 layers, h 4,096, 64 heads of 128, 4 KV heads, 128 experts of width 1,536, 8 per token, V 151,936.
//   attention 4096 x 128 x 72 + 8192 x 4096 = 71,303,168; one expert 3 x 4096 x 1536 = 18,874,368; router 524,288.
TEST(Examples, PretrainingOfAMixture)
{
    const Evaluation v = example("qwen3-235b-a22b-pretrain-p6-b200");
    const TrainingResult& t = *v.estimate.training;
    const double active = 71'303'168.0 + 524'288.0 + 8 * 18'874'368.0;
    const double forward = 2.0 * (94 * active + 4096.0 * 151'936) + 4.0 * 8192 * 2048.5 * 94;
    expect_close(t.model_flops_per_step.value(), 3.0 * forward * 4096 * 4096, 1e-12, "model FLOPs of a step");
    EXPECT_EQ(v.job.layout.dp, 128); // 1024 GPUs / pp 8
    // ep 8: 16 experts on each GPU of a layer. Nearly all weights are experts: 16 x 18.9 M of 374 M a layer.
    const StageMemory& m = v.estimate.memory.stages[3];
    const double layers = m.weights.value() / (2 * (71'303'168.0 + 524'288.0 + 16 * 18'874'368.0));
    EXPECT_NEAR(layers, 94.0 / 8, 0.8) << "stages hold 11 or 12 layers";
    // Rows of one expert: 4096 tokens x 8 of 128 experts over the 8 ranks of the group: 8 x 4096 x 8/128 = 2,048 (balanced),
    // 1.1 times as many on the busiest rank.
    const Operator& expert = find(v.estimate, OperatorKind::expert_gate_up, Phase::forward);
    expect_close(expert.m, 2048, 0.11, "rows of an expert");
    EXPECT_EQ(expert.n, 2 * 1536);
    EXPECT_EQ(expert.k, 4096);
    EXPECT_GT(t.mfu, 0.05);
    EXPECT_LT(t.mfu, 0.35) << "of the FP8 peak, with small experts";
}

// DeepSeek-V3: 61 layers (3 dense), h 7,168, latent 512 + 64, 256 experts of 3 x 7168 x 2048 = 44,040,192.
TEST(Examples, DecodeOfALatentMixture)
{
    const Evaluation v = example("deepseek-v3-decode-p6-b300");
    const ServingResult& s = *v.estimate.serving;
    expect_close(s.kv_bytes_per_token.value(), 576 * 61, 1e-12, "one byte for each of 512 + 64, 61 layers"); // 35,136 B
    // 16 GPUs, one replica: 16 experts of 58 layers on each; the rest of the model whole on each (tp 1).
    const double experts = 58 * 16 * 44'040'192.0;
    const double attention = 61 * 187'105'280.0; // q 48.8 M, kv 20.9 M, o 117.4 M
    const double other = 58 * 44'040'192.0 + 3 * 3.0 * 7168 * 18432; // shared experts, dense MLPs
    const double tables = 2 * 2.0 * 129'280 * 7168; // bf16
    const StageMemory& m = v.estimate.memory.worst();
    expect_close(m.weights.value(), (experts + attention + other) * (1 + 4.0 / 16384) + tables, 0.01, "weights of a GPU");
    // 64 sequences of 4096 + 1024 tokens on each GPU: the latent is not cut.
    expect_close(m.kv_cache.value(), 64 * 5120 * 35'136.0, 1e-9, "KV cache of a GPU");
    // Every expert is hit: 1024 x 8 / 256 = 32 rows each. The GPU streams its weights once per step: 58 GB / 8 TB/s = 7 ms
    // is the floor of a step.
    EXPECT_GT(s.decode_step.value(), (experts + attention) / 8e12);
    EXPECT_LT(s.decode_step.value(), 0.06);
    EXPECT_EQ(s.replicas, 1);
    expect_close(s.output_per_second.value(), 1024 / s.tpot.value(), 1e-9, "tokens per second");
}

TEST(Examples, PrefillOf70B)
{
    const Evaluation v = example("llama-3.1-70b-prefill-p5en");
    const ServingResult& s = *v.estimate.serving;
    // 8,192 tokens: linear layers 2 x 80 x 855,638,016 each in FP8 over 4 GPUs of 1,979 TFLOP/s, attention 4 a d (s+1)/2 x 80
    // in bf16 (989.5), head of one row. The floor: 1.1215e15/(4 x 1979e12) + 8.8e13/(4 x 989.5e12) = 141.7 + 22.2 = 164 ms.
    const double linear = 8192 * 2.0 * 80 * layer_70b;
    const double attention = 8192 * 4.0 * 8192 * 4096.5 * 80;
    const double floor = linear / (4 * 1979e12) + attention / (4 * 989.5e12);
    EXPECT_GT(s.ttft.value(), floor);
    EXPECT_LT(s.ttft.value(), 2.6 * floor);
    double flops = 0;
    for (const Operator& op : v.estimate.operators)
        flops += op.flops.value() * op.count;
    expect_close(flops, (linear + attention) / 4, 0.01, "FLOPs of one GPU");
    EXPECT_EQ(v.estimate.bound(), Resource::compute);
    EXPECT_EQ(s.replicas, 2);
}

// Llama 3.1 8B: 32 layers, h 4,096, 32 heads of 128, 8 KV heads, f 14,336, V 128,256.
TEST(Examples, ServingOf8BOnOneGpu)
{
    const Evaluation v = example("llama-3.1-8b-serving-p5.4xlarge");
    const ServingResult& s = *v.estimate.serving;
    const double layer = 4096.0 * 128 * 48 + 4096.0 * 4096 + 3.0 * 4096 * 14336; // 218,103,808
    const double head = 4096.0 * 128'256;
    // FP8 layers, bf16 tables: 32 x 218 MB + 2 x 2 x 525 MB = 9.08 GB.
    expect_close(v.estimate.memory.worst().weights.value(), 32 * layer + 2 * 2 * head, 0.001, "weights");
    // bf16 cache: 2 x 8 x 128 x 2 B x 32 layers = 131,072 B per token.
    EXPECT_EQ(s.kv_bytes_per_token.value(), 131'072);
    // A decode step reads the weights without the embedding and the cache of 64 sequences of 1024 + 256 tokens:
    // 8.03 GB + 10.7 GB = 18.8 GB; at 3.35 TB/s that is 5.6 ms, and no step is faster.
    const double bytes = 32 * layer + 2 * head + 64 * 1280.0 * 131'072;
    EXPECT_GT(s.decode_step.value(), bytes / 3.35e12);
    EXPECT_LT(s.decode_step.value(), 2.0 * bytes / 3.35e12);
    // Attention of one layer in decode: 4 a d FLOP per key against 2 a_kv d 2 B: 4 FLOP/B at four queries per KV head.
    const Operator& attention = find(v.estimate, OperatorKind::attention, Phase::decode);
    expect_close(attention.intensity().value(), 4.0, 0.02, "intensity of decode attention");
    EXPECT_EQ(attention.time.bound(), Resource::hbm);
    // TPOT carries the prefill of others: 64/512 of a prompt's prefill per token, less what a mixed batch does once for its
    // prompts and its decoding sequences, 70 % at most.
    EXPECT_LT(s.tpot.value(), s.decode_step.value() + 64.0 / 512 * s.prefill_step.value());
    EXPECT_GT(s.tpot.value(), s.decode_step.value() + 0.3 * 64.0 / 512 * s.prefill_step.value());
}

TEST(Examples, LongContextSplitsTheSequence)
{
    const Evaluation v = example("llama-3.1-8b-128k-context-p5en");
    const TrainingResult& t = *v.estimate.training;
    EXPECT_EQ(v.job.layout.dp, 4); // 32 GPUs / cp 8
    EXPECT_EQ(t.microbatches, 8); // 32 sequences / 4
    // Attention dwarfs the rest: 4 x 4096 x 65536.5 x 32 = 3.44e10 against 2 x 7.5e9 = 1.5e10 per token.
    const double layer = 218'103'808.0;
    const double forward = 2.0 * (32 * layer + 4096.0 * 128'256) + 4.0 * 4096 * 65'536.5 * 32;
    expect_close(t.model_flops_per_step.value(), 3.0 * forward * 32 * 131'072, 1e-12, "model FLOPs of a step");
    EXPECT_GT(v.estimate.breakdown[StepPart::attention].total() + v.estimate.breakdown[StepPart::recompute].total(), v.estimate.breakdown[StepPart::gemm].total());
    // A rank holds 16,384 tokens: checkpoints 2 s h per layer = 128 MiB, 32 of them 4 GiB.
    expect_close(v.estimate.memory.worst().activations.value(), 4 * gib, 1e-9, "checkpoints");
    // fp32 master as weights, fully sharded over dp x cp = 32: 16 B x 8.03e9 / 32 = 4.0 GB of states.
    const StageMemory& m = v.estimate.memory.worst();
    expect_close((m.weights + m.gradients + m.optimizer).value(), 16 * 8.03e9 / 32, 0.02, "states");
}

TEST(Examples, OneDomainOf72Gpus)
{
    const Evaluation v = example("llama-3.1-405b-serving-gb200-ultraserver");
    EXPECT_EQ(v.job.cluster.gpus, 72);
    EXPECT_EQ(v.estimate.serving->replicas, 9);
    // NVFP4: 9/16 B for each of 126 x 3,187,671,040, bf16 tables of 2 x 2 x 2,101,346,304, over tp 8: 29.3 GB.
    expect_close(v.estimate.memory.worst().weights.value(), (126 * 3'187'671'040.0 * 9 / 16 + 4 * 2'101'346'304.0) / 8, 0.002, "weights of a GPU");
    // Nothing leaves the NVLink domain.
    for (const Operator& op : v.estimate.operators)
        EXPECT_EQ(op.network.value(), 0.0) << name_of(op.kind);
    EXPECT_EQ(v.estimate.time.part(Resource::network).value(), 0.0);
}

} // namespace
} // namespace ridgepoint
