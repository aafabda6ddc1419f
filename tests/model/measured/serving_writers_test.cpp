// Serving results by what the tools' own sources write and what public files hold; figures re-tabulated and rounded, each
// test names the project and the file.

#include <gmock/gmock.h>

#include "tests/model/measured/serving_runs.h"

using namespace ridgepoint;
using namespace ridgepoint::testing_facts;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

// ai-dynamo/aiperf src/aiperf/exporters/metrics_json_exporter.py, schema 1.3: the load as phases, the warm-up first. A reasoning
// model's tokens are in total_osl, which throughput counts, not in total_output_tokens.
TEST(ServingWriters, AiperfPhasesAndReasoning)
{
    const auto runs = runs_of(R"({"schema_version": "1.3", "aiperf_version": "0.10.0", "request_throughput": {"unit": "requests/sec", "avg": 2.0}, "request_latency": {"unit": "ms", "avg": 7000.0, "p50": 6500.0, "count": 96, "sum": 672000.0},
        "time_to_first_token": {"unit": "ms", "avg": 230.0, "p99": 690.0}, "request_count": {"unit": "requests", "avg": 100.0}, "output_token_throughput": {"unit": "tokens/sec", "avg": 1000.0}, "total_output_tokens": {"unit": "tokens", "avg": 9000.0},
        "benchmark_duration": {"unit": "sec", "avg": 50.0}, "total_isl": {"unit": "tokens", "avg": 360000.0}, "total_osl": {"unit": "tokens", "avg": 50000.0},
        "input_config": {"models": {"items": [{"name": "qwen"}]}, "endpoint": {"type": "chat", "streaming": true}, "phases": [{"name": "warmup", "type": "concurrency", "exclude_from_results": true, "concurrency": 8}, {"name": "profiling", "type": "concurrency", "concurrency": 16}]},
        "was_cancelled": false, "error_summary": []})");
    ASSERT_EQ(1U, runs.size());
    EXPECT_EQ("AIPerf", runs[0].tool);
    EXPECT_EQ("qwen", runs[0].model);
    EXPECT_EQ(16, runs[0].max_concurrency);
    EXPECT_EQ(50000, runs[0].output_tokens);
    EXPECT_EQ(360000, runs[0].input_tokens);
    EXPECT_NEAR(0.23, runs[0].ttft.mean->value(), 1e-12);
    EXPECT_THAT(runs[0].checks, IsEmpty());
}

// The same project's timeslice_metrics_json_exporter.py and aggregate_confidence_json_exporter.py (--num-profile-runs).
TEST(ServingWriters, AiperfSlicesAndRepeats)
{
    const auto slices = serving_of(R"({"timeslices": [{"start_ns": 1, "end_ns": 2, "request_throughput": {"unit": "requests/sec", "avg": 2.0}, "request_latency": {"unit": "ms", "avg": 500.0}}, {"request_throughput": {"unit": "requests/sec", "avg": 3.0}, "request_latency": {"unit": "ms", "avg": 400.0}}], "input_config": {"endpoint": {"model_names": ["m"]}}})");
    ASSERT_EQ(2U, runs_of(slices).size());
    EXPECT_NEAR(0.4, runs_of(slices)[1].end_to_end.mean->value(), 1e-12);
    EXPECT_EQ("m", runs_of(slices)[1].model);
    EXPECT_THAT(slices.notes, Contains(HasSubstr("slice of time")));

    const auto repeats = serving_of(R"({"schema_version": "1.0", "metadata": {"aggregation_type": "confidence", "num_profile_runs": 5, "num_successful_runs": 4, "variation_values": {"phases.profiling.concurrency": 40}},
        "metrics": {"request_throughput_avg": {"mean": 47.0, "std": 1.8, "min": 44.0, "max": 49.0, "cv": 0.04, "se": 0.8, "ci_low": 44.9, "ci_high": 49.4, "t_critical": 2.776, "unit": "requests/sec"}, "time_to_first_token_p99": {"mean": 85.0, "std": 4.1, "ci_low": 80.2, "ci_high": 90.4, "unit": "ms"}}})");
    ASSERT_EQ(1U, runs_of(repeats).size());
    EXPECT_NEAR(47.0, *runs_of(repeats)[0].requests_per_second, 1e-12);
    EXPECT_NEAR(0.085, runs_of(repeats)[0].ttft.percentiles.at(99).value(), 1e-12);
    EXPECT_FALSE(runs_of(repeats)[0].ttft.mean); // a percentile's mean over runs is no mean of latencies
    EXPECT_EQ(40, runs_of(repeats)[0].max_concurrency);
    EXPECT_THAT(repeats.notes, Contains(HasSubstr("means over 4 runs")));
}

