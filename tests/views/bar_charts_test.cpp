#include <QSignalSpy>
#include <QTest>
#include <gtest/gtest.h>

#include "tests/views/sample_results.h"
#include "views/charts/breakdown_chart.h"
#include "views/charts/memory_chart.h"

namespace ridgepoint {
namespace {

TEST(BreakdownChart, widths_are_times)
{
    BreakdownChart chart;
    chart.resize(800, 300);
    StepBreakdown b;
    b[StepPart::gemm] = AttributedTime(Resource::compute, seconds(3));
    b[StepPart::bubble] = AttributedTime(Resource::compute, seconds(1));
    b.dp_hidden = seconds(2);
    chart.set_breakdown(b, QStringLiteral("Step time"));
    EXPECT_NEAR(chart.bar(StepPart::gemm).width(), 3 * chart.bar(StepPart::bubble).width(), 1e-6);
    EXPECT_NEAR(
        chart.bar(StepPart::gemm).width() + chart.bar(StepPart::bubble).width(), chart.time_area().width(), 1e-6);
    EXPECT_TRUE(chart.bar(StepPart::attention).isNull());
    EXPECT_TRUE(chart.figure_title().contains(QStringLiteral("4.00 s"))); // hidden time is not in the sum
    chart.grab();
}

TEST(BreakdownChart, measured_bar_has_the_same_scale)
{
    BreakdownChart chart;
    chart.resize(800, 300);
    StepBreakdown b;
    b[StepPart::gemm] = AttributedTime(Resource::compute, seconds(3));
    MeasuredBreakdown m{};
    m[static_cast<std::size_t>(StepPart::gemm)] = seconds(6);
    chart.set_breakdown(b, QStringLiteral("Step time"));
    chart.set_measured(m);
    EXPECT_NEAR(chart.measured_bar(StepPart::gemm).width(), 2 * chart.bar(StepPart::gemm).width(), 1e-6);
    EXPECT_GT(chart.measured_bar(StepPart::gemm).top(), chart.bar(StepPart::gemm).bottom());
    chart.set_measured(std::nullopt);
    EXPECT_TRUE(chart.measured_bar(StepPart::gemm).isNull());
}

TEST(BreakdownChart, the_error_bar_spans_what_it_says)
{
    BreakdownChart chart;
    chart.resize(800, 300);
    StepBreakdown b;
    b[StepPart::gemm] = AttributedTime(Resource::compute, seconds(4));
    chart.set_breakdown(b, QStringLiteral("Step time"), 0.25);
    const QRectF bar = chart.bar(StepPart::gemm);
    EXPECT_NEAR(chart.error_bar().width(), 0.5 * bar.width(), 1e-6);
    EXPECT_NEAR(chart.error_bar().center().x(), bar.right(), 1e-6);
    EXPECT_GE(chart.error_bar().top(), bar.bottom());
    EXPECT_LE(chart.error_bar().right(), chart.time_area().right() + 1e-6);
    EXPECT_TRUE(chart.figure_title().contains(QStringLiteral("±25 %")));
    chart.set_breakdown(b, QStringLiteral("Step time"));
    EXPECT_TRUE(chart.error_bar().isNull());
    chart.grab();
}

TEST(BreakdownChart, click_and_keys_choose_a_part)
{
    BreakdownChart chart;
    chart.resize(800, 300);
    chart.show();
    chart.set_breakdown(sample::result_405b().estimate.breakdown, QStringLiteral("Step time"));
    std::vector<StepPart> clicked;
    QObject::connect(&chart, &BreakdownChart::part_clicked, [&](StepPart p) { clicked.push_back(p); });
    QTest::mouseClick(&chart, Qt::LeftButton, {}, chart.bar(StepPart::gemm).center().toPoint());
    ASSERT_EQ(clicked.size(), 1U);
    EXPECT_EQ(clicked[0], StepPart::gemm);
    QTest::keyClick(&chart, Qt::Key_Right);
    QTest::keyClick(&chart, Qt::Key_Return);
    ASSERT_EQ(clicked.size(), 2U);
    EXPECT_EQ(clicked[1], StepPart::attention);
    EXPECT_TRUE(chart.accessibleDescription().contains(QStringLiteral("Attention")));
}

TEST(BreakdownChart, an_empty_step_draws)
{
    BreakdownChart chart;
    chart.resize(300, 180);
    chart.grab();
    chart.set_breakdown({}, QStringLiteral("Step time"));
    chart.grab();
    EXPECT_EQ(chart.figure_csv(false).count(QStringLiteral("\r\n")), 1);
}

MemoryFit fit(std::initializer_list<double> activations, double capacity)
{
    MemoryFit f;
    f.capacity = gibibytes(capacity);
    int s = 0;
    for (const double a : activations) {
        StageMemory m;
        m.stage = s++;
        m.weights = gibibytes(20);
        m.activations = gibibytes(a);
        f.stages.push_back(m);
    }
    return f;
}

TEST(MemoryChart, heights_are_bytes_and_the_capacity_lies_among_them)
{
    MemoryChart chart;
    chart.resize(600, 400);
    chart.set_memory(fit({40, 20}, 60));
    EXPECT_NEAR(chart.bar(0, MemoryPart::activations).height(), 2 * chart.bar(0, MemoryPart::weights).height(), 1e-6);
    EXPECT_NEAR(chart.bar(0, MemoryPart::activations).top(), chart.capacity_line(), 1e-6); // exactly full
    EXPECT_GT(chart.bar(1, MemoryPart::activations).top(), chart.capacity_line());
    EXPECT_TRUE(chart.bar(0, MemoryPart::kv_cache).isNull());
}

TEST(MemoryChart, too_much_is_said_with_the_amount)
{
    MemoryChart chart;
    chart.resize(600, 400);
    chart.set_memory(fit({50, 20}, 60));
    EXPECT_LT(chart.bar(0, MemoryPart::activations).top(), chart.capacity_line());
    EXPECT_TRUE(chart.accessibleDescription().contains(QStringLiteral("10.0 GiB too much")))
        << chart.accessibleDescription().toStdString();
    chart.grab();
}

TEST(MemoryChart, sixty_four_stages_have_bars_that_do_not_touch)
{
    MemoryChart chart;
    chart.resize(420, 340);
    MemoryFit f = fit({}, 80);
    for (int s = 0; s < 64; ++s)
        f.stages.push_back({s, gibibytes(20), {}, {}, gibibytes(30), {}, {}, {}});
    chart.set_memory(f);
    for (std::size_t s = 0; s + 1 < 64; ++s) {
        EXPECT_GT(chart.bar(s, MemoryPart::weights).width(), 2);
        EXPECT_LT(chart.bar(s, MemoryPart::weights).right(), chart.bar(s + 1, MemoryPart::weights).left());
    }
    chart.grab();
    MemoryChart empty;
    empty.grab();
}

TEST(MemoryChart, a_click_tells_stage_and_part)
{
    MemoryChart chart;
    chart.resize(600, 400);
    chart.show();
    chart.set_memory(fit({40, 20}, 60));
    int stage = -1;
    MemoryPart part = MemoryPart::reserve;
    QObject::connect(&chart, &MemoryChart::stage_clicked, [&](int s, MemoryPart p) { stage = s, part = p; });
    QTest::mouseClick(&chart, Qt::LeftButton, {}, chart.bar(1, MemoryPart::activations).center().toPoint());
    EXPECT_EQ(stage, 1);
    EXPECT_EQ(part, MemoryPart::activations);
}

} // namespace
} // namespace ridgepoint
