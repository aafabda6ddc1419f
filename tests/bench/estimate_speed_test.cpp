// The speed that the desktop (an answer per key press) and the search (a million estimates) are built on. The fastest of
// many runs is printed, which other work on the machine hardly moves.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string_view>

#include "model/estimate/estimate.h"
#include "model/project/resolve.h"
#include "tests/bench/example_jobs.h"

namespace ridgepoint {
namespace {

using Clock = std::chrono::steady_clock;
using Microseconds = std::chrono::duration<double, std::micro>;

bool is_optimised() { return std::string_view(RIDGEPOINT_BUILD_TYPE) == "Release" && !RIDGEPOINT_SANITIZED; }

template <typename Work> double fastest_microseconds(int runs, Work&& work)
{
    double best = 1e300;
    for (int i = 0; i < runs; ++i) {
        const auto start = Clock::now();
        work();
        best = std::min(best, Microseconds(Clock::now() - start).count());
    }
    return best;
}

class EstimateSpeed : public testing::Test {
protected:
    void SetUp() override
    {
        Expected<SpecStore> specs = bench::source_specs();
        ASSERT_TRUE(specs) << specs.error().text();
        m_specs = *specs;
        Expected<std::vector<bench::Example>> examples = bench::examples(m_specs);
        ASSERT_TRUE(examples) << examples.error().text();
        m_examples = *examples;
        ASSERT_GE(m_examples.size(), 8U);
    }

    SpecStore m_specs;
    std::vector<bench::Example> m_examples;
};

TEST_F(EstimateSpeed, EveryExampleIsEstimated)
{
    for (const bench::Example& example : m_examples) {
        const Expected<Estimate> estimated = estimate(example.job);
        ASSERT_TRUE(estimated) << example.name << ": " << estimated.error().text();
        EXPECT_GT(estimated->time.total().value(), 0.0) << example.name;
    }
}

// Figures to read, not to pass: how fast this machine is at this moment decides nothing about the code.
TEST_F(EstimateSpeed, PrintsWhatAnEstimateAndAnAnswerCost)
{
    if (!is_optimised())
        GTEST_SKIP() << "measured in Release builds without sanitizers";
    std::printf("  estimate    evaluate\n");
    for (const bench::Example& example : m_examples) {
        const double one = fastest_microseconds(1000, [&] { ASSERT_TRUE(estimate(example.job)); });
        const double answer = fastest_microseconds(20, [&] { ASSERT_TRUE(evaluate(example.plan, m_specs)); });
        std::printf("  %7.2f us  %6.2f ms  %s\n", one, answer / 1000.0, example.name.c_str());
    }
}

} // namespace
} // namespace ridgepoint