// triton-inference-server/perf_analyzer genai_perf/export_data/json_exporter.py and issue #298: without streaming the time to the
// first token is that of the whole answer. The first exports held nanoseconds as text.
TEST(ServingWriters, GenaiPerfWithoutStreamingAndInNanoseconds)
{
    const auto whole = serving_of(R"({"request_throughput": {"unit": "requests/sec", "avg": 21.6}, "request_latency": {"unit": "ms", "avg": 4610.0, "p99": 6156.0}, "time_to_first_token": {"unit": "ms", "avg": 4610.0, "p99": 6156.0}, "output_token_throughput": {"unit": "tokens/sec", "avg": 12277.0},
        "input_config": {"model": ["ensemble"], "backend": "tensorrtllm", "endpoint": null, "streaming": false, "concurrency": 100, "request_rate": null}})");
    const auto runs = runs_of(whole);
    ASSERT_EQ(1U, runs.size());
    EXPECT_EQ("GenAI-Perf", runs[0].tool);
    EXPECT_EQ("ensemble", runs[0].model);
    EXPECT_EQ(100, runs[0].max_concurrency);
    EXPECT_FALSE(runs[0].request_rate);
    EXPECT_FALSE(runs[0].ttft.mean);
    EXPECT_THAT(whole.notes, Contains(HasSubstr("did not stream")));

    const auto first = runs_of(R"({"request_throughput": {"unit": "request per sec", "avg": "12.2"}, "request_latency": {"unit": "ns", "avg": "81694262.3", "p99": "101977365.6"}, "num_output_token": {"unit": "tokens", "avg": "17.76"}, "input_config": {"model": "gpt2", "endpoint": null, "streaming": true, "concurrency": 1}})");
    ASSERT_EQ(1U, first.size());
    EXPECT_NEAR(0.0816942623, first[0].end_to_end.mean->value(), 1e-12);
    EXPECT_NEAR(0.1019773656, first[0].end_to_end.percentiles.at(99).value(), 1e-12);
    EXPECT_NEAR(17.76, *first[0].output_length, 1e-12);
}

// vllm-project/guidellm src/guidellm/benchmark/schemas: since 0.7 the scenario stands under config.spec; "successful" is null where
// no request succeeded, and the total is then of failed ones.
TEST(ServingWriters, GuidellmScenarioAndMissingSuccess)
{
    const auto runs = runs_of(R"({"metadata": {"guidellm_version": "0.7.0"}, "config": {"spec": {"backend": {"kind": "openai_http", "model": "org/model"}}}, "benchmarks": [{"config": {"strategy": {"type_": "concurrent", "max_concurrency": 32, "streams": 32}},
        "scheduler_metrics": {"start_time": 1000.0, "measure_start_time": 1180.0, "measure_end_time": 1380.0}, "metrics": {"request_totals": {"successful": 32, "errored": 500, "incomplete": 31, "total": 563}, "time_to_first_token_ms": {"successful": {"mean": 49.0, "percentiles": {"p99": 78.0}}},
        "inter_token_latency_ms": {"successful": null, "total": {"mean": 1.0}}, "request_latency": {"successful": {"mean": NaN, "max": Infinity, "median": 5.0}}}}]})");
    ASSERT_EQ(1U, runs.size());
    EXPECT_EQ("org/model", runs[0].model);
    EXPECT_EQ(32, runs[0].max_concurrency);
    EXPECT_EQ(32, runs[0].completed);
    EXPECT_EQ(500, runs[0].failed);
    EXPECT_NEAR(200.0, runs[0].duration->value(), 1e-9);
    EXPECT_FALSE(runs[0].itl.mean);
    EXPECT_FALSE(runs[0].end_to_end.mean);
    EXPECT_NEAR(5.0, runs[0].end_to_end.median->value(), 1e-12);
}

