// Training logs by what the frameworks' own sources write and what public logs hold; figures re-tabulated, each test names
// the project.

#include <gmock/gmock.h>

#include "tests/model/measured/benchmark_facts.h"

using namespace ridgepoint;
using namespace ridgepoint::testing_facts;
using testing::Contains;
using testing::HasSubstr;

namespace {

Measured read(const std::string& text) { return reading_of<TrainingLog>(text); }
TrainingLog log_of(const std::string& text) { return std::get<TrainingLog>(read(text).content); }

std::string mllog(const std::string& key, const std::string& value, const std::string& metadata = {}, long ms = 1000)
{
    return "0: :::MLLOG {\"namespace\": \"\", \"time_ms\": " + std::to_string(ms) + ", \"event_type\": \"POINT_IN_TIME\", \"key\": \"" + key + "\", \"value\": " + value + ", \"metadata\": {\"lineno\": 1" + metadata + "}}\n";
}

// mlcommons/training_results v3.1 and v4.0 (NVIDIA): tracked_stats with the throughput alone. Llama 2 LoRA counts samples:
// 8 sequences a step at 2 per second are 4 s. GPT-3 counts tokens: 2688 x 2048 tokens at 5154997 per second are 1.0679 s, and
// 1211105280 tokens 220 steps. BERT has its samples under epoch_num.
TEST(TrainingWriters, MlperfThroughputInSamplesOrTokens)
{
    const auto lora = log_of(mllog("submission_benchmark", "\"llama2_70b_lora\"") + mllog("global_batch_size", "8") + mllog("tracked_stats", "{\"throughput\": 2.0}", ", \"step\": 384", 5000));
    ASSERT_EQ(1U, lora.steps.size());
    EXPECT_EQ(48, lora.steps[0].step);
    EXPECT_NEAR(4.0, lora.steps[0].time->value(), 1e-12);
    EXPECT_NEAR(2.0, *lora.steps[0].samples_per_second, 1e-12);

    const auto gpt3 = log_of(mllog("submission_benchmark", "\"gpt3\"") + mllog("global_batch_size", "2688") + mllog("max_sequence_length", "2048") + mllog("tracked_stats", "{\"train_epoch_timing\": 234.9}", ", \"step\": 1211105280") + mllog("tracked_stats", "{\"throughput\": 5154997.0}", ", \"step\": 1211105280"));
    ASSERT_EQ(1U, gpt3.steps.size());
    EXPECT_EQ(220, gpt3.steps[0].step);
    EXPECT_NEAR(5154997.0, gpt3.steps[0].tokens_per_second->value(), 1e-6);
    EXPECT_NEAR(1.0679, gpt3.steps[0].time->value(), 1e-4);

    const auto bert = log_of(mllog("submission_benchmark", "\"bert\"") + mllog("global_batch_size", "3072") + mllog("tracked_stats", "{\"throughput\": 15360.0}", ", \"epoch_num\": 798720"));
    ASSERT_EQ(1U, bert.steps.size());
    EXPECT_EQ(260, bert.steps[0].step);
    EXPECT_NEAR(0.2, bert.steps[0].time->value(), 1e-12);
}

// huggingface/transformers trainer_state.json of a run whose loss became NaN: the step stays, the loss is told.
TEST(TrainingWriters, TrainerStateKeepsStepsWithoutALoss)
{
    const auto m = read(R"({"global_step": 20, "log_history": [{"loss": NaN, "grad_norm": Infinity, "step": 10}, {"loss": 2.1, "step": 20}], "max_steps": 40})");
    const auto& log = std::get<TrainingLog>(m.content);
    ASSERT_EQ(2U, log.steps.size());
    EXPECT_EQ(10, log.steps[0].step);
    EXPECT_FALSE(log.steps[0].loss);
    ASSERT_EQ(1U, m.skipped.size());
    EXPECT_EQ("step 10", m.skipped[0].first_place);
}

// hiyouga/LLaMA-Factory src/llamafactory/train/callbacks.py, trainer_log.jsonl.
TEST(TrainingWriters, LlamaFactoryLog)
{
    const auto log = log_of(R"({"current_steps": 10, "total_steps": 100, "loss": 1.2, "lr": 1e-05, "epoch": 0.1, "percentage": 10.0, "elapsed_time": "0:00:50", "remaining_time": "0:07:30", "throughput": 5000.5, "total_tokens": 250025})"
                            "\n"
                            R"({"current_steps": 20, "total_steps": 100, "loss": 1.1, "lr": 1e-05, "epoch": 0.2, "percentage": 20.0, "elapsed_time": "1 day, 0:01:40", "remaining_time": "0:06:40", "throughput": 5100.5, "total_tokens": 510050})"
                            "\n");
    EXPECT_EQ("LLaMA-Factory", log.framework);
    ASSERT_EQ(2U, log.steps.size());
    EXPECT_EQ(20, log.steps[1].step);
    EXPECT_NEAR(5100.5, log.steps[1].tokens_per_second->value(), 1e-9);
    EXPECT_NEAR(86500.0, log.run_time->value(), 1e-9);
    EXPECT_EQ(20, log.run_steps);
}

// pytorch/torchtitan: sizes of the job in sentences (train.py), the mesh in both wordings (distributed/parallel_dims.py); issue
// #1232: ranks without the last stage of a pipeline print a loss of -1.
TEST(TrainingWriters, TorchtitanStatesTheJob)
{
    const std::string step = "[rank0]:[titan] 2025-05-28 21:13:37,816 - root - INFO - step:  1  loss: -1.0000  memory: 36.90GiB(46.63%)  tps: 4  tflops: 0.90  mfu: 0.29%\n";
    const std::string sizes = "[rank0]:[titan] 2025-05-28 21:11:37,626 - root - INFO - Trainer is initialized with local batch size 2, global batch size 32, gradient accumulation steps 1, sequence length 4096, total steps 10 (warmup 2).\n";
    for (const std::string mesh : {"Building device mesh with parallelism: pp=4, dp_replicate=1, dp_shard=2, cp=1, tp=8, ep=1", "Building 3-D device mesh with ['pp', 'dp_shard', 'tp'], [4, 2, 8]", "Building 3-D device mesh with ('pp', 'dp', 'tp'), [4, 2, 8]"}) {
        const auto m = read("[rank0]:[titan] 2025-05-28 21:11:30,626 - root - INFO - " + mesh + "\n" + sizes + step);
        const auto& log = std::get<TrainingLog>(m.content);
        ASSERT_EQ(1U, log.steps.size());
        EXPECT_FALSE(log.steps[0].loss);
        ASSERT_EQ(1U, m.skipped.size());
        EXPECT_EQ(2, log.micro_batch);
        EXPECT_EQ(32, log.global_batch);
        EXPECT_EQ(4096, log.sequence_length);
        EXPECT_EQ(64, log.gpus) << mesh;
        EXPECT_EQ(2, log.dp) << mesh;
        EXPECT_EQ(8, log.tp) << mesh;
        EXPECT_EQ(4, log.pp) << mesh;
    }
    EXPECT_FALSE(log_of("Building 2-D device mesh with ['a', [, '], [\n" + step).gpus); // broken ones are survived
}

// Bars: Lightning-AI/pytorch-lightning RichProgressBar, meta-pytorch/torchtune's tqdm.
TEST(TrainingWriters, BarsOfRichAndTorchtune)
{
    const auto rich = log_of("Epoch 0/9 \u2501\u2501\u2501\u2501 12/1875 0:00:01 \u2022 0:00:10 125.00it/s v_num: 0.000 train_loss: 0.5\n");
    ASSERT_EQ(1U, rich.steps.size());
    EXPECT_EQ(12, rich.steps[0].step);
    EXPECT_NEAR(0.008, rich.steps[0].time->value(), 1e-12);
    const auto tune = log_of("\r1|5|Loss: 1.65:   1%|          | 5/1617 [00:25<8:25:19, 18.75s/it]");
    ASSERT_EQ(1U, tune.steps.size());
    EXPECT_EQ(5, tune.steps[0].step);
    EXPECT_NEAR(18.75, tune.steps[0].time->value(), 1e-12);
    EXPECT_FALSE(read_measured_text("Loading checkpoint shards:  50%|#####     | 5/10 [00:25<00:19, 2.75s/it]\n", "x")); // no training
}

// pytorch/torchtitan in its first months, and deepspeedai/Megatron-DeepSpeed without a blank before the bracket.
TEST(TrainingWriters, EarlyTorchtitanAndTokensOfAGpu)
{
    const auto titan = log_of("[rank0]:2024-03-01 17:00:01,123 - root - INFO - \x1b[36mstep: 7  \x1b[32mloss:  7.6163  \x1b[39miter: \x1b[34m 0.8750\x1b[39m  data: 0.0372  lr: 0.00026667\n");
    ASSERT_EQ(1U, titan.steps.size());
    EXPECT_EQ(7, titan.steps[0].step);
    EXPECT_NEAR(0.875, titan.steps[0].time->value(), 1e-12);
    const auto megatron = log_of("     iteration        1/  317892 | consumed samples:           96 | elapsed time per iteration (ms): 25849.1 | global batch size:    96 | lm loss: 1.1E+01 | samples per second: 3.714 | tokens per gpu per second(tgs): 633.832 | TFLOPs: 30.1 |\n");
    ASSERT_EQ(1U, megatron.steps.size());
    EXPECT_NEAR(633.832, megatron.steps[0].tokens_per_second_per_gpu->value(), 1e-9);
}

// NVIDIA/DeepLearningExamples: metrics have the names of their model and a record with their unit; a summary closes the run.
TEST(TrainingWriters, DlloggerStatesUnits)
{
    const auto txl = log_of(R"(DLLL {"timestamp": "1.0", "elapsedtime": "0.1", "type": "METADATA", "metric": "train_throughput", "metadata": {"unit": "tokens/s"}})"
                            "\n"
                            R"(DLLL {"timestamp": "2.0", "elapsedtime": "9.5", "type": "LOG", "step": [0, 10], "data": {"epoch": 0, "train_loss": 10.5, "train_throughput": 51234.5}})"
                            "\n");
    EXPECT_EQ("DLLogger", txl.framework);
    ASSERT_EQ(1U, txl.steps.size());
    EXPECT_EQ(10, txl.steps[0].step);
    EXPECT_NEAR(51234.5, txl.steps[0].tokens_per_second->value(), 1e-9);
    const auto resnet = log_of(R"(DLLL {"timestamp": "2.0", "type": "LOG", "step": [0, 20], "data": {"train.loss": 6.9, "train.compute_ips": 2800.5, "train.total_ips": 2750.5}})"
                               "\n"
                               R"(DLLL {"timestamp": "3.0", "type": "LOG", "step": [], "data": {"e2e_train_time": 1234.5, "raw_train_time": 1200.5}})"
                               "\n");
    ASSERT_EQ(1U, resnet.steps.size());
    EXPECT_NEAR(2750.5, *resnet.steps[0].samples_per_second, 1e-9);
    EXPECT_NEAR(1200.5, resnet.run_time->value(), 1e-9);
}

// deepspeedai/DeepSpeed utils/timer.py divides by 1024**3; AMD-AGI/Primus states 191.98 "GB" for the 192 GiB of an MI300X.
TEST(TrainingWriters, GigabytesThatAreGibibytes)
{
    constexpr double gib = 1024.0 * 1024.0 * 1024.0;
    const auto deepspeed = log_of("[2023-08-02 00:41:17,936] [INFO] [timer.py:215:stop] epoch=0/micro_step=40/global_step=10, RunningAvgSamplesPerSec=220.5, CurrSamplesPerSec=222.5, MemAllocated=4.32GB, MaxMemAllocated=38.5GB\n");
    ASSERT_EQ(1U, deepspeed.steps.size());
    EXPECT_EQ(10, deepspeed.steps[0].step);
    EXPECT_NEAR(222.5, *deepspeed.steps[0].samples_per_second, 1e-12);
    EXPECT_NEAR(38.5 * gib, deepspeed.steps[0].memory->value(), 1);
    const auto primus = log_of(" [2026-01-16 07:32:24] iteration        5/     100 | consumed samples:        10240 | elapsed time per iteration (ms): 15800.0/15700.1 | hip mem usage/free/total/usage_ratio: 100.5GB/91.48GB/191.98GB/52.35% | throughput per GPU (TFLOP/s/GPU): 490.0/489.1 | global batch size:  2048 | lm loss: 1.3E+01 |\n");
    ASSERT_EQ(1U, primus.steps.size());
    EXPECT_NEAR(100.5 * gib, primus.steps[0].memory->value(), 1);
}

// containerd's log files (/var/log/pods), and the only line of a file behind a launcher's tag.
TEST(TrainingWriters, ContainerLogsAndDocumentsOfOneLine)
{
    std::string text;
    for (const char* line : {"[step=1/10,epoch=0]", "    train/CrossEntropyLoss=11.2", "    throughput/device/tokens_per_second=12,301", "[step=2/10,epoch=0]", "    throughput/device/tokens_per_second=12,303"})
        text += "2025-01-01T10:00:00.123456789Z stdout F " + std::string(line) + "\n";
    const auto blocks = log_of(text);
    ASSERT_EQ(2U, blocks.steps.size());
    EXPECT_NEAR(12303.0, blocks.steps[1].tokens_per_second_per_gpu->value(), 1e-9);
    for (const std::string prefix : {"0: ", "2025-01-01T10:00:00Z ", "[pod/a/b] ", "2025-01-01T10:00:00Z stdout F "})
        EXPECT_EQ(1U, log_of(prefix + R"({"global_step": 20, "log_history": [{"loss": 2.1, "step": 20}]})").steps.size()) << prefix;
    EXPECT_FALSE(read_measured_text("trainer-1  |   5%|#  | 2/40 [00:02<00:50,  1.29s/it]\n", "x")); // the name of a pod is no training
}

// Lines of JSON have commas as well: they are no table of values.
TEST(TrainingWriters, LinesOfJsonAreNoTable)
{
    EXPECT_FALSE(read_measured_text("{\"a\": 1, \"b\": \"x\", \"c\": 2}\n{\"a\": 2, \"b\": \"y\", \"c\": 3}\n", "x"));
}

} // namespace
