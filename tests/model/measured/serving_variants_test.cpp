// Variants of serving results as the tools write them, figures re-tabulated by hand; each test names the writer it follows.

#include <gmock/gmock.h>

#include "tests/model/measured/serving_runs.h"

using namespace ridgepoint;
using namespace ridgepoint::testing_facts;
using testing::Contains;
using testing::Field;
using testing::HasSubstr;

namespace {

// sgl-project/sglang python/sglang/bench_one_batch.py: objects one after the other, here on several lines each.
TEST(ServingVariants, SglangOneBatch)
{
    const auto m = serving_of("# results\n{\n \"run_name\": \"t\", \"batch_size\": 4, \"input_len\": 1024, \"output_len\": 1,\n \"prefill_latency\": 3.5, \"prefill_throughput\": 1170.3, \"total_latency\": 3.5, \"overall_throughput\": 1171.4\n}{\n"
                        " \"run_name\": \"t\", \"batch_size\": 4, \"input_len\": 1024, \"output_len\": 1024, \"prefill_latency\": 3.5, \"median_decode_latency\": 0.019, \"median_decode_throughput\": 210.5,\n \"total_latency\": 23.0, \"overall_throughput\": 356.2\n}\n");
    const auto runs = runs_of(m);
    ASSERT_EQ(2U, runs.size());
    EXPECT_EQ("SGLang bench_one_batch", m.format);
    EXPECT_EQ(4, runs[1].max_concurrency);
    EXPECT_NEAR(3.5, runs[1].ttft.mean->value(), 1e-12);
    EXPECT_NEAR(0.019, runs[1].tpot.median->value(), 1e-12);
    EXPECT_NEAR(23.0, runs[1].end_to_end.mean->value(), 1e-12);
    EXPECT_NEAR(4 * 1024 / 23.0, runs[1].output_per_second->value(), 1e-9);
    EXPECT_NEAR(356.2, runs[1].total_per_second->value(), 1e-9); // 4 x 2048 / 23
    EXPECT_TRUE(runs[1].checks.empty());
    EXPECT_FALSE(runs[0].tpot.mean || runs[0].tpot.median);
    EXPECT_THAT(m.notes, Contains(HasSubstr("begin at line 2")));
}

// bench_one_batch_server.py: output_throughput is batch x output_len / (latency - last_ttft), overall_throughput is over the latency.
TEST(ServingVariants, SglangOneBatchServer)
{
    const auto m = serving_of(R"({"run_name": "default", "batch_size": 32, "input_len": 1000, "output_len": 101, "latency": 12.0, "input_throughput": 16000.0, "output_throughput": 323.2, "overall_throughput": 2936.0, "last_ttft": 2.0, "last_gen_throughput": 320.1, "acc_length": -1, "cache_hit_rate": null})"
                        "\n");
    const auto runs = runs_of(m);
    ASSERT_EQ(1U, runs.size());
    EXPECT_NEAR(32 * 101 / 12.0, runs[0].output_per_second->value(), 1e-9);
    EXPECT_NEAR(2936, runs[0].total_per_second->value(), 1e-9);
    EXPECT_NEAR(0.1, runs[0].tpot.mean->value(), 1e-12); // (12 - 2) / 100
    EXPECT_NEAR(2.0, runs[0].ttft.percentiles.at(100).value(), 1e-12);
    EXPECT_FALSE(runs[0].ttft.mean);
    EXPECT_THAT(m.notes, Contains(HasSubstr("behind the first token")));
    EXPECT_TRUE(runs[0].checks.empty());
}

// bench_offline_throughput.py: the line it appends, and the block it prints.
TEST(ServingVariants, SglangOffline)
{
    for (const std::string text : {R"({"backend": "engine", "successful_requests": 100, "total_latency": 10.5, "total_input_tokens": 30000, "total_output_tokens": 21000, "last_gen_throughput": 1900.0, "request_throughput": 9.5238, "input_throughput": 2857.14, "output_throughput": 2000.0, "total_throughput": 4857.14})"
                                   "\n",
             "x\n====== Offline Throughput Benchmark Result =======\nBackend:     engine\nSuccessful requests:    100\nBenchmark duration (s):   10.50\nTotal input tokens:   30000\nTotal generated tokens:   21000\nLast generation throughput (tok/s):   1900.00\n"
             "Request throughput (req/s):   9.52\nInput token throughput (tok/s):  2857.14\nOutput token throughput (tok/s):   2000.00\nTotal token throughput (tok/s):     4857.14\n==================================================\n"}) {
        const auto runs = runs_of(text);
        ASSERT_EQ(1U, runs.size());
        EXPECT_EQ("SGLang bench_offline_throughput", runs[0].tool);
        EXPECT_EQ("engine", runs[0].backend);
        EXPECT_EQ(100, runs[0].completed);
        EXPECT_NEAR(10.5, runs[0].duration->value(), 1e-12);
        EXPECT_EQ(21000, runs[0].output_tokens);
        EXPECT_NEAR(2000, runs[0].output_per_second->value(), 1e-9);
        EXPECT_NEAR(4857.14, runs[0].total_per_second->value(), 1e-9);
        EXPECT_TRUE(runs[0].checks.empty());
    }
}

// triton-inference-server/perf_analyzer, profile_export.json: nanoseconds; chunks without a token are left out as genai_perf does.
TEST(ServingVariants, PerfAnalyzerProfile)
{
    const auto m = serving_of(R"({"service_kind": "openai", "endpoint": "v1/chat/completions", "experiments": [{"experiment": {"mode": "concurrency", "value": 2}, "requests": [
        {"timestamp": 1700000000000000000, "response_timestamps": [1700000000050000000, 1700000000100000000, 1700000000120000000, 1700000000140000000, 1700000000150000000], "response_outputs": [
            {"response": "data: {\"choices\": [{\"delta\": {\"role\": \"assistant\", \"content\": \"\"}}]}"}, {"response": "data: {\"choices\": [{\"delta\": {\"content\": \"a\"}}]}"},
            {"response": "data: {\"choices\": [{\"delta\": {\"content\": \"b\"}}]}"}, {"response": "data: {\"choices\": [{\"delta\": {\"content\": \"c\"}}]}"}, {"response": "data: [DONE]"}]},
        {"timestamp": 1700000000010000000, "response_timestamps": [1700000000130000000, 1700000000210000000]},
        {"timestamp": 1700000000020000000, "response_timestamps": []}], "window_boundaries": [1, 2]}], "version": "2.59"})");
    const auto runs = runs_of(m);
    ASSERT_EQ(1U, runs.size());
    EXPECT_EQ(2, runs[0].completed);
    EXPECT_EQ(1, runs[0].failed);
    EXPECT_EQ(2, runs[0].max_concurrency);
    EXPECT_NEAR((0.1 + 0.12) / 2, runs[0].ttft.mean->value(), 1e-9);
    EXPECT_NEAR((0.14 + 0.2) / 2, runs[0].end_to_end.mean->value(), 1e-9);
    EXPECT_NEAR((0.02 + 0.02 + 0.08) / 3, runs[0].itl.mean->value(), 1e-9);
    EXPECT_NEAR(0.21, runs[0].duration->value(), 1e-9);
    EXPECT_FALSE(runs[0].output_tokens);
}