// kubernetes-sigs/inference-perf inference_perf/reportgen/base.py: summarize_requests of 2026 (tokens as the server counts them),
// summarize_prometheus_metrics, build_per_request_lifecycle_entry; the old per-request list has tokens directly under "info".
TEST(ServingWriters, InferencePerfReports)
{
    const auto stage = runs_of(R"({"benchmark_time_seconds": 100.0, "load_summary": {"count": 400, "schedule_delay": {"mean": 0.01}, "send_duration": 60.0, "requested_rate": 7.0, "achieved_rate": 6.9, "concurrency": 64}, "successes": {"count": 390, "latency": {"request_latency": {"mean": 17.0, "p99.9": 30.0}, "time_to_first_token": null},
        "throughput": {"output_tokens_per_sec": 221.0, "requests_per_sec": 3.9}, "prompt_tokens": {"total": 39000.0, "cached": 10.0, "mean": 100.0}, "output_len": null, "output_tokens": {"total": 22100.0, "mean": 56.7}}, "failures": {"count": 10}})");
    ASSERT_EQ(1U, stage.size());
    EXPECT_NEAR(100.0, stage[0].duration->value(), 1e-12);
    EXPECT_EQ(64, stage[0].max_concurrency);
    EXPECT_EQ(39000, stage[0].input_tokens);
    EXPECT_NEAR(100.0, *stage[0].input_length, 1e-12);
    EXPECT_NEAR(56.7, *stage[0].output_length, 1e-12);
    EXPECT_NEAR(30.0, stage[0].end_to_end.percentiles.at(99.9).value(), 1e-12);
    EXPECT_THAT(stage[0].checks, IsEmpty());

    const auto server = runs_of(R"({"load_summary": {}, "successes": {"count": 4790, "rate": 60.0, "prompt_len": {"mean": 1919, "rate": 4440.0}, "output_len": {"mean": 3020, "rate": 6900.0}, "request_latency": {"mean": 0.97, "median": 0.89, "p99": 2.4}, "time_to_first_token": {"mean": 0.0144}}, "failures": {}})");
    ASSERT_EQ(1U, server.size());
    EXPECT_NEAR(60.0, *server[0].requests_per_second, 1e-12);
    EXPECT_NEAR(6900.0, server[0].output_per_second->value(), 1e-12);
    EXPECT_NEAR(74.0, *server[0].input_length, 1e-12);
    EXPECT_NEAR(115.0, *server[0].output_length, 1e-12);
    EXPECT_NEAR(0.97, server[0].end_to_end.mean->value(), 1e-12);

    // Two requests of 3 tokens: first after 0.5 s and 0.7 s, then gaps of 0.1 s.
    for (const std::string text : {R"([{"start_time": 100.0, "end_time": 100.75, "request": "{\"model\": \"m\"}", "info": {"input_tokens": 10, "output_tokens": 3, "output_token_times": [100.5, 100.6, 100.7]}, "error": null}, {"start_time": 101.0, "end_time": 101.95, "info": {"input_tokens": 20, "output_tokens": 3, "output_token_times": [101.7, 101.8, 101.9]}, "error": null}, {"start_time": 101.0, "end_time": 101.1, "info": {}, "error": {"error_type": "HTTP"}}])",
             R"([{"start_time": 100.0, "end_time": 100.75, "info": {"request_metrics": {"text": {"input_tokens": 10}}, "response_metrics": {"output_tokens": 3, "output_token_times": [100.5, 100.6, 100.7]}}, "error": null}, {"start_time": 101.0, "end_time": 101.95, "info": {"request_metrics": {"text": {"input_tokens": 20}}, "response_metrics": {"output_tokens": 3, "output_token_times": [101.7, 101.8, 101.9]}}, "error": null}, {"start_time": 101.0, "end_time": 101.1, "info": {}, "error": {"error_type": "HTTP"}}])"}) {
        const auto requests = runs_of(text);
        ASSERT_EQ(1U, requests.size());
        EXPECT_EQ(2, requests[0].completed);
        EXPECT_EQ(1, requests[0].failed);
        EXPECT_EQ(30, requests[0].input_tokens);
        EXPECT_EQ(6, requests[0].output_tokens);
        EXPECT_NEAR(0.6, requests[0].ttft.mean->value(), 1e-9);
        EXPECT_NEAR(0.1, requests[0].tpot.mean->value(), 1e-9);
        EXPECT_NEAR(0.85, requests[0].end_to_end.mean->value(), 1e-9);
        EXPECT_NEAR(1.95, requests[0].duration->value(), 1e-9);
    }
}

