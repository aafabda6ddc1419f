// Logs of training: the reference facts of published files, and a small file of each dialect written for the test.

#include <cstring>

#include "tests/model/measured/shared_facts.h"

namespace ridgepoint {
namespace {

Measured only(const std::string& text)
{
    const auto found = read_measured_text(text, "test.log");
    EXPECT_TRUE(found) << (found ? "" : found.error().text());
    if (!found || found->empty())
        return {};
    EXPECT_EQ(found->size(), 1U);
    return found->front();
}

TrainingLog log_of(const std::string& text)
{
    const Measured m = only(text);
    const auto* log = std::get_if<TrainingLog>(&m.content);
    EXPECT_NE(log, nullptr) << m.format;
    return log != nullptr ? *log : TrainingLog{};
}

TEST(TrainingLogs, PublishedFilesGiveTheirReferenceFacts)
{
    if (!std::filesystem::exists(shared_traces()))
        GTEST_SKIP() << "no reference files at " << shared_traces();
    const nlohmann::json facts = other_facts();
    int files = 0;
    for (const auto& [file, want] : facts.items()) {
        if (file.find("training/") == std::string::npos)
            continue;
        SCOPED_TRACE(file);
        const auto found = read_measured((shared_traces() / file).string());
        ASSERT_TRUE(found) << found.error().text();
        ASSERT_EQ(found->size(), 1U);
        expect_facts(found->front().facts, want, file);
        ++files;
    }
    EXPECT_GE(files, 6);
}

TEST(TrainingLogs, PublishedEventFileHoldsFiftySteps)
{
    const auto file = shared_traces() / "derived/training/events.out.tfevents.1726000000.host.1.0";
    if (!std::filesystem::exists(file))
        GTEST_SKIP() << "no reference files";
    const auto found = read_measured(file.string());
    ASSERT_TRUE(found) << found.error().text();
    const auto* log = std::get_if<TrainingLog>(&found->front().content);
    ASSERT_NE(log, nullptr);
    // 1 version record and 50 steps x 3 tags, one of them a TB2 tensor.
    EXPECT_EQ(found->front().facts["n_records"], 151);
    EXPECT_EQ(log->steps.size(), 50U);
    for (const TrainingStep& s : log->steps)
        EXPECT_TRUE(s.time && s.flops_per_gpu && s.loss);
    EXPECT_TRUE(found->front().skipped.empty());
}

TEST(TrainingLogs, SeveralFrameworksInOneFileAreReadApart)
{
    const auto file = shared_traces() / "derived/training/other_log_variants.log";
    if (!std::filesystem::exists(file))
        GTEST_SKIP() << "no reference files";
    const auto found = read_measured(file.string());
    ASSERT_TRUE(found);
    std::map<std::string, std::size_t> steps;
    for (const Measured& m : *found)
        if (const auto* log = std::get_if<TrainingLog>(&m.content))
            steps[log->framework] = log->steps.size();
    EXPECT_EQ(steps["torchtitan"], 1U);
    EXPECT_EQ(steps["NeMo"], 2U);
    EXPECT_EQ(steps["a framework that is not named"], 2U);
}

TEST(TrainingLogs, MegatronSettingsAndTimers)
{
    const TrainingLog log = log_of("using world size: 64, data-parallel size: 1, context-parallel size: 2, tensor-model-parallel size: 4, pipeline-model-parallel size: 8\n"
                                   "  seq_length ...................................... 4096\n  micro_batch_size ................................ 2\n"
                                   " [2024-08-21 10:19:42] iteration        1/   25000 | consumed samples: 4096 | elapsed time per iteration (ms): 1000.5 | throughput per GPU (TFLOP/s/GPU): 449.6 | iteration time: 9.9 s | "
                                   "global batch size:  1,024 | lm loss: 2.12E+00 |\n"
                                   "    (min, max) time across ranks (ms):\n    forward-backward ...............................: (900.00, 950.50)\n    optimizer ......................................: (20.25, 21.00)\n"
                                   " time (ms) | forward-compute: 100.5 | backward-compute: 200.0\n");
    ASSERT_EQ(log.steps.size(), 1U);
    EXPECT_EQ(log.steps[0].step, 1);
    EXPECT_DOUBLE_EQ(log.steps[0].time->value(), 1.0005); // the first figure, not the rounded one behind it
    EXPECT_DOUBLE_EQ(log.steps[0].flops_per_gpu->value(), 449.6e12);
    EXPECT_DOUBLE_EQ(*log.steps[0].loss, 2.12);
    EXPECT_EQ(log.gpus, 64);
    EXPECT_EQ(log.tp, 4);
    EXPECT_EQ(log.pp, 8);
    EXPECT_EQ(log.cp, 2);
    EXPECT_EQ(log.sequence_length, 4096);
    EXPECT_EQ(log.micro_batch, 2);
    EXPECT_EQ(log.global_batch, 1024);
    ASSERT_EQ(log.timers.size(), 4U);
    const auto timer = std::find_if(log.timers.begin(), log.timers.end(), [](const TrainingTimer& t) { return t.name == "forward-backward"; });
    ASSERT_NE(timer, log.timers.end());
    EXPECT_DOUBLE_EQ(timer->least.value(), 0.9);
    EXPECT_DOUBLE_EQ(timer->most.value(), 0.9505);
}

TEST(TrainingLogs, PrimusPrintsThisStepAndTheAverage)
{
    const TrainingLog log = log_of("[rank-7/8][INFO ] [--------trainer.py:2560] : iteration 4408/ 5000 | consumed samples: 564224 | elapsed time per iteration (ms): 13100.0/13240.9 | hip mem usage/free/total/usage_ratio: "
                                   "153.81GB/102.17GB/255.98GB/60.09% | throughput per GPU (TFLOP/s/GPU): 579.4/573.6 | tokens per GPU (tokens/s/GPU): 10005.5/9903.7 | global batch size: 128 |\n");
    ASSERT_EQ(log.steps.size(), 1U);
    EXPECT_EQ(log.steps[0].step, 4408);
    EXPECT_DOUBLE_EQ(log.steps[0].time->value(), 13.1);
    EXPECT_DOUBLE_EQ(log.steps[0].flops_per_gpu->value(), 579.4e12);
    EXPECT_DOUBLE_EQ(log.steps[0].tokens_per_second_per_gpu->value(), 10005.5);
    EXPECT_DOUBLE_EQ(log.steps[0].memory->value(), 153.81 * 1073741824); // Primus divides by 1024^3
}

TEST(TrainingLogs, LaunchersTagsAndCarriageReturns)
{
    const std::string step = "iteration 7/ 10 | elapsed time per iteration (ms): 500.0 | global batch size: 8 |";
    for (const auto& [tag, rank] : {std::pair{"3: ", 3}, std::pair{"[default5]: ", 5}, std::pair{"[rank6]:", 6}, std::pair{"[1,12]<stdout>:", 12}, std::pair{" 11:  [2026-05-29 03:52:45] ", 11}}) {
        SCOPED_TRACE(tag);
        const TrainingLog log = log_of(tag + step + "\n");
        ASSERT_EQ(log.steps.size(), 1U);
        EXPECT_EQ(log.steps[0].step, 7);
        EXPECT_EQ(log.steps[0].rank, rank);
        EXPECT_DOUBLE_EQ(log.steps[0].time->value(), 0.5);
    }
    const TrainingLog bar = log_of("Epoch 0:   2%|2         | 1/50 [00:46<37:55, reduced_train_loss=11.00, global_step=0.000, consumed_samples=256.0, train_step_timing in s=46.40]\r"
                                   "Epoch 0:   4%|4         | 2/50 [00:52<20:55, reduced_train_loss=10.00, global_step=1.000, consumed_samples=512.0, train_step_timing in s=5.900]\r\n");
    ASSERT_EQ(bar.steps.size(), 2U);
    EXPECT_EQ(bar.steps[1].step, 1);
    EXPECT_DOUBLE_EQ(bar.steps[1].time->value(), 5.9);
    EXPECT_DOUBLE_EQ(*bar.steps[1].loss, 10);
}

TEST(TrainingLogs, TorchtitanRanksThatPrintOneStepAreOneStep)
{
    std::string text;
    for (int step = 1; step <= 20; ++step)
        for (int rank = 0; rank < 4; ++rank)
            text += std::to_string(rank) + ": \x1b[36mstep: " + std::to_string(step) + "  \x1b[32mloss:  3.4  \x1b[33mmemory: 68.57GiB(86.69%)  \x1b[34mtps: " + (step < 3 ? "1,000" : "6,785") + "  \x1b[36mtflops: 253.41  \x1b[35mmfu: 39.73%\x1b[39m\n";
    const TrainingLog log = log_of(text);
    EXPECT_EQ(log.steps.size(), 80U);
    EXPECT_DOUBLE_EQ(log.steps[0].memory->value(), 68.57 * 1073741824.0);
    const SteadyPart steady = steady_part(log);
    EXPECT_EQ(steady.dropped_warm_up, 2);
    EXPECT_EQ(steady.used, 18);
    EXPECT_NEAR(steady.tokens_per_second_per_gpu->value(), 6785, 1e-6);
    EXPECT_NEAR(*steady.mfu, 0.3973, 1e-9);
}

struct Dialect {
    const char* framework;
    const char* text;
    double seconds; // of the first step; 0: none
    double tokens_per_gpu;
};

TEST(TrainingLogs, EachDialect)
{
    const Dialect dialects[] = {
        {"MaxText", "completed step: 5, seconds: 3.200, TFLOP/s/device: 155.250, Tokens/s/device: 2560.000, total_weights: 65536, loss: 10.871\n", 3.2, 2560},
        {"Nanotron", "[INFO|DP=0|PP=0|TP=0]: iteration: 5 / 100 | consumed_tokens: 1.05M | elapsed_time_per_iteration_ms: 1.25K | tokens_per_sec: 123K | tokens_per_sec_per_gpu: 15.4K | global_batch_size: 512 | lm_loss: 10.3 | model_tflops_per_gpu: 140\n", 1.25, 15400},
        {"NeMo", "global_step: 29 | reduced_train_loss: 11.03 | train_step_timing in s: 46.84 | \n", 46.84, 0},
        {"DeepSpeed", "[2023-08-02 00:41:17,936] [INFO] [timer.py:215:stop] epoch=0/micro_step=40/global_step=10, RunningAvgSamplesPerSec=25.02, CurrSamplesPerSec=25.70, MemAllocated=4.32GB, MaxMemAllocated=38.49GB\n", 0, 0},
        {"DeepSpeed", "steps: 10 loss: 3.4512 iter time (s): 1.234 samples/sec: 12.966\n", 1.234, 0},
        {"Composer", "[batch=20/4800]:\n\t Train time/batch: 19\n\t Train loss/train/total: 10.1\n\t Train throughput/batches_per_sec: 0.2500\n\t Train throughput/device/batches_per_sec: 0.0312\n\t Train throughput/device/tokens_per_sec: 12345.6\n\t Train throughput/device/mfu: 0.4400\n", 4, 12345.6},
        {"OLMo", "[2024-04-17 09:42:38] INFO     [olmo.train:816, rank=0] [step=2/739328]\n    train/CrossEntropyLoss=10.73\n    throughput/device/tokens_per_second=45,538\n    throughput/device/batches_per_second=0.0625\n    System/Peak GPU Memory (MB)=43,309\n", 16, 45538},
        {"OLMo", "2025-01-01 10:00:00.123\thost:0\tolmo_core.train.callbacks.console_logger:10\tINFO\t[step=10/1000,epoch=1,eta=1h]\n    train/CE loss=9.1\n    throughput/device/TPS=12,345\n    throughput/device/TPS (actual avg)=11,000\n    throughput/device/BPS=0.5\n    throughput/device/MFU=41.5\n", 2, 12345},
        {"progress bar", "Epoch 0:  12%|1         | 12/100 [01:10<08:30,  0.25it/s, v_num=0, train_loss=2.3]\n", 4, 0},
        {"a framework that is not named", "Step 5 | loss:1.234 lr:2e-05 tokens_per_second_per_gpu:1234.5 peak_memory_active:40.5\n", 0, 1234.5},
        {"a framework that is not named", "step 12: step_time_ms=250.5, loss=3.1\n", 0.2505, 0},
        {"a tracker's JSON lines", "{\"train/loss\": 2.0, \"train/global_step\": 3, \"train_step_timing in s\": 1.5}\n{\"train/loss\": 1.9, \"train/global_step\": 4, \"train_step_timing in s\": 1.25}\n", 1.5, 0},
        {"wandb", "\"_step\",\"_runtime\",\"throughput/device/tokens_per_sec\",\"throughput/tokens_per_sec\",\"time/train\"\n10,12.5,,,\n20,25.0,8000.5,64004,0.01\n", 0, 8000.5},
        {"a tracker's table", "\"Step\",\"run-7 - train_step_timing in s\",\"run-7 - train_step_timing in s__MIN\",\"run-7 - train_step_timing in s__MAX\"\n1,2.5,2.5,2.5\n2,2.6,2.6,2.6\n", 2.5, 0},
        {"a tracker's table", "run_id,key,value,step,timestamp\nabc,step_time,1.5,1,1700000000000\nabc,loss,3,1,1700000000000\nabc,step_time,1.6,2,1700000002000\n", 1.5, 0},
    };
    for (const Dialect& d : dialects) {
        SCOPED_TRACE(d.text);
        const TrainingLog log = log_of(d.text);
        EXPECT_EQ(log.framework, d.framework);
        ASSERT_FALSE(log.steps.empty());
        const TrainingStep& s = log.steps[0];
        EXPECT_EQ(s.time.has_value(), d.seconds > 0);
        if (s.time) {
            EXPECT_NEAR(s.time->value(), d.seconds, 1e-9);
        }
        EXPECT_EQ(s.tokens_per_second_per_gpu.has_value(), d.tokens_per_gpu > 0);
        if (s.tokens_per_second_per_gpu) {
            EXPECT_NEAR(s.tokens_per_second_per_gpu->value(), d.tokens_per_gpu, 1e-6);
        }
    }
}

TEST(TrainingLogs, DeepSpeedsSamplesPerSecondNeedTheBatch)
{
    const std::string line = "[INFO] [timer.py:198:stop] 0/20, RunningAvgSamplesPerSec=232.7, CurrSamplesPerSec=250.0, MemAllocated=0.36GB, MaxMemAllocated=15.06GB\n";
    const TrainingLog without = log_of(line);
    EXPECT_EQ(without.steps.at(0).step, 20);
    EXPECT_FALSE(without.steps[0].time);
    EXPECT_DOUBLE_EQ(*without.steps[0].samples_per_second, 250);
}

TEST(TrainingLogs, HuggingFaceConsoleClosesWithTheTotals)
{
    // 471.7 s x 0.095 steps/s = 44.8: 45 steps.
    const Measured m = only("{'loss': 8.3368, 'grad_norm': 47.77, 'learning_rate': 0.00016, 'epoch': 0.67}\n{'loss': '1.2565', 'epoch': '1.33'}\n"
                            "{'train_runtime': 472.0904, 'train_samples_per_second': 0.763, 'train_steps_per_second': 0.095, 'train_loss': 2.38, 'epoch': 3.0}\n");
    const auto& log = std::get<TrainingLog>(m.content);
    EXPECT_EQ(log.steps.size(), 2U);
    EXPECT_DOUBLE_EQ(*log.steps[1].loss, 1.2565);
    EXPECT_DOUBLE_EQ(log.run_time->value(), 472.0904);
    EXPECT_EQ(log.run_steps, 45);
    const SteadyPart steady = steady_part(log);
    EXPECT_TRUE(steady.mean_of_run);
    EXPECT_NEAR(steady.step->value(), 472.0904 / 45, 1e-9);
}

TEST(TrainingLogs, GoldenValuesOfBothMegatrons)
{
    const Measured bridge = only(R"json({"0": {"elapsed time per iteration (ms)": 20000.0, "GPU utilization": 100.5, "lm loss": 11.0}, "1": {"elapsed time per iteration (ms)": 1000.0, "GPU utilization": 700.25}, "10": {"elapsed time per iteration (ms)": 1010.0, "GPU utilization": "nan"}, "alloc": 12.5, "max_alloc": 60.25})json");
    const auto& a = std::get<TrainingLog>(bridge.content);
    ASSERT_EQ(a.steps.size(), 3U);
    EXPECT_EQ(a.steps[2].step, 10); // in the order of steps, not of text
    EXPECT_DOUBLE_EQ(a.steps[1].flops_per_gpu->value(), 700.25e12);
    EXPECT_FALSE(a.steps[2].flops_per_gpu);
    EXPECT_EQ(bridge.facts["max_alloc"], 60.25);
    const auto b = std::get<TrainingLog>(only(R"json({"lm loss": {"start_step": 1, "end_step": 100, "step_interval": 5, "values": [10.8, 10.7]}, "iteration-time": {"start_step": 1, "end_step": 100, "step_interval": 5, "values": {"1": 8.6, "6": 0.24}}})json").content);
    ASSERT_EQ(b.steps.size(), 2U);
    EXPECT_EQ(b.steps[1].step, 6);
    EXPECT_DOUBLE_EQ(b.steps[1].time->value(), 0.24);
    EXPECT_DOUBLE_EQ(*b.steps[1].loss, 10.7);
}

TEST(TrainingLogs, MlperfWithoutStatisticsTakesTheClockBetweenLosses)
{
    const std::string head = ":::MLLOG {\"namespace\": \"\", \"time_ms\": 1000, \"key\": \"global_batch_size\", \"value\": 16, \"metadata\": {}}\n:::MLLOG {\"time_ms\": 2000, \"key\": \"run_start\", \"value\": null}\n";
    const auto loss = [](int ms, int samples) { return "0: :::MLLOG {\"time_ms\": " + std::to_string(ms) + ", \"key\": \"train_loss\", \"value\": 2.0, \"metadata\": {\"samples_count\": " + std::to_string(samples) + "}}\n"; };
    const Measured m = only(head + loss(10000, 160) + loss(20000, 320) + ":::MLLOG {\"time_ms\": 32000, \"key\": \"run_stop\", \"metadata\": {\"status\": \"success\"}}\n:::MLLOG {\"cut\": ");
    const auto& log = std::get<TrainingLog>(m.content);
    ASSERT_EQ(log.steps.size(), 1U);
    EXPECT_DOUBLE_EQ(log.steps[0].time->value(), 1.0); // 10 s for 160 sequences, 16 a step
    EXPECT_DOUBLE_EQ(log.run_time->value(), 30.0);
    EXPECT_EQ(m.facts["status"], "success");
}

// ---- the steady part

TEST(SteadyPart, DropsWarmUpAndOutliersAndCountsThem)
{
    TrainingLog log;
    for (int i = 0; i < 40; ++i) {
        TrainingStep s;
        s.step = i;
        s.time = Seconds{i < 4 ? 9.0 : i == 20 ? 1.6 : i == 30 ? 1.4 : 1.0}; // 1.6 is beyond 1.5 medians, 1.4 is not
        log.steps.push_back(s);
    }
    const SteadyPart steady = steady_part(log);
    EXPECT_EQ(steady.dropped_warm_up, 4);
    EXPECT_EQ(steady.dropped_outliers, 1);
    EXPECT_EQ(steady.used, 35);
    EXPECT_DOUBLE_EQ(steady.step->value(), 1.0);
}

TEST(SteadyPart, OfFewOrNoSteps)
{
    TrainingLog log;
    EXPECT_FALSE(steady_part(log).step);
    log.steps.resize(1);
    log.steps[0].time = Seconds{2};
    EXPECT_DOUBLE_EQ(steady_part(log).step->value(), 2); // the only one is kept
    log.steps.resize(3);
    log.steps[1].step = 1;
    log.steps[1].time = Seconds{4};
    log.steps[2].step = 2;
    log.steps[2].time = Seconds{5};
    EXPECT_EQ(steady_part(log).dropped_warm_up, 1);
    EXPECT_DOUBLE_EQ(steady_part(log).step->value(), 4.5);
}

TEST(SteadyPart, RanksThatPrintTheSameStepEndWithTheSlowest)
{
    TrainingLog log;
    for (int step = 0; step < 10; ++step)
        for (int rank = 0; rank < 2; ++rank) {
            TrainingStep s;
            s.step = step;
            s.rank = rank;
            s.time = Seconds{rank == 0 ? 1.0 : 1.25};
            s.tokens_per_second_per_gpu = TokensPerSecond{rank == 0 ? 100.0 : 80.0};
            log.steps.push_back(s);
        }
    const SteadyPart steady = steady_part(log);
    EXPECT_EQ(steady.used, 8);
    EXPECT_DOUBLE_EQ(steady.step->value(), 1.25);
    EXPECT_DOUBLE_EQ(steady.tokens_per_second_per_gpu->value(), 90);
}

TEST(SteadyPart, WithoutTimesSlowThroughputIsTheOutlier)
{
    TrainingLog log;
    for (int i = 0; i < 12; ++i) {
        TrainingStep s;
        s.step = i;
        s.tokens_per_second_per_gpu = TokensPerSecond{i == 6 ? 60.0 : 100.0}; // below 100 / 1.5
        log.steps.push_back(s);
    }
    EXPECT_EQ(steady_part(log).dropped_outliers, 1);
    EXPECT_DOUBLE_EQ(steady_part(log).tokens_per_second_per_gpu->value(), 100);
}

// ---- event files

std::string varint(std::uint64_t v)
{
    std::string out;
    for (; v >= 128; v >>= 7)
        out += static_cast<char>((v & 127U) | 128U);
    return out + static_cast<char>(v);
}
std::string bytes_field(int number, const std::string& data) { return varint(static_cast<std::uint64_t>(number) << 3 | 2U) + varint(data.size()) + data; }
template<typename T>
std::string raw(T v)
{
    std::string out(sizeof v, '\0');
    std::memcpy(out.data(), &v, sizeof v);
    return out;
}
std::uint32_t masked_crc(const std::string& data) // bit by bit, another way than the reader's table
{
    std::uint32_t c = 0xffffffffU;
    for (const char byte : data) {
        c ^= static_cast<unsigned char>(byte);
        for (int k = 0; k < 8; ++k)
            c = (c >> 1) ^ ((c & 1U) != 0 ? 0x82f63b78U : 0U);
    }
    c = ~c;
    return ((c >> 15) | (c << 17)) + 0xa282ead8U;
}
std::string record(const std::string& payload)
{
    const std::string length = raw<std::uint64_t>(payload.size());
    return length + raw(masked_crc(length)) + payload + raw(masked_crc(payload));
}
std::string event(double wall, std::uint64_t step, const std::string& value) { return record('\x09' + raw(wall) + '\x10' + varint(step) + bytes_field(5, bytes_field(1, value))); }

TEST(EventFile, ScalarsOfBothKindsAndACutEnd)
{
    const auto simple = [](const std::string& tag, float v) { return bytes_field(1, tag) + '\x15' + raw(v); };
    const auto content = [](const std::string& tag, float v) { return bytes_field(1, tag) + bytes_field(8, std::string("\x08\x01\x12\x00", 4) + bytes_field(4, raw(v))); };
    const auto doubled = [](const std::string& tag, double v) { return bytes_field(1, tag) + bytes_field(8, std::string("\x08\x02", 2) + bytes_field(6, raw(v))); };
    std::string text = record('\x09' + raw(1.0) + bytes_field(3, "brain.Event:2"));
    text += event(10, 1, simple("iteration-time", 0.5F)) + event(10, 1, content("throughput(tps)", 1000.0F)) + event(11, 2, simple("iteration-time", 0.25F)) + event(11, 2, doubled("loss_metrics/global_avg_loss", 2.5));
    const std::string last = event(12, 3, simple("iteration-time", 0.125F));
    const Measured whole = only(text + last);
    EXPECT_TRUE(whole.skipped.empty());
    const Measured cut = only(text + last.substr(0, last.size() - 3));
    ASSERT_EQ(cut.skipped.size(), 1U);
    EXPECT_EQ(cut.facts["truncated"], true);
    const auto& log = std::get<TrainingLog>(cut.content);
    ASSERT_EQ(log.steps.size(), 2U);
    EXPECT_DOUBLE_EQ(log.steps[0].time->value(), 0.5);
    EXPECT_DOUBLE_EQ(log.steps[0].tokens_per_second_per_gpu->value(), 1000);
    EXPECT_DOUBLE_EQ(*log.steps[1].loss, 2.5);
    std::string damaged = text + last;
    damaged[text.size() + 20] = static_cast<char>(damaged[text.size() + 20] ^ 1);
    const Measured wrong = only(damaged);
    ASSERT_EQ(wrong.skipped.size(), 1U);
    EXPECT_EQ(wrong.skipped[0].reason, "record with a wrong checksum");
    EXPECT_EQ(std::get<TrainingLog>(wrong.content).steps.size(), 2U);
}

// ---- broken input

TEST(TrainingLogs, BrokenInputIsAnErrorOrIsCounted)
{
    // Time is not a number: nothing invented.
    const auto nan = read_measured_text("iteration 1/ 3 | elapsed time per iteration (ms): nan | global batch size: 8 |\n", "x");
    ASSERT_FALSE(nan);
    EXPECT_EQ(nan.error().kind, ErrorKind::bad_input);
    const Measured some = only("iteration 1/ 3 | elapsed time per iteration (ms): nan |\niteration 2/ 3 | elapsed time per iteration (ms): 5.0 |\niteration 3/ 3 | elapsed time per iteration (ms): -7 |\niteration 4/ 3 | elapsed time per iteration (ms):");
    EXPECT_EQ(std::get<TrainingLog>(some.content).steps.size(), 1U);
    EXPECT_FALSE(some.skipped.empty());
    for (const char* text : {":::MLLOG", ":::MLLOG {\"key\": 3}", "DLLL {", "DLLL {}\n", "{\"log_history\": 3}", "{\"log_history\": [1, null, {}]}", "{\"1\": {\"elapsed time per iteration (ms)\": null}}", "{\"iteration-time\": {\"values\": [[]], \"start_step\": 1e300}}",
             "completed step: 5, seconds: ", "[batch=1/2]:\n throughput/", "{'loss': }", "{'train_runtime': nan}", "iteration 99999999999999999999999/ 3 | elapsed time per iteration (ms): 1e999 |"}) {
        SCOPED_TRACE(text);
        const auto found = read_measured_text(text, "broken");
        if (!found) {
            EXPECT_FALSE(found.error().message.empty());
        }
    }
}

} // namespace
} // namespace ridgepoint
