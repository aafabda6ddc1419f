// Parts of a whole: bars that hang where the one before ended, limits, pointing, keyboard, CSV.

#include <QSignalSpy>
#include <QTest>
#include <gtest/gtest.h>

#include "views/charts/parts_chart.h"

namespace ridgepoint {
namespace {

std::vector<PartsGroup> two_groups()
{
    PartsGroup time;
    time.title = QStringLiteral("Time");
    time.unit = QStringLiteral("s");
    time.rows = {{QStringLiteral("steps"), QStringLiteral("60 s"), 60, {}, {{QStringLiteral("Share"), QStringLiteral("60 %")}}, false}, {QStringLiteral("lost"), QStringLiteral("40 s"), 40, {}, {}, false},
        {QStringLiteral("all"), QStringLiteral("100 s"), 100, {}, {}, true}};
    PartsGroup cost;
    cost.title = QStringLiteral("Cost");
    cost.unit = QStringLiteral("USD");
    cost.hanging = false;
    cost.limit = 8;
    cost.limit_name = QStringLiteral("budget");
    cost.rows = {{QStringLiteral("a"), QStringLiteral("$4"), 4, {}, {}, false}, {QStringLiteral("b"), QStringLiteral("$2"), 2, {}, {}, false}};
    return {time, cost};
}

TEST(PartsChart, BarsHangWhereTheOneBeforeEndedAndAddUp)
{
    PartsChart chart;
    chart.resize(900, 220);
    chart.set_groups(QStringLiteral("Parts"), two_groups());
    const QRectF steps = chart.bar(0, 0), lost = chart.bar(0, 1), all = chart.bar(0, 2);
    EXPECT_NEAR(lost.left(), steps.right(), 0.01);
    EXPECT_NEAR(steps.width() / lost.width(), 1.5, 1e-6);
    EXPECT_NEAR(all.left(), steps.left(), 0.01);
    EXPECT_NEAR(all.right(), lost.right(), 0.01);
    EXPECT_NEAR(chart.bar(1, 0).left(), chart.bar(1, 1).left(), 0.01) << "beside one another";
    EXPECT_NEAR(chart.bar(1, 0).width() / chart.bar(1, 1).width(), 2.0, 1e-6);
    EXPECT_GT(chart.bar(1, 0).left(), all.right()) << "groups are side by side where there is room";
    chart.resize(360, 500);
    chart.set_groups(QStringLiteral("Parts"), two_groups());
    EXPECT_GT(chart.bar(1, 0).top(), chart.bar(0, 2).bottom()) << "else one under the other";
}

TEST(PartsChart, IsPointedAtWalkedAndCopied)
{
    PartsChart chart;
    chart.resize(900, 220);
    EXPECT_FALSE(chart.accessibleDescription().isEmpty());
    chart.set_groups(QStringLiteral("Parts"), two_groups());
    EXPECT_EQ(chart.accessibleName(), QStringLiteral("Parts"));
    EXPECT_TRUE(chart.accessibleDescription().contains(QStringLiteral("lost: 40 s")));
    chart.show();
    QSignalSpy chosen(&chart, &PartsChart::row_chosen);
    QTest::mouseClick(&chart, Qt::LeftButton, Qt::NoModifier, chart.bar(1, 1).center().toPoint());
    ASSERT_EQ(chosen.count(), 1);
    EXPECT_EQ(chosen[0][0].toInt(), 1);
    EXPECT_EQ(chosen[0][1].toInt(), 1);
    QTest::keyClick(&chart, Qt::Key_Escape);
    QTest::keyClick(&chart, Qt::Key_Right);
    EXPECT_TRUE(chart.accessibleDescription().contains(QStringLiteral("60 %")));
    EXPECT_EQ(chart.figure_csv(false), QStringLiteral("group,unit,part,value\r\nTime,s,steps,60\r\nTime,s,lost,40\r\nTime,s,all,100\r\nCost,USD,a,4\r\nCost,USD,b,2\r\n"));
}

} // namespace
} // namespace ridgepoint