// SemiAnalysisAI/InferenceX utils/summarize.py: with prompts apart, 24 GPUs of them and 48 for decoding, output per decode GPU
// (first schema) or per GPU of all 72 beside "output_tput_per_decode_gpu". 48 x 3000 = 72 x 2000 = 144000 tokens/s.
TEST(ServingWriters, InferencexOutputOfDecodeGpus)
{
    const std::string common = R"({"hw": "gb200", "conc": 512, "infmax_model_prefix": "dsr1", "framework": "dynamo-trt", "disagg": true, "num_prefill_gpu": 24, "num_decode_gpu": 48, "median_ttft": 1.5, "median_tpot": 0.02, "median_intvty": 50.0, "tput_per_gpu": 4000.0, )";
    for (const std::string rates : {R"("output_tput_per_gpu": 3000.0, "input_tput_per_gpu": 6000.0})", R"("output_tput_per_gpu": 2000.0, "input_tput_per_gpu": 2000.0, "output_tput_per_decode_gpu": 3000.0, "input_tput_per_prefill_gpu": 6000.0})", R"("output_tput_per_gpu": 2000.0, "input_tput_per_gpu": 2000.0})"}) {
        const auto runs = runs_of(common + rates);
        ASSERT_EQ(1U, runs.size());
        EXPECT_EQ(72, runs[0].gpus);
        ASSERT_TRUE(runs[0].output_per_second) << rates;
        EXPECT_NEAR(144000.0, runs[0].output_per_second->value(), 1e-6) << rates;
        EXPECT_NEAR(288000.0, runs[0].total_per_second->value(), 1e-6);
    }
    const auto unknown = serving_of(common + R"("output_tput_per_gpu": 2000.0})");
    EXPECT_FALSE(runs_of(unknown)[0].output_per_second);
    EXPECT_THAT(unknown.notes, Contains(HasSubstr("decode GPUs or of all")));
}

// vllm-project/guidellm src/guidellm/benchmark/outputs/console.py: three header lines; the first row is of a constant rate.
TEST(ServingWriters, GuidellmTablesOfThreeHeaderLines)
{
    const auto runs = runs_of("Run Summary Info\n|===========|==========|======|=======|=======|\n| Benchmark | Timings        || Input Tokens | Output Tokens |\n| Strategy  | Start    | Dur  | Comp  | Comp  |\n|           |          | Sec  | Tot   | Tot   |\n|-----------|----------|------|-------|-------|\n"
                              "| constant  | 09:35:12 | 30.0 | 956.0 | 934.0 |\n| throughput | 09:36:12 | 20.0 | 2000.0 | 1800.0 |\n|===========|==========|======|=======|=======|\n\n\n"
                              "\u2139 Request Latency Statistics (Completed Requests)\n|===========|=========|========|======|======|=====|=====|\n| Benchmark | Request Latency || TTFT       || ITL      ||\n| Strategy  | Sec             || ms         || ms       ||\n|           | Mdn     | p95    | Mdn  | p95  | Mdn | p95 |\n|-----------|---------|--------|------|------|-----|-----|\n"
                              "| constant  | 0.4     | 0.5    | 23.2 | 30.9 | 7.8 | 8.0 |\n| throughput | 1.4     | 1.5    | 53.2 | 60.9 | 9.8 | 9.9 |\n|===========|=========|========|======|======|=====|=====|\n\n\n"
                              "\u2139 Server Throughput Statistics\n|===========|=====|======|=======|======|=======|========|\n| Benchmark | Requests               |||| Output Tokens ||\n| Strategy  | Per Sec   || Concurrency || Per Sec       ||\n|           | Mdn | Mean | Mdn   | Mean | Mdn   | Mean   |\n|-----------|-----|------|-------|------|-------|--------|\n"
                              "| constant  | 1.0 | 1.1  | 0.0   | 0.4  | 3.4   | 31.1   |\n| throughput | 9.0 | 9.1  | 9.0   | 9.4  | 83.4  | 90.1   |\n|===========|=====|======|=======|======|=======|========|\n");
    ASSERT_EQ(2U, runs.size());
    EXPECT_EQ("GuideLLM", runs[0].tool);
    EXPECT_NEAR(30.0, runs[0].duration->value(), 1e-12);
    EXPECT_EQ(934, runs[0].output_tokens);
    EXPECT_NEAR(0.4, runs[0].end_to_end.median->value(), 1e-12);
    EXPECT_NEAR(0.5, runs[0].end_to_end.percentiles.at(95).value(), 1e-12);
    EXPECT_NEAR(0.0232, runs[0].ttft.median->value(), 1e-12);
    EXPECT_NEAR(0.0078, runs[0].itl.median->value(), 1e-12);
    EXPECT_NEAR(1.1, *runs[0].requests_per_second, 1e-12);
    EXPECT_NEAR(31.1, runs[0].output_per_second->value(), 1e-12);
    EXPECT_NEAR(90.1, runs[1].output_per_second->value(), 1e-12);
    EXPECT_TRUE(std::isinf(*runs[1].request_rate));
}

