// What the release promises: errors over the published measurements stay within the bounds below, and the page
// resources/help/accuracy.md says what the program says today. RIDGEPOINT_UPDATE_DOCS=1 writes the page anew.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "model/report/accuracy_page.h"

namespace ridgepoint {
namespace {

const std::string measurements = RIDGEPOINT_SHARED_DIR "/reference/measurements";
const std::string page_file = RIDGEPOINT_SOURCE_DIR "/resources/help/accuracy.md";

// The figures of the day they were set, and a little: a change that makes them worse has to say so here. Fractions.
struct Bound {
    const char* key; // of headlines()
    int predicted; // rows at least: nothing is dropped to make a figure look good
    double median; // at most
    double p90; // at most
    double rank; // correlation, at least
};
constexpr Bound bounds[] = {
    {"training", 678, 0.040, 0.16, 0.99},
    {"training_dense", 534, 0.035, 0.13, 0.995},
    {"training_moe", 144, 0.075, 0.32, 0.95},
    {"training_memory", 42, 0.053, 0.28, 0.70},
    {"memory_activations", 8, 0.001, 0.002, 0.99},
    {"memory_states", 8, 0.001, 0.002, 0.94},
    {"memory_relative", 20, 0.002, 0.008, 0.99},
    {"gemm", 9238, 0.044, 0.153, 0.99},
    {"moe_gemm", 5281, 0.061, 0.202, 0.99},
    {"attention_prefill", 2610, 0.054, 0.17, 0.99},
    {"attention_decode", 5466, 0.040, 0.138, 0.98},
    {"mla_decode", 4332, 0.047, 0.185, 0.975},
    {"collectives_node", 6379, 0.048, 0.155, 0.99},
    {"collectives", 1003, 0.055, 0.17, 0.99},
    {"collectives_domain", 203, 0.045, 0.183, 0.98},
    {"collectives_across", 800, 0.065, 0.175, 0.99},
    {"moe_dispatch", 52, 0.11, 0.48, 0.92},
    {"low_latency_dispatch", 237, 0.105, 0.29, 0.91},
    {"low_latency_combine", 237, 0.075, 0.185, 0.975},
    {"tpot", 2125, 0.10, 0.35, 0.95},
    {"tpot_dense", 509, 0.07, 0.195, 0.94},
    {"tpot_moe", 1616, 0.115, 0.4, 0.95},
    {"ttft", 2125, 0.25, 0.94, 0.87},
    {"throughput", 152, 0.13, 0.51, 0.96},
    {"throughput_dense", 57, 0.075, 0.205, 0.99},
    {"throughput_moe", 95, 0.25, 0.58, 0.93},
};

// The training step only: rank among layouts of one model on one number of GPUs, and rows in the stated interval.
constexpr double least_group_rank = 0.83;
constexpr double least_coverage = 0.80;

std::string read(const std::string& file)
{
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

class ShippedAccuracy : public testing::Test {
protected:
    static void SetUpTestSuite()
    {
        const Expected<MeasurementFolder> folder = find_measurements(measurements);
        if (!folder)
            return; // each test says that it skips
        const Expected<SpecStore> specs = SpecStore::load({{RIDGEPOINT_SOURCE_DIR "/specs", "built-in"}});
        ASSERT_TRUE(specs) << specs.error().text();
        for (const std::string& file : folder->files) {
            Expected<FileValidation> v = validate_file(file, *specs);
            ASSERT_TRUE(v) << v.error().text();
            page.files.push_back(std::move(*v));
        }
    }
    void SetUp() override
    {
        if (page.files.empty())
            GTEST_SKIP() << "the published measurements are not here";
    }

    inline static AccuracyPage page;
};

TEST_F(ShippedAccuracy, StaysWithinItsBounds)
{
    const std::vector<Headline> lines = headlines(page.files);
    for (const Bound& b : bounds) {
        const auto line = std::ranges::find(lines, b.key, &Headline::key);
        ASSERT_NE(line, lines.end()) << b.key;
        EXPECT_GE(line->predicted, b.predicted) << b.key;
        EXPECT_LE(line->score.median_abs_error, b.median) << b.key;
        EXPECT_LE(line->score.p90_abs_error, b.p90) << b.key;
        EXPECT_GE(line->score.rank_correlation, b.rank) << b.key;
    }
    EXPECT_EQ(lines.size(), std::size(bounds)) << "a headline has no bound";
}

TEST_F(ShippedAccuracy, RanksLayoutsAndStatesItsInterval)
{
    const std::vector<Headline> lines = headlines(page.files);
    const auto training = std::ranges::find(lines, "training", &Headline::key);
    ASSERT_NE(training, lines.end());
    EXPECT_GE(training->score.group_rank, least_group_rank);
    EXPECT_GE(training->score.groups, 20);
    EXPECT_GE(training->score.coverage(), least_coverage);
}

TEST_F(ShippedAccuracy, PageSaysWhatTheProgramSays)
{
    const Status companions = read_accuracy_companions(page_file, page);
    ASSERT_TRUE(companions) << companions.error().text();
    const std::string wanted = accuracy_markdown(page);
    if (std::getenv("RIDGEPOINT_UPDATE_DOCS") != nullptr) { // NOLINT(concurrency-mt-unsafe)
        std::ofstream(page_file, std::ios::binary) << wanted;
        return;
    }
    EXPECT_TRUE(read(page_file) == wanted) << "the figures have moved: run accuracy_test with RIDGEPOINT_UPDATE_DOCS=1, or "
                                              "`ridgepoint-cli validate MEASUREMENTS --page resources/help/accuracy.md`, and commit the page";
}

} // namespace
} // namespace ridgepoint
