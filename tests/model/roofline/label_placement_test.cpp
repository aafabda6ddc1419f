#include "model/roofline/label_placement.h"

#include <cmath>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

namespace ridgepoint {
namespace {

TEST(LabelPlacement, rotated_boxes_overlap_exactly_when_no_axis_separates_them)
{
    const LabelBox a{0, 0, 10, 4, 0};
    EXPECT_TRUE(overlap(a, {4, 3, 10, 4, 0}));
    EXPECT_FALSE(overlap(a, {0, 4, 10, 4, 0})); // touching
    EXPECT_FALSE(overlap(a, {11, 0, 10, 4, 0}));
    // A square turned by 45 degrees reaches sqrt(2)/2 of its side: corner at 7.07, box a ends at 5.
    const double quarter = std::numbers::pi / 4;
    EXPECT_TRUE(overlap(a, {12.0, 0, 10, 10, quarter}));
    EXPECT_FALSE(overlap(a, {12.2, 0, 10, 10, quarter}));
    // Near a corner the bounding boxes overlap while the boxes do not.
    EXPECT_FALSE(overlap(a, {9.0, 6.5, 10, 10, quarter}));
}

TEST(LabelPlacement, overlap_is_symmetric)
{
    std::mt19937 random(3);
    std::uniform_real_distribution<double> at(0, 60), size(2, 30), angle(-1.5, 1.5);
    for (int i = 0; i < 2000; ++i) {
        const LabelBox a{at(random), at(random), size(random), size(random), angle(random)};
        const LabelBox b{at(random), at(random), size(random), size(random), angle(random)};
        EXPECT_EQ(overlap(a, b), overlap(b, a));
        EXPECT_TRUE(overlap(a, a));
    }
}

TEST(LabelPlacement, placed_labels_never_overlap_and_stay_inside)
{
    std::mt19937 random(11);
    std::uniform_real_distribution<double> at(0, 500), slope(-300, 300);
    for (int round = 0; round < 100; ++round) {
        std::vector<LabelRequest> requests;
        for (int i = 0; i < 25; ++i) {
            const double y = at(random);
            requests.push_back({along_segment(0, y, 500, y + slope(random), 120, 16, 2)});
        }
        const auto chosen = place_labels(requests, 0, 0, 500, 500);
        std::vector<LabelBox> placed;
        for (std::size_t i = 0; i < requests.size(); ++i)
            if (chosen[i])
                placed.push_back(requests[i].candidates[*chosen[i]]);
        ASSERT_FALSE(placed.empty());
        for (std::size_t i = 0; i < placed.size(); ++i) {
            EXPECT_TRUE(inside(placed[i], 0, 0, 500, 500));
            for (std::size_t j = 0; j < i; ++j)
                EXPECT_FALSE(overlap(placed[i], placed[j]));
        }
    }
}

TEST(LabelPlacement, the_first_request_has_priority)
{
    const LabelRequest same{{{50, 50, 40, 10, 0}}};
    const auto chosen = place_labels({same, same}, 0, 0, 100, 100);
    EXPECT_TRUE(chosen[0].has_value());
    EXPECT_FALSE(chosen[1].has_value());
}

TEST(LabelPlacement, taken_places_are_left_free)
{
    const auto chosen
        = place_labels({{{{50, 50, 40, 10, 0}, {50, 80, 40, 10, 0}}}}, 0, 0, 100, 100, {{50, 50, 5, 5, 0}});
    ASSERT_TRUE(chosen[0].has_value());
    EXPECT_EQ(*chosen[0], 1U);
}

TEST(LabelPlacement, along_a_segment_labels_lie_parallel_beside_it)
{
    const auto boxes = along_segment(0, 100, 100, 0, 40, 10, 2); // rising on the screen
    ASSERT_FALSE(boxes.empty());
    for (const LabelBox& b : boxes) {
        EXPECT_NEAR(b.angle, -std::numbers::pi / 4, 1e-12);
        EXPECT_NEAR(std::abs(b.x + b.y - 100) / std::sqrt(2.0), 7, 1e-9); // half the height plus the lift
    }
    EXPECT_LT(boxes.front().x + boxes.front().y, 100); // the first ones above the line
    EXPECT_TRUE(along_segment(0, 0, 30, 0, 40, 10, 2).empty()); // too short
}

} // namespace
} // namespace ridgepoint
