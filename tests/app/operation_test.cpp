// The pages of the operation in the window: offered where the plan has them, the engine's own numbers, only the newest
// plan's, a layout taken into the plan and back, export.

#include <algorithm>
#include <atomic>
#include <thread>

#include <QFileInfo>
#include <QToolButton>
#include <QUndoStack>

#include "app/desktop/latest.h"
#include "app/desktop/operation_pages.h"
#include "tests/app/fixture.h"
#include "views/charts/interactivity_chart.h"
#include "views/charts/iteration_chart.h"
#include "views/export/figure_export.h"
#include "views/panels/operation_page.h"
#include "views/panels/operation_tables.h"
#include "views/widgets/cell_table.h"

namespace ridgepoint {
namespace {

constexpr std::array serving_pages = {Page::Load, Page::Interactivity, Page::Fleet, Page::BatchContext, Page::Passes};

class OperationTest : public WindowTest {
protected:
    OperationPages* pages() { return m_window->operation(); }
    bool computed()
    {
        return QTest::qWaitFor([this] { return !pages()->is_busy(); }, 60000);
    }
    void open(const char* example)
    {
        ASSERT_TRUE(m_window->open_plan(QStringLiteral(RIDGEPOINT_SOURCE_DIR "/specs/examples/%1.ridgepoint").arg(QString::fromLatin1(example))));
        // Fewer requests, so that the test is not slow; the numbers compared are those of the same plan.
        const auto* serving = std::get_if<Serving>(&m_window->document().plan().workload);
        if (serving && serving->phase == ServingPhase::serving) {
            ASSERT_TRUE(m_window->document().set_field(QStringLiteral("/load/requests"), QStringLiteral("400")));
        }
        ASSERT_TRUE(settle());
    }
    void show(Page page)
    {
        m_window->show_page(page);
        ASSERT_TRUE(m_window->results()->is_page_visible(page));
        ASSERT_TRUE(computed());
    }
    bool offered(Page page) { return m_window->results()->is_page_offered(page); }
};

TEST_F(OperationTest, PagesAreOfferedWhereThePlanHasThem)
{
    for (const Page page : serving_pages)
        EXPECT_FALSE(offered(page)); // the example is pre-training
    EXPECT_FALSE(offered(Page::PostTraining));
    open("llama-3.1-8b-chat-fleet-p5");
    for (const Page page : serving_pages)
        EXPECT_TRUE(offered(page));
    EXPECT_FALSE(offered(Page::PostTraining));
    open("deepseek-v3-decode-p6-b300");
    EXPECT_FALSE(offered(Page::Load)); // one phase alone has no load
    EXPECT_TRUE(offered(Page::BatchContext));
    EXPECT_TRUE(offered(Page::Passes));
    open("llama-3.1-70b-lora-p4de");
    EXPECT_FALSE(offered(Page::BatchContext));
    EXPECT_TRUE(offered(Page::PostTraining));
}

TEST_F(OperationTest, APageAskedForTooEarlyIsShownOnceItIsOffered)
{
    m_window->show_page(Page::Load);
    EXPECT_FALSE(m_window->results()->is_page_visible(Page::Load));
    open("llama-3.1-8b-chat-fleet-p5");
    EXPECT_TRUE(m_window->results()->is_page_visible(Page::Load));
    open("llama-3.1-405b-pretrain-p5en"); // which has none: another page takes its place
    EXPECT_FALSE(m_window->results()->is_page_visible(Page::Load));
}

TEST_F(OperationTest, TheLoadPageHasTheEnginesNumbers)
{
    open("llama-3.1-8b-chat-fleet-p5");
    show(Page::Load);
    const Expected<LoadAnswer> answer = evaluate_load(m_window->document().plan(), catalogue(), {});
    ASSERT_TRUE(answer);
    const LoadPrediction& l = answer->load;
    const CurveContent& shown = pages()->load_chart()->content();
    ASSERT_EQ(shown.panels.size(), 4U);
    ASSERT_EQ(shown.panels[0].x.size(), l.curve.size());
    for (std::size_t i = 0; i < l.curve.size(); ++i) {
        EXPECT_EQ(shown.panels[0].x[i], l.curve[i].rate);
        EXPECT_EQ(shown.panels[0].curves[2].values[i], l.curve[i].ttft.p99.value());
        EXPECT_EQ(shown.panels[1].curves[0].values[i], l.curve[i].tpot.p50.value());
        EXPECT_EQ(shown.panels[2].curves[1].values[i], l.curve[i].end_to_end.p90.value());
        EXPECT_EQ(shown.panels[3].curves[0].values[i], l.curve[i].goodput);
    }
    EXPECT_EQ(pages()->load_table()->model()->rowCount(), static_cast<int>(l.curve.size()));
    EXPECT_EQ(pages()->page(Page::Load)->summary(), load_summary(l, m_window->document().plan().load));
}

TEST_F(OperationTest, AnEditMakesTheNumbersOfTheNewPlanAndOnlyThose)
{
    open("llama-3.1-8b-chat-fleet-p5");
    m_window->show_page(Page::Load);
    for (const char* rate : {"10", "20", "30", "40"}) { // faster than they are computed
        ASSERT_TRUE(m_window->document().set_field(QStringLiteral("/load/rate"), QString::fromLatin1(rate)));
        m_window->document().end_edit();
        QTest::qWait(30);
    }
    ASSERT_TRUE(settle());
    ASSERT_TRUE(computed());
    const auto mark = std::ranges::find(pages()->load_chart()->content().panels[0].marks, MarkRole::plan, &CurveMark::role);
    ASSERT_NE(mark, pages()->load_chart()->content().panels[0].marks.end());
    EXPECT_EQ(mark->at, 40);
}

TEST_F(OperationTest, NothingIsComputedForAPageThatNobodySees)
{
    open("llama-3.1-8b-chat-fleet-p5");
    ASSERT_TRUE(computed());
    EXPECT_TRUE(pages()->load_chart()->content().panels.empty());
    EXPECT_TRUE(pages()->fleet_chart()->content().panels.empty());
    show(Page::Fleet);
    EXPECT_TRUE(pages()->load_chart()->content().panels.empty());
    EXPECT_FALSE(pages()->fleet_chart()->content().panels.empty());
}

TEST_F(OperationTest, AComputationIsCancelledAndTakenUpAgain)
{
    open("llama-3.1-8b-chat-fleet-p5");
    ASSERT_TRUE(m_window->document().set_field(QStringLiteral("/load/requests"), QStringLiteral("20000")));
    ASSERT_TRUE(settle());
    m_window->show_page(Page::Load);
    OperationPage* page = pages()->page(Page::Load);
    ASSERT_TRUE(QTest::qWaitFor([&] { return page->is_computing(); }, 5000));
    page->button()->click();
    EXPECT_FALSE(page->is_computing());
    ASSERT_TRUE(computed());
    EXPECT_TRUE(pages()->load_chart()->content().panels.empty()); // what came too late is not shown
    ASSERT_TRUE(m_window->document().set_field(QStringLiteral("/load/requests"), QStringLiteral("400")));
    ASSERT_TRUE(settle());
    ASSERT_TRUE(computed());
    EXPECT_FALSE(pages()->load_chart()->content().panels.empty());
}

TEST_F(OperationTest, CancelEndsTheThread)
{
    open("llama-3.1-8b-chat-fleet-p5");
    ASSERT_TRUE(m_window->document().set_field(QStringLiteral("/load/requests"), QStringLiteral("1000000"))); // minutes
    ASSERT_TRUE(settle());
    for (const Page shown : {Page::Load, Page::Fleet}) {
        m_window->show_page(shown);
        OperationPage* page = pages()->page(shown);
        ASSERT_TRUE(QTest::qWaitFor([&] { return page->is_computing(); }, 5000));
        QTest::qWait(200);
        page->button()->click();
        EXPECT_FALSE(page->is_computing());
        EXPECT_TRUE(QTest::qWaitFor([&] { return !pages()->is_busy(); }, 10000)); // the one thread is free for the next page
    }
}

TEST_F(OperationTest, PoolsThinkingAndSamplesHaveTheirColumns)
{
    open("llama-3.1-8b-chat-fleet-p5");
    for (const auto& [field, value] : {std::pair{"/layout/tp", "2"}, {"/workload/samples", "4"}, {"/workload/thinking_length", "128"}, {"/workload/prompt_pool/apart", "true"}, {"/load/requests", "200"}})
        ASSERT_TRUE(m_window->document().set_field(QString::fromLatin1(field), QString::fromLatin1(value))) << field;
    ASSERT_TRUE(settle());
    show(Page::Load);
    const QString summary = pages()->page(Page::Load)->summary();
    EXPECT_TRUE(summary.contains(QStringLiteral("workers saturate at"))) << summary.toStdString();
    QStringList columns;
    for (int c = 0; c < pages()->load_table()->model()->columnCount(); ++c)
        columns << pages()->load_table()->model()->headerData(c, Qt::Horizontal).toString();
    for (const char* title : {"First answer p50", "All samples p50", "Prompt workers", "Decoding workers", "Links"})
        EXPECT_TRUE(columns.contains(QString::fromLatin1(title))) << title;
}

TEST_F(OperationTest, ALayoutIsTakenIntoThePlanAndUndone)
{
    open("llama-3.1-8b-chat-fleet-p5");
    show(Page::Interactivity);
    const Evaluation& before = *m_window->result()->evaluation;
    const std::vector<ParetoPoint> points = pareto_points(before.job, before.cost.price, m_window->document().plan().price.utilization);
    ASSERT_EQ(pages()->interactivity_table()->model()->rowCount(), static_cast<int>(points.size()));
    EXPECT_TRUE(pages()->interactivity_chart()->dollars_per_gpu_second());
    const auto wanted = std::ranges::find_if(points, [](const ParetoPoint& p) { return p.front && p.tp == 4; });
    ASSERT_NE(wanted, points.end());
    const std::string text = document_text();
    const int steps = m_window->document().undo_stack()->count();
    QTest::mouseClick(pages()->interactivity_chart()->viewport(), Qt::LeftButton, Qt::NoModifier, pages()->interactivity_chart()->position_of(*wanted).toPoint());
    ASSERT_TRUE(settle());
    EXPECT_EQ(m_window->document().undo_stack()->count(), steps + 1);
    ASSERT_TRUE(m_window->result()->evaluation);
    const ServingResult& after = *m_window->result()->evaluation->estimate.serving;
    const auto selected = pages()->interactivity_chart()->selected();
    ASSERT_TRUE(selected);
    const auto taken = std::ranges::find_if(points, [&](const ParetoPoint& p) { return std::pair(p.tp, p.concurrency) == *selected; });
    ASSERT_NE(taken, points.end());
    EXPECT_DOUBLE_EQ(after.tpot.value(), taken->tpot.value()); // the plan is that point now
    EXPECT_DOUBLE_EQ(after.output_per_second_per_gpu.value(), taken->per_gpu.value());
    m_window->document().undo_stack()->undo();
    EXPECT_EQ(document_text(), text);
}

TEST_F(OperationTest, TheFleetPageHasTheEnginesNumbers)
{
    open("llama-3.1-8b-chat-fleet-p5");
    show(Page::Fleet);
    const Expected<FleetAnswer> answer = evaluate_fleet(m_window->document().plan(), catalogue(), {});
    ASSERT_TRUE(answer);
    const FleetPrediction& f = answer->fleet;
    const CurveContent& shown = pages()->fleet_chart()->content();
    ASSERT_EQ(shown.panels.size(), 6U);
    for (std::size_t h = 0; h < 24; ++h)
        EXPECT_EQ(shown.panels[0].curves[0].values[h], f.day[h].instances);
    for (std::size_t m = 0; m < f.months.size(); ++m)
        EXPECT_NEAR(shown.panels[4].curves[0].values[m] + shown.panels[4].curves[1].values[m], f.months[m].cost->value(), 1e-6 * f.months[m].cost->value());
    EXPECT_TRUE(pages()->page(Page::Fleet)->summary().contains(QStringLiteral("per million tokens")));
}

TEST_F(OperationTest, MemoryGrowsToTheLargestBatchThatFits)
{
    open("llama-3.1-8b-chat-fleet-p5");
    show(Page::BatchContext);
    const CurveContent& shown = pages()->memory_chart()->content();
    ASSERT_EQ(shown.panels.size(), 2U);
    const Estimate& e = m_window->result()->evaluation->estimate;
    const CurvePanel& batch = shown.panels[0];
    const auto total = [](const CurvePanel& panel, std::size_t i) {
        double sum = 0;
        for (const Curve& c : panel.curves)
            sum += c.values[i];
        return sum;
    };
    for (const CurvePanel& panel : shown.panels)
        for (std::size_t i = 1; i < panel.x.size(); ++i)
            EXPECT_GE(total(panel, i), total(panel, i - 1)) << panel.title.toStdString();
    const auto at_plan = std::ranges::find(batch.x, 64.0); // the example's concurrency
    ASSERT_NE(at_plan, batch.x.end());
    EXPECT_NEAR(total(batch, static_cast<std::size_t>(at_plan - batch.x.begin())), e.memory.worst().total().value(), 1);
    const auto best = std::ranges::find(batch.marks, MarkRole::best, &CurveMark::role);
    ASSERT_NE(best, batch.marks.end());
    EXPECT_EQ(best->at, e.serving->largest_batch);
    const auto at_best = static_cast<std::size_t>(std::ranges::find(batch.x, best->at) - batch.x.begin());
    ASSERT_LT(at_best + 1, batch.x.size()); // something is shown beyond
    EXPECT_LE(total(batch, at_best), e.memory.capacity.value());
    EXPECT_GT(total(batch, at_best + 1), e.memory.capacity.value());
}

TEST_F(OperationTest, DecodeWandersUpTheRoofAndPrefillStandsUnderTheCeiling)
{
    open("llama-3.1-8b-chat-fleet-p5");
    show(Page::Passes);
    const QStringList rows = pages()->pass_chart()->figure_csv(false).split(QStringLiteral("\r\n"), Qt::SkipEmptyParts);
    EXPECT_EQ(rows.filter(QStringLiteral("plan,")).size(), 3); // on each path
    std::vector<double> achieved;
    for (const QString& row : rows.filter(QStringLiteral("Decode over the batch")))
        achieved.push_back(row.section(QLatin1Char(','), -3, -3).toDouble());
    ASSERT_GT(achieved.size(), 3U);
    EXPECT_TRUE(std::ranges::is_sorted(achieved)); // a larger batch reads the weights once for more
    EXPECT_GT(achieved.back(), 10 * achieved.front());
}

TEST_F(OperationTest, PostTrainingHasTheEnginesNumbersAndTheBestDivision)
{
    open("qwen3-32b-grpo-p5en");
    ASSERT_TRUE(m_window->document().set_field(QStringLiteral("/post_training/prompts"), QStringLiteral("64")));
    ASSERT_TRUE(settle());
    show(Page::PostTraining);
    const Expected<PostTrainingAnswer> answer = evaluate_post_training(m_window->document().plan(), catalogue());
    ASSERT_TRUE(answer);
    const PostTrainingPrediction& p = answer->prediction;
    ASSERT_FALSE(pages()->iteration_chart()->pieces().empty());
    double end = 0;
    for (const IterationChart::Piece& piece : pages()->iteration_chart()->pieces())
        end = std::max(end, (piece.from + piece.time).value());
    EXPECT_NEAR(end, p.best.time.value(), 1e-9 * end);
    const CurvePanel& divisions = pages()->division_chart()->content().panels.at(0);
    const auto best = std::ranges::find(divisions.marks, MarkRole::best, &CurveMark::role);
    ASSERT_NE(best, divisions.marks.end());
    EXPECT_EQ(best->at, p.best.rollout_gpus);
    const int other = p.divisions.front().rollout_gpus;
    ASSERT_NE(other, p.best.rollout_gpus);
    const std::string text = document_text();
    emit pages()->division_table()->row_activated(static_cast<quint64>(other));
    EXPECT_EQ(m_window->document().plan().post_training.rollout_gpus, other);
    m_window->document().undo_stack()->undo();
    EXPECT_EQ(document_text(), text);
}

TEST_F(OperationTest, WhatCannotBeComputedIsSaid)
{
    open("llama-3.1-8b-chat-fleet-p5");
    ASSERT_TRUE(m_window->document().set_field(QStringLiteral("/load/lengths"), QStringLiteral("file")));
    ASSERT_TRUE(settle());
    show(Page::Load);
    EXPECT_TRUE(pages()->page(Page::Load)->summary().contains(QStringLiteral("file"))) << pages()->page(Page::Load)->summary().toStdString();
}

TEST_F(OperationTest, EveryChartIsExported)
{
    open("llama-3.1-8b-chat-fleet-p5");
    const QTemporaryDir folder;
    for (const Page page : serving_pages) {
        show(page);
        Figure* figure = pages()->figure(page);
        ASSERT_NE(figure, nullptr);
        for (const char* suffix : {"svg", "png"}) {
            const QString file = folder.filePath(QStringLiteral("%1.%2").arg(static_cast<int>(page)).arg(QString::fromLatin1(suffix)));
            EXPECT_TRUE(write_figure(*figure, file, {}));
            EXPECT_GT(QFileInfo(file).size(), 2000);
        }
        EXPECT_GT(figure->figure_csv(false).count(QStringLiteral("\r\n")), 3);
    }
}

// The machinery under all of these pages.
TEST(LatestTest, WhatWasOvertakenIsDropped)
{
    std::atomic<int> running{0};
    std::atomic<bool> open{false};
    QObject owner;
    Latest<int> latest(&owner);
    std::vector<int> shown;
    const auto ask = [&](int value) {
        latest.request(
            [&, value](const std::stop_token&) {
                ++running;
                while (!open)
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
                return value;
            },
            [&](int found) { shown.push_back(found); });
    };
    ask(1);
    ASSERT_TRUE(QTest::qWaitFor([&] { return running == 1; }));
    ask(2);
    ask(3); // before the second began
    open = true;
    ASSERT_TRUE(QTest::qWaitFor([&] { return !latest.is_busy(); }));
    EXPECT_EQ(shown, std::vector<int>{3});
    EXPECT_EQ(running, 2); // the second was never computed
}

} // namespace
} // namespace ridgepoint