// The same until 0.3, as READMEs and notes keep it (a comment mark before each line). "Req Latency (ms)" is of seconds: one
// request after another at 0.15 per second takes 6.48 s, not 6.48 ms.
TEST(ServingWriters, GuidellmTablesOfTwoHeaderLines)
{
    const std::string tables = "Benchmarks Info:\n=============================\nMetadata   |||| Requests Made  ||| Output Tok/Req ||| Output Tok Total||\n  Benchmark| Start Time| End Time| Duration (s)|  Comp|  Inc| Err|  Comp|  Inc| Err|  Comp|  Inc| Err\n-----------|-----------|---------|-------------|------|-----|----|------|-----|----|------|-----|----\n"
                               "synchronous|   16:40:06| 16:41:12|         66.7|    10|    1|   2| 256.0|  9.0| 0.0|  2560|    9|   0\nconcurrent@5|   16:42:06| 16:43:06|         60.0|    40|    1|   0| 256.0|  9.0| 0.0| 10240|    9|   0\n=============================\n\n\n"
                               "Benchmarks Stats:\n=============================\nMetadata   | Request Stats         || Out Tok/sec| Tot Tok/sec| Req Latency (ms)||| TTFT (ms)       ||| ITL (ms)        ||| TPOT (ms)       ||\n  Benchmark| Per Second| Concurrency|        mean|        mean| mean| median|  p99| mean| median|  p99| mean| median|  p99| mean| median|  p99\n"
                               "-----------|-----------|------------|------------|------------|-----|-------|-----|-----|-------|-----|-----|-------|-----|-----|-------|-----\nsynchronous|       0.15|        1.00|        38.4|       197.4| 6.48|   6.47| 6.49| 53.5|   51.0| 58.3| 25.2|   25.1| 25.3| 25.0|   24.9| 25.1\n"
                               "concurrent@5|       0.67|        4.90|       170.7|       800.4| 7.48|   7.47| 7.49| 63.5|   61.0| 68.3| 29.2|   29.1| 29.3| 29.0|   28.9| 29.1\n=============================\n";
    std::string commented;
    for (std::size_t at = 0; at < tables.size();) {
        const std::size_t end = tables.find('\n', at);
        commented += "# " + tables.substr(at, end - at + 1);
        at = end + 1;
    }
    for (const std::string& text : {tables, commented}) {
        const auto runs = runs_of(text);
        ASSERT_EQ(2U, runs.size());
        EXPECT_EQ(1, runs[0].max_concurrency);
        EXPECT_EQ(5, runs[1].max_concurrency);
        EXPECT_EQ(10, runs[0].completed);
        EXPECT_EQ(2, runs[0].failed);
        EXPECT_EQ(2560, runs[0].output_tokens);
        EXPECT_NEAR(66.7, runs[0].duration->value(), 1e-12);
        EXPECT_NEAR(0.15, *runs[0].requests_per_second, 1e-12);
        EXPECT_NEAR(38.4, runs[0].output_per_second->value(), 1e-12);
        EXPECT_NEAR(197.4, runs[0].total_per_second->value(), 1e-12);
        EXPECT_NEAR(6.48, runs[0].end_to_end.mean->value(), 1e-12);
        EXPECT_NEAR(6.49, runs[0].end_to_end.percentiles.at(99).value(), 1e-12);
        EXPECT_NEAR(0.0535, runs[0].ttft.mean->value(), 1e-12);
        EXPECT_NEAR(0.0251, runs[0].itl.median->value(), 1e-12);
        EXPECT_NEAR(0.0251, runs[0].tpot.percentiles.at(99).value(), 1e-12);
        EXPECT_NEAR(7.48, runs[1].end_to_end.mean->value(), 1e-12);
    }
}

