// Serving benchmarks: real files against reference facts, every tool's variants, units, contradictions, breakage.

#include <gmock/gmock.h>

#include "tests/model/measured/benchmark_facts.h"

using namespace ridgepoint;
using namespace ridgepoint::testing_facts;
using testing::Contains;
using testing::HasSubstr;

namespace {

std::vector<ServingRun> runs_of(const std::string& text) { return std::get<ServingBenchmark>(reading_of<ServingBenchmark>(text).content).runs; }

ServingRun run_of(const std::string& text)
{
    auto runs = runs_of(text);
    EXPECT_EQ(1U, runs.size());
    return runs.empty() ? ServingRun{} : runs[0];
}

TEST(Serving, RealFilesGiveTheReferenceFacts)
{
    if (reference_facts().is_null())
        GTEST_SKIP() << "no reference facts in " << traces_dir();
    EXPECT_GT(check_facts_under("serving/"), 0);
}

TEST(Serving, RealFilesGiveRuns)
{
    const auto dir = traces_dir() / "serving";
    if (!std::filesystem::exists(dir))
        GTEST_SKIP() << "no " << dir;
    const auto x = reading_of<ServingBenchmark>(text_of(dir / "inferencex_qwen35_tp8_conc64.json"));
    const auto& run = std::get<ServingBenchmark>(x.content).runs.at(0);
    EXPECT_EQ("InferenceX", run.tool);
    EXPECT_NEAR(19.789913, run.ttft.median->value(), 1e-5);
    EXPECT_THAT(x.notes, Contains(HasSubstr("read as seconds")));
    EXPECT_TRUE(run.checks.empty());
    const auto llmperf = run_of(text_of(dir / "llmperf_individual_groq_70b.json"));
    EXPECT_EQ(150, llmperf.completed);
    EXPECT_NEAR(0.22786, llmperf.ttft.mean->value(), 2e-4); // the summary of the same run
    const auto csv = runs_of(text_of(dir / "dstack_pd_ratio_results.csv"));
    ASSERT_GT(csv.size(), 50U);
    EXPECT_NEAR(9204.0, csv[0].output_per_second->value(), 0.1);
    EXPECT_NEAR(0.33578628, csv[0].ttft.mean->value(), 1e-7);
    const auto offline = run_of(text_of(dir / "vllm_throughput_mi300x_405b_req128_in128_out2048.json"));
    EXPECT_NEAR(1424.503, offline.total_per_second->value(), 1e-3);
    EXPECT_FALSE(offline.output_per_second);
    const auto trt = run_of(text_of(dir / "trtllm_bench_h100x8_70b_128_128.txt"));
    EXPECT_NEAR(14389.7989, trt.output_per_second->value(), 1e-6);
    EXPECT_EQ(8, trt.gpus);
    EXPECT_TRUE(std::isinf(*trt.request_rate)); // 2.98E+13 requests a second
    const auto lines = runs_of(text_of(traces_dir() / "derived/serving/sglang_infinity_nan.jsonl"));
    ASSERT_GE(lines.size(), 2U);
    EXPECT_TRUE(std::isinf(*lines[0].request_rate));
    EXPECT_FALSE(lines[0].ttft.mean); // NaN
}

TEST(Serving, VllmArraysGiveWhatAggregatesDoNot)
{
    const auto m = reading_of<ServingBenchmark>(R"({"date": "x", "endpoint_type": "openai", "model_id": "m", "num_prompts": 4, "request_rate": "inf", "max_concurrency": 4, "duration": 2.0, "completed": 3, "total_input_tokens": 30, "total_output_tokens": 7,
        "output_throughput": 3.5, "input_lens": [10, 10, 10, 10], "output_lens": [3, 3, 1, 0], "ttfts": [0.1, 0.3, 0.2, 0.0], "itls": [[0.1, 0.1], [0.2, 0.2], [], []], "errors": ["", "", "", "timeout"]})");
    const auto& r = std::get<ServingBenchmark>(m.content).runs.at(0);
    EXPECT_EQ("vLLM bench serve", r.tool);
    EXPECT_EQ(1, r.failed);
    EXPECT_NEAR(0.2, r.ttft.mean->value(), 1e-12); // the failed request is left out
    EXPECT_NEAR(0.29, r.ttft.percentiles.at(95).value(), 1e-12); // 0.1 0.2 0.3: 0.2 + 0.9 x 0.1
    EXPECT_NEAR(0.15, r.itl.mean->value(), 1e-12);
    EXPECT_NEAR(0.15, r.tpot.mean->value(), 1e-12);
    EXPECT_NEAR((0.3 + 0.7 + 0.2) / 3, r.end_to_end.mean->value(), 1e-12);
    EXPECT_NEAR(1.5, *r.requests_per_second, 1e-12);
    EXPECT_NEAR(18.5, r.total_per_second->value(), 1e-12);
    EXPECT_EQ(4, m.facts["n_itls"]);
    EXPECT_THAT(m.notes, Contains(HasSubstr("one token")));
    EXPECT_TRUE(r.checks.empty());
}