// vllm-project/guidellm benchmark/outputs/csv.py: three header lines.
TEST(ServingVariants, GuidellmCsvOfThreeHeaderLines)
{
    const std::string list = "\"[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]\"";
    const auto m = serving_of("Run Info,Timings,Request Counts,Request Counts,Request Latency,Request Latency,Request Latency,Request Latency,Request Latency,Time to First Token,Time to First Token,Time to First Token,Time to First Token,Server Throughput,Server Throughput,Token Metrics,Token Throughput,Token Throughput\r\n"
                        "Backend,Duration,Successful,Errored,Successful Sec,Successful Sec,Successful Sec,Successful Sec,Errored Sec,Successful ms,Successful ms,Successful ms,Successful ms,Successful Requests/Sec,Successful Concurrency,Successful Output Tokens,Successful Output Tokens/Sec,Successful Total Tokens/Sec\r\n"
                        ",Sec,,,Mean,Median,Std Dev,Percentiles,Mean,Mean,Median,Std Dev,Percentiles,Mean,Mean,Mean,Mean,Mean\r\n"
                        "\"{\"\"model\"\": \"\"org/m\"\"}\",30.0,90,2,2.5,2.4,0.3,"
        + list + ",9,120,110,9," + list + ",3.0,7.4,200,600,2100\r\n" + "{},30.0,90,2,2.5,2.4,0.3,9,9\r\n");
    const auto runs = runs_of(m);
    ASSERT_EQ(1U, runs.size());
    EXPECT_EQ("org/m", runs[0].model);
    EXPECT_EQ(90, runs[0].completed);
    EXPECT_EQ(2, runs[0].failed);
    EXPECT_NEAR(30, runs[0].duration->value(), 1e-12);
    EXPECT_NEAR(2.5, runs[0].end_to_end.mean->value(), 1e-12);
    EXPECT_NEAR(8, runs[0].end_to_end.percentiles.at(90).value(), 1e-12);
    EXPECT_NEAR(0.12, runs[0].ttft.mean->value(), 1e-12);
    EXPECT_NEAR(0.010, runs[0].ttft.percentiles.at(99).value(), 1e-12);
    EXPECT_NEAR(3.0, *runs[0].requests_per_second, 1e-12);
    EXPECT_NEAR(200, *runs[0].output_length, 1e-12);
    EXPECT_NEAR(600, runs[0].output_per_second->value(), 1e-12);
    EXPECT_NEAR(2100, runs[0].total_per_second->value(), 1e-12);
    EXPECT_THAT(m.skipped, Contains(Field(&Skipped::reason, HasSubstr("not those of the header"))));
}

