// Variants of training logs as the frameworks write them, figures re-tabulated by hand; each test names the writer it follows.

#include <gmock/gmock.h>

#include "tests/model/measured/benchmark_facts.h"

using namespace ridgepoint;
using namespace ridgepoint::testing_facts;

namespace {

TrainingLog log_of(const std::string& text) { return std::get<TrainingLog>(reading_of<TrainingLog>(text).content); }

// modelscope/ms-swift: "train_speed(iter/s)", "memory(GiB)" and "global_step/max_steps" beside the Trainer's own.
TEST(TrainingVariants, SwiftStatesSpeedAndMemory)
{
    const std::string record = R"j("loss": 1.5, "grad_norm": 1.2, "memory(GiB)": 20.5, "train_speed(iter/s)": 0.125, "epoch": 0.1)j";
    const std::string printed = "{'loss': 1.5, 'grad_norm': 1.2, 'memory(GiB)': 20.5, 'train_speed(iter/s)': 0.125, 'epoch': 0.1, 'global_step/max_steps': '10/40', 'percentage': '25.00%'}\n";
    for (const std::string& text : {R"({"global_step": 40, "log_history": [{"step": 10, )" + record + "}]}", "{" + record + R"(, "global_step/max_steps": "10/40"})" + "\n", "Train:  25%|##  | 10/40 [01:20<04:00,  8.00s/it]\r" + printed}) {
        const auto log = log_of(text);
        ASSERT_EQ(1U, log.steps.size()) << text;
        EXPECT_EQ(10, log.steps[0].step) << text;
        ASSERT_TRUE(log.steps[0].time) << text;
        EXPECT_NEAR(8, log.steps[0].time->value(), 1e-12);
        ASSERT_TRUE(log.steps[0].memory) << text;
        EXPECT_NEAR(20.5 * 1073741824.0, log.steps[0].memory->value(), 1);
    }
}

// NVIDIA-NeMo/Megatron-Bridge prints the throughput on a line of its own before the iteration's.
TEST(TrainingVariants, MegatronBridgeThroughputBeforeTheIteration)
{
    const auto log = log_of("Step Time : 6.21s GPU utilization: 750.9MODEL_TFLOP/s/GPU\n [2025-10-01 12:00:00] iteration        1/      50 | consumed samples:          512 | elapsed time per iteration (ms): 6210.0 | global batch size:   512 | lm loss: 1.2E+01 |\n"
                            " [2025-10-01 12:00:07] iteration        2/      50 | consumed samples:         1024 | elapsed time per iteration (ms): 6200.0 | global batch size:   512 | lm loss: 1.1E+01 |\n");
    ASSERT_EQ(2U, log.steps.size());
    ASSERT_TRUE(log.steps[0].flops_per_gpu);
    EXPECT_NEAR(750.9e12, log.steps[0].flops_per_gpu->value(), 1e6);
    EXPECT_FALSE(log.steps[1].flops_per_gpu);
}

// NVIDIA/Megatron-LM functional tests until 2024: the mean alone.
TEST(TrainingVariants, OldGoldenValues)
{
    const auto log = log_of(R"({"lm loss": {"start_step": 0, "end_step": 50, "step_interval": 5, "values": [10.8, 10.7]}, "num-zeros": {"start_step": 0, "end_step": 50, "step_interval": 5, "values": [1, 2]}, "iteration_timing_avg": 0.08})");
    EXPECT_EQ(50, log.run_steps);
    EXPECT_NEAR(4.0, log.run_time->value(), 1e-12);
    EXPECT_NEAR(0.08, steady_part(log).step->value(), 1e-12);
}

// microsoft/DeepSpeed: the configuration is printed by its logger (config.py print), the speed by timer.py; without the batch no time.
TEST(TrainingVariants, DeepSpeedBatchBehindALogger)
{
    const auto log = log_of("[2023-07-05 10:39:54,260] [INFO] [config.py:964:print]   train_batch_size ............. 32\n[2023-07-05 10:39:54,260] [INFO] [config.py:964:print]   world_size ................... 8\n"
                            "[2023-07-05 10:40:01,000] [INFO] [timer.py:260:stop] epoch=0/micro_step=10/global_step=10, RunningAvgSamplesPerSec=6.1, CurrSamplesPerSec=6.4, MemAllocated=4.01GB, MaxMemAllocated=12.3GB\n");
    EXPECT_EQ(32, log.global_batch);
    EXPECT_EQ(8, log.gpus);
    ASSERT_EQ(1U, log.steps.size());
    EXPECT_NEAR(5.0, log.steps[0].time->value(), 1e-12); // 32 / 6.4
}

// NVIDIA/dllogger: "step" is a number or a tuple of epoch and iteration.
TEST(TrainingVariants, DlloggerStepOfATuple)
{
    const auto log = log_of("DLLL {\"timestamp\": \"1\", \"elapsedtime\": \"3\", \"type\": \"LOG\", \"step\": [1, 7], \"data\": {\"train_step_timing\": 0.5}}\n");
    ASSERT_EQ(1U, log.steps.size());
    EXPECT_EQ(7, log.steps[0].step);
}

// Blocks of lines (mosaicml/composer, allenai/OLMo) and JSON as kubectl and docker compose hand them on.
TEST(TrainingVariants, CollectorsTagEveryLine)
{
    for (const std::string tag : {"2025-10-01T10:00:00.123456789Z ", "2025-10-01T10:00:00+02:00 ", "[pod/train-0/main] ", "[pod/train-0/main] 2025-10-01T10:00:00Z ", "train-1  | "}) {
        const auto log = log_of(tag + "[batch=1/48]:\n" + tag + "\t Train loss/train/total: 11.9\n" + tag + "\t Train throughput/batches_per_sec: 0.1\n" + tag + "\t Train throughput/device/tokens_per_sec: 10624.5\n");
        ASSERT_EQ(1U, log.steps.size()) << tag;
        EXPECT_NEAR(10, log.steps[0].time->value(), 1e-12);
        EXPECT_NEAR(10624.5, log.steps[0].tokens_per_second_per_gpu->value(), 1e-9);
        const auto state = log_of(tag + "{\n" + tag + "  \"global_step\": 4, \"log_history\": [{\"step\": 4, \"loss\": 1.0},\n" + tag + " {\"train_runtime\": 8.0}]}\n");
        EXPECT_NEAR(2.0, steady_part(state).step->value(), 1e-12) << tag;
    }
}

// Megatron-DeepSpeed, and its fork at Argonne (github.com/argonne-lcf/Megatron-DeepSpeed) that names figures with '='.
TEST(TrainingVariants, MegatronDeepSpeedNamesTokensOfAGpu)
{
    for (const char* line : {"      iteration      200/    1000 | consumed samples:       153600 | consumed tokens:    629145600 | elapsed time per iteration (ms): 14000.0 | learning rate: 2.407E-04 | global batch size:   768 | lm loss: 5.9E+00 | loss scale: 8192.0 | actual seqlen:  4096 | number of skipped iterations:   0 | number of nan iterations:   0 | samples per second: 54.5 | tokens per gpu per second (tgs): 1150.25 | TFLOPs: 70.5 |\n",
             "> [2024-04-21 02:45:40][INFO][training:1] iteration=     200/    1000 | consumed_samples=      153600 | consumed_tokens=   629145600 | elapsed_time_per_iteration_ms=14000.0 | learning_rate=2.407e-04 | global_batch_size=  768 | lm loss=5.9 | loss_scale=8192.0 | actual_seqlen= 4096 | samples_per_second=54.5 | tokens_per_gpu_per_second_tgs=1150.25 | TFLOPs=70.5 |\n"}) {
        const auto log = log_of(line);
        ASSERT_EQ(1U, log.steps.size());
        EXPECT_EQ(768, log.global_batch);
        EXPECT_EQ(200, log.steps[0].step);
        EXPECT_NEAR(14.0, log.steps[0].time->value(), 1e-9);
        EXPECT_NEAR(54.5, *log.steps[0].samples_per_second, 1e-9);
        ASSERT_TRUE(log.steps[0].tokens_per_second_per_gpu);
        EXPECT_NEAR(1150.25, log.steps[0].tokens_per_second_per_gpu->value(), 1e-9);
        EXPECT_NEAR(70.5e12, log.steps[0].flops_per_gpu->value(), 1e3);
    }
}

} // namespace
