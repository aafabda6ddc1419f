#include <cmath>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "model/roofline/density_grid.h"
#include "model/roofline/point_index.h"

namespace ridgepoint {
namespace {

struct Cloud
{
    std::vector<float> x, y, weight;
};

Cloud cloud(std::size_t n, unsigned seed = 5)
{
    std::mt19937 random(seed);
    std::normal_distribution<float> x(1.5F, 1.2F), y(1.0F, 0.9F);
    std::uniform_real_distribution<float> w(0.5F, 2.0F);
    Cloud c;
    for (std::size_t i = 0; i < n; ++i) {
        c.x.push_back(x(random));
        c.y.push_back(y(random));
        c.weight.push_back(w(random));
    }
    return c;
}

TEST(DensityGrid, no_point_is_lost)
{
    const Cloud c = cloud(20000);
    const LogFrame frame{{0, 3}, {0, 2}};
    const DensityGrid g = density_grid(c.x, c.y, {}, frame, 120, 80);
    EXPECT_EQ(g.inside + g.left + g.right + g.above + g.below, c.x.size());
    EXPECT_FLOAT_EQ(std::accumulate(g.cells.begin(), g.cells.end(), 0.0F), static_cast<float>(g.inside));
    EXPECT_GT(g.left, 0U);
    EXPECT_GT(g.above, 0U);
}

TEST(DensityGrid, weights_add_up)
{
    const Cloud c = cloud(3000);
    const LogFrame everything{{-9, 12}, {-9, 12}};
    const DensityGrid g = density_grid(c.x, c.y, c.weight, everything, 50, 50);
    const double sum = std::accumulate(c.weight.begin(), c.weight.end(), 0.0);
    EXPECT_NEAR(std::accumulate(g.cells.begin(), g.cells.end(), 0.0), sum, 1e-4 * sum);
}

TEST(DensityGrid, cells_are_where_the_points_are)
{
    const std::vector<float> x{0.05F, 0.95F, 1.0F}, y{0.05F, 0.95F, 1.0F};
    const DensityGrid g = density_grid(x, y, {}, {{0, 1}, {0, 1}}, 10, 10);
    EXPECT_FLOAT_EQ(g.at(0, 0), 1);
    EXPECT_FLOAT_EQ(g.at(9, 9), 2); // the upper edge belongs to the last cell
    EXPECT_DOUBLE_EQ(g.shade(9, 9), 1);
    EXPECT_DOUBLE_EQ(g.shade(5, 5), 0);
    EXPECT_GT(g.shade(0, 0), 0.5); // logarithmic: half the weight is not half the shade
    EXPECT_LT(g.shade(0, 0), 1);
}

TEST(DensityGrid, not_a_number_is_outside)
{
    const std::vector<float> x{std::nanf("")}, y{0.5F};
    EXPECT_EQ(density_grid(x, y, {}, {{0, 1}, {0, 1}}, 4, 4).inside, 0U);
}

TEST(LargestIndices, in_order_with_ties_by_index)
{
    const std::vector<float> v{1, 5, 3, 5, 2};
    EXPECT_EQ(largest_indices(v, 3), (std::vector<std::size_t>{1, 3, 2}));
    EXPECT_EQ(largest_indices(v, 99).size(), 5U);
    EXPECT_TRUE(largest_indices({}, 3).empty());
}

TEST(PointIndex, agrees_with_looking_at_every_point)
{
    const Cloud c = cloud(4000);
    const PointIndex index(c.x, c.y);
    std::mt19937 random(9);
    std::uniform_real_distribution<double> at(-3, 6);
    int found = 0;
    for (int i = 0; i < 3000; ++i) {
        const double x = at(random), y = at(random);
        constexpr double sx = 160, sy = 90, radius = 8;
        std::optional<std::size_t> best;
        double least = radius * radius;
        for (std::size_t k = 0; k < c.x.size(); ++k) {
            const double dx = (c.x[k] - x) * sx, dy = (c.y[k] - y) * sy;
            if (dx * dx + dy * dy < least) {
                least = dx * dx + dy * dy;
                best = k;
            }
        }
        const auto got = index.nearest(x, y, sx, sy, radius);
        EXPECT_EQ(got, best);
        found += best.has_value();
    }
    EXPECT_GT(found, 100);
}

TEST(PointIndex, works_with_no_points_one_point_and_points_in_one_place)
{
    EXPECT_FALSE(PointIndex().nearest(0, 0, 100, 100, 5).has_value());
    const std::vector<float> one{2.0F};
    EXPECT_EQ(PointIndex(one, one).nearest(2.01, 2, 100, 100, 5), std::optional<std::size_t>(0));
    EXPECT_FALSE(PointIndex(one, one).nearest(2.2, 2, 100, 100, 5).has_value());
    const std::vector<float> same(50, 1.0F);
    EXPECT_EQ(PointIndex(same, same).nearest(1, 1, 100, 100, 5), std::optional<std::size_t>(0));
    EXPECT_FALSE(PointIndex(same, same).nearest(std::nan(""), 1, 100, 100, 5).has_value());
}

} // namespace
} // namespace ridgepoint
