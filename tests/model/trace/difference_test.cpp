#include <gtest/gtest.h>

#include "model/trace/difference.h"
#include "model/trace/format.h"

namespace ridgepoint {
namespace {

std::string kernel(const char* name, int ts, int dur)
{
    return std::string(R"({"ph": "X", "cat": "kernel", "name": ")") + name + R"(", "pid": 0, "tid": 7, "ts": )" + std::to_string(ts) + R"(, "dur": )" + std::to_string(dur) + "}";
}

std::string step(int n, int ts, int dur)
{
    return R"({"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#)" + std::to_string(n) + R"(", "pid": 1, "tid": 1, "ts": )" + std::to_string(ts) + R"(, "dur": )"
        + std::to_string(dur) + "}";
}

Timeline timeline(const std::string& events)
{
    static const auto rules = KernelRules::load(RIDGEPOINT_SOURCE_DIR "/specs/trace/kernel_classes.json");
    auto t = read_timeline_text(R"({"traceEvents": [)" + events + "]}", "test.json", *rules);
    EXPECT_TRUE(t);
    return std::move(*t);
}

double us(Seconds s) { return in_microseconds(s); }

TEST(Difference, WhatChangedMostComesFirst)
{
    const auto before = timeline(kernel("sm90_xmma_gemm", 0, 100) + "," + kernel("layer_norm_kernel", 100, 10) + "," + kernel("flash_fwd_kernel", 200, 50));
    const auto after = timeline(kernel("sm90_xmma_gemm", 0, 95) + "," + kernel("layer_norm_kernel", 100, 30) + "," + kernel("fmhaSm100f", 200, 20));
    const TimelineDifference d = difference(before, after);
    EXPECT_FALSE(d.per_step);
    ASSERT_EQ(d.kernels.size(), 4U);
    EXPECT_EQ(d.kernels[0].name, "flash_fwd_kernel");
    EXPECT_TRUE(d.kernels[0].gone());
    EXPECT_NEAR(us(d.kernels[0].by()), -50, 1e-9);
    EXPECT_TRUE(d.kernels[1].appeared() || d.kernels[2].appeared()); // 20 us each
    EXPECT_EQ(d.kernels[3].name, "sm90_xmma_gemm");
    ASSERT_EQ(d.classes.size(), 3U);
    EXPECT_EQ(d.classes[0].kernel_class, KernelClass::attention);
    EXPECT_NEAR(us(d.classes[0].by()), -30, 1e-9); // another kernel, the same class
    EXPECT_NEAR(us(d.busy.by()), 145 - 160, 1e-9);
    EXPECT_NEAR(us(d.idle.before), 90, 1e-9); // 110 to 200
    EXPECT_NEAR(us(d.idle.after), 75, 1e-9); // 95 to 100 and 130 to 200
}

// Two steps against three: the same step twice as fast is a half, however many were captured. What runs outside the steps
// takes no part.
TEST(Difference, CapturesOfDifferentLengthAreComparedPerStep)
{
    const auto before = timeline(step(1, 0, 100) + "," + step(2, 100, 100) + "," + kernel("gemm", 10, 40) + "," + kernel("gemm", 110, 40));
    const auto after = timeline(step(1, 0, 100) + "," + step(2, 100, 100) + "," + step(3, 200, 100) + "," + kernel("gemm", 10, 20) + "," + kernel("gemm", 110, 20)
        + "," + kernel("gemm", 210, 20) + "," + kernel("gemm", 1000, 500));
    const TimelineDifference d = difference(before, after);
    EXPECT_TRUE(d.per_step);
    EXPECT_EQ(d.steps_before, 2);
    EXPECT_EQ(d.steps_after, 3);
    ASSERT_EQ(d.kernels.size(), 1U);
    EXPECT_NEAR(us(d.kernels[0].before), 40, 1e-9);
    EXPECT_NEAR(us(d.kernels[0].after), 20, 1e-9);
    EXPECT_NEAR(d.kernels[0].count_after, 1, 1e-12);
}

TEST(Difference, NothingChangesAgainstItselfAndClassesAddUp)
{
    const auto t = timeline(kernel("gemm", 0, 100) + "," + kernel("softmax", 50, 100) + "," + kernel("nccl_x", 300, 7));
    const TimelineDifference same = difference(t, t);
    for (const auto& k : same.kernels)
        EXPECT_EQ(k.by(), Seconds{});
    const auto empty = timeline("");
    const TimelineDifference d = difference(empty, t);
    Seconds kernels, classes;
    for (const auto& k : d.kernels) {
        EXPECT_TRUE(k.appeared());
        kernels += k.by();
    }
    for (const auto& c : d.classes)
        classes += c.by();
    EXPECT_NEAR(us(kernels), 207, 1e-9);
    EXPECT_NEAR(classes.value(), kernels.value(), 1e-15);
}

} // namespace
} // namespace ridgepoint
