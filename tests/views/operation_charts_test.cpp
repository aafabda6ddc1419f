// The charts of the operation's pages: what they draw is what the engine found, pointing, keyboard, export.

#include <cmath>

#include <QSignalSpy>
#include <QTest>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sample.h"
#include "views/charts/interactivity_chart.h"
#include "views/charts/iteration_chart.h"
#include "views/charts/operation_curves.h"
#include "views/charts/roofline_chart.h"
#include "views/export/figure_export.h"
#include "views/panels/operation_page.h"
#include "views/panels/operation_tables.h"
#include "views/widgets/cell_table.h"

#include <QToolButton>

namespace ridgepoint {
namespace {

Quantiles quantiles(double p50) { return {Seconds{p50}, Seconds{p50}, Seconds{2 * p50}, Seconds{4 * p50}, Seconds{2 * p50}}; }

LoadPrediction some_load()
{
    LoadPrediction l;
    l.largest_rate = 100;
    l.replicas = 8;
    for (const double share : {0.2, 0.5, 0.9}) {
        LoadPoint p;
        p.rate = share * l.largest_rate;
        p.utilization = share;
        p.ttft = quantiles(0.1 / (1 - share));
        p.tpot = quantiles(0.01 / (1 - share));
        p.end_to_end = quantiles(3 / (1 - share));
        p.within_limits = 1 - share / 2;
        p.goodput = p.rate * p.within_limits;
        l.curve.push_back(p);
    }
    l.offered = l.curve[1];
    l.at_limits = l.curve[2];
    l.limited_by = "TTFT";
    return l;
}

TEST(LoadCurves, HoldThePredictionsNumbersAndItsLimits)
{
    const LoadPrediction l = some_load();
    Load load;
    load.rate = 50;
    const CurveContent content = load_curves(l, load);
    ASSERT_EQ(content.panels.size(), 4U);
    for (std::size_t i = 0; i < l.curve.size(); ++i) {
        EXPECT_EQ(content.panels[0].x[i], l.curve[i].rate);
        EXPECT_EQ(content.panels[0].curves[0].values[i], l.curve[i].ttft.p50.value());
        EXPECT_EQ(content.panels[1].curves[1].values[i], l.curve[i].tpot.p90.value());
        EXPECT_EQ(content.panels[2].curves[2].values[i], l.curve[i].end_to_end.p99.value());
        EXPECT_EQ(content.panels[3].curves[0].values[i], l.curve[i].goodput);
    }
    std::vector<double> places;
    for (const CurveMark& m : content.panels[1].marks)
        if (m.across)
            EXPECT_EQ(m.at, load.tpot_limit.value());
        else
            places.push_back(m.at);
    EXPECT_THAT(places, testing::UnorderedElementsAre(50, 90, 100)); // offered, within the limits, saturation
}

TEST(LoadCurves, SaturatedOrBrokenAtRestHasNoSuchMark)
{
    LoadPrediction l = some_load();
    l.saturated = true;
    l.offered.reset();
    l.at_limits.reset();
    Load load;
    load.rate = 130;
    for (const CurvePanel& panel : load_curves(l, load).panels)
        for (const CurveMark& m : panel.marks)
            EXPECT_NE(m.at, 90);
    EXPECT_TRUE(load_summary(l, load).contains(QStringLiteral("SATURATED")));
    EXPECT_TRUE(load_curves(LoadPrediction{}, load).panels.empty());
}

TEST(CurveFigure, TellsTheValueThatIsPointedAt)
{
    CurveFigure chart;
    chart.resize(900, 600);
    const LoadPrediction l = some_load();
    chart.set_content(load_curves(l, {}));
    EXPECT_EQ(chart.text_at(0, 1).rows.back().second, QStringLiteral("800 ms")); // p99 of 4 x 0.2 s
    const QPointF low = chart.position_of(0, 0, 0), high = chart.position_of(0, 2, 0);
    EXPECT_LT(low.x(), high.x());
    EXPECT_GT(low.y(), high.y()); // longer is higher
    const double middle = chart.position_of(0, 1, 0).y(); // logarithmic: 0.125, 0.2, 1 s
    EXPECT_NEAR((low.y() - middle) / (low.y() - high.y()), std::log(1.6) / std::log(8.0), 1e-6);
    QSignalSpy chosen(&chart, &CurveFigure::place_chosen);
    QTest::mouseClick(&chart, Qt::LeftButton, Qt::NoModifier, chart.position_of(0, 1, 0).toPoint());
    ASSERT_EQ(chosen.count(), 1);
    EXPECT_EQ(chosen[0][0].toInt(), 0);
    EXPECT_EQ(chosen[0][1].toInt(), 1);
    QTest::keyClick(&chart, Qt::Key_Right);
    QTest::keyClick(&chart, Qt::Key_Return);
    ASSERT_EQ(chosen.count(), 2);
    EXPECT_EQ(chosen[1][1].toInt(), 2);
    EXPECT_TRUE(chart.accessibleDescription().contains(QStringLiteral("p99")));
}

TEST(CurveFigure, DrawsWhatHasHolesOrNothing)
{
    CurveFigure chart;
    chart.resize(400, 300);
    CurveContent content;
    content.title = QStringLiteral("Holes");
    CurvePanel panel;
    panel.title = QStringLiteral("t");
    panel.unit = QStringLiteral("s");
    panel.log_y = true;
    panel.x = {1};
    panel.curves = {{QStringLiteral("a"), {std::nan("")}, CurveRole::first, {}}, {QStringLiteral("b"), {0.0}, CurveRole::second, {}}};
    content.panels = {panel};
    for (const CurveKind kind : {CurveKind::lines, CurveKind::bars, CurveKind::areas}) {
        content.panels[0].kind = kind;
        content.panels[0].log_y = kind == CurveKind::lines;
        chart.set_content(content);
        EXPECT_FALSE(chart.grab().isNull());
    }
    chart.set_content({});
    EXPECT_FALSE(chart.grab().isNull());
    EXPECT_FALSE(chart.accessibleDescription().isEmpty());
}

TEST(CurveFigure, IsExportedWithItsNumbers)
{
    CurveFigure chart;
    chart.set_content(load_curves(some_load(), {}));
    const Expected<QByteArray> svg = render_figure(chart, FigureFormat::svg, {});
    ASSERT_TRUE(svg);
    EXPECT_TRUE(svg->contains("saturation 100/s"));
    EXPECT_TRUE(render_figure(chart, FigureFormat::png, {}));
    const QStringList rows = chart.figure_csv(false).split(QStringLiteral("\r\n"), Qt::SkipEmptyParts);
    EXPECT_EQ(rows.front(), QStringLiteral("quantity,curve,over,place,value"));
    EXPECT_TRUE(rows.contains(QStringLiteral("Requests within both limits [requests/s],goodput,offered rate [requests/s],50,37.5"))) << chart.figure_csv(false).toStdString();
}

FleetPrediction some_fleet()
{
    FleetPrediction f;
    f.rate_per_replica = 10;
    f.replicas_per_instance = 8;
    f.prefill_share = 0.25;
    f.cost = Dollars{300};
    f.api_cost = Dollars{900};
    f.break_even_rate = 5;
    for (int h = 0; h < 24; ++h)
        f.day.push_back({10.0 + h, 2 + h / 12, 0.5, Watts{10'000}});
    for (int m = 0; m < 3; ++m)
        f.months.push_back({m, 20.0 + m, 30.0 + m, 3, 2190, Dollars{100}, Joules{3.6e9}, 1e9, 2e8});
    return f;
}

TEST(FleetCurves, SplitEachMonthsBillBetweenInputAndOutput)
{
    const FleetPrediction f = some_fleet();
    const CurveContent content = fleet_curves(f, 1);
    ASSERT_EQ(content.panels.size(), 6U);
    EXPECT_EQ(content.panels[0].x.size(), 24U);
    EXPECT_EQ(content.panels[0].curves[0].values[23], 3);
    const CurvePanel& cost = content.panels[4];
    ASSERT_EQ(cost.curves.size(), 2U);
    EXPECT_DOUBLE_EQ(cost.curves[0].values[0], 25);
    EXPECT_DOUBLE_EQ(cost.curves[0].values[0] + cost.curves[1].values[0], 100);
    ASSERT_EQ(content.panels[2].marks.size(), 1U);
    EXPECT_EQ(content.panels[2].marks[0].at, 5); // the break-even
    EXPECT_EQ(content.panels[5].unit, QStringLiteral("MWh")); // 3.6e9 J are 1 MWh
    FleetPrediction unpriced = f;
    unpriced.cost.reset();
    EXPECT_EQ(fleet_curves(unpriced, 1).panels.size(), 5U);
}

TEST(MemoryCurves, MarkWhatFitsAndLeaveOutWhatIsNothing)
{
    MemorySweep sweep{QStringLiteral("Over the batch"), QStringLiteral("sequences"), {}, 16, 64};
    for (const double n : {1.0, 16.0, 64.0, 128.0}) {
        StageMemory m;
        m.weights = gibibytes(10);
        m.kv_cache = gibibytes(n);
        sweep.points.push_back({n, m});
    }
    const CurveContent content = memory_curves({sweep}, gibibytes(80));
    ASSERT_EQ(content.panels.size(), 1U);
    EXPECT_EQ(content.panels[0].curves.size(), 2U);
    EXPECT_TRUE(content.panels[0].place_text(3).plain().contains(QStringLiteral("Too much: 58.0 GiB")));
    EXPECT_TRUE(content.caption.contains(QStringLiteral("64")));
}

ParetoPoint point(int tp, int concurrency, double user, double gpu, bool front)
{
    return {tp, concurrency, TokensPerSecond{user}, TokensPerSecond{gpu}, Seconds{0.1}, Seconds{1 / user}, DollarsPerToken{0.01 / gpu}, front};
}

TEST(InteractivityChart, AClickChoosesALayoutAndTheKeyboardToo)
{
    InteractivityChart chart;
    chart.resize(700, 500);
    const std::vector<ParetoPoint> points = {point(1, 1, 100, 100, true), point(1, 64, 50, 3000, true), point(8, 1, 300, 30, true), point(8, 8, 90, 80, false)};
    chart.set_points(points, point(2, 2, 120, 90, false));
    chart.grab(); // applies the frame
    EXPECT_DOUBLE_EQ(chart.dollars_per_gpu_second().value(), 0.01);
    QSignalSpy chosen(&chart, &InteractivityChart::point_chosen);
    QTest::mouseClick(chart.viewport(), Qt::LeftButton, Qt::NoModifier, chart.position_of(points[1]).toPoint());
    ASSERT_EQ(chosen.count(), 1);
    EXPECT_EQ(chosen[0][0].toInt(), 1);
    EXPECT_EQ(chosen[0][1].toInt(), 64);
    QTest::keyClick(&chart, Qt::Key_BracketRight);
    EXPECT_EQ(chart.selected(), std::pair(8, 1));
    EXPECT_EQ(chosen.count(), 1); // walking changes nothing
    QTest::keyClick(&chart, Qt::Key_Return);
    ASSERT_EQ(chosen.count(), 2);
    EXPECT_EQ(chosen[1][0].toInt(), 8);
    EXPECT_TRUE(chart.hover().heading.contains(QStringLiteral("tp 8, 1 sequence")));
    const Expected<QByteArray> svg = render_figure(chart, FigureFormat::svg, {});
    ASSERT_TRUE(svg);
    EXPECT_TRUE(svg->contains("tp 8"));
    EXPECT_TRUE(svg->contains(" per M"));
    EXPECT_EQ(chart.figure_csv(false).count(QStringLiteral("\r\n")), 6);
}

TEST(InteractivityChart, NoLinesOfEqualCostWhereLayoutsPayDifferently)
{
    InteractivityChart chart;
    std::vector<ParetoPoint> points = {point(1, 1, 100, 100, true), point(2, 1, 150, 50, true)};
    points[1].per_output_token = DollarsPerToken{0.02 / 50};
    chart.set_points(points, {});
    EXPECT_FALSE(chart.dollars_per_gpu_second());
    points[1].per_output_token.reset();
    chart.set_points(points, {});
    EXPECT_FALSE(chart.dollars_per_gpu_second());
    chart.set_points({}, {});
    EXPECT_FALSE(chart.grab().isNull());
}

Iteration some_iteration()
{
    Iteration it;
    it.rollout_gpus = 64;
    it.training_gpus = 64;
    it[IterationPart::rollout] = it.rollout_side = Seconds{100};
    it[IterationPart::old_log_probs] = Seconds{20};
    it[IterationPart::update] = Seconds{50};
    it.training_side = Seconds{70};
    it[IterationPart::synchronize] = Seconds{5};
    it.bound = "rollout";
    return it;
}

double end_of(const IterationChart& chart, int lane)
{
    double end = 0;
    for (const IterationChart::Piece& p : chart.pieces())
        if (p.lane == lane) {
            EXPECT_DOUBLE_EQ(p.from.value(), end) << "a gap or an overlap in lane " << lane;
            end = (p.from + p.time).value();
        }
    return end;
}

TEST(IterationChart, LanesEndTogetherWithTheIteration)
{
    IterationChart chart;
    chart.resize(800, 200);
    Iteration it = some_iteration();
    it.time = Seconds{105}; // the longer side and the transfer
    it[IterationPart::wait] = Seconds{30};
    chart.set_iteration(it, Placement::disaggregated, 1);
    EXPECT_DOUBLE_EQ(end_of(chart, 0), 105);
    EXPECT_DOUBLE_EQ(end_of(chart, 1), 105);
    it.time = Seconds{175}; // one after the other
    it[IterationPart::wait] = {};
    chart.set_iteration(it, Placement::disaggregated, 0);
    EXPECT_DOUBLE_EQ(end_of(chart, 0), 175);
    EXPECT_DOUBLE_EQ(end_of(chart, 1), 175);
    it.training_gpus = 128;
    chart.set_iteration(it, Placement::colocated, 1);
    EXPECT_DOUBLE_EQ(end_of(chart, 0), 175);
    EXPECT_DOUBLE_EQ(end_of(chart, 1), 0); // one lane
    EXPECT_FALSE(chart.grab().isNull());
    const Expected<QByteArray> svg = render_figure(chart, FigureFormat::svg, {});
    ASSERT_TRUE(svg);
    EXPECT_TRUE(svg->contains("Rollout"));
}

TEST(DivisionCurves, MarkTheFastestThatFits)
{
    PostTrainingPrediction p;
    for (const int rollout : {32, 64, 96}) {
        Iteration it = some_iteration();
        it.rollout_gpus = rollout;
        it.training_gpus = 128 - rollout;
        it.time = Seconds{100.0 + std::abs(rollout - 96)};
        it.fits = rollout != 96;
        p.divisions.push_back(it);
    }
    p.best = p.divisions[0]; // what the plan asks for
    const CurveContent content = division_curves(p);
    ASSERT_EQ(content.panels.size(), 1U);
    EXPECT_EQ(content.panels[0].x, (std::vector<double>{32, 64}));
    ASSERT_EQ(content.panels[0].marks.size(), 2U);
    EXPECT_EQ(content.panels[0].marks[0].at, 64);
    EXPECT_EQ(content.panels[0].marks[1].at, 32);
    EXPECT_TRUE(division_curves({}).panels.empty());
}

TEST(RooflinePaths, AreDrawnToldAndExported)
{
    RooflineChart chart;
    chart.resize(800, 600);
    RooflineModel model;
    model.compute = {{"BF16", Arithmetic::bf16, teraflops_per_second(989), true}};
    model.bandwidth = {{"HBM", MemoryLevel::hbm, gigabytes_per_second(3350)}};
    chart.set_levels_offered(false);
    chart.set_model(model, {});
    chart.set_paths({{QStringLiteral("Decode over the batch"), OperatorClass::gemm,
        {{QStringLiteral("1 sequence"), FlopPerByte{1}, teraflops_per_second(2), Seconds{0.01}, Resource::hbm, false},
            {QStringLiteral("64 sequences"), FlopPerByte{60}, teraflops_per_second(100), Seconds{0.012}, Resource::hbm, true},
            {QStringLiteral("nothing"), FlopPerByte{0}, teraflops_per_second(1), Seconds{1}, Resource::hbm, false}}}});
    const QString csv = chart.figure_csv(false);
    EXPECT_TRUE(csv.contains(QStringLiteral("plan,Decode over the batch,64 sequences")));
    EXPECT_FALSE(csv.contains(QStringLiteral("nothing"))); // no place on logarithmic axes
    QTest::keyClick(&chart, Qt::Key_BracketRight);
    EXPECT_TRUE(chart.hover().heading.contains(QStringLiteral("1 sequence")));
    QTest::keyClick(&chart, Qt::Key_BracketRight);
    EXPECT_TRUE(chart.hover().heading.contains(QStringLiteral("64 sequences")));
    const Expected<QByteArray> svg = render_figure(chart, FigureFormat::svg, {});
    ASSERT_TRUE(svg);
    EXPECT_TRUE(svg->contains("Decode over the batch"));
    EXPECT_TRUE(chart.accessibleDescription().contains(QStringLiteral("the plan")));
}

TEST(OperationPage, SaysWhatIsGoingOn)
{
    CurveFigure chart;
    OperationPage page({&chart}, nullptr);
    QSignalSpy cancelled(&page, &OperationPage::cancel_requested), asked(&page, &OperationPage::compute_requested);
    page.show_started();
    EXPECT_TRUE(page.is_computing());
    page.button()->click();
    EXPECT_EQ(cancelled.count(), 1);
    page.show_cancelled();
    EXPECT_FALSE(page.is_computing());
    page.button()->click();
    EXPECT_EQ(asked.count(), 1);
    page.show_started();
    page.show_done(QStringLiteral("found"));
    EXPECT_EQ(page.summary(), QStringLiteral("found"));
    EXPECT_FALSE(page.button()->isVisibleTo(&page));
    chart.setParent(nullptr); // owned by this test
}

TEST(OperationTables, RowsAreThePredictionsPoints)
{
    CellTable table(QStringLiteral("t"));
    const LoadPrediction l = some_load();
    fill_load_table(&table, l);
    ASSERT_EQ(table.model()->rowCount(), 3);
    EXPECT_EQ(table.model()->index(1, 2).data(CellTableModel::sort_role).toDouble(), l.curve[1].ttft.p50.value());
    EXPECT_EQ(table.model()->index(1, table.model()->columnCount() - 1).data(CellTableModel::sort_role).toDouble(), l.curve[1].goodput);
    fill_fleet_table(&table, some_fleet());
    EXPECT_EQ(table.model()->rowCount(), 3);
    EXPECT_EQ(table.model()->index(0, 6).data(CellTableModel::sort_role).toDouble(), 1000); // kWh
    EXPECT_EQ(point_of(id_of(72, 100000)), std::pair(72, 100000));
}

} // namespace
} // namespace ridgepoint
