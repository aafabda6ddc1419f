// The charts of the "what if" pages: geometry, selection, export.

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>
#include <gtest/gtest.h>

#include "views/charts/pareto_chart.h"
#include "views/charts/regime_chart.h"
#include "views/charts/tornado_chart.h"
#include "views/charts/waterfall_chart.h"
#include "views/export/figure_export.h"
#include "views/widgets/cell_table.h"

namespace ridgepoint {
namespace {

std::shared_ptr<const RegimeMap> small_map()
{
    auto m = std::make_shared<RegimeMap>();
    m->x = {"/workload/concurrency", "Concurrency", "sequences", 1, 1000, true, false};
    m->y = {"hardware/hbm", "HBM bandwidth", "x", 0.25, 4, false, true};
    m->xs = {1, 2, 4, 8};
    m->ys = {0.5, 1, 2};
    for (std::size_t j = 0; j < 3; ++j)
        for (std::size_t i = 0; i < 4; ++i)
            m->cells.push_back({i < 2 ? Regime::hbm : Regime::compute, 0.01F * static_cast<float>(i + 1), 1.5F, true});
    m->cells[11] = {Regime::does_not_fit, 0.04F, 0, true};
    m->cells[3] = {};
    return m;
}

Swing swing(const char* id, double down, double up)
{
    Swing s;
    s.knob.id = s.knob.label = id;
    s.low = 0.9;
    s.high = 1.1;
    s.down = down;
    s.up = up;
    return s;
}

TEST(RegimeChart, AClickTakesTheCellsValues)
{
    RegimeChart chart;
    chart.resize(600, 400);
    chart.set_map(small_map(), 4, 1, QStringLiteral("Time per output token"));
    QSignalSpy chosen(&chart, &RegimeChart::cell_chosen);
    const std::size_t cell = 2 * 4 + 1;
    EXPECT_EQ(chart.cell_at(chart.centre_of(cell)), cell);
    QTest::mouseClick(&chart, Qt::LeftButton, Qt::NoModifier, chart.centre_of(cell).toPoint());
    ASSERT_EQ(chosen.count(), 1);
    EXPECT_EQ(chosen[0][0].toDouble(), 2);
    EXPECT_EQ(chosen[0][1].toDouble(), 2);
    EXPECT_FALSE(chart.cell_at({1, 1}));
    // The keyboard begins at the plan: (4, 1) is cell 6; right of it is cell 7.
    QTest::keyClick(&chart, Qt::Key_Right);
    QTest::keyClick(&chart, Qt::Key_Return);
    ASSERT_EQ(chosen.count(), 2);
    EXPECT_EQ(chosen[1][0].toDouble(), 8);
    EXPECT_EQ(chosen[1][1].toDouble(), 1);
    chart.grab();
}

TEST(RegimeChart, SaysWhatBoundsACell)
{
    RegimeChart chart;
    chart.resize(600, 400);
    chart.set_map(small_map(), 4, 1, QStringLiteral("Time per output token"));
    EXPECT_TRUE(chart.hover_text(0).heading.contains(QStringLiteral("HBM")));
    EXPECT_TRUE(chart.hover_text(1).plain().contains(QStringLiteral("20.0 ms")));
    EXPECT_TRUE(chart.hover_text(11).heading.contains(QStringLiteral("fit")));
    EXPECT_TRUE(chart.hover_text(3).heading.contains(QStringLiteral("Cannot run")));
    EXPECT_EQ(chart.figure_csv(false).count(QStringLiteral("\r\n")), 13);
    EXPECT_TRUE(chart.accessibleDescription().contains(QStringLiteral("compute")));
}

TEST(RegimeChart, CellsAreColouredByRegimeAndHatchedWhereTheyDoNotFit)
{
    RegimeChart chart;
    chart.set_theme(Theme::light());
    chart.resize(600, 400);
    chart.set_map(small_map(), 1000, 1, {}); // the plan's star is out of the way
    const QImage image = chart.grab().toImage();
    const auto colours = [&](std::size_t cell) {
        QSet<QRgb> seen;
        const QPoint c = chart.centre_of(cell).toPoint();
        for (int x = -12; x <= 12; ++x)
            seen.insert(image.pixel(c + QPoint(x, 20)));
        return seen;
    };
    EXPECT_NE(image.pixel(chart.centre_of(0).toPoint() + QPoint(0, 20)), image.pixel(chart.centre_of(2).toPoint() + QPoint(0, 20)));
    EXPECT_GE(colours(11).size(), 2); // hatching
    EXPECT_EQ(colours(3), QSet<QRgb>{Theme::light().plot.rgb()}); // blank
}

TEST(RegimeChart, IsExported)
{
    RegimeChart chart;
    chart.resize(600, 400);
    chart.set_map(small_map(), 4, 1, {});
    for (const FigureFormat f : {FigureFormat::png, FigureFormat::svg, FigureFormat::pdf}) {
        const Expected<QByteArray> bytes = render_figure(chart, f, {});
        ASSERT_TRUE(bytes);
        EXPECT_GT(bytes->size(), 1000);
    }
    EXPECT_EQ(chart.cell_at(chart.centre_of(5)), 5U); // the screen's layout is back
}

TEST(TornadoChart, BarsAreChangesWidestOnTop)
{
    TornadoChart chart;
    chart.resize(700, 400);
    chart.set_swings({swing("small", 0.01, -0.01), swing("large", 0.2, -0.1)}, QStringLiteral("Step time"));
    EXPECT_NEAR(chart.bar("large", false).width(), 2 * chart.bar("large", true).width(), 1e-6);
    EXPECT_NEAR(chart.bar("large", false).width(), 20 * chart.bar("small", false).width(), 1e-6);
    EXPECT_LT(chart.bar("large", false).top(), chart.bar("small", false).top());
    EXPECT_NEAR(chart.bar("large", false).left(), chart.bar("large", true).right(), 1e-6); // slower to the right
    chart.set_of_cost(true);
    EXPECT_TRUE(chart.bar("large", true).isNull()); // nothing moves the cost
    EXPECT_EQ(chart.figure_csv(false).count(QStringLiteral("\r\n")), 3);
    chart.grab();
}

TEST(WaterfallChart, PartsLeadFromOneTotalToTheOther)
{
    PlanComparison c;
    // 10 s against 7 s: GEMM -4 s, bubble +1 s.
    c.a.estimate.time = AttributedTime(Resource::compute, seconds(10));
    c.b.estimate.time = AttributedTime(Resource::compute, seconds(7));
    c.parts = {{StepPart::gemm, seconds(8), seconds(4)}, {StepPart::bubble, seconds(2), seconds(3)}};
    c.gain = seconds(3);
    c.sentence = "B is 3.00 s faster: GEMM -4.00 s, bubble +1.00 s";
    WaterfallChart chart;
    chart.resize(700, 300);
    chart.set_comparison(&c, QStringLiteral("old"), QStringLiteral("new"), QStringLiteral("Step time"));
    ASSERT_EQ(chart.row_count(), 4);
    EXPECT_NEAR(chart.bar(1).right(), chart.bar(0).right(), 1e-6); // hangs at the end of A
    EXPECT_NEAR(chart.bar(2).left(), chart.bar(1).left(), 1e-6);
    EXPECT_NEAR(chart.bar(3).right(), chart.bar(2).right(), 1e-6); // ends where B does
    EXPECT_NEAR(chart.bar(1).width(), 4 * chart.bar(2).width(), 1e-6);
    EXPECT_TRUE(chart.figure_csv(false).contains(QStringLiteral("total,10,7,-3")));
    chart.grab();
    chart.set_comparison(nullptr, {}, {}, {});
    EXPECT_EQ(chart.row_count(), 0);
}

TEST(ParetoChart, AClickSelectsAPlan)
{
    ParetoChart chart;
    chart.resize(700, 400);
    std::vector<FoundPoint> points;
    for (int i = 0; i < 3; ++i) {
        FoundPoint p;
        p.id = static_cast<quint64>(10 + i);
        p.choice = QStringLiteral("tp %1").arg(1 << i);
        p.plan.tokens_per_second = TokensPerSecond{1000.0 * (i + 1)};
        p.plan.headroom = gibibytes(1 + 10 * i);
        p.plan.cost_per_token = DollarsPerToken{1e-6 * (i + 1)};
        p.on_front = true;
        points.push_back(p);
    }
    chart.set_points(points);
    chart.set_axis(ParetoAxis::cost);
    chart.grab(); // applies the frame
    QSignalSpy selected(&chart, &ParetoChart::point_selected);
    const auto at = chart.position_of(11);
    ASSERT_TRUE(at);
    QTest::mouseClick(chart.viewport(), Qt::LeftButton, Qt::NoModifier, at->toPoint());
    ASSERT_EQ(selected.count(), 1);
    EXPECT_EQ(selected[0][0].toULongLong(), 11U);
    QTest::keyClick(&chart, Qt::Key_BracketRight);
    EXPECT_EQ(chart.selected_id(), 12U);
    chart.set_axis(ParetoAxis::energy); // unknown here: nothing can be drawn, nothing breaks
    EXPECT_FALSE(chart.position_of(11));
    chart.grab();
    EXPECT_EQ(chart.figure_csv(false).count(QStringLiteral("\r\n")), 4);
}

TEST(CellTable, NewContentsKeepTheSelection)
{
    CellTable table(QStringLiteral("Plans"));
    const QAbstractItemModelTester tester(table.model(), QAbstractItemModelTester::FailureReportingMode::Fatal);
    QSignalSpy selected(&table, &CellTable::row_selected), activated(&table, &CellTable::row_activated);
    table.set_table({{QStringLiteral("time"), true, QStringLiteral("time [s]")}}, {{{QStringLiteral("10 s"), 10.0}}, {{QStringLiteral("9 s"), 9.0}}}, {7, 8});
    table.select_id(7);
    EXPECT_EQ(selected.count(), 0);
    table.set_table({{QStringLiteral("time"), true, QStringLiteral("time [s]")}},
        {{{QStringLiteral("8 s"), 8.0}}, {{QStringLiteral("10 s"), 10.0}}, {{QStringLiteral("9 s"), 9.0}}}, {9, 7, 8});
    EXPECT_EQ(table.selected_id(), 7U);
    EXPECT_EQ(selected.count(), 0);
    table.sortByColumn(0, Qt::AscendingOrder); // by the number, not the text
    EXPECT_EQ(table.model()->index(2, 0).data().toString(), QStringLiteral("10 s"));
    EXPECT_TRUE(table.csv().startsWith(QStringLiteral("time [s]\r\n8\r\n9\r\n10")));
    QTest::keyClick(&table, Qt::Key_Return);
    ASSERT_EQ(activated.count(), 1);
    EXPECT_EQ(activated[0][0].toULongLong(), 7U);
}

} // namespace
} // namespace ridgepoint