// guidellm 0.2 and 0.3, save_csv: "{Status} {Metric} mean", ..., "[min, 0.1, 1, 5, 10, 25, 75, 90, 95, 99, max]".
TEST(ServingVariants, GuidellmCsvOfOneHeaderLine)
{
    const auto runs = runs_of("Type,Duration,Args,Successful Requests,Errored Requests,Successful Requests per second mean,Successful Request latency mean,Successful Request latency median,Successful Time to first token ms mean,"
                              "\"Successful Time to first token ms [min, 0.1, 1, 5, 10, 25, 75, 90, 95, 99, max]\",Successful Output tokens per second mean,Successful Tokens per second mean,Incomplete Request latency mean,Total Request latency mean\n"
                              "generative_benchmark,30.0,\"{\"\"strategy\"\": {\"\"type_\"\": \"\"concurrent\"\", \"\"streams\"\": 8}}\",90,1,3.0,2.5,2.4,120.0,\"[10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110]\",600,2100,7,8\n");
    ASSERT_EQ(1U, runs.size());
    EXPECT_EQ(8, runs[0].max_concurrency);
    EXPECT_NEAR(2.5, runs[0].end_to_end.mean->value(), 1e-12);
    EXPECT_NEAR(0.12, runs[0].ttft.mean->value(), 1e-12);
    EXPECT_NEAR(0.1, runs[0].ttft.percentiles.at(99).value(), 1e-12);
    EXPECT_NEAR(2100, runs[0].total_per_second->value(), 1e-12);
}

// kubernetes-sigs/inference-perf docs/reports.md: a summary without the load.
TEST(ServingVariants, InferencePerfWithoutLoad)
{
    const auto runs = runs_of(R"({"successes": {"count": 480, "latency": {"request_latency": {"mean": 3.3, "median": 2.1, "p90": 5.9}, "time_to_first_token": {"mean": 0.80}}, "throughput": {"requests_per_sec": 1.02, "total_tokens_per_sec": 676.0}}, "failures": {"count": 3, "request_latency": {"mean": 9.9}}})");
    ASSERT_EQ(1U, runs.size());
    EXPECT_EQ(3, runs[0].failed);
    EXPECT_NEAR(3.3, runs[0].end_to_end.mean->value(), 1e-12);
    EXPECT_NEAR(0.8, runs[0].ttft.mean->value(), 1e-12);
}