TEST(Serving, ContradictionsBecomeSentences)
{
    const auto r = run_of(R"({"model_id": "m", "num_prompts": 10, "duration": 10.0, "completed": 8, "failed": 1, "total_output_tokens": 1000, "total_input_tokens": 0, "output_throughput": 120.0, "request_throughput": 0.8,
        "mean_ttft_ms": 500.0, "mean_tpot_ms": 1568.7, "mean_itl_ms": 386.0, "mean_e2el_ms": 60000.0, "max_concurrency": 8, "ttfts": [0.1, 0.2]})");
    EXPECT_THAT(r.checks, Contains(HasSubstr("output throughput")));
    EXPECT_THAT(r.checks, Contains(HasSubstr("8 completed and 1 failed")));
    EXPECT_THAT(r.checks, Contains(HasSubstr("mean TTFT is stated as 500")));
    EXPECT_THAT(r.checks, Contains(HasSubstr("prefer the ITL")));
    EXPECT_THAT(r.checks, Contains(HasSubstr("in flight")));
    const auto zero = run_of(R"({"model_id": "m", "duration": 10.0, "completed": 8, "output_throughput": 1.0, "mean_ttft_ms": 0.0, "median_ttft_ms": 0.0, "p99_ttft_ms": 0.0})");
    EXPECT_FALSE(zero.ttft.mean);
    EXPECT_THAT(zero.checks, Contains(HasSubstr("not measured")));
}

TEST(Serving, UnitsWithoutASuffixAreDecidedAloud)
{
    const auto decided = [](const std::string& text) {
        const auto m = reading_of<ServingBenchmark>(text);
        std::string notes;
        for (const std::string& n : m.notes)
            notes += n + "\n";
        return std::pair(std::get<ServingBenchmark>(m.content).runs.at(0), notes);
    };
    // Early SGLang: nothing contradicts, its habit decides.
    const auto early = decided(R"({"backend": "sglang", "dataset_name": "random", "request_rate": 4.0, "total_output_tokens": 1000, "total_output_tokens_retokenized": 999, "median_ttft": 85.7, "median_itl": 13.6, "output_token_throughput": 100.0, "duration": 200.0, "completed": 10})");
    EXPECT_NEAR(0.0857, early.first.ttft.median->value(), 1e-12);
    EXPECT_THAT(early.second, HasSubstr("milliseconds"));
    EXPECT_NEAR(100, early.first.output_per_second->value(), 1e-12);
    // Longer than the run: cannot be seconds.
    const auto ms = decided(R"({"model_id": "m", "output_throughput": 100.0, "duration": 20.0, "completed": 10, "median_ttft": 85.7, "median_e2el": 1900.0})");
    EXPECT_NEAR(1.9, ms.first.end_to_end.median->value(), 1e-12);
    // The interactivity is the reciprocal of the TPOT.
    const auto s = decided(R"({"hw": "b200", "tp": 8, "conc": 64, "model": "m", "tput_per_gpu": 100.0, "output_tput_per_gpu": 50.0, "mean_ttft": 0.4, "median_ttft": 0.35, "mean_tpot": 0.02, "median_tpot": 0.02, "median_intvty": 50.0, "mean_e2el": 9.0})");
    EXPECT_NEAR(0.02, s.first.tpot.mean->value(), 1e-12);
    EXPECT_NEAR(400, s.first.output_per_second->value(), 1e-9);
    EXPECT_EQ(8, s.first.gpus);
    EXPECT_THAT(s.second, HasSubstr("reciprocal"));
    // Nothing tells: left out, and said.
    const auto open = decided(R"({"model_id": "m", "output_throughput": 100.0, "completed": 10, "median_ttft": 3.0})");
    EXPECT_FALSE(open.first.ttft.median);
    EXPECT_THAT(open.second, HasSubstr("left out"));
}

