// A published set of broken traces with what a reader should make of each.
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "model/trace/facts.h"
#include "model/trace/timeline.h"

namespace ridgepoint {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
const fs::path traces = fs::path(RIDGEPOINT_SHARED_DIR) / "traces";

void expect_reference(const Timeline& t, const nlohmann::json& want)
{
    const auto facts = facts_of(t);
    ASSERT_TRUE(facts);
    EXPECT_EQ((*facts)["n_kernel"], want["n_kernel"]);
    for (const auto& [key, name] : {std::pair{"gemm_us", "gemm"}, {"attention_us", "attention"}, {"comm_us", "comm"}})
        EXPECT_NEAR((*facts)["per_class"][name]["sum_us"].get<double>(), want[key].get<double>(), 1e-9) << key;
    for (const auto& [key, name] : {std::pair{"sum_us", "sum_kernel_dur_us"}, {"busy_union_us", "busy_union_us"}, {"comm_comp_overlap_us", "comm_comp_overlap_us"},
             {"exposed_comm_us", "exposed_comm_us"}, {"overlap_pct", "comm_overlap_pct"}})
        EXPECT_NEAR((*facts)[name].get<double>(), want[key].get<double>(), 1e-4) << key;
}

std::string said(const Timeline& t)
{
    std::string all;
    for (const auto& s : t.skipped)
        all += s.reason + " (" + s.first_place + "); ";
    return all;
}

TEST(Malformed, EveryPublishedCaseIsReadAsItShouldBe)
{
    std::ifstream in(traces / "expected" / "malformed_expected.json");
    if (!in)
        GTEST_SKIP() << "no reference traces at " << traces;
    const nlohmann::json expected = nlohmann::json::parse(in);
    const nlohmann::json& reference = expected["_reference"];
    int as_reference = 0;
    for (const auto& [file, what] : expected.items()) {
        if (!what.is_string())
            continue;
        SCOPED_TRACE(file);
        const auto text = what.get<std::string>();
        const auto t = read_timeline((traces / "derived" / "kineto_malformed" / file).string());
        if (text.starts_with("clear error")) {
            ASSERT_FALSE(t);
            EXPECT_THAT(t.error().text(), HasSubstr("empty"));
            continue;
        }
        ASSERT_TRUE(t) << t.error().text();
        if (text.find("same facts as _reference") != std::string::npos || text.find("facts as _reference") != std::string::npos) {
            expect_reference(*t, reference);
            ++as_reference;
        }
        if (text.find("truncat") != std::string::npos) {
            EXPECT_TRUE(t->truncated);
            EXPECT_THAT(said(*t), HasSubstr("byte"));
        }
        if (file.starts_with("01_")) {
            EXPECT_THAT(said(*t), HasSubstr("comma"));
        }
        if (file.starts_with("03_")) {
            ASSERT_EQ(t->size(), 2U);
            const TimelineSummary s = summarize(*t);
            EXPECT_NEAR(in_microseconds(s.kernel_sum), 100.5 + 200.25, 1e-9);
        }
        if (file.starts_with("06_")) {
            EXPECT_EQ(t->size(), 4U);
            EXPECT_EQ(summarize(*t).kernels, 3);
            EXPECT_EQ(summarize(*t).zero_durations, 1);
        }
        if (file.starts_with("18_")) {
            EXPECT_EQ(summarize(*t).kernels, 3);
            EXPECT_THAT(said(*t), HasSubstr("negative"));
        }
        if (file.starts_with("27_")) {
            EXPECT_EQ(t->size(), 0U);
        }
        if (file.starts_with("29_")) {
            ASSERT_EQ(t->steps.size(), 1U);
            EXPECT_EQ(t->steps[0].name, "ProfilerStep#5");
            EXPECT_EQ(t->steps[0].duration_ns, 400'000);
            ASSERT_EQ(t->gpu_steps.size(), 1U);
            EXPECT_EQ(t->gpu_steps[0].duration_ns, 251'002);
        }
        if (file.starts_with("30_")) {
            ASSERT_EQ(t->size(), 1U);
            EXPECT_EQ(t->duration_ns[0], 15'000);
        }
        if (file.starts_with("31_")) {
            EXPECT_EQ(t->size(), 2U);
            EXPECT_THAT(said(*t), HasSubstr("without a duration"));
        }
    }
    EXPECT_GE(as_reference, 10);
}

} // namespace
} // namespace ridgepoint