// vLLM's block as logs keep it: comment marks (as in scripts of vllm forks), stamps of time and colours, tags of kubectl.
TEST(ServingVariants, ConsoleBlockBehindPrefixes)
{
    for (const std::string prefix : {"# ", "2025-10-01T10:00:00.123Z ", "[pod/bench-0/main] ", "\x1b[1;36m(APIServer pid=12)\x1b[0;0m ", "3: "}) {
        std::string text;
        for (const char* line : {"============ Serving Benchmark Result ============", "Successful requests:                     32", "Maximum request concurrency:             8", "Benchmark duration (s):                  150.50", "Total generated tokens:                  65536",
                 "Output token throughput (tok/s):         435.40", "Peak output token throughput (tok/s):    900.00", "Total Token throughput (tok/s):          870.80", "---------------Time to First Token----------------", "Mean TTFT (ms):                          7200.50",
                 "P99.9 TTFT (ms):                         11000.50", "Mean E2E Latency (ms):                   9000.0", "==================================================", "Mean TTFT (ms):                          1"})
            text += prefix + line + "\n";
        const auto runs = runs_of(text);
        ASSERT_EQ(1U, runs.size()) << prefix;
        EXPECT_EQ(32, runs[0].completed) << prefix;
        EXPECT_EQ(8, runs[0].max_concurrency) << prefix;
        EXPECT_NEAR(435.4, runs[0].output_per_second->value(), 1e-9) << prefix;
        EXPECT_NEAR(7.2005, runs[0].ttft.mean->value(), 1e-9) << prefix;
        EXPECT_NEAR(11.0005, runs[0].ttft.percentiles.at(99.9).value(), 1e-9) << prefix;
        EXPECT_NEAR(9, runs[0].end_to_end.mean->value(), 1e-9) << prefix;
    }
}

TEST(ServingVariants, LinesBeforeAJsonDocumentAreToldAndPassed)
{
    const auto m = serving_of("INFO 10-01 10:00:00 start, all of it\nNamespace(a=1, b=2)\n{\"model_id\": \"m\", \"duration\": 10.0, \"completed\": 10, \"output_throughput\": 200.0, \"mean_ttft_ms\": 50.0}\n");
    EXPECT_NEAR(0.05, runs_of(m).at(0).ttft.mean->value(), 1e-12);
    EXPECT_THAT(m.notes, Contains(HasSubstr("begin at line 3")));
}

// guidellm's YAML report (yaml.dump of the tree): lists stand as far in as their key, long strings go over lines.
TEST(ServingVariants, GuidellmYaml)
{
    const auto runs = runs_of("args:\n  data:\n  - prompt_tokens=512,output_tokens=200\n  model: 'org/m'\n  note: \"two\n    lines: of text\"\nbenchmarks:\n- config:\n    strategy:\n      streams: 8\n      type_: concurrent\n  duration: 30.0\n  metrics:\n"
                              "    request_totals:\n      errored: 2\n      incomplete: 1\n      successful: 90\n      total: 93\n    requests_per_second:\n      successful:\n        mean: 3.0\n    output_tokens_per_second:\n      successful:\n        mean: 6.0e+02\n"
                              "    request_latency:\n      successful:\n        count: 90\n        mean: 2.5\n        percentiles:\n          p001: 1.0\n          p99: 4.0\n      errored: {}\n    time_to_first_token_ms:\n      successful:\n        mean: 120.0\n        mode: null\n  requests:\n    successful:\n    - output: |-\n        a: b\n        - c\n      prompt: >\n        text\n- metrics: {}\n");
    ASSERT_EQ(1U, runs.size());
    EXPECT_EQ("org/m", runs[0].model);
    EXPECT_EQ(90, runs[0].completed);
    EXPECT_EQ(2, runs[0].failed);
    EXPECT_EQ(8, runs[0].max_concurrency);
    EXPECT_NEAR(30, runs[0].duration->value(), 1e-12);
    EXPECT_NEAR(2.5, runs[0].end_to_end.mean->value(), 1e-12);
    EXPECT_NEAR(4.0, runs[0].end_to_end.percentiles.at(99).value(), 1e-12);
    EXPECT_NEAR(0.12, runs[0].ttft.mean->value(), 1e-12);
    EXPECT_NEAR(600, runs[0].output_per_second->value(), 1e-12);
    // However deep, cut or odd: an error or what is sound.
    std::string deep = "benchmarks:\n";
    for (int i = 1; i < 300; ++i)
        deep += std::string(static_cast<std::size_t>(i), ' ') + "request_latency:\n";
    EXPECT_FALSE(read_measured_text(deep, "x"));
    EXPECT_FALSE(read_measured_text("benchmarks:\n- - - - request_latency:\n  ? x\n : y\n-\n", "x"));
}

