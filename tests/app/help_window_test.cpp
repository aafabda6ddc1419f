// Help > Accuracy: the page that is shipped, with tables that can be read in both themes.

#include <gtest/gtest.h>

#include <QListWidget>
#include <QScrollBar>
#include <QTextBrowser>
#include <QTextTable>

#include "app/desktop/appearance.h"
#include "app/desktop/help_window.h"
#include "tests/app/fixture.h"
#include "views/theme/theme.h"

namespace ridgepoint {
namespace {

QTextTable* first_table(const HelpWindow& window)
{
    for (QTextFrame* frame : window.browser()->document()->rootFrame()->childFrames())
        if (auto* table = qobject_cast<QTextTable*>(frame))
            return table;
    return nullptr;
}

class HelpTest : public testing::Test {
protected:
    void TearDown() override { apply_appearance(Appearance::Light); }
};

TEST_F(HelpTest, TheMenuShowsTheShippedPage)
{
    MainWindow window(catalogue());
    window.set_ask_before_losing(false);
    QAction* accuracy = nullptr;
    for (QAction* action : window.all_actions())
        if (action->text().remove(u'&') == QStringLiteral("Accuracy"))
            accuracy = action;
    ASSERT_NE(accuracy, nullptr);
    accuracy->trigger();
    auto* help = window.findChild<HelpWindow*>();
    ASSERT_NE(help, nullptr);
    EXPECT_TRUE(help->isVisible());
    EXPECT_FALSE(help->isModal()); // to be read beside the plan
    ASSERT_NE(first_table(*help), nullptr);
    EXPECT_GT(first_table(*help)->rows(), 10);
    EXPECT_GE(help->sections()->count(), 10);
    EXPECT_EQ(help->browser()->verticalScrollBar()->value(), 0); // opens at its beginning
}

TEST_F(HelpTest, TablesAreReadableInBothThemes)
{
    for (const Appearance appearance : {Appearance::Light, Appearance::Dark}) {
        apply_appearance(appearance);
        std::unique_ptr<HelpWindow> help(make_help_window(QStringLiteral("accuracy"), QStringLiteral("Accuracy"), nullptr));
        help->show();
        QTextTable* table = first_table(*help);
        ASSERT_NE(table, nullptr);
        const QColor ink = help->browser()->palette().color(QPalette::Text);
        for (const int row : {0, 1, 2})
            EXPECT_GE(contrast_ratio(ink, table->cellAt(row, 0).format().background().color()), 4.5) << row;
        EXPECT_TRUE(table->cellAt(1, 1).firstCursorPosition().blockFormat().alignment() & Qt::AlignRight); // numbers
        if (const QByteArray folder = qgetenv("RIDGEPOINT_TEST_PICTURES"); !folder.isEmpty())
            for (const QSize size : {QSize(1280, 800), QSize(2560, 1440)}) {
                help->resize(size);
                QTest::qWait(50);
                help->grab().save(QStringLiteral("%1/accuracy-%2-%3.png").arg(QString::fromLocal8Bit(folder), name_of(appearance)).arg(size.width()));
            }
    }
}

TEST_F(HelpTest, AThemeChangeRecoloursTheTables)
{
    std::unique_ptr<HelpWindow> help(make_help_window(QStringLiteral("accuracy"), QStringLiteral("Accuracy"), nullptr));
    help->show();
    const QColor light = first_table(*help)->cellAt(0, 0).format().background().color();
    apply_appearance(Appearance::Dark);
    QTest::qWait(10);
    EXPECT_GT(relative_luminance(light), relative_luminance(first_table(*help)->cellAt(0, 0).format().background().color()) + 0.3);
}

TEST_F(HelpTest, ASectionIsReachedByItsName)
{
    std::unique_ptr<HelpWindow> help(make_help_window(QStringLiteral("accuracy"), QStringLiteral("Accuracy"), nullptr));
    help->show();
    const int last = help->sections()->count() - 1;
    help->sections()->setCurrentRow(last);
    EXPECT_EQ(help->browser()->textCursor().block().text(), help->sections()->item(last)->text().trimmed());
}

TEST_F(HelpTest, AMissingPageIsSaid)
{
    std::unique_ptr<HelpWindow> help(make_help_window(QStringLiteral("none"), QStringLiteral("None"), nullptr));
    EXPECT_TRUE(help->browser()->toPlainText().contains(QStringLiteral("not installed")));
}

} // namespace
} // namespace ridgepoint
