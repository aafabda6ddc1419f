#include "model/roofline/log_frame.h"

#include <cmath>

#include <gtest/gtest.h>

namespace ridgepoint {
namespace {

TEST(LogFrame, zoom_keeps_the_value_under_the_cursor)
{
    const LogRange r{-1, 4};
    for (const double about : {-0.7, 0.0, 2.3, 3.9}) {
        const LogRange z = zoomed(r, about, 1.2);
        EXPECT_NEAR(z.share_of(about), r.share_of(about), 1e-12);
        EXPECT_NEAR(z.span(), r.span() / 1.2, 1e-12);
    }
}

TEST(LogFrame, zooming_in_and_out_again_returns)
{
    LogRange r{-1, 4};
    for (int i = 0; i < 9; ++i)
        r = zoomed(r, 1.5, 1.2);
    for (int i = 0; i < 9; ++i)
        r = zoomed(r, 1.5, 1 / 1.2);
    EXPECT_NEAR(r.low, -1, 1e-9);
    EXPECT_NEAR(r.high, 4, 1e-9);
}

TEST(LogFrame, fifty_notches_either_way_stay_finite_and_inside_the_limits)
{
    for (const double factor : {1.2, 1 / 1.2}) {
        LogRange r{-1, 4};
        for (int i = 0; i < 50; ++i)
            r = zoomed(r, 3.99, factor);
        EXPECT_TRUE(std::isfinite(r.low) && std::isfinite(r.high));
        EXPECT_GE(r.span(), 0.1 - 1e-12);
        EXPECT_LE(r.span(), 14 + 1e-12);
    }
}

TEST(LogFrame, broken_ranges_are_mended)
{
    EXPECT_EQ(clamped(LogRange{std::nan(""), 2}), (LogRange{0, 1}));
    EXPECT_LT(clamped(LogRange{3, 3}).low, clamped(LogRange{3, 3}).high);
    const LogRange turned = clamped(LogRange{4, -1});
    EXPECT_DOUBLE_EQ(turned.low, -1);
    EXPECT_DOUBLE_EQ(turned.high, 4);
    EXPECT_GE(clamped(LogRange{-200, -190}).low, -9);
    EXPECT_LE(clamped(LogRange{190, 200}).high, 12);
}

TEST(LogFrame, panning_keeps_the_span)
{
    const LogRange p = panned({-1, 4}, 0.1);
    EXPECT_NEAR(p.low, -0.5, 1e-12);
    EXPECT_NEAR(p.span(), 5, 1e-12);
    EXPECT_NEAR(panned(p, -0.1).low, -1, 1e-12);
}

TEST(LogFrame, snaps_outwards_to_decades)
{
    EXPECT_EQ(snapped_to_decades(0.12, 3300), (LogRange{-1, 4}));
    EXPECT_EQ(snapped_to_decades(1, 1000), (LogRange{0, 3})); // log10(1000) is 2.9999999999999996 on some machines
    EXPECT_EQ(snapped_to_decades(5, 5), (LogRange{0, 1}));
    EXPECT_EQ(snapped_to_decades(10, 10), (LogRange{1, 2}));
}

TEST(LogFrame, frame_around_holds_every_point_and_the_least_span)
{
    const LogFrame f = frame_around({{1, 2}, {3, 2}}, 0.25, 1.0);
    EXPECT_NEAR(f.x.low, 0.75, 1e-12);
    EXPECT_NEAR(f.x.high, 3.25, 1e-12);
    EXPECT_NEAR(f.y.span(), 1.0, 1e-12);
    EXPECT_TRUE(f.contains({1, 2}) && f.contains({3, 2}));
}

TEST(FrameHistory, walks_back_and_forward_and_drops_what_lay_ahead)
{
    FrameHistory h;
    EXPECT_FALSE(h.can_go_back());
    const LogFrame a{{0, 1}, {0, 1}}, b{{0, 2}, {0, 1}}, c{{0, 3}, {0, 1}}, d{{0, 4}, {0, 1}};
    h.visit(a);
    h.visit(b);
    h.visit(b); // the same again is no new view
    h.visit(c);
    EXPECT_EQ(h.size(), 3U);
    EXPECT_EQ(h.back(), b);
    EXPECT_EQ(h.back(), a);
    EXPECT_FALSE(h.can_go_back());
    EXPECT_EQ(h.forward(), b);
    h.visit(d);
    EXPECT_FALSE(h.can_go_forward());
    EXPECT_EQ(h.back(), b);
}

TEST(FrameHistory, is_bounded)
{
    FrameHistory h;
    for (int i = 1; i < 1000; ++i)
        h.visit({{0, static_cast<double>(i)}, {0, 1}});
    EXPECT_EQ(h.size(), FrameHistory::longest);
    EXPECT_DOUBLE_EQ(h.back().x.high, 998);
}

} // namespace
} // namespace ridgepoint