// GenAI-Perf and AIPerf print a table with the figures of the CSV; READMEs keep it as Markdown, and the CSV indented.
TEST(ServingVariants, PerfTables)
{
    for (const std::string text : {"      NVIDIA GenAI-Perf | LLM Metrics\n\u2503  Statistic \u2503   avg \u2503  min \u2503  p99 \u2503\n\u2502 Time to first token (ms) \u2502 1,016.26 \u2502 12.39 \u2502 17.09 \u2502\n\u2502 Request latency (ms) \u2502 4,099.20 \u2502 451.01 \u2502 5,548.69 \u2502\n"
                                   "\u2502 Output token throughput (per sec) \u2502 520.87 \u2502 N/A \u2502 N/A \u2502\n\u2502 Output token throughput per user \u2502 \u2502 \u2502 \u2502\n\u2502 Request throughput (per sec) \u2502 1.99 \u2502 N/A \u2502 N/A \u2502\n",
             "| Metric | avg | min | p99 |\n|---|---|---|---|\n| Time To First Token (ms) | 1,016.26 | 12.39 | 17.09 |\n| Request Latency (ms) | 4,099.20 | 451.01 | 5,548.69 |\n| Output Token Throughput (tokens/sec) | 520.87 | N/A | \u2014 |\n| Request Throughput (per sec) | 1.99 | N/A | N/A |\n",
             "      Metric,avg,min,p99\n      Time To First Token (ms),\"1,016.26\",12.39,17.09\n      Request Latency (ms),\"4,099.20\",451.01,\"5,548.69\"\n\n      Metric,Value\n      Output Token Throughput (per sec),520.87\n      Request Throughput (per sec),1.99\n"}) {
        const auto runs = runs_of(text);
        ASSERT_EQ(1U, runs.size()) << text;
        EXPECT_EQ("GenAI-Perf", runs[0].tool);
        EXPECT_NEAR(1.01626, runs[0].ttft.mean->value(), 1e-9);
        EXPECT_NEAR(5.54869, runs[0].end_to_end.percentiles.at(99).value(), 1e-9);
        EXPECT_NEAR(520.87, runs[0].output_per_second->value(), 1e-9);
        EXPECT_NEAR(1.99, *runs[0].requests_per_second, 1e-9);
    }
}

// ai-dynamo/aiperf docs/tutorials/working-with-profile-exports.md: failed requests only under error_summary, the run cancelled.
TEST(ServingVariants, AiperfErrorsAndCancellation)
{
    const auto m = serving_of(R"({"request_throughput": {"unit": "requests/sec", "avg": 13.15}, "request_latency": {"unit": "ms", "avg": 6500.0, "p50": 5800.0}, "request_count": {"unit": "requests", "avg": 200.0}, "benchmark_duration": {"unit": "sec", "avg": 15.2}, "total_osl": {"unit": "tokens", "avg": 19370.0},
        "was_cancelled": true, "error_request_count": null, "error_summary": [{"error_details": {"code": 499}, "count": 80}, {"error_details": {"code": 500}, "count": 3}], "telemetry_data": {"endpoints": {}}, "input_config": {"endpoint": {"model_names": ["m"], "type": "chat"}, "loadgen": {"concurrency": 100}}})");
    const auto runs = runs_of(m);
    ASSERT_EQ(1U, runs.size());
    EXPECT_EQ(83, runs[0].failed);
    EXPECT_EQ(19370, runs[0].output_tokens);
    EXPECT_EQ(100, runs[0].max_concurrency);
    EXPECT_THAT(m.notes, Contains(HasSubstr("cancelled")));
}

