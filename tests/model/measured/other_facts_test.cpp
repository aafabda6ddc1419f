// The reference facts of published files of other profilers: counts exactly, times within a thousandth.
#include <cmath>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "model/measured/measured.h"

namespace ridgepoint {
namespace {

namespace fs = std::filesystem;
const fs::path traces = fs::path(RIDGEPOINT_SHARED_DIR) / "traces";

// Every fact that is wanted is there, with the same value; what is there beside does not matter.
void expect_facts(const nlohmann::json& got, const nlohmann::json& want, const std::string& where)
{
    if (want.is_object()) {
        for (const auto& [key, value] : want.items()) {
            ASSERT_TRUE(got.is_object() && got.contains(key)) << where << "/" << key;
            expect_facts(got[key], value, where + "/" + key);
        }
    } else if (want.is_array()) {
        ASSERT_TRUE(got.is_array()) << where;
        ASSERT_EQ(got.size(), want.size()) << where;
        for (std::size_t i = 0; i < want.size(); ++i)
            expect_facts(got[i], want[i], where + "/" + std::to_string(i));
    } else if (want.is_number_float()) {
        ASSERT_TRUE(got.is_number()) << where;
        EXPECT_NEAR(got.get<double>(), want.get<double>(), 1e-3 * std::abs(want.get<double>())) << where;
    } else {
        EXPECT_EQ(got, want) << where;
    }
}

TEST(OtherFacts, PublishedFilesGiveTheirReferenceFacts)
{
    std::ifstream in(traces / "expected" / "other_facts.json");
    if (!in)
        GTEST_SKIP() << "no reference facts at " << traces;
    const nlohmann::json all = nlohmann::json::parse(in);
    int compared = 0;
    for (const auto& [file, want] : all.items()) {
        const bool ours = file.starts_with("nsys/") || file.starts_with("jax/") || file.starts_with("derived/jax/") || file.starts_with("chakra/") || file == "rocprof_ert/rocprofv3_results.json.gz";
        if (!ours || !fs::exists(traces / file))
            continue;
        SCOPED_TRACE(file);
        const auto found = read_measured((traces / file).string());
        ASSERT_TRUE(found) << found.error().text();
        ASSERT_FALSE(found->empty());
        for (const Measured& m : *found) {
            nlohmann::json expected = want;
            if (expected.is_object())
                expected.erase("note");
            if (want.is_array())
                expect_facts(facts_of(m)["archive_members"], want, "archive_members");
            else
                expect_facts(facts_of(m), expected, "");
            EXPECT_TRUE(m.skipped.empty()) << m.skipped[0].reason;
        }
        ++compared;
    }
    EXPECT_GE(compared, 8);
}

TEST(OtherFacts, TheStatisticsOfAProfileAgreeWithItsEvents)
{
    const fs::path gpu_trace = traces / "derived/nsys/cuda_gpu_trace.csv", sum = traces / "derived/nsys/cuda_gpu_kern_sum.csv";
    if (!fs::exists(gpu_trace))
        GTEST_SKIP() << "no reference traces at " << traces;
    // Both were written from trt_resnet_schema_3_1_2.sqlite.
    const auto events = read_measured(gpu_trace.string()), totals = read_measured(sum.string());
    ASSERT_TRUE(events) << events.error().text();
    ASSERT_TRUE(totals) << totals.error().text();
    const nlohmann::json e = facts_of(events->front()), t = facts_of(totals->front());
    EXPECT_EQ(e["n_kernels"], 36);
    EXPECT_EQ(e["sum_ns"], 6415244);
    EXPECT_EQ(e["span_ns"], 6457677);
    EXPECT_EQ(e["distinct"], 14);
    EXPECT_EQ(t["n_kernels"], 36);
    EXPECT_EQ(t["sum_ns"], 6415244);
    EXPECT_EQ(t["distinct"], 14);
    const auto* timeline = std::get_if<Timeline>(&events->front().content);
    ASSERT_NE(timeline, nullptr);
    EXPECT_EQ(timeline->device_name, "NVIDIA GeForce RTX 3090");
    EXPECT_TRUE(std::holds_alternative<KernelTotals>(totals->front().content));
}

TEST(OtherFacts, PrintedTablesAreRead)
{
    const fs::path file = traces / "nsys/stats_stdout_rtx2080.md";
    if (!fs::exists(file))
        GTEST_SKIP() << "no reference traces at " << traces;
    const auto found = read_measured(file.string());
    ASSERT_TRUE(found) << found.error().text();
    const auto* totals = std::get_if<KernelTotals>(&found->front().content);
    ASSERT_NE(totals, nullptr);
    const nlohmann::json f = facts_of(found->front());
    EXPECT_EQ(f["n_kernels"], 1);
    EXPECT_EQ(f["sum_ns"], 27869780);
    EXPECT_EQ(f["per_class"]["memcpy"]["sum_ns"], 6720723);
    EXPECT_TRUE(totals->names_cut);
    ASSERT_FALSE(totals->reports.empty());
    EXPECT_EQ(totals->reports[0].name, "osrt_sum");
    EXPECT_EQ(totals->reports[0].kind, TotalsReport::Kind::host_calls);
    EXPECT_EQ(totals->reports[0].rows[0].name, "poll");
    EXPECT_EQ(totals->reports[0].rows[0].count, 62);
    EXPECT_FALSE(found->front().skipped.empty()); // "does not contain CUDA kernel data" of the first run
}

TEST(OtherFacts, RangesInXzAreRead)
{
    const fs::path file = traces / "nsys/jax_fsdp4_proc0_nvtx_pushpop_trace.csv.xz";
    if (!fs::exists(file))
        GTEST_SKIP() << "no reference traces at " << traces;
    const auto found = read_measured(file.string());
    ASSERT_TRUE(found) << found.error().text();
    EXPECT_EQ(facts_of(found->front())["n_ranges"], 27891); // lines of the file without its header
}

TEST(OtherFacts, ParquetIsRefusedWithAWayOut)
{
    const fs::path file = traces / "nsys/jax_fsdp4_proc0_nvtx_gpu_proj_trace.parquet";
    if (!fs::exists(file))
        GTEST_SKIP() << "no reference traces at " << traces;
    const auto found = read_measured(file.string());
    ASSERT_FALSE(found);
    EXPECT_NE(found.error().message.find("Parquet"), std::string::npos);
    EXPECT_NE(found.error().hint.find("CSV"), std::string::npos);
}

TEST(OtherFacts, TheNcclPluginsMessagesAreRead)
{
    const fs::path file = traces / "nccl_tests/nccl_example_profiler_trace.json";
    if (!fs::exists(file))
        GTEST_SKIP() << "no reference traces at " << traces;
    const auto found = read_measured(file.string());
    ASSERT_TRUE(found) << found.error().text();
    const auto* t = std::get_if<Timeline>(&found->front().content);
    ASSERT_NE(t, nullptr);
    ASSERT_EQ(t->size(), 8U); // four sends and four receives
    ASSERT_FALSE(t->collectives.empty());
    EXPECT_EQ(t->collectives[0].dtype, "ncclFloat32");
    EXPECT_DOUBLE_EQ(t->collectives[0].size.value(), 268435456.0 * 4);
    for (const KernelClass c : t->kernel_class)
        EXPECT_EQ(c, KernelClass::collective);
    EXPECT_FALSE(t->skipped.empty()); // the AllReduce lines were cut by whoever made the file
}

} // namespace
} // namespace ridgepoint
