// Layouts that published files and the sources of their writers have, beyond those of the reference files: each is tabulated
// anew from the source named beside it.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/model/measured/benchmark_facts.h"

using namespace ridgepoint;
using namespace ridgepoint::testing_facts;
using testing::Contains;
using testing::HasSubstr;

namespace {

CollectiveBenchmark benchmark_of(const std::string& text) { return std::get<CollectiveBenchmark>(reading_of<CollectiveBenchmark>(text).content); }
KernelTotals totals_of(const std::string& text) { return std::get<KernelTotals>(reading_of<KernelTotals>(text).content); }
MetricSet metrics_of_text(const std::string& text) { return std::get<MetricSet>(reading_of<MetricSet>(text).content); }

// rccl-tests src/common.cu, Reporter::writeFile: rows of an MPI build have the nodes before the ranks; for years the header
// did not. Names are quoted, the flag of the column is 0 or 1.
TEST(PublishedVariants, RcclCsvWhoseHeaderLacksTheNodes)
{
    const std::string rows = "0,\"AllReduce\",2,16,8,1,1048576,\"float\",\"sum\",0,45.12,23.239,43.573,\"0\"\n"
                             "0,\"AllReduce\",2,16,8,1,1048576,\"float\",\"sum\",1,44.02,23.820,44.663,\"N/A\"\n";
    for (const char* nodes : {"", "nodes,"}) {
        const auto b = benchmark_of(std::string("numCycle,collective,") + nodes + "ranks,ranksPerNode,gpusPerRank,size,type,redop,inplace,time,algbw,busbw,#wrong\n" + rows);
        ASSERT_EQ(1U, b.sweeps.size());
        EXPECT_EQ(16, b.sweeps[0].ranks);
        EXPECT_EQ(2, b.sweeps[0].hosts);
        ASSERT_EQ(1U, b.sweeps[0].rows.size());
        EXPECT_NEAR(45.12, in_microseconds(b.sweeps[0].rows[0].out_of_place->time), 1e-9);
        EXPECT_NEAR(44.02, in_microseconds(b.sweeps[0].rows[0].in_place->time), 1e-9);
        EXPECT_FALSE(b.sweeps[0].rows[0].in_place->wrong);
    }
}

// The same writer prints NaN with std::to_string: the row has no time, which is not that the file has none.
TEST(PublishedVariants, OneRowWithoutATimeIsNotAFileWithoutTimes)
{
    const Measured m = reading_of<CollectiveBenchmark>("[\n{\"name\":\"AllReduce\", \"ranks\":2, \"size\":1024, \"type\":\"float\", \"redop\":\"sum\", \"inPlace\":0, \"time\":10.0, \"algBw\":0.1024, \"busBw\":0.1024, \"wrong\":\"0\"},\n"
                                                       "{\"name\":\"AllReduce\", \"ranks\":2, \"size\":2048, \"type\":\"float\", \"redop\":\"sum\", \"inPlace\":0, \"time\":nan, \"algBw\":-nan, \"busBw\":inf, \"wrong\":\"0\"}\n]\n");
    EXPECT_THAT(m.notes, testing::Not(Contains(HasSubstr("has no times"))));
    ASSERT_EQ(1U, m.skipped.size());
    EXPECT_EQ("result 2", m.skipped[0].first_place);
}

// The tests of NCCL 1 and the first nccl-tests (README of NVIDIA/nccl, 2016): "bytes", "N", and milliseconds:
// 10 MB / 6.14 GB/s = 1.628 ms. Their comments have no '#'.
TEST(PublishedVariants, FirstVersionPrintsMilliseconds)
{
    const auto b = benchmark_of("# Using devices\n#   Rank  0 on       host device  0 [0x05] GeForce RTX 2080 Ti\n#   Rank  1 on       host device  1 [0x06] GeForce RTX 2080 Ti\n\n"
                                "#                                                 out-of-place                    in-place\n"
                                "#      bytes             N    type      op     time  algbw  busbw      res     time  algbw  busbw      res\n"
                                "    10000000       2500000   float     sum    1.628   6.14   6.14    0e+00    1.932   5.18   5.18    0e+00\n"
                                " Out of bounds values : 0 OK\n Avg bus bandwidth    : 5.66\n");
    ASSERT_EQ(1U, b.sweeps.size());
    EXPECT_EQ(2, b.sweeps[0].ranks);
    EXPECT_EQ(CollectiveType::all_reduce, b.sweeps[0].type);
    EXPECT_NEAR(1628, in_microseconds(b.sweeps[0].rows[0].out_of_place->time), 1e-6);
    EXPECT_NEAR(1932, in_microseconds(b.sweeps[0].rows[0].in_place->time), 1e-6);
    ASSERT_TRUE(b.sweeps[0].printed_average);
    EXPECT_NEAR(5.66, in_gigabytes_per_second(*b.sweeps[0].printed_average), 1e-9);
}

const std::string nccl_header = "#                                                              out-of-place                       in-place\n"
                                "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n";

// NVIDIA/nccl issue 1453: each line tagged by its rank, and NCCL's lines break rows behind the root and behind each group.
TEST(PublishedVariants, RowsBrokenByTaggedChatter)
{
    const std::string chatter = "[0] gpu-1:497888:497888 [0] NCCL INFO 256 Bytes -> Algo 0 proto 0 time 25.2\n";
    std::string text;
    for (std::string_view rest = nccl_header; !rest.empty(); rest.remove_prefix(rest.find('\n') + 1))
        text += "[0] " + std::string(rest.substr(0, rest.find('\n') + 1));
    text += "[0]          256            64     float     sum      -1" + chatter + chatter + "[0]     61.05    0.00    0.01      0" + chatter + "[0]     62.05    0.00    0.01      0\n";
    const auto b = benchmark_of(text);
    ASSERT_EQ(1U, b.sweeps.size());
    ASSERT_EQ(1U, b.sweeps[0].rows.size());
    const CollectiveRow& row = b.sweeps[0].rows[0];
    EXPECT_EQ(bytes(256), row.size);
    EXPECT_NEAR(61.05, in_microseconds(row.out_of_place->time), 1e-9);
    ASSERT_TRUE(row.in_place);
    EXPECT_NEAR(62.05, in_microseconds(row.in_place->time), 1e-9);
}

// nccl-tests README, NCCL_TESTS_SPLIT: the figures are per group, so is the number of ranks. Issue 107 of nccl-tests: two
// processes without MPI are both rank 0, and neither is one of two ranks.
TEST(PublishedVariants, RanksAreThoseOfOneGroup)
{
    const auto device = [](int rank, int group, const char* host) { return fmt::format("#  Rank {:2} Group {:2} Pid {:6} on {:>10} device  0 [0x8d] NVIDIA H100 80GB HBM3\n", rank, group, 100 + rank, host); };
    const std::string row = "    16777216       4194304     float     sum      -1   477.85   35.11   35.11    N/A   477.85   35.11   35.11    N/A\n";
    const Measured split = reading_of<CollectiveBenchmark>(device(0, 0, "n1") + device(1, 1, "n1") + device(2, 0, "n2") + device(3, 1, "n2") + nccl_header + row);
    const auto& sweep = std::get<CollectiveBenchmark>(split.content).sweeps.at(0);
    EXPECT_EQ(2, sweep.ranks);
    EXPECT_EQ(CollectiveType::all_reduce, sweep.type); // of two ranks the factor is 1
    EXPECT_THAT(split.notes, Contains(HasSubstr("NCCL_TESTS_SPLIT")));
    const Measured apart = reading_of<CollectiveBenchmark>(device(0, 0, "n1") + device(0, 0, "n2") + nccl_header + row);
    EXPECT_EQ(1, std::get<CollectiveBenchmark>(apart.content).sweeps.at(0).ranks);
    EXPECT_THAT(apart.notes, Contains(HasSubstr("same rank")));
}

// Reports of nsys (Analysis Guide): cuda_gpu_sum mixes kernels and copies by category; that of MPI looks like one of kernels.
TEST(PublishedVariants, NsysSummariesOfMixedContent)
{
    const auto mixed = totals_of("Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Category,Operation\n"
                                 "60.0,6000,6,1000.0,1000.0,900,1100,10.0,CUDA_KERNEL,ampere_sgemm_128x64_tn\n40.0,4000,2,2000.0,2000.0,2000,2000,0.0,MEMORY_OPER,[CUDA memcpy Host-to-Device]\n");
    ASSERT_EQ(2U, mixed.reports.size());
    EXPECT_EQ(TotalsReport::Kind::kernels, mixed.reports[0].kind);
    EXPECT_EQ(6, mixed.reports[0].count());
    EXPECT_EQ(TotalsReport::Kind::memory_operations, mixed.reports[1].kind);
    const auto mpi = totals_of("Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Source,Name\n60.0,6000,6,1000.0,1000.0,900,1100,10.0,CPU,MPI_Allreduce\n");
    EXPECT_EQ(TotalsReport::Kind::host_calls, mpi.reports.at(0).kind);
    const auto by_range = totals_of("NOTICE: Exporting report data...\nNVTX Range,NVTX Inst,Kern Inst,Total Time (ns),Kernel Name\n,,10,5000,sgemm\n:step,3,15,1190,sgemm\n");
    EXPECT_EQ(TotalsReport::Kind::kernels, by_range.reports.at(0).kind);
    EXPECT_EQ(25, by_range.reports[0].count());
    EXPECT_NEAR(6190e-9, by_range.reports[0].total().value(), 1e-15);
}

// `nsys stats --report nvtx_gpu_proj_sum`: what ranges took on the GPU. A range is no kernel.
TEST(PublishedVariants, NsysRangesProjectedOntoTheGpu)
{
    const auto t = totals_of("\"Range\",\"Style\",\"Total Proj Time (ns)\",\"Total Range Time (ns)\",\"Range Instances\",\"Proj Avg (ns)\",\"Proj Med (ns)\",\"Proj Min (ns)\",\"Proj Max (ns)\",\"Proj StdDev (ns)\",\"Total GPU Ops\","
                             "\"Avg GPU Ops\",\"Avg Range Lvl\",\"Avg Num Child\"\n\":forward\",\"PushPop\",9000,7000,3,3000.0,3000.0,2000,4000,1000.0,30,10.0,0.0,2.0\n");
    ASSERT_EQ(1U, t.reports.size());
    EXPECT_EQ(TotalsReport::Kind::ranges, t.reports[0].kind);
    EXPECT_EQ(3, t.reports[0].count());
    EXPECT_NEAR(9e-6, t.reports[0].total().value(), 1e-15); // projected, not that on the host
}

// What a Windows machine or a spreadsheet makes of `nsys stats --report cuda_gpu_trace`: a mark in front, CRLF behind lines.
TEST(PublishedVariants, GpuTraceOfNsysWithMarkAndCarriageReturns)
{
    const std::string header = "\"Start (ns)\",\"Duration (ns)\",\"CorrId\",\"GrdX\",\"GrdY\",\"GrdZ\",\"BlkX\",\"BlkY\",\"BlkZ\",\"Reg/Trd\",\"StcSMem (MB)\",\"DymSMem (MB)\",\"Bytes (MB)\",\"Throughput (MBps)\",\"SrcMemKd\","
                               "\"DstMemKd\",\"Device\",\"Ctx\",\"Strm\",\"Name\"";
    const Measured m = reading_of<Timeline>("\xEF\xBB\xBF" + header + "\r\n1000,2000,7,1,1,1,1,1,1,1,0,0,,,,,\"NVIDIA H100 (0)\",1,7,\"gemm_k\"\r\n"
                                            "4000,500,8,,,,,,,,,,1.0,2.0,\"Pageable\",\"Device\",\"NVIDIA H100 (0)\",1,7,\"[CUDA memcpy Host-to-Device]\"\r\n");
    const auto& t = std::get<Timeline>(m.content);
    ASSERT_EQ(2U, t.size());
    EXPECT_EQ("gemm_k", t.names[t.name[0]]);
    EXPECT_EQ(2000, t.duration_ns[0]);
    EXPECT_EQ(KernelClass::memcpy, t.kernel_class[1]);
}

// nccom-test of the AWS Neuron tools: units stand in the column's names, nothing has a '#'. Bus bandwidth / algorithm bandwidth
// 20.02 / 10.33 = 2 x 31 / 32: an all-reduce of 32 ranks.
TEST(PublishedVariants, NccomTestTables)
{
    const auto b = benchmark_of("       size(B)    count(elems)    type    time(us)    algbw(GB/s)    busbw(GB/s)\n       1048576          524288    bf16      101.50          10.33          20.02\n"
                                "    1073741824       536870912    bf16    10240.00         104.86         203.16\nAvg bus bandwidth:    111.5900GB/s\n");
    ASSERT_EQ(1U, b.sweeps.size());
    ASSERT_EQ(2U, b.sweeps[0].rows.size());
    EXPECT_EQ(32, b.sweeps[0].ranks);
    EXPECT_EQ(CollectiveType::all_reduce, b.sweeps[0].type);
    EXPECT_NEAR(101.5, in_microseconds(b.sweeps[0].rows[0].out_of_place->time), 1e-9);
}

// rocprofiler-sdk source/docs/data: hip_api_stats.csv has the columns of kernel_stats.csv; the printed summary repeats all
// domains in one table at its end.
TEST(PublishedVariants, RocprofStatisticsOfCallsAndDomains)
{
    const auto calls = totals_of("\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\",\"MinNs\",\"MaxNs\",\"StdDev\"\n\"hipLaunchKernel\",16,692734,43295.875,0.2247,1000,670044,167133.6\n");
    EXPECT_EQ(TotalsReport::Kind::host_calls, calls.reports.at(0).kind);
    const std::string head = "| NAME | DOMAIN | CALLS | DURATION (nsec) | AVERAGE (nsec) | PERCENT (INC) | MIN (nsec) | MAX (nsec) | STDDEV |\n|------|--------|-------|-----------------|---|---|---|---|---|\n";
    const std::string kernel = "| divide_kernel(float*, int) | KERNEL_DISPATCH | 8 | 94482 | 1.181e+04 | 20.85 | 10240 | 13520 | 1.061e+03 |\n";
    const std::string call = "| hipFree | HIP_API | 24 | 1572948 | 6.554e+04 | 0.27 | 2130 | 186994 | 4.815e+04 |\n";
    const Measured m = reading_of<KernelTotals>("ROCPROFV3 HIP_API SUMMARY:\n\n" + head + call + "\n\nROCPROFV3 KERNEL_DISPATCH SUMMARY:\n\n" + head + kernel + "\n\nROCPROFV3 SUMMARY:\n\n" + head + call + kernel);
    EXPECT_EQ(8, m.facts["n_kernels"]);
    EXPECT_EQ(94482, m.facts["sum_ns"]);
}

// ROCm rocprofiler-sdk memory_copy_trace.csv: from the host, agent 0 is the processor and the destination is the GPU.
TEST(PublishedVariants, CopiesFromTheHostBelongToTheGpu)
{
    const Measured m = reading_of<Timeline>("\"Kind\",\"Direction\",\"Stream_Id\",\"Source_Agent_Id\",\"Destination_Agent_Id\",\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\"\n"
                                            "\"MEMORY_COPY\",\"MEMORY_COPY_HOST_TO_DEVICE\",1,0,2,952,2414192684609085,2414192684710679\n");
    EXPECT_EQ(nlohmann::json({"2"}), facts_of(m)["devices"]);
}

// ncu --print-summary per-kernel: averages over invocations in place of launches.
TEST(PublishedVariants, KernelSummaryOfNsightCompute)
{
    const std::string row = "\"1\",\"p\",\"127.0.0.1\",\"saxpy(float)\",\"(256, 1, 1)\",\"(4096, 1, 1)\",\"0\",\"9.0\",\"14\",\"Command line profiler metrics\",";
    const Measured m = reading_of<KernelCounters>("==PROF== Connected to process 1\n\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"Invocations\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Minimum\",\"Maximum\",\"Average\"\n"
        + row + "\"gpu__time_duration.sum\",\"nsecond\",\"17,466,880.00\",\"17,480,032.00\",\"17,473,124.16\"\n" + row + "\"dram__bytes.sum\",\"byte\",\"23,989,882,752.00\",\"23,990,681,984.00\",\"23,990,083,863.04\"\n");
    const auto& c = std::get<KernelCounters>(m.content);
    ASSERT_EQ(14U, c.kernels.size());
    EXPECT_NEAR(17473124.16e-9, c.kernels[0].time.value(), 1e-9);
    EXPECT_NEAR(23990083863.04, c.kernels[0].dram_bytes->value(), 1);
    EXPECT_THAT(m.notes, Contains(HasSubstr("averages")));
}

// rocprof-compute: some releases have MFMA_FLOPs_F6F4 between columns that end in Flops.
TEST(PublishedVariants, RooflineColumnOfSmallFloats)
{
    const Measured m = reading_of<std::vector<MeasuredCeilings>>("srun: job 7 queued\ndevice,HBMBw,HBMBwLow,HBMBwHigh,MFMA_FLOPs_F6F4,MFMA_FLOPs_F6F4Low,MFMA_FLOPs_F6F4High\n0,4200.5,4190,4210,2100000,1,2\n");
    EXPECT_EQ(nlohmann::json({2100000.0}), m.facts["MFMAF6F4_GFLOPs"]);
    EXPECT_THAT(m.notes, Contains(HasSubstr("begin at line 2")));
}

// Grafana without a legend names a series by its labels; stacked tables tell series apart by columns of labels.
TEST(PublishedVariants, GrafanaSeriesByLabels)
{
    const auto named = metrics_of_text("\"Time\",\"{__name__=\"\"DCGM_FI_DEV_POWER_USAGE\"\", gpu=\"\"3\"\"}\"\n1721383200000,572.1\n1721383215000,573.1\n");
    ASSERT_EQ(1U, named.series.size());
    EXPECT_EQ("DCGM_FI_DEV_POWER_USAGE", named.series[0].name);
    EXPECT_EQ("3", named.series[0].labels.at("gpu"));
    const auto stacked = metrics_of_text("Time,Value #A,Hostname,gpu\n2024-07-19 10:00:00,572,h0,0\n2024-07-19 10:00:15,573,h0,0\n2024-07-19 10:00:00,172,h0,1\n");
    ASSERT_EQ(2U, stacked.series.size());
    EXPECT_EQ((std::vector<double>{572, 573}), stacked.series[0].values);
    EXPECT_EQ("1", stacked.series[1].labels.at("gpu"));
}

// Grafana in a browser's locale: 19 July 2024, 10:00:00 UTC is 1721383200. A date that could be either is not guessed.
TEST(PublishedVariants, GrafanaDatesOfALocale)
{
    const auto british = metrics_of_text("\"Time\";\"a\"\n\"19/07/2024 10:00:00\";\"1,5\"\n\"19/07/2024 10:00:15\";\"1,7\"\n");
    EXPECT_EQ((std::vector<double>{1721383200, 1721383215}), british.series.at(0).times);
    EXPECT_EQ((std::vector<double>{1.5, 1.7}), british.series[0].values);
    const auto american = metrics_of_text("Time,a\n\"7/19/2024, 10:00:00 AM\",5\n\"7/19/2024, 10:00:15 PM\",6\n");
    EXPECT_EQ((std::vector<double>{1721383200, 1721383215 + 12 * 3600}), american.series.at(0).times);
    reading_of<MeasuredTable>("Time,a\n05/07/2024 10:00:00,5\n05/07/2024 10:00:15,6\n");
}

// nvidia-smi -l 1 without the timestamp among its columns.
TEST(PublishedVariants, NvidiaSmiWithoutAClock)
{
    const auto set = metrics_of_text("index, utilization.gpu [%]\n0, 97\n1, 96\n0, 98\n1, 95\n");
    ASSERT_EQ(2U, set.series.size());
    EXPECT_EQ((std::vector<double>{0.97, 0.98}), set.series[0].values);
    EXPECT_EQ((std::vector<double>{0, 1}), set.series[0].times);
}

// Tags of launchers before every line, and a launcher's words in front of a document.
TEST(PublishedVariants, DataInsideALaunchersLog)
{
    const auto set = metrics_of_text("2024-07-19T10:00:00.1Z # TYPE DCGM_FI_DEV_POWER_USAGE gauge\n2024-07-19T10:00:00.1Z DCGM_FI_DEV_POWER_USAGE{gpu=\"0\"} 572.1\n");
    EXPECT_EQ((std::vector<double>{572.1}), set.series.at(0).values);
    const Measured m = reading_of<MetricSet>("srun: job 42 has been allocated resources\n{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[{\"metric\":{\"gpu\":\"0\"},\"value\":[1700000000,\"0.5\"]}]}}\n");
    EXPECT_EQ("Prometheus query result", m.format);
}

// What kubectl says itself has no stamp, in front or at the end: nothing behind it is lost.
TEST(PublishedVariants, ALaunchersOwnWordsAroundStampedLines)
{
    std::string lines;
    for (int gpu = 0; gpu < 8; ++gpu)
        lines += fmt::format("2024-07-19T10:00:00.1Z DCGM_FI_DEV_POWER_USAGE{{gpu=\"{}\"}} {}\n", gpu, 500 + gpu);
    const auto set = metrics_of_text("Defaulted container \"exporter\" out of: exporter, sidecar\n2024-07-19T10:00:00.1Z # TYPE DCGM_FI_DEV_POWER_USAGE gauge\n" + lines + "command terminated\n");
    ASSERT_EQ(8U, set.series.size());
    EXPECT_EQ((std::vector<double>{500}), set.series.front().values);
    EXPECT_EQ((std::vector<double>{507}), set.series.back().values);
}

// FlightRecorderDetail.hpp, dump_json: a time that did not happen is 0.
TEST(PublishedVariants, FlightRecorderWithoutAStart)
{
    const Measured m = reading_of<Timeline>("{\"version\":\"2.9\",\"pg_config\":{\"0\":{\"name\":\"0\",\"desc\":\"default_pg\",\"ranks\":\"[0, 1]\"}},\"entries\":[{\"record_id\":0,\"pg_id\":0,\"process_group\":[\"0\",\"default_pg\"],\"collective_seq_id\":1,\"profiling_name\":\"nccl:all_reduce\","
                                            "\"time_created_ns\":1700000000000000000,\"duration_ms\":0.5,\"input_sizes\":[[1024]],\"input_dtypes\":[\"Float\"],\"output_sizes\":[[1024]],\"output_dtypes\":[\"Float\"],\"state\":\"completed\",\"time_discovered_started_ns\":0,\"time_discovered_completed_ns\":1700000000001000000}]}");
    EXPECT_DOUBLE_EQ(500, facts_of(m)["busy_union_us"].get<double>());
    EXPECT_GT(facts_of(m)["gpu_first_ts_us"].get<double>(), 1.6e15);
}

// The dumps of PyTorch 2.2: a list of entries without the groups.
TEST(PublishedVariants, FlightRecorderAsAList)
{
    const Measured m = reading_of<Timeline>("[{\"pg_id\":0,\"seq_id\":1,\"profiling_name\":\"nccl:all_reduce\",\"time_created_ns\":1700000000000000000,\"duration_ms\":0.5,\"input_sizes\":[[1024]],\"output_sizes\":[[1024]],\"state\":\"completed\"}]");
    EXPECT_EQ("NCCL flight recorder", m.format);
    EXPECT_DOUBLE_EQ(500, facts_of(m)["comm_union_us"].get<double>());
}

// ROCm/rocprofiler bin/tblextr.py: all numbers are text, GPUs are processes by name, nanoseconds stand in the arguments.
TEST(PublishedVariants, RocprofChromeTrace)
{
    const Measured m = reading_of<Timeline>("{ \"traceEvents\":[{}\n,{\"args\":{\"name\":\"1 CPU HIP API\"},\"ph\":\"M\",\"pid\":\"2\",\"name\":\"process_name\"}\n,{\"args\":{\"name\":\"5 GPU0\"},\"ph\":\"M\",\"pid\":\"6\",\"name\":\"process_name\"}\n"
                                            ",{\"ph\":\"X\",\"name\":\"hipLaunchKernel\",\"pid\":\"2\",\"tid\":\"7\",\"ts\":\"1000\",\"dur\":\"5\",\"args\":{\"BeginNs\":\"1000000\",\"EndNs\":\"1005000\"}}\n"
                                            ",{\"ph\":\"X\",\"name\":\"vcopy(double*)\",\"pid\":\"6\",\"tid\":\"0\",\"ts\":\"1010\",\"dur\":\"40\",\"args\":{\"BeginNs\":\"1010123\",\"EndNs\":\"1050456\",\"dev-id\":\"3\",\"queue-id\":\"1\"}}\n]}\n");
    EXPECT_EQ("rocprof trace (JSON)", m.format);
    const auto facts = facts_of(m);
    EXPECT_EQ(1, facts["n_kernel_dispatch"]);
    EXPECT_EQ(40333, facts["sum_ns"]);
    EXPECT_EQ(nlohmann::json({"3"}), facts["devices"]);
}

// mlcommons/chakra eg_def.proto (2022): COMP_NODE is 3 there, which is a store today, and num_ops is field 12.
TEST(PublishedVariants, ChakraGraphsOfTheFirstSchemaAreNotMisread)
{
    const std::string node("\x08\x01\x12\x03mul\x18\x03\x60\x64", 11);
    const std::string second("\x08\x02\x12\x03" "add\x18\x03\x60\x64", 11);
    const auto found = read_measured_text(std::string(1, '\x0b') + node + '\x0b' + second, "mlp.0.eg");
    ASSERT_FALSE(found);
    EXPECT_THAT(found.error().text(), HasSubstr("first schema"));
}

} // namespace
