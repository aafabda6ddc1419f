// nccl-tests, rccl-tests and their summaries: real files against reference facts, and the variants of versions, launchers
// and breakage, each a small file.

#include <gmock/gmock.h>

#include "tests/model/measured/benchmark_facts.h"

using namespace ridgepoint;
using namespace ridgepoint::testing_facts;
using testing::HasSubstr;

namespace {

CollectiveBenchmark benchmark_of(const std::string& text) { return std::get<CollectiveBenchmark>(reading_of<CollectiveBenchmark>(text).content); }

const std::string header = "#                                                              out-of-place                       in-place          \n"
                           "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n"
                           "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)       \n";

TEST(Collectives, RealFilesGiveTheReferenceFacts)
{
    const auto reference = reference_facts();
    if (reference.is_null())
        GTEST_SKIP() << "no reference facts in " << traces_dir();
    int checked = 0;
    for (const auto& [name, expected] : reference["nccl_tests"].items()) {
        const auto path = traces_dir() / "nccl_tests" / name;
        if (!std::filesystem::exists(path))
            continue;
        SCOPED_TRACE(name);
        const auto found = read_measured(path.string());
        ASSERT_TRUE(found) << found.error().text();
        ASSERT_EQ(1U, found->size());
        expect_facts(expected, facts_of(found->front()), name);
        ++checked;
    }
    EXPECT_GT(checked, 0);
}

TEST(Collectives, RealFilesNameCollectiveRanksAndVersion)
{
    const auto dir = traces_dir() / "nccl_tests";
    if (!std::filesystem::exists(dir))
        GTEST_SKIP() << "no " << dir;
    const auto p5 = benchmark_of(text_of(dir / "p5_2node_v2.20.3-1.log"));
    EXPECT_EQ("2.22.3+cuda12.2", p5.version); // the file's name says 2.20.3
    ASSERT_EQ(1U, p5.sweeps.size());
    EXPECT_EQ(CollectiveType::all_reduce, p5.sweeps[0].type);
    EXPECT_TRUE(p5.sweeps[0].inferred);
    EXPECT_EQ(16, p5.sweeps[0].ranks);
    EXPECT_EQ(2, p5.sweeps[0].hosts);
    const auto alltoall = benchmark_of(text_of(dir / "polaris_n2_alltoall.dat"));
    EXPECT_EQ(CollectiveType::all_to_all, alltoall.sweeps.at(0).type);
    EXPECT_EQ(8, alltoall.sweeps[0].ranks);
    EXPECT_EQ(bytes(0), alltoall.sweeps[0].rows.at(0).size); // kept: three rows of size 0
    const auto b200 = benchmark_of(text_of(dir / "b200x8_alltoall_uint32.txt"));
    EXPECT_EQ("alltoall_perf", b200.sweeps.at(0).test); // from the shell's trace in front
    EXPECT_FALSE(b200.sweeps[0].stated);
    EXPECT_FALSE(b200.sweeps[0].inferred);
    const auto five = benchmark_of(text_of(dir / "cluster_N1_G8_single_node.log"));
    EXPECT_EQ("2.29.2", five.version);
    ASSERT_EQ(5U, five.sweeps.size());
    const CollectiveType types[]{CollectiveType::all_reduce, CollectiveType::all_gather, CollectiveType::reduce_scatter, CollectiveType::all_to_all, CollectiveType::send_recv};
    for (std::size_t i = 0; i < 5; ++i)
        EXPECT_EQ(types[i], five.sweeps[i].type) << i;
}

TEST(Collectives, RealSummariesAndJson)
{
    const auto dir = traces_dir() / "nccl_tests";
    if (!std::filesystem::exists(dir))
        GTEST_SKIP() << "no " << dir;
    const auto aws = benchmark_of(text_of(dir / "aws_p5_sweep_summary.csv"));
    ASSERT_FALSE(aws.sweeps.empty());
    EXPECT_EQ(16, aws.sweeps[0].ranks);
    EXPECT_EQ(2, aws.sweeps[0].hosts);
    EXPECT_EQ(9U, aws.sweeps[0].rows.size());
    EXPECT_EQ(CollectiveType::all_reduce, aws.sweeps[0].type); // 147.32 / 78.57 = 1.875 = 2 x 15/16
    EXPECT_EQ(mebibytes(32), aws.sweeps[0].rows[0].size);
    EXPECT_NEAR(33554432 / 78.57e9, aws.sweeps[0].rows[0].out_of_place->time.value(), 1e-9);
    const auto cluster = benchmark_of(text_of(dir / "cluster_single_node_summary.csv"));
    EXPECT_EQ("all_gather_perf", cluster.sweeps.at(0).test);
    EXPECT_EQ(4, cluster.sweeps[0].ranks);
    EXPECT_NEAR(360.77, in_gigabytes_per_second(*cluster.sweeps[0].printed_peak), 1e-9);
    EXPECT_NEAR(313.292, in_gigabytes_per_second(*cluster.sweeps[0].printed_average), 1e-9);
    const auto derived = traces_dir() / "derived/nccl_tests";
    const auto json = benchmark_of(text_of(derived / "nccl_tests_v3_all_reduce.json"));
    EXPECT_EQ("2.29.2", json.version);
    ASSERT_EQ(10U, json.sweeps.at(0).rows.size());
    EXPECT_EQ(8, json.sweeps[0].ranks); // the device list holds one entry; 480.99 / 274.85 = 1.75 = 2 x 7/8
    const auto rccl = benchmark_of(text_of(derived / "rccl_tests_output.jsonl"));
    ASSERT_EQ(2U, rccl.sweeps.at(0).rows.size());
    EXPECT_EQ(4, rccl.sweeps[0].ranks);
    EXPECT_NEAR(19.89765e-6, rccl.sweeps[0].rows[0].in_place->time.value(), 1e-12);
    const auto inline_json = benchmark_of(text_of(derived / "nccl_tests_pr318_inline.txt"));
    ASSERT_EQ(2U, inline_json.sweeps.at(0).rows.size());
    EXPECT_EQ(CollectiveType::all_to_all, inline_json.sweeps[0].type);
    EXPECT_EQ(8, inline_json.sweeps[0].ranks); // 33554432 / (1048576 x 4)
}

TEST(Collectives, OldVersionsWithoutRootOrReduction)
{
    // 2.0 to 2.12: `error` is a float, the reduction or the root may have no column.
    const auto gather = benchmark_of("#                                             out-of-place                    in-place\n"
                                     "#       size         count    type     time   algbw   busbw  error     time   algbw   busbw  error\n"
                                     "#        (B)    (elements)             (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)\n"
                                     "     1048576         32768   float    54.10   19.38   16.96  0e+00    53.90   19.45   17.02  0e+00\n");
    ASSERT_EQ(1U, gather.sweeps.size());
    const auto& row = gather.sweeps[0].rows.at(0);
    EXPECT_NEAR(54.10e-6, row.out_of_place->time.value(), 1e-12);
    EXPECT_NEAR(53.90e-6, row.in_place->time.value(), 1e-12);
    EXPECT_EQ(0, row.in_place->wrong);
    EXPECT_EQ("0e+00", row.in_place->wrong_text);
    EXPECT_EQ(CollectiveType::all_gather, gather.sweeps[0].type);
    EXPECT_EQ(8, gather.sweeps[0].ranks); // 1048576 / (32768 x 4)
    const auto reduce = benchmark_of("#       size         count    type   redop     time   algbw   busbw  error     time   algbw   busbw  error\n"
                                     "     1048576        262144   float     sum    54.10   19.38   33.92  0e+00    53.90   19.45   34.04  0e+00\n");
    EXPECT_EQ(-1, reduce.sweeps.at(0).rows.at(0).root);
    EXPECT_EQ(CollectiveType::all_reduce, reduce.sweeps[0].type);
    EXPECT_EQ(8, reduce.sweeps[0].ranks); // 33.92 / 19.38 = 1.7503
    const auto broadcast = benchmark_of("#       size         count    type    root     time   algbw   busbw  error     time   algbw   busbw  error\n"
                                        "     1048576        262144   float       0    54.10   19.38   19.38  0e+00    53.90   19.45   19.45  0e+00\n");
    EXPECT_EQ(0, broadcast.sweeps.at(0).rows.at(0).root);
    EXPECT_EQ(CollectiveType::broadcast, broadcast.sweeps[0].type);
}

TEST(Collectives, PerIterationColumnsAndTimeStamps)
{
    const auto b = benchmark_of("#       size         count      type   redop    root     time   algbw   busbw  #wrong    i_min    i_max    i_p99    i_cv%     time   algbw   busbw  #wrong    i_min    i_max    i_p99    i_cv%           timestamp\n"
                                "    33554432       8388608     float     sum      -1   182.94  183.42  320.98       0   180.00   190.00   189.00     1.20   182.72  183.64  321.37       0   180.10   190.10   189.10     1.30   2026-01-28 14:50:17\n");
    const auto& row = b.sweeps.at(0).rows.at(0);
    EXPECT_NEAR(182.94e-6, row.out_of_place->time.value(), 1e-12);
    EXPECT_NEAR(182.72e-6, row.in_place->time.value(), 1e-12);
    EXPECT_NEAR(321.37e9, row.in_place->bus_bandwidth.value(), 1e3);
}

TEST(Collectives, TagsChatterAndBrokenRows)
{
    const auto b = benchmark_of("[1,0]<stdout>:" + header.substr(0, header.find('\n') + 1) + "[1,0]<stdout>:" + header.substr(header.find('\n') + 1)
        + "[1,0]<stdout>:           8             2     float     sum      -1[1,0]<stdout>:    85.70    0.00    0.00      0[1,0]<stdout>:    74.97    0.00    0.00      0\n"
          "[1,0]<stdout>:          16             4     float     sum      -1worker-0:25:25 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1]\n"
          "[1,3]<stdout>:worker-0:28:28 [3] NCCL INFO NCCL version 2.21.5+cuda12.4\n"
          "[1,0]<stdout>:    63.44    0.01    0.02      0    63.31    0.01    0.02      0\n"
          "[1,0]<stdout>:          32             8     float     sum      -1    64.00    0.01    0.02    N/A    63.36    0.01    0.02    N/A\n");
    ASSERT_EQ(1U, b.sweeps.size());
    ASSERT_EQ(3U, b.sweeps[0].rows.size());
    EXPECT_EQ("2.21.5+cuda12.4", b.version);
    EXPECT_NEAR(63.44e-6, b.sweeps[0].rows[1].out_of_place->time.value(), 1e-12);
    EXPECT_EQ(std::nullopt, b.sweeps[0].rows[2].out_of_place->wrong);
    EXPECT_EQ(0, b.sweeps[0].rows[0].out_of_place->wrong);
}

TEST(Collectives, TwoProcessesWithLabelsAreTwoTables)
{
    std::string text;
    const std::string lines[]{"# nThread 1 nGpus 1 minBytes 8 maxBytes 16 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0",
        "#  Rank  0 Group  0 Pid 10 on nodeA device  0 [0x07] NVIDIA A100-SXM4-40GB", header.substr(header.find('\n') + 1, 120),
        "           8             2     float     sum      -1    10.00    0.00    0.00      0    10.10    0.00    0.00      0",
        "          16             4     float     sum      -1    11.00    0.00    0.00      0    11.10    0.00    0.00      0", "# Avg bus bandwidth    : 0.01"};
    for (const std::string& line : lines)
        for (const char* rank : {"0: ", "1: "})
            text += rank + line.substr(0, line.find('\n')) + "\n";
    const auto m = reading_of<CollectiveBenchmark>(text);
    const auto& b = std::get<CollectiveBenchmark>(m.content);
    ASSERT_EQ(2U, b.sweeps.size());
    EXPECT_EQ(2U, b.sweeps[0].rows.size());
    EXPECT_EQ(2U, b.sweeps[1].rows.size());
    EXPECT_EQ(1, b.sweeps[1].ranks);
    EXPECT_EQ(2, m.facts["n_rank_lines"]);
}

TEST(Collectives, RcclCsvAndSemicolons)
{
    const auto b = benchmark_of("numCycle,name,nodes,ranks,ranksPerNode,gpusPerRank,size,type,redop,inPlace,time,algBw,busBw,wrong\n"
                                "1,AllGather,1,8,8,1,1048576,float,none,0,54.1,19.38,16.96,0\n"
                                "1,AllGather,1,8,8,1,1048576,float,none,1,53.9,19.45,17.02,0\n"
                                "1,AllGather,1,8,8,1,2097152,float,none,0,80.0,26.21,22.94,N/A\n");
    ASSERT_EQ(1U, b.sweeps.size());
    EXPECT_EQ(CollectiveType::all_gather, b.sweeps[0].type);
    ASSERT_EQ(2U, b.sweeps[0].rows.size());
    EXPECT_NEAR(53.9e-6, b.sweeps[0].rows[0].in_place->time.value(), 1e-12);
    EXPECT_EQ(std::nullopt, b.sweeps[0].rows[1].out_of_place->wrong);
    EXPECT_FALSE(b.sweeps[0].rows[1].in_place);
    const auto german = benchmark_of("Nodes;GPUs;size(MB);out algbw(GB/s);out busbw(GB/s)\n2;16;32;78,57;147,32\n");
    EXPECT_NEAR(147.32e9, german.sweeps.at(0).rows.at(0).out_of_place->bus_bandwidth.value(), 1e3);
}

TEST(Collectives, UnclosedJsonKeepsItsResults)
{
    const std::string text = R"({"version":2,"args":["/opt/all_reduce_perf","-J","x"],"nccl_version":2406,"config":{"nthreads":1,"ngpus":2,"devices":[{"rank":0,"group":0,"pid":1,"hostname":"a","device":0,"device_hex":"0x1","device_info":"NVIDIA H200"}]},)"
                             R"("results":[{"size":1048576,"count":262144,"type":"float","redop":"sum","root":"    -1","out_of_place":{"cpu_time":54.1,"alg_bw":19.38,"bus_bw":19.38,"nwrong":null},"in_place":{"time":53.9,"alg_bw":"nan","bus_bw":"nan","nwrong":0.0},"actual_iterations":20},{"size":20971)";
    const auto m = reading_of<CollectiveBenchmark>(text);
    const auto& b = std::get<CollectiveBenchmark>(m.content);
    EXPECT_EQ("2.4.6", b.version);
    ASSERT_EQ(1U, b.sweeps.size());
    ASSERT_EQ(1U, b.sweeps[0].rows.size());
    EXPECT_EQ(2, b.sweeps[0].ranks);
    EXPECT_NEAR(54.1e-6, b.sweeps[0].rows[0].out_of_place->time.value(), 1e-12);
    EXPECT_EQ(std::nullopt, b.sweeps[0].rows[0].out_of_place->wrong);
    EXPECT_TRUE(std::isnan(b.sweeps[0].rows[0].in_place->bus_bandwidth.value()));
    EXPECT_FALSE(m.skipped.empty());
}

TEST(Collectives, BrokenFilesEndInAnErrorOrKeepWhatIsSound)
{
    EXPECT_FALSE(read_measured_text(header, "x")); // a table without rows
    EXPECT_FALSE(read_measured_text("{\"results\": [{\"out_of_place\": {\"alg_bw\": 1, \"bus_bw\": 1}}]}", "x"));
    EXPECT_FALSE(read_measured_text("{\"busBw\": NaN, \"algBw\": NaN}\n", "x"));
    const auto huge = benchmark_of(header + "  99999999999999999999     2     float     sum      -1    1.0 1.0 1.0 0 1.0 1.0 1.0 0\n"
                                            "           8             2     float     sum      -1    1e999 1.0 1.0 0 1.0 1.0 1.0 0\n"
                                            "           8             2     float     sum      -1    10.0 1.0 1.75 0 10.0 1.0 1.75 0\n");
    EXPECT_EQ(1U, huge.sweeps.at(0).rows.size());
    std::string wide = header + "           8             2     float     sum      -1";
    for (int i = 0; i < 1'000'000; ++i)
        wide += " 1.0";
    (void)read_measured_text(wide, "x");
    std::string noise = header;
    for (int i = 0; i < 100000; ++i)
        noise += static_cast<char>(i * 7919 >> 3);
    (void)read_measured_text(noise, "x");
}

TEST(Collectives, DoubtsAreNoted)
{
    const auto m = reading_of<CollectiveBenchmark>(header + "     1048576        262144     float     sum      -1    54.10   19.38   33.92      7    53.90   19.45   34.04      0\n# Out of bounds values : 7 FAILED\n# Avg bus bandwidth    : 99.0\n");
    std::string all;
    for (const std::string& n : m.notes)
        all += n + "\n";
    EXPECT_THAT(all, HasSubstr("wrong elements"));
    EXPECT_THAT(all, HasSubstr("printed average"));
    EXPECT_THAT(all, HasSubstr("does not name the collective"));
}

} // namespace