// NVIDIA/TensorRT-LLM tensorrt_llm/bench/dataclasses/reporting.py: the world behind the requests since 1.0; a log of several runs may
// keep their overviews alone.
TEST(ServingWriters, TrtllmOverviewsOneAfterTheOther)
{
    const std::string rule = "===========================================================\n";
    const auto overview = [&](const std::string& rate, const std::string& ttft) {
        return rule + "= PERFORMANCE OVERVIEW \n" + rule + "Request Throughput (req/sec):                     " + rate + "\nTotal Output Throughput (tokens/sec):         \t  274.1786\nTotal Latency (ms):                               37347.9238\nAverage time-to-first-token [TTFT] (ms):          " + ttft
            + "\n\n-- Per-Request Time-to-First-Token [TTFT] Breakdown (ms) \n\n[TTFT] MINIMUM: 93.9210\n[TTFT] P99    : 232.4339\n\n-- Request Latency Breakdown (ms) -----------------------\n\n[Latency] AVERAGE: 1093.2284\n";
    };
    const auto runs = runs_of("[01/02/2026-10:00:00] [TRT-LLM] [I] \n\n" + rule + "= REQUEST DETAILS \n" + rule + "Number of requests:             100\nAverage Input Length (tokens):  128.0000\n" + rule + "= WORLD + RUNTIME INFORMATION \n" + rule + "TP Size:                4\nPP Size:                2\n\n" + overview("2.6780", "425.9885") + rule + "= DECODING STATISTICS (MTP)\n" + rule + "[AL] P50    : 2.00\n" + rule + overview("5.3560", "852.0"));
    ASSERT_EQ(2U, runs.size());
    EXPECT_EQ(100, runs[0].completed);
    EXPECT_EQ(8, runs[0].gpus);
    EXPECT_NEAR(2.678, *runs[0].requests_per_second, 1e-12);
    EXPECT_NEAR(0.4259885, runs[0].ttft.mean->value(), 1e-12);
    EXPECT_NEAR(0.093921, runs[0].ttft.percentiles.at(0).value(), 1e-12);
    EXPECT_NEAR(0.2324339, runs[0].ttft.percentiles.at(99).value(), 1e-12);
    EXPECT_NEAR(1.0932284, runs[0].end_to_end.mean->value(), 1e-12);
    EXPECT_NEAR(5.356, *runs[1].requests_per_second, 1e-12);
    EXPECT_NEAR(0.852, runs[1].ttft.mean->value(), 1e-12);
}

// ai-dynamo/aiperf docs/tutorials: in a narrow terminal the names of metrics take two or three lines of the table.
TEST(ServingWriters, AiperfTableWithBrokenNames)
{
    const std::string bar = "\u2502";
    std::string text = "                NVIDIA AIPerf | LLM Metrics\n\u2503              Metric \u2503      avg \u2503      p99 \u2503      std \u2503\n";
    for (const auto& [name, cells] : {std::pair<std::string, std::string>{"Time to First Token", "17.73,53.17,9.90"}, {"(ms)", ",,"}, {"Time to First", "19.73,55.17,9.90"}, {"Output Token (ms)", ",,"}, {"Request Latency", "1_321.54,9_063.81,1_644.46"}, {"(ms)", ",,"}, {"Inter Token Latency", "3.81,4.15,0.12"}, {"(ms)", ",,"}, {"Output Token", "262.66,279.36,8.25"},
             {"Throughput Per User", ",,"}, {"(tokens/sec/user)", ",,"}, {"Output Token", "1_007.36,N/A,N/A"}, {"Throughput", ",,"}, {"(tokens/sec)", ",,"}, {"Request Throughput", "1.17,N/A,N/A"}, {"(requests/sec)", ",,"}, {"Request Count", "50.00,N/A,N/A"}, {"(requests)", ",,"}}) {
        std::string row = bar + " " + name + " " + bar + " ";
        for (const char c : cells)
            row += c == ',' ? " " + bar + " " : c == '_' ? std::string(",") : std::string(1, c);
        text += row + " " + bar + "\n";
    }
    text += "\u2514\u2500\u2500\n\nBenchmark Duration: 42.74 sec\n";
    const auto runs = runs_of(text);
    ASSERT_EQ(1U, runs.size());
    EXPECT_EQ("AIPerf", runs[0].tool);
    EXPECT_NEAR(0.01773, runs[0].ttft.mean->value(), 1e-12);
    EXPECT_NEAR(0.05317, runs[0].ttft.percentiles.at(99).value(), 1e-12);
    EXPECT_NEAR(1.32154, runs[0].end_to_end.mean->value(), 1e-12);
    EXPECT_NEAR(0.00381, runs[0].itl.mean->value(), 1e-12);
    EXPECT_NEAR(1007.36, runs[0].output_per_second->value(), 1e-9);
    EXPECT_NEAR(1.17, *runs[0].requests_per_second, 1e-12);
    EXPECT_EQ(50, runs[0].completed);
    EXPECT_NEAR(42.74, runs[0].duration->value(), 1e-12);
}

} // namespace
