// The reference facts of published traces: counts exactly, times within a nanosecond's rounding per event.
#include <cmath>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "model/trace/facts.h"
#include "model/trace/timeline.h"

namespace ridgepoint {
namespace {

namespace fs = std::filesystem;
const fs::path traces = fs::path(RIDGEPOINT_SHARED_DIR) / "traces";

nlohmann::json expected_facts()
{
    std::ifstream in(traces / "expected" / "kineto_facts.json");
    return nlohmann::json::parse(in, nullptr, false);
}

void expect_close(double found, double expected, const std::string& what) { EXPECT_NEAR(found, expected, 0.0006 + 1e-9 * std::abs(expected)) << what; }

TEST(TraceFacts, PublishedTracesGiveTheirReferenceFacts)
{
    if (!fs::exists(traces))
        GTEST_SKIP() << "no reference traces at " << traces;
    const nlohmann::json all = expected_facts();
    ASSERT_TRUE(all.is_object());
    for (const auto& [file, want] : all.items()) {
        SCOPED_TRACE(file);
        const auto timeline = read_timeline((traces / file).string());
        ASSERT_TRUE(timeline) << timeline.error().text();
        const auto facts = facts_of(*timeline);
        ASSERT_TRUE(facts);
        const nlohmann::json& got = *facts;
        EXPECT_EQ(timeline->skipped.size(), 0U);
        EXPECT_FALSE(timeline->truncated);
        for (const char* key : {"n_events", "json_bytes", "n_kernel", "n_memcpy", "n_memset", "zero_dur_gpu_events", "same_stream_overlaps",
                 "n_distinct_kernel_names", "gpu_events_without_launch_in_file", "gpu", "device", "n_deviceProperties", "ph", "X_cat", "schemaVersion",
                 "displayTimeUnit", "distributedInfo", "n_pg_config", "neg_dur_gpu_events"})
            // The reference does not look into computeProperties, the device table of early 2021.
            if (want.contains(key) && !(file.find("old2021_gpu_metrics") != std::string::npos && std::string(key).find("evice") != std::string::npos)) {
                EXPECT_EQ(got.value(key, nlohmann::json()), want[key]) << key;
            }
        for (const char* key : {"sum_kernel_dur_us", "sum_memcpy_us", "sum_memset_us", "gpu_span_us", "busy_union_us", "idle_us", "compute_union_us",
                 "comm_union_us", "mem_union_us", "comm_comp_overlap_us", "exposed_comm_us", "mean_step_us", "comm_overlap_pct"})
            if (want.contains(key) && want[key].is_number())
                expect_close(got.value(key, -1.0), want[key].get<double>(), key);
        if (want.contains("linked_only"))
            for (const auto& [key, value] : want["linked_only"].items())
                expect_close(got["linked_only"].value(key, -1.0), value.get<double>(), key);
        for (const char* key : {"profiler_steps", "gpu_profiler_steps", "collectives"})
            if (want.contains(key)) {
                EXPECT_EQ(got.value(key, nlohmann::json::array()).size(), want[key].size()) << key;
            }
        if (want.contains("collectives")) {
            double got_sum = 0, want_sum = 0;
            for (const auto& c : got["collectives"])
                got_sum += c["sum_us"].get<double>();
            for (const auto& c : want["collectives"])
                want_sum += c["sum_us"].get<double>();
            expect_close(got_sum, want_sum, "collectives");
        }
        if (!want.contains("per_class"))
            continue;
        for (const char* key : {"gemm", "attention", "comm", "memcpy", "memset"}) {
            ASSERT_EQ(got["per_class"].contains(key), want["per_class"].contains(key)) << key;
            if (want["per_class"].contains(key)) {
                EXPECT_EQ(got["per_class"][key]["count"], want["per_class"][key]["count"]) << key;
                expect_close(got["per_class"][key]["sum_us"].get<double>(), want["per_class"][key]["sum_us"].get<double>(), key);
            }
        }
    }
}

// busy + idle = span; a union is at most the sum; the overlap is at most either union; classes add up.
TEST(TraceFacts, SummariesAreConsistent)
{
    if (!fs::exists(traces))
        GTEST_SKIP() << "no reference traces at " << traces;
    for (const auto& entry : fs::recursive_directory_iterator(traces / "kineto")) {
        if (!entry.is_regular_file() || entry.path().filename().string().starts_with("memory_timeline"))
            continue;
        SCOPED_TRACE(entry.path().filename().string());
        const auto t = read_timeline(entry.path().string());
        ASSERT_TRUE(t) << t.error().text();
        const TimelineSummary s = summarize(*t);
        EXPECT_NEAR((s.busy + s.idle).value(), s.span.value(), 1e-9);
        EXPECT_LE(s.overlap, std::min(s.compute_union, s.collective_union));
        EXPECT_GE(s.exposed_collective, Seconds{});
        EXPECT_LE((s.compute_union + s.collective_union - s.overlap).value(), s.busy.value() + 1e-9);
        Seconds sum, kernels;
        std::int64_t count = 0;
        for (const ClassTotal& c : s.classes) {
            sum += c.sum;
            count += c.count;
            if (c.kernel_class != KernelClass::memcpy && c.kernel_class != KernelClass::memset)
                kernels += c.sum;
        }
        EXPECT_EQ(count, s.gpu_events);
        EXPECT_NEAR(kernels.value(), s.kernel_sum.value(), 1e-9);
        EXPECT_LE(s.busy.value(), sum.value() + 1e-9);
        const IdleCauses& i = s.idle_causes;
        EXPECT_NEAR((i.host + i.launch_latency + i.dependency + i.unknown).value(), s.idle.value(), 1e-6);
        std::int64_t without = 0;
        for (const auto& w : t->without_work)
            without += w.count;
        EXPECT_EQ(without, s.without_work);
    }
}

} // namespace
} // namespace ridgepoint
