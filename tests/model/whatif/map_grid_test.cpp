#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "model/whatif/map_grid.h"

using namespace ridgepoint;

namespace {

Knob knob(bool whole, double low, double high)
{
    Knob k;
    k.id = "/k";
    k.whole = whole;
    k.low = low;
    k.high = high;
    return k;
}

// time = 2^(i + j), a plane on the logarithm.
RegimeMap plane(std::size_t width, std::size_t height)
{
    RegimeMap m;
    for (std::size_t i = 0; i < width; ++i)
        m.xs.push_back(static_cast<double>(i));
    for (std::size_t j = 0; j < height; ++j)
        m.ys.push_back(static_cast<double>(j));
    for (std::size_t j = 0; j < height; ++j)
        for (std::size_t i = 0; i < width; ++i)
            m.cells.push_back({Regime::compute, std::exp2(static_cast<float>(i + j)), 0, true});
    return m;
}

TEST(MapValues, DegreesAreDoubledAndHalved)
{
    EXPECT_EQ(map_values(knob(true, 1, 64), 8, 1, 64, 200), (std::vector<double>{1, 2, 4, 8, 16, 32, 64}));
    EXPECT_EQ(map_values(knob(true, 1, 64), 12, 1, 64, 200), (std::vector<double>{3, 6, 12, 24, 48}));
}

TEST(MapValues, LargeWholeNumbersKeepTheirPowersOfTwo)
{
    // 1024 / 16 = 64: every value is a multiple, so that what divided the plan's 1024 by up to 64 divides all.
    const std::vector<double> v = map_values(knob(true, 1, 1e6), 1024, 128, 8192, 200);
    EXPECT_GT(v.size(), 20U);
    EXPECT_TRUE(std::ranges::all_of(v, [](double x) { return std::fmod(x, 64.0) == 0.0; }));
    EXPECT_TRUE(std::ranges::is_sorted(v));
    EXPECT_NE(std::ranges::find(v, 1024.0), v.end());
}

TEST(MapValues, TheKnobsRangeHolds)
{
    const std::vector<double> v = map_values(knob(false, 0.25, 4), 1, 0.01, 100, 50);
    EXPECT_EQ(v.front(), 0.25);
    EXPECT_EQ(v.back(), 4);
    EXPECT_NE(std::ranges::find(v, 1.0), v.end());
}

TEST(ContourLevels, AreRoundInsideAndNotTooMany)
{
    EXPECT_EQ(contour_levels(0.5, 2000, 9), (std::vector<double>{1, 3, 10, 30, 100, 300, 1000}));
    for (const auto& [low, high] : {std::pair{1.01, 1.9}, std::pair{0.003, 0.9}, std::pair{1e-6, 1e6}}) {
        const std::vector<double> levels = contour_levels(low, high, 9);
        EXPECT_FALSE(levels.empty());
        EXPECT_LE(levels.size(), 13U);
        EXPECT_TRUE(std::ranges::all_of(levels, [&](double v) { return v > low && v < high; }));
    }
    EXPECT_TRUE(contour_levels(0, 1, 9).empty());
}

TEST(ContourLines, FollowTheMeasure)
{
    // On log2: level 2^3.5 is the line i + j = 3.5.
    const std::vector<ContourLine> lines = contour_lines(plane(6, 5), MapMeasure::time, {std::exp2(3.5)});
    ASSERT_EQ(lines.size(), 1U); // its segments are joined
    EXPECT_GE(lines[0].points.size(), 8U);
    for (const auto& [i, j] : lines[0].points)
        EXPECT_NEAR(i + j, 3.5, 1e-5);
}

TEST(ContourLines, LeaveOutWhatCannotRun)
{
    RegimeMap m = plane(6, 5);
    m.cells[2 * 6 + 1] = {}; // on the line
    const std::vector<ContourLine> lines = contour_lines(m, MapMeasure::time, {std::exp2(3.5)});
    EXPECT_EQ(lines.size(), 2U);
    EXPECT_TRUE(contour_lines(m, MapMeasure::cost, {1.0}).empty()); // no prices
}

TEST(MiddleOf, LiesInTheLargestSquare)
{
    RegimeMap m = plane(9, 9);
    for (std::size_t j = 2; j < 7; ++j)
        for (std::size_t i = 3; i < 8; ++i)
            m.cells[j * 9 + i].regime = Regime::hbm;
    const auto middle = middle_of(m, Regime::hbm);
    ASSERT_TRUE(middle);
    EXPECT_EQ(middle->first, 4U * 9 + 5);
    EXPECT_EQ(middle->second, 5);
    EXPECT_FALSE(middle_of(m, Regime::network));
}

} // namespace
