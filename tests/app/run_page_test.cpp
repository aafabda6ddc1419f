// The pages of a run and of capacity in the window: the engine's numbers, at every edit, cancelled for good, a layout taken
// into the plan and back.

#include <algorithm>
#include <cstdio>
#include <ctime>

#include <QElapsedTimer>
#include <QFileInfo>
#include <QPushButton>
#include <QUndoStack>

#include "app/desktop/capacity_page.h"
#include "app/desktop/operation_pages.h"
#include "app/desktop/today.h"
#include "tests/app/fixture.h"
#include "views/charts/parts_chart.h"
#include "views/charts/run_curves.h"
#include "views/export/figure_export.h"
#include "views/panels/operation_page.h"
#include "views/panels/run_tables.h"
#include "views/widgets/cell_table.h"

namespace ridgepoint {
namespace {

class RunPageTest : public WindowTest {
protected:
    OperationPages* pages() { return m_window->operation(); }
    CapacityPanel* panel() { return pages()->capacity()->panel(); }
    bool computed(int milliseconds = 60000)
    {
        return QTest::qWaitFor([this] { return !pages()->is_busy(); }, milliseconds);
    }
    void open(const char* example)
    {
        ASSERT_TRUE(m_window->open_plan(QStringLiteral(RIDGEPOINT_SOURCE_DIR "/specs/examples/%1.ridgepoint").arg(QString::fromLatin1(example))));
        ASSERT_TRUE(settle());
    }
    void set(const char* path, const char* value)
    {
        const Status s = m_window->document().set_field(QString::fromLatin1(path), QString::fromLatin1(value));
        ASSERT_TRUE(s) << s.error().text();
        m_window->document().end_edit();
    }
    void show(Page page)
    {
        m_window->show_page(page);
        ASSERT_TRUE(m_window->results()->is_page_visible(page));
        ASSERT_TRUE(computed());
    }
    // A small model on few machines, so that the searches are short.
    void open_small()
    {
        open("llama-3.1-70b-sft-p5");
        set("/model", "llama-3.1-8b");
        set("/workload/kind", "pretraining");
        set("/workload/global_batch", "256");
        set("/workload/tokens", "200e9");
        set("/run/samples", "200");
        ASSERT_TRUE(settle());
    }
};

TEST_F(RunPageTest, IsOfferedToTrainingPlansOnly)
{
    EXPECT_TRUE(m_window->results()->is_page_offered(Page::Run));
    EXPECT_TRUE(m_window->results()->is_page_offered(Page::Capacity));
    open("llama-3.1-8b-chat-fleet-p5");
    EXPECT_FALSE(m_window->results()->is_page_offered(Page::Run));
    EXPECT_TRUE(m_window->results()->is_page_offered(Page::Capacity));
    open("deepseek-v3-decode-p6-b300");
    EXPECT_FALSE(m_window->results()->is_page_offered(Page::Capacity)); // one phase alone has no load
}

TEST_F(RunPageTest, HasTheEnginesNumbers)
{
    open("llama-3.1-405b-pretrain-p5en");
    show(Page::Run);
    const Expected<RunAnswer> answer = evaluate_run(m_window->document().plan(), catalogue(), today());
    ASSERT_TRUE(answer);
    const RunPrediction& r = answer->run;
    const CurveContent& curves = pages()->run_chart()->content();
    ASSERT_EQ(curves.panels.size(), 3U);
    const CurvePanel& ends = curves.panels[0];
    const auto half = std::ranges::find_if(ends.x, [&](double x) { return std::abs(x - in_days(r.time_to_train.at(0.5))) < 1e-9; });
    ASSERT_NE(half, ends.x.end());
    EXPECT_NEAR(ends.curves[0].values[static_cast<std::size_t>(half - ends.x.begin())], 0.5, 1e-9);
    ASSERT_EQ(ends.marks.size(), 2U);
    EXPECT_NEAR(ends.marks[1].at, in_days(r.time_to_train.at(0.9)), 1e-9);
    const CurvePanel& waste = curves.panels[1];
    ASSERT_EQ(waste.curves[0].values.size(), r.waste.size());
    const auto optimum = std::ranges::find(waste.marks, MarkRole::best, &CurveMark::role);
    ASSERT_NE(optimum, waste.marks.end());
    EXPECT_NEAR(optimum->at * 60.0, r.interval.optimum.value(), 1e-6);
    const auto least = std::ranges::min_element(waste.curves[0].values);
    EXPECT_NEAR(waste.x[static_cast<std::size_t>(least - waste.curves[0].values.begin())], optimum->at, 1e-9) << "the mark stands where the curve is lowest";
    EXPECT_EQ(curves.panels[2].curves[0].values.size(), r.by_spares.size());
    const std::vector<PartsGroup>& parts = pages()->run_parts()->groups();
    ASSERT_EQ(parts.size(), 2U);
    double sum = 0;
    for (const PartRow& row : parts[0].rows)
        sum += row.whole ? 0 : row.value;
    EXPECT_NEAR(sum, r.wall.value(), 1e-6 * sum);
    sum = 0;
    for (const PartRow& row : parts[1].rows)
        sum += row.whole ? 0 : row.value;
    EXPECT_NEAR(sum, answer->cost->expected.total.value(), 1e-6 * sum);
    EXPECT_EQ(pages()->page(Page::Run)->summary(), run_summary(*answer));
    EXPECT_TRUE(pages()->page(Page::Run)->summary().contains(QStringLiteral("CO2e")));
    EXPECT_GT(pages()->run_table()->model()->rowCount(), 15);
}

// Printed, not judged: a machine may be busy.
TEST_F(RunPageTest, FollowsThePlanAtEveryEdit)
{
    open("llama-3.1-405b-pretrain-p5en");
    show(Page::Run);
    std::vector<double> milliseconds;
    QElapsedTimer alone;
    alone.start();
    ASSERT_TRUE(evaluate_run(m_window->document().plan(), catalogue(), today()));
    const double engine = static_cast<double>(alone.nsecsElapsed()) * 1e-6;
    const std::clock_t processor = std::clock();
    for (const char* spares : {"1", "2", "4", "8", "16", "32", "64"}) {
        QElapsedTimer clock;
        clock.start();
        set("/run/spare_nodes", spares);
        const double wanted = std::strtod(spares, nullptr);
        ASSERT_TRUE(QTest::qWaitFor([&] {
            const CurveContent& c = pages()->run_chart()->content();
            return c.panels.size() == 3 && c.panels[2].marks.at(0).at == wanted;
        }, 60000));
        pages()->run_chart()->repaint();
        pages()->run_parts()->repaint();
        pages()->run_table()->viewport()->repaint();
        milliseconds.push_back(static_cast<double>(clock.nsecsElapsed()) * 1e-6);
    }
    std::ranges::sort(milliseconds);
    const double each = 1e3 * static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC / static_cast<double>(milliseconds.size());
    std::printf("Run page, Llama 3.1 405B on 2,048 p5en.48xlarge: from the edit to the painted page %.1f ms (fastest), %.1f ms (median), %.1f ms (slowest of %zu); %.1f ms of processor time each; "
                "the run alone %.1f ms\n",
        milliseconds.front(), milliseconds[milliseconds.size() / 2], milliseconds.back(), milliseconds.size(), each, engine);
}

TEST_F(RunPageTest, SaysWhatIsWrongAndWhatIsMissing)
{
    show(Page::Run);
    set("/workload/tokens", "0");
    ASSERT_TRUE(settle());
    ASSERT_TRUE(computed());
    EXPECT_TRUE(pages()->page(Page::Run)->summary().contains(QStringLiteral("the run has no end"))) << pages()->page(Page::Run)->summary().toStdString();
    set("/workload/tokens", "1e12");
    set("/run/mtbf_hours", "0");
    ASSERT_TRUE(settle());
    ASSERT_TRUE(computed());
    EXPECT_EQ(pages()->run_chart()->content().panels.size(), 1U) << "nothing fails: no waste, no use of spares";
}

TEST_F(RunPageTest, TheVerdictNamesStorage)
{
    open("llama-3.1-70b-sft-p5");
    set("/model", "llama-3.1-8b");
    set("/workload/tokens", "1e9");
    ASSERT_TRUE(settle());
    EXPECT_FALSE(m_window->verdict()->headline().contains(QStringLiteral("storage")));
    set("/run/data_tier", "fsx-lustre-persistent2-125");
    set("/run/bytes_per_token", "10000");
    ASSERT_TRUE(settle());
    EXPECT_TRUE(m_window->verdict()->headline().contains(QStringLiteral("storage 100 %"))) << m_window->verdict()->headline().toStdString();
    show(Page::Run);
    EXPECT_TRUE(pages()->page(Page::Run)->summary().contains(QStringLiteral("storage: reading training data"))) << pages()->page(Page::Run)->summary().toStdString();
}

TEST_F(RunPageTest, ChartsAreWalkedByKeyboardAndExported)
{
    show(Page::Run);
    const QTemporaryDir folder;
    for (Figure* figure : std::initializer_list<Figure*>{pages()->run_chart(), pages()->run_parts()}) {
        QWidget* widget = figure->figure_widget();
        EXPECT_FALSE(widget->accessibleName().isEmpty());
        EXPECT_FALSE(widget->accessibleDescription().isEmpty());
        widget->setFocus();
        const QString before = widget->accessibleDescription();
        QTest::keyClick(widget, Qt::Key_Right);
        EXPECT_NE(widget->accessibleDescription(), before) << "what is pointed at is spoken";
        const QString file = folder.filePath(QStringLiteral("run.svg"));
        EXPECT_TRUE(write_figure(*figure, file, {}));
        EXPECT_GT(QFileInfo(file).size(), 2000);
        EXPECT_GT(figure->figure_csv(false).count(QStringLiteral("\r\n")), 8);
    }
    EXPECT_TRUE(pages()->run_table()->csv().contains(QStringLiteral("Bill")));
}

TEST_F(RunPageTest, FinishNamesWhatDoesAndItsLayoutIsTakenAndUndone)
{
    open_small();
    show(Page::Capacity);
    CapacityAsked asked;
    asked.today = QDate(2026, 12, 1);
    asked.deadline = QDate(2027, 1, 15);
    asked.budget = 1e9;
    asked.instances = {"p5.48xlarge"};
    asked.sizes = {8, 32};
    panel()->form()->set_asked(asked);
    QTest::mouseClick(panel()->ask_button(), Qt::LeftButton);
    EXPECT_TRUE(panel()->is_computing());
    ASSERT_TRUE(computed());
    EXPECT_FALSE(panel()->is_computing());
    ASSERT_EQ(panel()->table()->model()->rowCount(), 2);
    EXPECT_TRUE(panel()->summary().contains(QStringLiteral("must start by"))) << panel()->summary().toStdString();
    ASSERT_EQ(panel()->chart()->groups().size(), 2U);
    EXPECT_TRUE(panel()->chart()->groups()[0].limit);
    const std::string text = document_text();
    ASSERT_TRUE(panel()->use_button()->isEnabled());
    QTest::mouseClick(panel()->use_button(), Qt::LeftButton);
    EXPECT_EQ(m_window->document().plan().instance, "p5.48xlarge");
    EXPECT_TRUE(m_window->document().plan().nodes == 8 || m_window->document().plan().nodes == 32);
    EXPECT_NE(document_text(), text);
    ASSERT_TRUE(settle());
    EXPECT_TRUE(m_window->result()->evaluation->estimate.feasible());
    EXPECT_TRUE(panel()->summary().startsWith(QStringLiteral("Of an earlier plan"))) << panel()->summary().toStdString();
    m_window->document().undo_stack()->undo();
    EXPECT_EQ(document_text(), text);
}

TEST_F(RunPageTest, TheFormHasTheFieldsOfItsQuestion)
{
    const auto seen = [&](const QString& name) {
        for (QWidget* w : panel()->findChildren<QWidget*>())
            if (w->accessibleName() == name)
                return w->isVisibleTo(panel()) && w->height() > 10;
        return false;
    };
    for (int round = 0; round < 2; ++round) { // there and back again
        open("llama-3.1-405b-pretrain-p5en");
        show(Page::Capacity);
        panel()->form()->set_question(CapacityQuestion::finish);
        QTest::qWait(20);
        for (const char* name : {"From", "Deadline", "Budget", "Look at", "Sizes", "Search for"})
            EXPECT_TRUE(seen(QString::fromLatin1(name))) << name;
        EXPECT_FALSE(seen(QStringLiteral("Models")));
        panel()->form()->set_question(CapacityQuestion::machines);
        QTest::qWait(20);
        for (const char* name : {"From", "Instance", "Nodes", "For", "Models", "Search for"})
            EXPECT_TRUE(seen(QString::fromLatin1(name))) << name;
        EXPECT_FALSE(seen(QStringLiteral("Deadline")));
        open("llama-3.1-8b-chat-fleet-p5");
        show(Page::Capacity);
        QTest::qWait(20);
        for (const char* name : {"Budget", "Look at"})
            EXPECT_TRUE(seen(QString::fromLatin1(name))) << name;
        EXPECT_FALSE(seen(QStringLiteral("From")));
    }
}

TEST_F(RunPageTest, MachinesTellTheTokens)
{
    open_small();
    show(Page::Capacity);
    panel()->form()->set_question(CapacityQuestion::machines);
    EXPECT_EQ(panel()->form()->asked()->instance, "p5en.48xlarge") << "of the plan that came first";
    CapacityAsked asked;
    asked.question = CapacityQuestion::machines;
    asked.today = QDate(2026, 12, 1);
    asked.instance = "p5.48xlarge";
    asked.nodes = 4;
    asked.days = 20;
    panel()->form()->set_asked(asked);
    QTest::mouseClick(panel()->ask_button(), Qt::LeftButton);
    ASSERT_TRUE(computed());
    ASSERT_EQ(panel()->table()->model()->rowCount(), 1);
    EXPECT_TRUE(panel()->summary().contains(QStringLiteral("tokens (p90)"))) << panel()->summary().toStdString();
    asked.models = {"no-such-model"};
    panel()->form()->set_asked(asked);
    QTest::mouseClick(panel()->ask_button(), Qt::LeftButton);
    ASSERT_TRUE(computed());
    EXPECT_TRUE(panel()->summary().contains(QStringLiteral("no-such-model"))) << panel()->summary().toStdString();
}

TEST_F(RunPageTest, AServiceIsSizedThroughTheDay)
{
    open("llama-3.1-8b-chat-fleet-p5");
    set("/load/requests", "300");
    ASSERT_TRUE(settle());
    show(Page::Capacity);
    CapacityAsked asked;
    asked.question = CapacityQuestion::serve;
    asked.instances = {"p5.4xlarge"};
    panel()->form()->set_asked(asked);
    QTest::mouseClick(panel()->ask_button(), Qt::LeftButton);
    ASSERT_TRUE(computed());
    ASSERT_EQ(panel()->table()->model()->rowCount(), 1);
    ASSERT_EQ(panel()->day_chart()->content().panels.size(), 1U);
    EXPECT_EQ(panel()->day_chart()->content().panels[0].x.size(), 24U);
    EXPECT_TRUE(panel()->summary().contains(QStringLiteral("at the peak"))) << panel()->summary().toStdString();
}

// Each of many clusters would be searched for an hour: only a search that stops ends within seconds.
TEST_F(RunPageTest, CancelStopsTheEngine)
{
    open("llama-3.1-405b-pretrain-p5en");
    show(Page::Capacity);
    CapacityAsked asked;
    asked.today = QDate(2026, 12, 1);
    asked.deadline = QDate(2027, 6, 30);
    asked.search_seconds = 3600;
    panel()->form()->set_asked(asked);
    QTest::mouseClick(panel()->ask_button(), Qt::LeftButton);
    QTest::qWait(300);
    ASSERT_TRUE(pages()->capacity()->is_busy());
    QTest::mouseClick(panel()->ask_button(), Qt::LeftButton);
    EXPECT_FALSE(panel()->is_computing());
    QElapsedTimer clock;
    clock.start();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !pages()->capacity()->is_busy(); }, 60000));
    std::printf("Capacity: the engine stopped %lld ms after Cancel\n", static_cast<long long>(clock.elapsed()));
    EXPECT_EQ(panel()->table()->model()->rowCount(), 0);
    EXPECT_EQ(panel()->summary(), QStringLiteral("Cancelled"));
}