TEST(Serving, InferenceXLists)
{
    const auto runs = runs_of(R"([{"hw": "h200", "tp": 8, "conc": 4, "model": "m", "tput_per_gpu": 100.0, "output_tput_per_gpu": 50.0, "median_ttft": 0.35, "median_tpot": 0.01, "median_intvty": 100.0},
        {"hw": "gb200", "num_prefill_gpu": 4, "num_decode_gpu": 12, "conc": 4, "tput_per_gpu": 100.0, "output_tput_per_gpu": 50.0, "median_tpot": 0.01, "median_intvty": 100.0}, 7])");
    ASSERT_EQ(2U, runs.size());
    EXPECT_EQ(16, runs[1].gpus);
    EXPECT_NEAR(1600, runs[1].total_per_second->value(), 1e-9);
    EXPECT_FALSE(runs[1].output_per_second); // of which GPUs is not certain
}

TEST(Serving, AiperfAndGenaiPerf)
{
    const auto a = run_of(R"({"request_throughput": {"unit": "requests/sec", "avg": 2.0}, "request_latency": {"unit": "ms", "avg": 1000.0, "p50": 900.0, "p99": 2000.0, "std": 10.0, "min": 1, "max": 2001}, "time_to_first_token": {"unit": "us", "avg": 30000.0},
        "inter_token_latency": {"unit": "ms", "avg": 10.0}, "output_token_throughput": {"unit": "tokens/sec", "avg": 200.0}, "request_count": {"unit": "requests", "avg": 20}, "benchmark_duration": {"unit": "sec", "avg": 10.0},
        "input_config": {"endpoint": {"model_names": ["m"]}, "loadgen": {"concurrency": 2}}})");
    EXPECT_EQ("AIPerf", a.tool);
    EXPECT_EQ("m", a.model);
    EXPECT_EQ(2, a.max_concurrency);
    EXPECT_NEAR(0.03, a.ttft.mean->value(), 1e-12);
    EXPECT_NEAR(2.0, a.end_to_end.percentiles.at(99).value(), 1e-12);
    EXPECT_NEAR(2.0, *a.in_flight(), 1e-12);
    const auto g = run_of("Metric,avg,min,max,p99,p95,p90,p75,p50,p25\r\nTime To First Token (ms),\"1,146.31\",249.48,\"3,485.23\",\"3,457.97\",\"3,349.56\",\"3,215.06\",\"1,330.93\",640.07,286.52\r\nRequest Latency (ms),\"6,406.20\",1,2,3,4,5,6,7,8\r\n"
                          "Inter Token Latency (ns),30,27.59,35.60,35.23,33.88,32.53,31.05,30.13,29.04\r\n\r\nMetric,Value\r\nOutput Token Throughput (per sec),261.25\r\nRequest Throughput (per sec),1.50\r\nRequest Count (count),40.00\r\n\r\nMetric,GPU,avg\r\nPower,0,700\r\n");
    EXPECT_EQ("GenAI-Perf", g.tool);
    EXPECT_NEAR(1.14631, g.ttft.mean->value(), 1e-9);
    EXPECT_NEAR(0.64007, g.ttft.median->value(), 1e-9);
    EXPECT_NEAR(30e-9, g.itl.mean->value(), 1e-15);
    EXPECT_NEAR(261.25, g.output_per_second->value(), 1e-9);
    EXPECT_EQ(40, g.completed);
}