// vllm-project/vllm benchmarks/benchmark_throughput.py (its line before and after output tokens were told apart) and benchmark_latency.py.
TEST(ServingVariants, VllmOfflineConsole)
{
    const auto now = runs_of("INFO loading\nThroughput: 70.5 requests/s, 54000.00 total tokens/s, 18000.00 output tokens/s\nTotal num prompt tokens:  260000\nTotal num output tokens:  130000\n");
    ASSERT_EQ(1U, now.size());
    EXPECT_NEAR(70.5, *now[0].requests_per_second, 1e-9);
    EXPECT_NEAR(54000.0, now[0].total_per_second->value(), 1e-9);
    EXPECT_NEAR(18000.00, now[0].output_per_second->value(), 1e-9);
    EXPECT_EQ(130000, now[0].output_tokens);
    const auto before = runs_of("Throughput: 7.15 requests/s, 4656.00 tokens/s\n");
    EXPECT_NEAR(4656, before.at(0).total_per_second->value(), 1e-9);
    EXPECT_FALSE(before[0].output_per_second);
    const auto latency = runs_of("Avg latency: 1.2345 seconds\n10% percentile latency: 1.2 seconds\n50% percentile latency: 1.22 seconds\n99% percentile latency: 1.25 seconds\n");
    ASSERT_EQ(1U, latency.size());
    EXPECT_NEAR(1.2345, latency[0].end_to_end.mean->value(), 1e-12);
    EXPECT_NEAR(1.25, latency[0].end_to_end.percentiles.at(99).value(), 1e-12);
}

// SemiAnalysisAI/InferenceX utils/process_agentic_result.py: seconds without a unit, ttlt is the time to the last token.
TEST(ServingVariants, InferencexAgents)
{
    const auto m = serving_of(R"({"hw": "h200", "users": 8, "model": "m", "infmax_model_prefix": "dsr1", "framework": "vllm", "tp": 4, "ep": 1, "num_requests_total": 105, "num_requests_successful": 100, "mean_qps": 0.52, "mean_ttft": 1.5, "median_ttft": 1.2, "mean_ttlt": 14.0, "p99.9_ttlt": 90.0, "mean_itl": 0.02,
        "output_tput_tps": 400.0, "total_tput_tps": 4000.0, "duration_seconds": 200.0, "tput_per_gpu": 1000.0, "output_tput_per_gpu": 100.0})");
    const auto runs = runs_of(m);
    ASSERT_EQ(1U, runs.size());
    EXPECT_EQ("InferenceX", runs[0].tool);
    EXPECT_EQ(100, runs[0].completed);
    EXPECT_EQ(5, runs[0].failed);
    EXPECT_NEAR(14.0, runs[0].end_to_end.mean->value(), 1e-12);
    EXPECT_NEAR(90.0, runs[0].end_to_end.percentiles.at(99.9).value(), 1e-12);
    EXPECT_NEAR(1.5, runs[0].ttft.mean->value(), 1e-12);
    EXPECT_NEAR(400, runs[0].output_per_second->value(), 1e-12);
    EXPECT_NEAR(4000, runs[0].total_per_second->value(), 1e-12);
    EXPECT_NEAR(200, runs[0].duration->value(), 1e-12);
    EXPECT_NEAR(0.5, *runs[0].requests_per_second, 1e-12);
    EXPECT_TRUE(runs[0].checks.empty());
}