TEST_F(RunPageTest, AQuestionWithoutSenseIsAnsweredAtOnce)
{
    show(Page::Capacity);
    CapacityAsked asked;
    asked.today = QDate(2026, 12, 1);
    panel()->form()->set_asked(asked);
    QTest::mouseClick(panel()->ask_button(), Qt::LeftButton);
    EXPECT_FALSE(panel()->is_computing());
    EXPECT_TRUE(panel()->summary().contains(QStringLiteral("nothing to keep"))) << panel()->summary().toStdString();
    asked.deadline = QDate(2026, 11, 1);
    panel()->form()->set_asked(asked);
    QTest::mouseClick(panel()->ask_button(), Qt::LeftButton);
    ASSERT_TRUE(computed());
    EXPECT_TRUE(panel()->summary().contains(QStringLiteral("the deadline has passed"))) << panel()->summary().toStdString();
}

TEST_F(RunPageTest, EveryFieldThatTakesTheFocusHasAName)
{
    show(Page::Capacity);
    for (QWidget* w : panel()->findChildren<QWidget*>())
        if (w->isVisibleTo(panel()) && (w->focusPolicy() & Qt::TabFocus) && !w->inherits("QAbstractScrollArea") && !w->parentWidget()->inherits("QAbstractSpinBox") && !w->parentWidget()->inherits("QComboBox")
            && !w->parentWidget()->inherits("QAbstractScrollArea")) {
            EXPECT_FALSE(w->accessibleName().isEmpty() && !w->inherits("QAbstractButton")) << w->metaObject()->className();
        }
}

} // namespace
} // namespace ridgepoint