TEST(Serving, GuidellmBothTrees)
{
    const auto runs = runs_of(R"({"metadata": {"version": 1}, "args": {"model": "m"}, "benchmarks": [{"config": {"strategy": {"type_": "concurrent", "streams": 8}}, "duration": 30.0, "metrics": {"request_totals": {"successful": 90, "errored": 2, "incomplete": 1, "total": 93},
        "requests_per_second": {"successful": {"mean": 3.0}}, "output_tokens_per_second": {"successful": {"mean": 600.0}}, "request_latency": {"successful": {"mean": 2.5, "median": 2.4, "std_dev": 0.1, "percentiles": {"p001": 1.0, "p01": 1.1, "p05": 1.2, "p99": 4.0, "p999": 5.0}}},
        "time_to_first_token_ms": {"successful": {"mean": 120.0, "percentiles": {"p50": 110.0}}}, "inter_token_latency_ms": {"successful": {"mean": 11.0}}, "time_per_output_token_ms": {"successful": {"mean": 12.0}}}}]})");
    ASSERT_EQ(1U, runs.size());
    EXPECT_EQ(90, runs[0].completed);
    EXPECT_EQ(2, runs[0].failed);
    EXPECT_EQ(8, runs[0].max_concurrency);
    EXPECT_NEAR(2.5, runs[0].end_to_end.mean->value(), 1e-12);
    EXPECT_NEAR(0.1, runs[0].end_to_end.percentiles.begin()->first, 1e-12);
    EXPECT_NEAR(5.0, runs[0].end_to_end.percentiles.at(99.9).value(), 1e-12);
    EXPECT_NEAR(0.12, runs[0].ttft.mean->value(), 1e-12);
    EXPECT_NEAR(7.5, *runs[0].in_flight(), 1e-12);
    const auto old = run_of(R"({"benchmarks": [{"mode": "asynchronous", "rate": 2.0, "results": [{"start_time": 100.0, "end_time": 102.0, "first_token_time": 0.5, "output_token_count": 4, "prompt_token_count": 9}, {"start_time": 101.0, "end_time": 104.0, "first_token_time": 101.25, "output_token_count": 12}], "errors": [{}]}]})");
    EXPECT_EQ(2, old.completed);
    EXPECT_EQ(1, old.failed);
    EXPECT_NEAR((0.5 + 0.25) / 2, old.ttft.mean->value(), 1e-12);
    EXPECT_NEAR(4.0, old.output_per_second->value(), 1e-12); // 16 tokens in 4 s
}

TEST(Serving, TrtllmReports)
{
    const auto json = run_of(R"({"engine": {"model": "m", "version": "1.0"}, "world_info": {"tp_size": 8, "pp_size": 1, "ep_size": 8, "world_size": 8, "issue_rate": 29766000000000.0}, "request_info": {"num_requests": 100, "avg_input_length": 10.0, "avg_output_length": 20.0},
        "performance": {"total_latency_ms": 10000.0, "request_throughput_req_s": 10.0, "system_output_throughput_tok_s": 200.0, "system_total_throughput_tok_s": 300.0, "avg_request_latency_ms": 500.0, "request_latency_percentiles_ms": {"p50": 400.0, "minimum": 1.0, "average": 500.0}},
        "streaming_metrics": {"avg_ttft_ms": 50.0, "avg_tpot_ms": 5.0, "ttft_percentiles": {"p99": 90.0}}})");
    EXPECT_EQ(8, json.ep);
    EXPECT_NEAR(0.09, json.ttft.percentiles.at(99).value(), 1e-12);
    EXPECT_TRUE(std::isinf(*json.request_rate));
    EXPECT_TRUE(json.checks.empty());
    const auto text = runs_of("noise\n= PYTORCH BACKEND\n===\nModel:\t\t\tm\n= WORLD + RUNTIME INFORMATION \nTP Size:                4\nPP Size:                2\n= REQUEST DETAILS \nNumber of requests:             100\nAverage Input Length (tokens):  10.0\nAverage Output Length (tokens): 20.0\n"
                              "= PERFORMANCE OVERVIEW \nRequest Throughput (req/sec):                     10.0\nTotal Output Throughput (tokens/sec):             200.0\nTotal Token Throughput (tokens/sec):              300.0\nTotal Latency (ms):                               10000.0\n"
                              "Average time-to-first-token [TTFT] (ms):          50.0\n[TPOT] P50    : 5.5\n[Latency] P99    : 700.0\n= PYTORCH BACKEND\nTP Size: 1\nRequest Throughput (req/sec): 1.0\nToken Throughput (tokens/sec): 30\n");
    ASSERT_EQ(2U, text.size());
    EXPECT_EQ(8, text[0].gpus);
    EXPECT_NEAR(300, text[0].total_per_second->value(), 1e-12);
    EXPECT_NEAR(0.0055, text[0].tpot.median->value(), 1e-12);
    EXPECT_NEAR(0.7, text[0].end_to_end.percentiles.at(99).value(), 1e-12);
}

