#include "views/theme/theme.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace ridgepoint {
namespace {

TEST(Theme, contrast_ratio_of_known_pairs)
{
    EXPECT_NEAR(contrast_ratio(Qt::black, Qt::white), 21.0, 1e-9);
    EXPECT_NEAR(contrast_ratio(Qt::white, Qt::white), 1.0, 1e-12);
    // Okabe-Ito blue on white: luminance 0.152 (sRGB 00, 72, b2), (1 + 0.05) / (0.152 + 0.05) = 5.2.
    EXPECT_NEAR(contrast_ratio(QColor(0x00, 0x72, 0xb2), Qt::white), 5.2, 0.05);
    EXPECT_NEAR(contrast_ratio(QColor(0xd5, 0x5e, 0x00), QColor(0x1e, 0x21, 0x27)), 4.2, 0.1);
}

class EveryTheme : public testing::TestWithParam<int>
{
protected:
    [[nodiscard]] static Theme theme()
    {
        return GetParam() == 0 ? Theme::light() : GetParam() == 1 ? Theme::dark_theme() : Theme::print();
    }
};

TEST_P(EveryTheme, marks_and_lines_have_three_to_one)
{
    const Theme t = theme();
    const auto readable = [&](const QColor& c, const char* what, int i) {
        EXPECT_GE(contrast_ratio(c, t.plot), 3.0) << what << ' ' << i;
    };
    for (int i = 0; i < 5; ++i)
        readable(t.of(static_cast<OperatorClass>(i)), "operator class", i);
    for (int i = 0; i <= static_cast<int>(KernelClass::other); ++i)
        readable(t.of(static_cast<KernelClass>(i)), "kernel class", i);
    for (std::size_t i = 0; i < step_part_count; ++i)
        readable(t.of(static_cast<StepPart>(i)), "step part", static_cast<int>(i));
    for (std::size_t i = 0; i < memory_part_count; ++i)
        readable(t.of(static_cast<MemoryPart>(i)), "memory part", static_cast<int>(i));
    for (std::size_t i = 0; i < resource_count; ++i)
        readable(t.of(static_cast<Resource>(i)), "resource", static_cast<int>(i));
    for (int i = 0; i < 3; ++i)
        readable(t.of(static_cast<MemoryLevel>(i)), "level", i);
    readable(t.roof, "roof", 0);
    readable(t.dim_roof, "dim roof", 0);
    readable(t.measured_roof, "measured roof", 0);
    readable(t.accent, "accent", 0);
}

TEST_P(EveryTheme, text_has_four_and_a_half_to_one)
{
    const Theme t = theme();
    for (const QColor& c : {t.text, t.dim_text, t.danger})
        EXPECT_GE(contrast_ratio(c, t.background), 4.5);
    EXPECT_GE(contrast_ratio(t.tooltip_text, t.tooltip), 4.5);
    for (std::size_t i = 0; i < step_part_count; ++i) {
        const QColor fill = t.of(static_cast<StepPart>(i));
        EXPECT_GE(contrast_ratio(t.text_on(fill), fill), 4.5) << i;
    }
}

TEST_P(EveryTheme, grid_is_opaque_and_fainter_than_the_axis)
{
    const Theme t = theme();
    EXPECT_EQ(t.grid.alpha(), 255);
    EXPECT_EQ(t.minor_grid.alpha(), 255);
    EXPECT_LT(contrast_ratio(t.minor_grid, t.plot), contrast_ratio(t.grid, t.plot));
    EXPECT_LT(contrast_ratio(t.grid, t.plot), contrast_ratio(t.axis, t.plot));
}

TEST_P(EveryTheme, density_is_monotone_in_lightness)
{
    const Theme t = theme();
    double last = contrast_ratio(t.density(0), t.plot);
    for (int i = 1; i <= 20; ++i) {
        const double now = contrast_ratio(t.density(i / 20.0), t.plot);
        EXPECT_GT(now, last);
        last = now;
    }
}

INSTANTIATE_TEST_SUITE_P(Themes, EveryTheme, testing::Values(0, 1, 2));

TEST(Theme, follows_the_palette)
{
    QPalette p;
    p.setColor(QPalette::Window, Qt::white);
    p.setColor(QPalette::WindowText, Qt::black);
    EXPECT_FALSE(Theme::from_palette(p).dark);
    p.setColor(QPalette::Window, QColor(30, 30, 30));
    p.setColor(QPalette::WindowText, Qt::white);
    p.setColor(QPalette::Base, QColor(20, 20, 20));
    EXPECT_TRUE(Theme::from_palette(p).dark);
    EXPECT_EQ(Theme::from_palette(p).plot, QColor(20, 20, 20));
}

double area(const QPainterPath& path)
{
    constexpr double scale = 50; // Qt flattens curves to about a quarter of a unit
    const QPolygonF p = path.toFillPolygon(QTransform::fromScale(scale, scale));
    double sum = 0;
    for (qsizetype i = 0; i + 1 < p.size(); ++i)
        sum += p[i].x() * p[i + 1].y() - p[i + 1].x() * p[i].y();
    return std::abs(sum) / 2 / (scale * scale);
}

TEST(Marks, every_shape_has_the_area_of_the_circle)
{
    for (const MarkShape s : {MarkShape::circle, MarkShape::square, MarkShape::triangle, MarkShape::diamond,
             MarkShape::cross, MarkShape::star})
        EXPECT_NEAR(area(mark_path(s, {3, -2}, 10)), std::numbers::pi * 100, 0.5) << static_cast<int>(s);
}

TEST(Marks, classes_and_roofs_are_told_apart_without_colour)
{
    EXPECT_NE(shape_of(OperatorClass::gemm), shape_of(OperatorClass::attention));
    EXPECT_NE(shape_of(OperatorClass::memory), shape_of(OperatorClass::collective));
    EXPECT_EQ(shape_of(OperatorClass::gemm), shape_of(KernelClass::gemm)); // predicted and measured alike
    for (std::size_t i = 0; i < arithmetic_count; ++i)
        for (std::size_t j = 0; j < i; ++j)
            EXPECT_NE(dash_of(static_cast<Arithmetic>(i)), dash_of(static_cast<Arithmetic>(j)));
}

} // namespace
} // namespace ridgepoint
