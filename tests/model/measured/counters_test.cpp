// Nsight Compute, rocprof and measured roofs: real files against reference facts, layouts, units, locales, breakage.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "model/measured/counters/rocprof_csv.h"
#include "tests/model/measured/benchmark_facts.h"

using namespace ridgepoint;
using namespace ridgepoint::testing_facts;
using testing::HasSubstr;

namespace {

KernelCounters counters_of(const std::string& text) { return std::get<KernelCounters>(reading_of<KernelCounters>(text).content); }
std::vector<MeasuredCeilings> ceilings_of(const std::string& text) { return std::get<std::vector<MeasuredCeilings>>(reading_of<std::vector<MeasuredCeilings>>(text).content); }

const std::string long_header = R"("ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value")"
                                "\n";

std::string long_row(const std::string& id, const std::string& kernel, const std::string& metric, const std::string& unit, const std::string& value)
{
    return fmt::format("\"{}\",\"1\",\"p\",\"h\",\"{}\",\"1\",\"7\",\"(256, 1, 1)\",\"(1, 1, 1)\",\"0\",\"9.0\",\"s\",\"{}\",\"{}\",\"{}\"\n", id, kernel, metric, unit, value);
}

TEST(Counters, RealFilesGiveTheReferenceFacts)
{
    if (reference_facts().is_null())
        GTEST_SKIP() << "no reference facts in " << traces_dir();
    EXPECT_GT(check_facts_under("ncu/"), 0);
    int checked = 0;
    for (const char* name : {"rocprof_ert/mi200_roofline.csv", "rocprof_ert/ert_titan_roofline.json"})
        checked += check_facts_under(name);
    EXPECT_EQ(2, checked);
}

// The first line alone has the columns; read with the lines behind it, a quote swallows them. Found by fuzzing.
TEST(Counters, AQuoteThatClosesLaterLeavesNoHeader)
{
    const std::string text = "kernel,variant,b.0.1\",\"x,median_ms,flops\nsaxpy,base,1\"\n1,2,3\n";
    const Expected<Measured> m = read_timing_csv(text, "timings.csv");
    ASSERT_FALSE(m);
    EXPECT_EQ(m.error().place.line, 1);
    EXPECT_THAT(m.error().text(), HasSubstr("timings.csv:1"));
}

TEST(Counters, RealFilesWithoutCountersAreUnknownNotZero)
{
    const auto file = traces_dir() / "ncu/b200_flashinfer_paged_decode__gqa_fp8_b8_ctx8k_p64_raw.csv";
    if (!std::filesystem::exists(file))
        GTEST_SKIP() << "no " << file;
    const auto c = counters_of(text_of(file));
    EXPECT_EQ("NVIDIA B200", c.device);
    EXPECT_THAT(c.missing, HasSubstr("--set roofline"));
    for (const CountedKernel& k : c.kernels) {
        EXPECT_FALSE(k.flops);
        EXPECT_FALSE(k.dram_bytes);
        EXPECT_TRUE(k.time_known);
    }
    EXPECT_EQ(KernelClass::attention, c.kernels[1].kernel_class); // BatchDecodeWithPagedKVCache
}

TEST(Counters, RealRocprofCountersGiveTheCopysTraffic)
{
    const auto file = traces_dir() / "rocprof_ert/mi300x_pmc_perf.csv";
    if (!std::filesystem::exists(file))
        GTEST_SKIP() << "no " << file;
    const auto c = counters_of(text_of(file));
    ASSERT_EQ(3U, c.kernels.size());
    EXPECT_EQ("vecCopy(double*, double*, double*, int, int)", c.kernels[0].name);
    // A copy of 1048576 doubles: 8.39 MB each way; 65536 x 128 + 239 x 64 read, 131072 x 64 written.
    EXPECT_NEAR(65536 * 128 + 239 * 64 + 131072 * 64, c.kernels[0].dram_bytes->value(), 0.5);
    EXPECT_EQ(Flops{0}, c.kernels[0].flops); // counted, and there are none
    EXPECT_FALSE(c.kernels[0].time_known); // the stamps are 8.1097E+14 twice
    EXPECT_THAT(c.missing, HasSubstr("durations"));
}

TEST(Counters, LongLayoutAddsInstructionsAndConvertsUnits)
{
    std::string text = "==PROF== Connected to process 1\nepoch 1, loss 2.0, Kernel Name, nothing\n" + long_header;
    const std::string k = "void gemm<float>(float*, int)";
    text += long_row("0", k, "gpu__time_duration.sum", "us", "1,250.50");
    text += long_row("0", k, "dram__bytes.sum", "Mbyte", "2.50");
    text += long_row("0", k, "lts__t_sectors.sum", "sector", "1,000");
    text += long_row("0", k, "l1tex__t_bytes.sum", "Kbyte", "64");
    text += long_row("0", k, "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", "inst", "100");
    text += long_row("0", k, "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", "inst", "10");
    text += long_row("0", k, "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", "Kinst", "1");
    text += long_row("0", k, "sm__throughput.avg.pct_of_peak_sustained_elapsed", "%", "22.30");
    text += "the program prints, between records\n";
    text += long_row("1", k, "gpu__time_duration.sum", "ms", "2"); // the unit changes
    text += long_row("1", k, "dram__bytes_op_read.sum", "byte", "n/a");
    const auto m = reading_of<KernelCounters>(text);
    const auto& c = std::get<KernelCounters>(m.content);
    ASSERT_EQ(2U, c.kernels.size());
    const CountedKernel& first = c.kernels[0];
    EXPECT_NEAR(1250.5e-6, first.time.value(), 1e-12);
    EXPECT_NEAR(2.5e6, first.dram_bytes->value(), 1e-6);
    EXPECT_NEAR(32000, first.l2_bytes->value(), 1e-9);
    EXPECT_NEAR(64000, first.l1_bytes->value(), 1e-9);
    EXPECT_NEAR(100 + 10 + 2 * 1000, first.flops->value(), 1e-9);
    EXPECT_NEAR(0.223, *first.compute_share, 1e-12);
    EXPECT_EQ(KernelClass::gemm, first.kernel_class);
    EXPECT_NEAR(2e-3, c.kernels[1].time.value(), 1e-12);
    EXPECT_FALSE(c.kernels[1].dram_bytes); // n/a is not zero
    EXPECT_FALSE(c.kernels[1].flops);
    EXPECT_EQ(10, m.facts["n_metric_rows"]);
    EXPECT_EQ(1, m.skipped.at(0).count);
}

TEST(Counters, DetailsPageNamesRatesAndShares)
{
    const std::string k = "copy(float*)";
    const auto c = counters_of(long_header + long_row("0", k, "Duration", "usecond", "10.00") + long_row("0", k, "Memory Throughput", "%", "91.5") + long_row("0", k, "Memory Throughput", "Gbyte/second", "800.00")
        + long_row("0", k, "Compute (SM) Throughput", "%", "12.0") + long_row("0", k, "", "", ""));
    EXPECT_NEAR(800e9 * 10e-6, c.kernels.at(0).dram_bytes->value(), 1e-3);
    EXPECT_NEAR(0.915, *c.kernels[0].memory_share, 1e-12);
    EXPECT_NEAR(0.12, *c.kernels[0].compute_share, 1e-12);
}

TEST(Counters, DecimalCommaAndSemicolons)
{
    const std::string k = "saxpy";
    std::string text = long_header + long_row("0", k, "gpu__time_duration.sum", "us", "292,93") + long_row("0", k, "dram__bytes.sum", "byte", "177.852.672") + long_row("0", k, "lts__t_sector_hit_rate.pct", "%", "33,26");
    const auto m = reading_of<KernelCounters>(text);
    const auto& c = std::get<KernelCounters>(m.content);
    EXPECT_NEAR(292.93e-6, c.kernels.at(0).time.value(), 1e-12);
    EXPECT_NEAR(177852672, c.kernels[0].dram_bytes->value(), 1e-6);
    EXPECT_THAT(m.notes, testing::Contains(HasSubstr("decimal comma")));
    std::replace(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(long_header.size()), ',', ';');
    const auto semicolons = counters_of("\"ID\";\"Process ID\";\"Kernel Name\";\"Metric Name\";\"Metric Unit\";\"Metric Value\"\n\"0\";\"1\";\"saxpy\";\"gpu__time_duration.sum\";\"ns\";\"292.928\"\n\"0\";\"1\";\"saxpy\";\"dram__bytes.sum\";\"Mbyte\";\"1,5\"\n");
    EXPECT_NEAR(292928e-9, semicolons.kernels.at(0).time.value(), 1e-15);
    EXPECT_NEAR(1.5e6, semicolons.kernels[0].dram_bytes->value(), 1e-6);
}

TEST(Counters, WideLayoutWithTensorCountersAndTwoUnitsRows)
{
    const std::string header = R"("ID","Process ID","Kernel Name","CC","gpu__time_duration.sum","dram__bytes_read.sum","dram__bytes_write.sum","sm__ops_path_tensor_src_bf16_dst_fp32.sum","sm__ops_path_tensor_src_bf16_dst_fp32_sparsity_off.sum","sm__ops_path_tensor_op_hmma_src_bf16.sum","sm__ops_path_tensor_src_int8.sum")"
                               "\n";
    const auto m = reading_of<KernelCounters>(header + R"("","","","","us","Mbyte","Kbyte","","","","")"
        + "\n" + R"("0","1","nvjet_tst_128x256","10.0","2.5","1.5","500","1,000","1,000","900","77")"
        + "\n" + header + R"("","","","","ns","byte","byte","","","","")"
        + "\n" + R"("0","1","nvjet_tst_128x256","10.0","2,500","1,500,000","500,000","1,000","1,000","900","0")"
        + "\n");
    const auto& c = std::get<KernelCounters>(m.content);
    ASSERT_EQ(2U, c.kernels.size());
    for (const CountedKernel& k : c.kernels) {
        EXPECT_NEAR(2.5e-6, k.time.value(), 1e-15);
        EXPECT_NEAR(2e6, k.dram_bytes->value(), 1e-6);
        EXPECT_NEAR(1000, k.flops->value(), 1e-9); // once, though three columns count the same
        EXPECT_EQ(KernelClass::gemm, k.kernel_class);
    }
    EXPECT_EQ(2, m.facts["n_kernels"]);
    EXPECT_EQ(true, m.facts["has_flop_counters"]);
    EXPECT_TRUE(c.missing.empty());
    EXPECT_THAT(m.notes, testing::Contains(HasSubstr("integer operations")));
}

TEST(Counters, ScalarCountersSayNothingOfTensorKernels)
{
    const std::string header = R"("ID","Kernel Name","gpu__time_duration.sum","dram__bytes.sum","smsp__sass_thread_inst_executed_op_fadd_pred_on.sum","smsp__sass_thread_inst_executed_op_fmul_pred_on.sum","smsp__sass_thread_inst_executed_op_ffma_pred_on.sum","sm__inst_executed_pipe_tensor.sum")"
                               "\n";
    const auto c = counters_of(header + R"("0","attention","100","10","5","5","5","4096")"
        + "\n" + R"("1","add","100","10","5","5","5","0")"
        + "\n");
    EXPECT_FALSE(c.kernels.at(0).flops);
    EXPECT_NEAR(20, c.kernels.at(1).flops->value(), 1e-9);
    EXPECT_NEAR(100e-9, c.kernels[1].time.value(), 1e-18); // no row of units: nanoseconds
    EXPECT_THAT(c.missing, HasSubstr("tensor"));
}

TEST(Counters, RooflineSectionCountsPerCycle)
{
    const std::string k = "k";
    const auto c = counters_of(long_header + long_row("0", k, "gpu__time_duration.sum", "us", "10") + long_row("0", k, "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum.per_cycle_elapsed", "inst/cycle", "2")
        + long_row("0", k, "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum.per_cycle_elapsed", "inst/cycle", "3") + long_row("0", k, "derived__smsp__sass_thread_inst_executed_op_ffma_pred_on_x2", "inst/cycle", "8")
        + long_row("0", k, "smsp__cycles_elapsed.avg.per_second", "cycle/nsecond", "1.5") + long_row("0", k, "dram__bytes.sum.per_second", "Gbyte/second", "100"));
    // 13 operations a cycle at 1.5 GHz over 10 us
    EXPECT_NEAR(13 * 1.5e9 * 10e-6, c.kernels.at(0).flops->value(), 1e-3);
    EXPECT_NEAR(1e6, c.kernels[0].dram_bytes->value(), 1e-6);
}

TEST(Counters, RocprofLongAndOldForms)
{
    const auto c = counters_of("\"Correlation_Id\",\"Dispatch_Id\",\"Agent_Id\",\"Kernel_Name\",\"Counter_Name\",\"Counter_Value\",\"Start_Timestamp\",\"End_Timestamp\"\n"
                               "1,1,\"Agent 4\",\"Cijk_Ailk\",\"SQ_INSTS_VALU_MFMA_MOPS_BF16\",10,1000,3000\n"
                               "1,1,\"Agent 4\",\"Cijk_Ailk\",\"TCC_EA_RDREQ_sum\",100,1000,3000\n"
                               "1,1,\"Agent 4\",\"Cijk_Ailk\",\"TCC_EA_RDREQ_32B_sum\",20,1000,3000\n"
                               "1,1,\"Agent 4\",\"Cijk_Ailk\",\"TCC_EA_WRREQ_sum\",50,1000,3000\n"
                               "1,1,\"Agent 4\",\"Cijk_Ailk\",\"TCC_EA_WRREQ_64B_sum\",40,1000,3000\n");
    ASSERT_EQ(1U, c.kernels.size());
    EXPECT_NEAR(5120, c.kernels[0].flops->value(), 1e-9);
    EXPECT_NEAR(20 * 32 + 80 * 64 + 40 * 64 + 10 * 32, c.kernels[0].dram_bytes->value(), 1e-9);
    EXPECT_NEAR(2e-6, c.kernels[0].time.value(), 1e-15);
    EXPECT_EQ(KernelClass::gemm, c.kernels[0].kernel_class);
    const auto old = counters_of("\"Index\",\"KernelName\",\"gpu-id\",\"BeginNs\",\"EndNs\",\"DurationNs\",\"SQ_WAVES\"\n0,\"k(int)\",0,10,20,10,64\n");
    EXPECT_NEAR(10e-9, old.kernels.at(0).time.value(), 1e-18);
    EXPECT_FALSE(old.kernels[0].flops);
    EXPECT_THAT(old.missing, HasSubstr("HBM bytes"));
}

TEST(Counters, RoofsOfManyForms)
{
    const auto mi300 = ceilings_of("device,MALLBw,MALLBwLow,MALLBwHigh,hbmbw,L2Bw,MFMAF8Flops,MFMAF6F4Flops,FP16Flops\n0,11000,1,2,4100.5,20000,1500000,0,300000\n");
    ASSERT_EQ(1U, mi300.size());
    EXPECT_EQ(3U, mi300[0].bandwidths.size());
    EXPECT_EQ("HBM", mi300[0].bandwidths[1].level);
    EXPECT_NEAR(4100.5e9, mi300[0].bandwidths[1].rate.value(), 1);
    ASSERT_EQ(2U, mi300[0].peaks.size()); // 0 is not a peak
    EXPECT_EQ("MFMA F8", mi300[0].peaks[0].name);
    EXPECT_NEAR(1.5e15, mi300[0].peaks[0].rate.value(), 1e3);
    const auto ert = reading_of<std::vector<MeasuredCeilings>>("  105.34 GFLOPs EMP\n\nMETA_DATA\n  FLOPS 16\n  HOSTNAME titan\n\n  360.04 L1 EMP\n  185.15 L2 EMP\n   31.16 DRAM EMP\n");
    const auto& c = std::get<std::vector<MeasuredCeilings>>(ert.content).at(0);
    EXPECT_EQ(3U, c.bandwidths.size());
    EXPECT_NEAR(105.34e9, c.peaks.at(0).rate.value(), 1);
    EXPECT_EQ("titan", c.device);
    EXPECT_FALSE(ert.notes.empty());
    const auto host = reading_of<std::vector<MeasuredCeilings>>(R"({"empirical": {"gbytes": {"data": [["DRAM", 68.8]]}, "gflops": {"data": [["GFLOPs", 1000], ["x", NaN]]}, "metadata": {"CONFIG": {"ERT_GPU": [false]}}}})");
    EXPECT_THAT(host.notes, testing::Contains(HasSubstr("no GPU")));
    EXPECT_EQ(1, host.skipped.back().count);
    const auto peaks = reading_of<std::vector<MeasuredCeilings>>("label,peak_flops,peak_bandwidth\ntheoretical,32256000000000.0,672048000000.0\nmeasured,34300000000000,590061393638.3\n");
    EXPECT_NEAR(34.3e12, std::get<std::vector<MeasuredCeilings>>(peaks.content).at(1).peaks.at(0).rate.value(), 1); // not clamped
    EXPECT_THAT(peaks.notes, testing::Contains(HasSubstr("above the theoretical")));
}

TEST(Counters, OwnTimingsOfAProgram)
{
    const auto c = counters_of("kernel,variant,problem_size,mean_ms,median_ms,flops,theoretical_bytes\nsaxpy,base,1048576,0.02,0.017152,2097152.0,12582912.0\nsaxpy,base,1,nan,nan,2,3\n");
    ASSERT_EQ(1U, c.kernels.size());
    EXPECT_NEAR(17.152e-6, c.kernels[0].time.value(), 1e-12);
    EXPECT_NEAR(2097152, c.kernels[0].flops->value(), 1e-9);
}

TEST(Counters, BrokenFilesEndInAnErrorOrKeepWhatIsSound)
{
    EXPECT_FALSE(read_measured_text(long_header, "x"));
    EXPECT_FALSE(read_measured_text("device,HBMBw,L2Bw\n0,nan,-1\n", "x"));
    EXPECT_FALSE(read_measured_text("{\"empirical\": {\"gbytes\": 3, \"gflops\": []}}", "x"));
    EXPECT_FALSE(read_measured_text("Dispatch_ID,Kernel_Name,SQ_WAVES\n", "x"));
    const auto cut = counters_of(long_header + long_row("0", "k", "gpu__time_duration.sum", "ns", "10") + "\"1\",\"1\",\"p\",\"h\",\"unclosed (");
    EXPECT_EQ(1U, cut.kernels.size());
    const auto huge = counters_of(long_header + long_row("0", "k", "gpu__time_duration.sum", "ns", "1e400") + long_row("0", "k", "dram__bytes.sum", "byte", "99999999999999999999999999"));
    EXPECT_FALSE(huge.kernels.at(0).time_known);
    EXPECT_NEAR(1e26, huge.kernels[0].dram_bytes->value(), 1e12);
    std::string wide = "ID,Kernel Name";
    for (int i = 0; i < 1'000'000; ++i)
        wide += ",m__" + std::to_string(i);
    (void)read_measured_text(wide + "\n0,k", "x");
    std::string noise = long_header;
    for (int i = 0; i < 100000; ++i)
        noise += static_cast<char>(i * 7919 >> 3);
    (void)read_measured_text(noise, "x");
}

} // namespace
