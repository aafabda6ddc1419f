#include "model/roofline/axis_ticks.h"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace ridgepoint {
namespace {

std::vector<std::string> labels(const std::vector<Tick>& ticks)
{
    std::vector<std::string> out;
    for (const Tick& t : ticks)
        if (!t.label.empty())
            out.push_back(t.label);
    return out;
}

TEST(AxisTicks, decades_where_they_fit)
{
    EXPECT_EQ(
        labels(log_ticks({-1, 4}, 600, 40)), (std::vector<std::string>{"0.1", "1", "10", "100", "1000", "10000"}));
}

TEST(AxisTicks, one_two_five_below_two_decades)
{
    EXPECT_EQ(labels(log_ticks({1, 2.5}, 600, 40)), (std::vector<std::string>{"10", "20", "50", "100", "200"}));
}

TEST(AxisTicks, one_to_nine_below_a_decade)
{
    EXPECT_EQ(
        labels(log_ticks({0, 0.96}, 900, 40)), (std::vector<std::string>{"1", "2", "3", "4", "5", "6", "7", "8", "9"}));
}

TEST(AxisTicks, one_format_for_the_whole_axis)
{
    EXPECT_EQ(labels(log_ticks({-6, 3}, 1200, 40)), (std::vector<std::string>{"10⁻⁶", "10⁻⁴", "10⁻²", "10⁰", "10²"}));
}

TEST(AxisTicks, thinned_by_powers_of_a_thousand_when_crowded)
{
    for (const Tick& t : log_ticks({-9, 5}, 200, 40)) {
        if (t.label.empty())
            continue;
        EXPECT_EQ(std::lround(t.position) % 3, 0) << t.label;
    }
}

// The traps that charting libraries fall into (implot#617, VisIt#17203, plotly#7468): no label at all inside a decade,
// a lost lowest label when the range starts exactly on a decade.
TEST(AxisTicks, any_range_has_labels_in_order_that_do_not_collide)
{
    std::mt19937 random(7);
    std::uniform_real_distribution<double> low(-8, 8), span(0.1, 14), pixels(250, 1500);
    for (int i = 0; i < 5000; ++i) {
        LogRange r;
        r.low = low(random);
        r.high = r.low + span(random);
        r = clamped(r);
        const double width = pixels(random);
        constexpr double label = 45;
        const std::vector<Tick> ticks = log_ticks(r, width, label);
        EXPECT_GE(labels(ticks).size(), r.span() < 2 ? 2U : 1U) << r.low << ' ' << r.span() << ' ' << width;
        double last = -1e300;
        double last_label = -1e300;
        for (const Tick& t : ticks) {
            EXPECT_GE(t.position, r.low - 1e-6);
            EXPECT_LE(t.position, r.high + 1e-6);
            EXPECT_GE(t.position, last);
            last = t.position;
            if (t.label.empty())
                continue;
            EXPECT_GE((t.position - last_label) * width / r.span(), label * 0.999)
                << t.label << ' ' << r.low << ' ' << r.span();
            last_label = t.position;
        }
    }
}

TEST(AxisTicks, three_labels_in_a_range_of_threefold)
{
    for (const double low : {-2.0, 0.0, 0.5, 1.3, 2.9}) {
        EXPECT_GE(labels(log_ticks({low, low + std::log10(3.0)}, 600, 45)).size(), 3U) << low;
        EXPECT_GE(labels(log_ticks({low, low + std::log10(3.0)}, 300, 25)).size(), 3U) << low;
    }
}

TEST(AxisTicks, lowest_decade_is_not_lost)
{
    for (const int e : {-3, -2, -1, 0, 3})
        EXPECT_NEAR(log_ticks({static_cast<double>(e), e + 4.0}, 600, 40).front().position, e, 1e-9);
}

TEST(AxisTicks, labels_tell_neighbours_apart_at_the_deepest_zoom)
{
    for (const double low : {-2.3, 0.0, 1.7, 2.95}) {
        std::vector<std::string> l = labels(log_ticks({low, low + 0.1}, 700, 60));
        ASSERT_GE(l.size(), 2U);
        EXPECT_EQ(std::ranges::adjacent_find(l), l.end());
    }
}

TEST(AxisTicks, nonsense_gives_nothing)
{
    EXPECT_TRUE(log_ticks({1, 1}, 500, 40).empty());
    EXPECT_TRUE(log_ticks({0, 1}, 0, 40).empty());
    EXPECT_TRUE(linear_ticks(0, 500, 40).empty());
    EXPECT_TRUE(linear_ticks(-3, 500, 40).empty());
    EXPECT_TRUE(linear_ticks(std::nan(""), 500, 40).empty());
}

TEST(AxisTicks, linear_steps_are_one_two_or_five)
{
    const std::vector<LinearTick> t = linear_ticks(141, 400, 60);
    ASSERT_GE(t.size(), 3U);
    EXPECT_EQ(t[0].label, "0");
    EXPECT_EQ(t[1].label, "50");
    EXPECT_GE(t.back().value, 141);
    EXPECT_EQ(linear_ticks(0.4, 400, 100)[1].label, "0.1");
}

} // namespace
} // namespace ridgepoint