TEST(Serving, ConsoleBlocksInALog)
{
    const auto runs = runs_of("INFO start\n============ Serving Benchmark Result ============\nBackend:                                 sglang    \nTraffic request rate:                    inf\nMax request concurrency:                 16\nSuccessful requests:                     100       \nBenchmark duration (s):                  41.24     \n"
                              "Total input tokens:                      99744     \nTotal generated tokens:                  100000    \nRequest throughput (req/s):              2.42      \nOutput token throughput (tok/s):         2424.83   \nTotal Token throughput (tok/s):          4843.81   \n---------------Time to First Token----------------\nMean TTFT (ms):                          60.77     \nP99 TTFT (ms):                           -0.00\n"
                              "Mean E2E Latency (ms):                   2098.07   \n==================================================\nMean TTFT (ms): 1\n");
    ASSERT_EQ(1U, runs.size());
    EXPECT_NEAR(0.06077, runs[0].ttft.mean->value(), 1e-12);
    EXPECT_NEAR(2.09807, runs[0].end_to_end.mean->value(), 1e-12);
    EXPECT_EQ(100000, runs[0].output_tokens);
}

TEST(Serving, InferencePerfAndLlmperf)
{
    const auto i = run_of(R"({"load_summary": {"count": 10, "requested_rate": 2.0}, "successes": {"count": 9, "latency": {"request_latency": {"mean": 0.5, "p0.1": 0.1, "p99.9": 0.9, "median": 0.45}, "time_to_first_token": {"mean": 0.03}}, "throughput": {"requests_per_sec": 1.9, "output_tokens_per_sec": 100.0}}, "failures": {"count": 1}})");
    EXPECT_EQ(9, i.completed);
    EXPECT_NEAR(0.9, i.end_to_end.percentiles.at(99.9).value(), 1e-12);
    EXPECT_TRUE(i.checks.empty());
    const auto l = run_of(R"([{"error_code": null, "ttft_s": 0.1, "inter_token_latency_s": 0.01, "end_to_end_latency_s": 1.0, "number_output_tokens": 100}, {"error_code": 429, "ttft_s": 0, "inter_token_latency_s": 0}])");
    EXPECT_EQ(1, l.failed);
    EXPECT_NEAR(0.1, l.ttft.mean->value(), 1e-12);
}

TEST(Serving, BrokenFilesEndInAnErrorOrKeepWhatIsSound)
{
    EXPECT_FALSE(read_measured_text(R"({"output_throughput": 1})" "\n", "x"));
    EXPECT_FALSE(read_measured_text(R"({"benchmarks": 3, "metrics": {}, "request_latency": 1})", "x"));
    EXPECT_FALSE(read_measured_text(R"({"load_summary": [], "successes": null})", "x"));
    EXPECT_FALSE(read_measured_text(R"({"avg_latency": NaN, "percentiles": {}, "latencies": []})", "x"));
    EXPECT_FALSE(read_measured_text("Serving Benchmark Result\n", "x"));
    const auto cut = run_of(R"({"model_id": "m", "duration": 10.0, "completed": 8, "output_throughput": 80.0, "total_output_tokens": 800, "ttfts": [0.1, 0.2, 0.)");
    EXPECT_NEAR(0.15, cut.ttft.mean->value(), 1e-12);
    const auto huge = run_of(R"({"model_id": "m", "duration": 1e300, "completed": 99999999999999999999, "output_throughput": -1, "mean_ttft_ms": 1e300, "max_concurrency": 1e18})");
    EXPECT_FALSE(huge.ttft.mean);
    EXPECT_FALSE(huge.max_concurrency);
    // Wrong types under every known key end without a crash.
    for (const char* value : {"[]", "{}", "\"x\"", "null", "true", "-1e308"}) {
        std::string text = "{";
        for (const char* key : {"model_id", "backend", "duration", "completed", "failed", "output_throughput", "request_throughput", "ttfts", "itls", "errors", "output_lens", "server_info", "tp", "num_prompts", "mean_ttft_ms", "median_ttft", "median_intvty", "tput_per_gpu", "request_rate",
                 "engine", "world_info", "performance", "request_info", "streaming_metrics", "benchmarks", "metrics", "input_config", "records", "load_summary", "successes", "failures", "avg_latency", "latencies", "percentiles", "results", "request_start_ns", "value", "unit", "avg", "time_to_first_token", "request_latency",
                 "elapsed_time", "num_requests", "tokens_per_second", "inter_token_latency_s", "ttft_s", "results_ttft_s_mean", "metadata", "args", "first_token_time"})
            text += (text.size() > 1 ? ",\"" : "\"") + std::string(key) + "\":" + value;
        (void)read_measured_text(text + "}", "x");
        (void)read_measured_text(text + "}\n" + text + "}\n", "x");
    }
    std::string wide = "output_throughput,mean_ttft_ms";
    for (int i = 0; i < 1'000'000; ++i)
        wide += ",c";
    (void)read_measured_text(wide + "\n1,2", "x");
}

} // namespace
