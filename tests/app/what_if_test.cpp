// Search, map, sensitivity and comparison in the window: run, click, open, undo.

#include <QLineEdit>
#include <QPushButton>
#include <QTabWidget>

#include "app/desktop/what_if_pages.h"
#include "tests/app/fixture.h"
#include "views/charts/pareto_chart.h"
#include "views/charts/regime_chart.h"
#include "views/charts/tornado_chart.h"
#include "views/charts/waterfall_chart.h"
#include "views/panels/axes_editor.h"
#include "views/panels/compare_panel.h"
#include "views/widgets/cell_table.h"

namespace ridgepoint {
namespace {

class WhatIfTest : public WindowTest {
protected:
    WhatIfPages* pages() { return m_window->what_if(); }
    bool computed()
    {
        return QTest::qWaitFor([this] { return !pages()->is_busy(); }, 20000);
    }
    bool searched()
    {
        return QTest::qWaitFor([this] { return !pages()->searcher().is_busy(); }, 60000);
    }
    // A search of a handful of points.
    void small_search()
    {
        m_window->show_page(Page::Search);
        ASSERT_TRUE(computed());
        AxesEditor* axes = pages()->search()->axes();
        for (const char* axis : {"cp", "ep", "etp", "vpp", "schedule", "sharding", "sequence_parallel", "overlap_tp", "overlap_moe", "expert_dispatch_rdma", "cuda_graphs",
                 "overlap_grad_reduce", "overlap_param_gather", "recompute"})
            if (QLineEdit* line = axes->line(QString::fromLatin1(axis)))
                line->setText(line->placeholderText().section(QLatin1Char(','), 0, 0));
        axes->set_values(QStringLiteral("tp"), QStringLiteral("1, 2, 4, 8"));
        axes->set_values(QStringLiteral("micro_batch"), QStringLiteral("1, 2"));
        QTest::mouseClick(pages()->search()->start_button(), Qt::LeftButton);
        ASSERT_TRUE(searched());
    }
};

TEST_F(WhatIfTest, AFoundPlanIsOpenedAsOneUndoableStep)
{
    small_search();
    CellTable* best = pages()->search()->best();
    ASSERT_GT(best->model()->rowCount(), 0) << pages()->search()->summary().toStdString();
    const std::string before = document_text();
    const int steps = m_window->document().undo_stack()->count();
    const int last = best->model()->rowCount() - 1; // not the plan that is open, hopefully: else nothing changes
    best->scrollTo(best->model()->index(last, 0));
    QTest::mouseClick(best->viewport(), Qt::LeftButton, Qt::NoModifier, best->visualRect(best->model()->index(last, 0)).center());
    EXPECT_EQ(pages()->search()->chart()->selected_id(), best->selected_id());
    EXPECT_TRUE(pages()->search()->open_button()->isEnabled());
    QTest::keyClick(best, Qt::Key_Return);
    ASSERT_TRUE(settle());
    const std::string after = document_text();
    EXPECT_NE(after, before);
    EXPECT_EQ(m_window->document().undo_stack()->count(), steps + 1);
    m_window->document().undo_stack()->undo();
    EXPECT_EQ(document_text(), before);
    m_window->document().undo_stack()->redo();
    EXPECT_EQ(document_text(), after);
}

TEST_F(WhatIfTest, TheOpenedPlanHasTheTimeThatTheSearchSaid)
{
    small_search();
    CellTable* best = pages()->search()->best();
    ASSERT_GT(best->model()->rowCount(), 0);
    emit best->row_activated(best->model()->index(0, 0).data(CellTableModel::id_role).toULongLong());
    ASSERT_TRUE(settle());
    ASSERT_TRUE(m_window->result()->evaluation);
    EXPECT_EQ(best->model()->index(0, 1).data(CellTableModel::sort_role).toDouble(), m_window->result()->evaluation->estimate.time.total().value());
}

TEST_F(WhatIfTest, WhyNotIsCounted)
{
    small_search();
    EXPECT_GT(pages()->search()->rejections()->model()->rowCount(), 0);
    EXPECT_GT(pages()->search()->rejections()->model()->index(0, 1).data(CellTableModel::sort_role).toDouble(), 0);
}

TEST_F(WhatIfTest, ThePlanItselfIsMarkedOrToldHowToFit)
{
    small_search();
    EXPECT_TRUE(pages()->search()->chart()->figure_csv(false).contains(QStringLiteral("this plan")));
    ASSERT_TRUE(m_window->document().set_field(QStringLiteral("/layout/tp"), QStringLiteral("1")));
    ASSERT_TRUE(settle());
    small_search();
    EXPECT_FALSE(pages()->search()->chart()->figure_csv(false).contains(QStringLiteral("this plan")));
    const QString first = pages()->search()->rejections()->model()->index(0, 2).data().toString();
    EXPECT_TRUE(first.contains(QStringLiteral("tp 1 -> "))) << first.toStdString();
}

TEST_F(WhatIfTest, ASearchIsStoppedAndRestarted)
{
    m_window->show_page(Page::Search);
    ASSERT_TRUE(computed());
    // All the catalogue's instances: far more than is searched while this test runs.
    AxesEditor* axes = pages()->search()->axes();
    axes->set_values(QStringLiteral("instance"), QStringLiteral("p4de.24xlarge, p5.48xlarge, p5en.48xlarge, p6-b200.48xlarge"));
    axes->set_values(QStringLiteral("nodes"), QStringLiteral("1,2,3,4,5,6,7,8,12,16,24,32,48,64,96,128"));
    QPushButton* button = pages()->search()->start_button();
    QTest::mouseClick(button, Qt::LeftButton);
    EXPECT_TRUE(button->text().contains(QStringLiteral("Stop")));
    ASSERT_TRUE(QTest::qWaitFor([this] { return pages()->search()->summary().contains(QStringLiteral("a second")); }, 20000));
    EXPECT_TRUE(pages()->searcher().is_busy());
    QTest::mouseClick(button, Qt::LeftButton);
    ASSERT_TRUE(searched());
    EXPECT_TRUE(button->text().contains(QStringLiteral("Start")));
    EXPECT_TRUE(pages()->search()->summary().startsWith(QStringLiteral("Stopped"))) << pages()->search()->summary().toStdString();
    QTest::mouseClick(button, Qt::LeftButton);
    EXPECT_TRUE(pages()->searcher().is_busy());
    m_window.reset(); // closes while it runs
}

TEST_F(WhatIfTest, AWrongAxisIsSaidNotSearched)
{
    m_window->show_page(Page::Search);
    ASSERT_TRUE(computed());
    pages()->search()->axes()->set_values(QStringLiteral("tp"), QStringLiteral("many"));
    QTest::mouseClick(pages()->search()->start_button(), Qt::LeftButton);
    EXPECT_FALSE(pages()->searcher().is_busy());
    EXPECT_FALSE(pages()->search()->space());
    pages()->search()->axes()->reset();
    EXPECT_TRUE(pages()->search()->space());
}

TEST_F(WhatIfTest, ACellOfTheMapIsTakenIntoThePlan)
{
    m_window->show_page(Page::Map);
    ASSERT_TRUE(computed());
    pages()->map()->choose(QStringLiteral("/workload/sequence_length"), QStringLiteral("/workload/global_batch"));
    ASSERT_TRUE(computed());
    RegimeChart* chart = pages()->map()->chart();
    ASSERT_FALSE(chart->figure_csv(false).isEmpty());
    const std::string before = document_text();
    QTest::mouseClick(chart, Qt::LeftButton, Qt::NoModifier, chart->centre_of(0).toPoint());
    EXPECT_NE(document_text(), before);
    EXPECT_EQ(m_window->document().undo_stack()->count(), 1); // both knobs at once
    ASSERT_TRUE(settle());
    m_window->document().undo_stack()->undo();
    EXPECT_EQ(document_text(), before);
}

TEST_F(WhatIfTest, TheMapFollowsThePlan)
{
    m_window->show_page(Page::Map);
    ASSERT_TRUE(computed());
    const QString before = pages()->map()->chart()->figure_csv(false);
    ASSERT_TRUE(m_window->document().set_field(QStringLiteral("/layout/recompute"), QStringLiteral("full")));
    ASSERT_TRUE(settle());
    ASSERT_TRUE(computed());
    EXPECT_NE(pages()->map()->chart()->figure_csv(false), before);
}

TEST_F(WhatIfTest, WhatTheAnswerHangsOn)
{
    m_window->show_page(Page::WhatIf);
    ASSERT_TRUE(computed());
    EXPECT_FALSE(pages()->sensitivity()->chart()->bar("hardware/compute", false).isNull());
    EXPECT_GT(pages()->sensitivity()->upgrades()->model()->rowCount(), 0);
}

TEST_F(WhatIfTest, APlanIsComparedWithItselfAsItWas)
{
    m_window->what_if()->keep_for_comparison();
    ASSERT_TRUE(computed());
    EXPECT_TRUE(m_window->results()->is_page_visible(Page::Compare));
    EXPECT_TRUE(pages()->compare()->sentence().contains(QStringLiteral("same")));
    ASSERT_TRUE(m_window->document().set_field(QStringLiteral("/layout/recompute"), QStringLiteral("full")));
    ASSERT_TRUE(settle());
    ASSERT_TRUE(computed());
    EXPECT_TRUE(pages()->compare()->sentence().contains(QStringLiteral("slower"))) << pages()->compare()->sentence().toStdString();
    EXPECT_GT(pages()->compare()->chart()->row_count(), 2);
    EXPECT_EQ(pages()->compare()->fields()->model()->rowCount(), 1);
}

TEST_F(WhatIfTest, AFileIsComparedAndABadOneSaid)
{
    EXPECT_TRUE(m_window->compare_with(QStringLiteral(RIDGEPOINT_SOURCE_DIR "/specs/examples/llama-3.1-405b-pretrain-p5en.ridgepoint")));
    ASSERT_TRUE(computed());
    EXPECT_FALSE(pages()->compare()->sentence().isEmpty());
    EXPECT_TRUE(m_window->compare_with(QStringLiteral(RIDGEPOINT_SOURCE_DIR "/specs/examples/llama-3.1-8b-serving-p5.4xlarge.ridgepoint")));
    ASSERT_TRUE(computed());
    EXPECT_TRUE(pages()->compare()->sentence().contains(QStringLiteral("cannot be compared")));
    EXPECT_FALSE(m_window->compare_with(QStringLiteral("/nonexistent.ridgepoint")));
}

TEST_F(WhatIfTest, ThePagesHaveTheAreaToThemselves)
{
    QTabWidget* table = nullptr;
    for (QTabWidget* tabs : m_window->results()->findChildren<QTabWidget*>())
        if (tabs->accessibleName() == QStringLiteral("Tables"))
            table = tabs;
    ASSERT_NE(table, nullptr);
    m_window->show_page(Page::Map);
    EXPECT_FALSE(table->isVisible());
    EXPECT_FALSE(m_window->results()->is_page_visible(Page::Operators));
    m_window->show_page(Page::Operators);
    EXPECT_TRUE(table->isVisible());
    EXPECT_TRUE(m_window->results()->is_page_visible(Page::Operators));
}

} // namespace
} // namespace ridgepoint