TEST(ServingVariants, ACutLineKeepsThoseBehindIt)
{
    const std::string line = R"({"run_name": "t", "batch_size": 4, "input_len": 10, "output_len": 11, "latency": 2.0, "output_throughput": 44.0, "overall_throughput": 42.0, "last_ttft": 1.0})";
    const auto m = serving_of(line + "\n" + line.substr(0, 40) + "\n" + line + "\n");
    EXPECT_EQ(2U, runs_of(m).size());
    EXPECT_THAT(m.skipped, Contains(Field(&Skipped::first_place, "line 2")));
}

// GuideLLM's report since 0.7: the scenario under "config", the clock under "scheduler_metrics"; a metric whose "successful" is null
// had no successful request, and its "total" is of failed ones [guidellm, benchmark/schemas].
TEST(ServingVariants, GuidellmOfLaterVersions)
{
    const auto m = serving_of(R"({"metadata": {"version": 2}, "config": {"spec": {"backend": {"model": "org/m"}}}, "benchmarks": [{"config": {"strategy": {"type_": "concurrent", "streams": 4}},
 "scheduler_metrics": {"measure_start_time": 100.0, "measure_end_time": 130.0, "requests_made": {"successful": 12, "errored": 0, "incomplete": 1, "total": 13}},
 "metrics": {"request_totals": {"successful": 12, "errored": 0, "incomplete": 1, "total": 13},
  "time_to_first_token_ms": {"successful": {"mean": 50.0}, "total": {"mean": 55.0}}, "inter_token_latency_ms": {"successful": {"mean": 10.0}},
  "time_per_output_token_ms": {"successful": null, "total": {"mean": 99.0}}, "request_latency": {"successful": {"mean": 1.0}}}}]})");
    const ServingRun run = runs_of(m).at(0);
    EXPECT_EQ("org/m", run.model);
    EXPECT_EQ(12, run.completed);
    EXPECT_NEAR(30, run.duration->value(), 1e-9);
    EXPECT_NEAR(0.05, run.ttft.mean->value(), 1e-12);
    EXPECT_FALSE(run.tpot.mean);
    EXPECT_NEAR(0.01, run.time_behind_first()->value(), 1e-12);
}

// What is compared with the model is the time of a token behind the first, whatever a tool calls TPOT or ITL. Ten tokens, the first
// after 1 s, the others every 0.1 s: 1.9 s in all. LLMPerf and GuideLLM state 1.9 s / 10 = 0.19 s [openai_chat_completions_client.py,
// request_stats.py].
TEST(ServingVariants, TimeBehindTheFirstTokenOfAnyTool)
{
    ServingRun run;
    run.output_length = 10;
    run.ttft.mean = Seconds{1};
    run.end_to_end.mean = Seconds{1.9};
    EXPECT_NEAR(0.1, run.time_behind_first()->value(), 1e-12);
    run.itl.mean = Seconds{0.19};
    run.itl_counts_first = true;
    EXPECT_NEAR(0.1, run.time_behind_first()->value(), 1e-12);
    run.itl_counts_first = false;
    run.itl.mean = Seconds{0.1};
    run.tpot.mean = Seconds{0.19};
    run.tpot_counts_first = true;
    EXPECT_NEAR(0.1, run.time_behind_first()->value(), 1e-12);
    run.tpot_counts_first = false;
    EXPECT_NEAR(0.19, run.time_behind_first()->value(), 1e-12); // a tool that says so is believed
    run.tpot.median = Seconds{0.12};
    EXPECT_NEAR(0.12, run.time_behind_first()->value(), 1e-12);
    EXPECT_FALSE(ServingRun{}.time_behind_first());
    const auto llmperf = serving_of(R"({"version": "2023-08-31", "name": "n", "model": "m", "mean_input_tokens": 550, "num_concurrent_requests": 5,
 "results_inter_token_latency_s_mean": 0.19, "results_ttft_s_mean": 1.0, "results_end_to_end_latency_s_mean": 1.9, "results_number_output_tokens_mean": 10, "results_num_completed_requests": 5})");
    EXPECT_NEAR(0.1, runs_of(llmperf).at(0).time_behind_first()->value(), 1e-12);
}

} // namespace
