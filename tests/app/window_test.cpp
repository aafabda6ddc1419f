// The window as a whole: linked selection, explanations, layout by width, palette, names for screen readers, export.

#include <set>

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QAccessible>
#include <QAction>
#include <QDockWidget>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QScrollBar>
#include <QTableView>

#include "app/desktop/appearance.h"
#include "app/desktop/chart_pages.h"
#include "app/desktop/command_palette.h"
#include "app/desktop/help_dialogs.h"
#include "app/desktop/report_export.h"
#include "model/units/format.h"
#include "tests/app/fixture.h"
#include "views/charts/roofline_chart.h"
#include "views/panels/derivations.h"
#include "views/panels/explain_panel.h"
#include "views/panels/operator_panel.h"
#include "views/panels/problems_panel.h"
#include "views/panels/trace_panel.h"

namespace ridgepoint {
namespace {

using ShellTest = WindowTest;

TEST_F(ShellTest, FittedConstantsHaveTheirSource)
{
    m_window->explain(QStringLiteral("Fitted constants"));
    EXPECT_EQ(m_window->explanation()->selected(), QStringLiteral("Fitted constants"));
    const Derivation constants = derive_constants(*m_window->result()->evaluation, catalogue());
    ASSERT_GE(constants.inputs.size(), 10U);
    for (const Derivation& law : constants.inputs) {
        EXPECT_FALSE(law.inputs.empty()) << law.name;
        for (const Derivation& constant : law.inputs) {
            EXPECT_EQ(constant.source, law.source);
            EXPECT_NE(constant.source.find("confidence"), std::string::npos) << law.name;
            EXPECT_EQ(constant.value.find("object"), std::string::npos) << law.name << " " << constant.name;
        }
    }
}

TEST_F(ShellTest, SelectionIsSharedByChartAndTable)
{
    ChartPages* charts = m_window->charts();
    m_window->show_page(Page::Roofline);
    // A plotted operator, as a click on its mark selects it.
    const auto& points = m_window->result()->roofline.points;
    ASSERT_FALSE(points.empty());
    const int index = static_cast<int>(points.front().operator_index);
    charts->roofline()->set_selection({index});
    emit charts->roofline()->selection_changed({index});
    EXPECT_EQ(charts->operators()->selection(), QList<int>{index});

    // And a row, as a click on it does.
    QTableView* table = charts->operators()->table();
    int other_row = -1;
    for (int row = 0; row < table->model()->rowCount(); ++row)
        if (table->model()->index(row, 0).data(OperatorTableModel::operator_role).toInt() != index)
            other_row = row;
    ASSERT_GE(other_row, 0);
    const QModelIndex cell = table->model()->index(other_row, 0);
    table->scrollTo(cell);
    QTest::mouseClick(table->viewport(), Qt::LeftButton, Qt::NoModifier, table->visualRect(cell).center());
    const int chosen = cell.data(OperatorTableModel::operator_role).toInt();
    EXPECT_EQ(charts->selection(), QList<int>{chosen});
    EXPECT_EQ(charts->roofline()->selection(), QList<int>{chosen});

    // An edit that keeps the operators keeps the selection.
    ASSERT_TRUE(m_window->document().set_field(QStringLiteral("/price/utilization"), QStringLiteral("0.8")));
    ASSERT_TRUE(settle());
    EXPECT_EQ(charts->operators()->selection(), QList<int>{chosen});
}

TEST_F(ShellTest, OperatorTableIsAProperModel)
{
    QTableView* table = m_window->charts()->operators()->table();
    const QAbstractItemModelTester tester(table->model(), QAbstractItemModelTester::FailureReportingMode::Fatal);
    ASSERT_TRUE(m_window->document().set_field(QStringLiteral("/workload/kind"), QStringLiteral("serving")));
    ASSERT_TRUE(settle());
    EXPECT_GT(table->model()->rowCount(), 0);
    EXPECT_EQ(static_cast<std::size_t>(table->model()->rowCount()), m_window->result()->evaluation->estimate.operators.size());
}

TEST_F(ShellTest, EveryCardIsExplained)
{
    for (const char* kind : {"pretraining", "serving", "prefill", "decode"}) {
        m_window->document().start(example_plan());
        ASSERT_TRUE(m_window->document().set_field(QStringLiteral("/workload/kind"), QString::fromLatin1(kind)));
        ASSERT_TRUE(settle());
        ASSERT_TRUE(m_window->result()->evaluation) << kind << ": " << m_window->result()->evaluation.error().text();
        for (VerdictCardButton* card : m_window->verdict()->cards()) {
            if (card->isHidden())
                continue;
            QTest::mouseClick(card, Qt::LeftButton);
            EXPECT_TRUE(m_window->explanation()->select(card->card().number)) << kind << ": " << card->card().title.toStdString();
            EXPECT_FALSE(m_window->explanation()->as_text().isEmpty());
        }
    }
}

TEST_F(ShellTest, VerdictShowsTheEnginesNumbers)
{
    const Estimate& estimate = m_window->result()->evaluation->estimate;
    const QString headline = m_window->verdict()->headline();
    EXPECT_TRUE(headline.contains(to_qt(format(estimate.training->step)))) << headline.toStdString();
    EXPECT_TRUE(headline.contains(to_qt(format_percent(estimate.training->mfu, 1)))) << headline.toStdString();
    EXPECT_TRUE(headline.contains(to_qt(name_of(estimate.bound())))) << headline.toStdString();
    EXPECT_TRUE(headline.contains(estimate.memory.fits() ? QStringLiteral("Fits") : QStringLiteral("Does not fit"))) << headline.toStdString();
}

TEST_F(ShellTest, WideWindowsShowStepBesideTheRoofline)
{
    EXPECT_FALSE(m_window->results()->is_wide());
    EXPECT_FALSE(m_window->results()->is_page_visible(Page::Step));
    EXPECT_TRUE(m_window->results()->is_page_visible(Page::Operators));
    m_window->resize(2560, 1440);
    ASSERT_TRUE(QTest::qWaitFor([this] { return m_window->results()->is_wide(); }));
    EXPECT_TRUE(m_window->results()->is_page_visible(Page::Roofline));
    EXPECT_TRUE(m_window->results()->is_page_visible(Page::Step));
    m_window->resize(1280, 800);
    ASSERT_TRUE(QTest::qWaitFor([this] { return !m_window->results()->is_wide(); }));
}

TEST_F(ShellTest, TheWindowFitsASmallScreen)
{
    m_window->resize(1024, 700);
    QCoreApplication::processEvents();
    EXPECT_LE(m_window->minimumSizeHint().width(), 1280);
    EXPECT_LE(m_window->minimumSizeHint().height(), 760);
    for (const VerdictCardButton* card : m_window->verdict()->cards()) {
        if (!card->isHidden()) {
            EXPECT_GE(card->width(), card->minimumSizeHint().width()) << card->card().title.toStdString();
        }
    }
}

void expect_named(const QWidget* root, const std::string& where)
{
    for (const QWidget* widget : root->findChildren<QWidget*>()) {
        if (widget->isHidden() || widget->focusPolicy() == Qt::NoFocus || widget->focusProxy() || widget->objectName().startsWith(QStringLiteral("qt_")))
            continue;
        if (qobject_cast<const QScrollBar*>(widget))
            continue;
        if (widget->parentWidget() && widget->parentWidget()->inherits("QComboBoxPrivateContainer"))
            continue; // the list of a closed box: it is announced as part of the box
        QAccessibleInterface* face = QAccessible::queryAccessibleInterface(const_cast<QWidget*>(widget));
        ASSERT_NE(face, nullptr);
        EXPECT_FALSE(face->text(QAccessible::Name).trimmed().isEmpty())
            << where << ": " << widget->metaObject()->className() << " \"" << widget->objectName().toStdString() << "\" in "
            << (widget->parentWidget() ? widget->parentWidget()->metaObject()->className() : "nothing");
    }
}

TEST_F(ShellTest, EveryFocusableWidgetHasAName)
{
    for (QDockWidget* dock : m_window->findChildren<QDockWidget*>())
        dock->show();
    for (const Page page : {Page::Roofline, Page::Ridgeline, Page::Step, Page::Memory, Page::Trace, Page::Search, Page::Map, Page::WhatIf, Page::Compare}) {
        m_window->show_page(page);
        QCoreApplication::processEvents();
        expect_named(m_window.get(), "page " + std::to_string(static_cast<int>(page)));
    }
    expect_named(make_about_dialog(m_window.get()), "about");
    expect_named(make_shortcuts_dialog(m_window->all_actions(), m_window.get()), "shortcuts");
    const CommandPalette palette({{QStringLiteral("File: Save"), {}, [] {}, true}});
    expect_named(&palette, "palette");
}

TEST_F(ShellTest, ActionsHaveTextsAndNoShortcutIsTakenTwice)
{
    std::set<QString> keys;
    for (const QAction* action : m_window->all_actions()) {
        EXPECT_FALSE(action->text().isEmpty());
        for (const QKeySequence& key : action->shortcuts())
            EXPECT_TRUE(keys.insert(key.toString()).second) << key.toString().toStdString() << " is taken twice, by " << action->text().toStdString();
    }
    EXPECT_GE(keys.size(), 20U);
}

TEST_F(ShellTest, TabReachesEveryFieldOfTheEditorInOrder)
{
    // Following the focus chain from the first row must meet the rows in the order in which they are drawn.
    std::vector<const QWidget*> order;
    const QWidget* first = editor_of("/model");
    const QWidget* widget = first;
    do {
        order.push_back(widget);
        widget = widget->nextInFocusChain();
    } while (widget != first && order.size() < 5000);
    std::size_t last = 0;
    for (const FieldRow* row : m_window->plan_editor()->rows()) {
        const auto at = std::find(order.begin(), order.end(), row->editor());
        ASSERT_NE(at, order.end()) << row->path().toStdString();
        const auto place = static_cast<std::size_t>(at - order.begin());
        EXPECT_GE(place, last) << row->path().toStdString();
        last = place;
    }
}

TEST(PaletteTest, FindsByLettersInOrderAndPrefersWords)
{
    EXPECT_EQ(palette_score(QStringLiteral("File: Save"), QStringLiteral("xyz")), 0);
    EXPECT_GT(palette_score(QStringLiteral("Layout: Tensor parallel"), QStringLiteral("tp")), 0);
    EXPECT_GT(palette_score(QStringLiteral("File: Save"), QStringLiteral("save")), palette_score(QStringLiteral("Layout: Saved versions"), QStringLiteral("sv")));
    const CommandPalette palette({{QStringLiteral("File: Save As…"), {}, [] {}, true}, {QStringLiteral("View: Roofline"), {}, [] {}, true}});
    EXPECT_EQ(palette.shown().size(), 2);
    QTest::keyClicks(palette.findChild<QLineEdit*>(), QStringLiteral("roof"));
    EXPECT_EQ(palette.shown(), QStringList{QStringLiteral("View: Roofline")});
}

TEST(AppearanceTest, ThemesAreReadable)
{
    for (const Appearance appearance : {Appearance::Light, Appearance::Dark}) {
        apply_appearance(appearance);
        const QPalette p = QApplication::palette();
        EXPECT_EQ(is_dark(p), appearance == Appearance::Dark);
        EXPECT_GE(contrast_ratio(p.color(QPalette::WindowText), p.color(QPalette::Window)), 7.0);
        EXPECT_GE(contrast_ratio(p.color(QPalette::Text), p.color(QPalette::Base)), 7.0);
        EXPECT_GE(contrast_ratio(p.color(QPalette::HighlightedText), p.color(QPalette::Highlight)), 4.0);
        for (const Tone tone : {Tone::Good, Tone::Warning, Tone::Bad}) {
            EXPECT_GE(contrast_ratio(tone_colour(tone, p), p.color(QPalette::Base)), 3.0);
            EXPECT_GE(contrast_ratio(tone_colour(tone, p), p.color(QPalette::Window)), 3.0);
        }
    }
    apply_appearance(Appearance::Light);
}

int page_count(const QByteArray& pdf)
{
    int pages = 0;
    for (qsizetype at = pdf.indexOf("/Type /Page\n"); at >= 0; at = pdf.indexOf("/Type /Page\n", at + 1))
        ++pages;
    return pages;
}

TEST_F(ShellTest, ReportIsExportedInEveryFormat)
{
    const QTemporaryDir directory;
    for (const char* name : {"report.pdf", "report.html", "report.md"})
        EXPECT_TRUE(m_window->export_report(path_in(directory, name))) << name << ": " << m_window->problems()->text_of(0).toStdString();
    QFile file(path_in(directory, "report.pdf"));
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    const QByteArray pdf = file.readAll();
    EXPECT_TRUE(pdf.startsWith("%PDF-"));
    EXPECT_GE(page_count(pdf), 3);
    EXPECT_LT(pdf.size(), 2 * 1024 * 1024);
    EXPECT_EQ(pdf.count("/Subtype /Image"), 0); // charts are vectors
    EXPECT_TRUE(pdf.contains("/FontFile2"));
}

TEST_F(ShellTest, ReportThatCannotBeWrittenIsAProblemNotACrash)
{
    EXPECT_FALSE(m_window->export_report(QStringLiteral("/no/such/folder/report.pdf")));
    EXPECT_EQ(m_window->problems()->count(), 1);
    EXPECT_FALSE(m_window->export_report(QStringLiteral("report.xyz")));
    EXPECT_EQ(m_window->problems()->count(), 2);
}

} // namespace
} // namespace ridgepoint
