// Editing through the widgets a user has: result, undo, reset, refusal.

#include <random>

#include <gtest/gtest.h>

#include <QDoubleSpinBox>
#include <QToolButton>
#include <QUndoStack>

#include "app/desktop/result_area.h"
#include "tests/app/fixture.h"
#include "views/panels/problems_panel.h"
#include "views/widgets/choice_box.h"
#include "views/widgets/number_box.h"

namespace ridgepoint {
namespace {

using EditTest = WindowTest;

TEST_F(EditTest, OpensOnTheExampleWithAVerdict)
{
    EXPECT_TRUE(m_window->document().plan() == example_plan());
    ASSERT_TRUE(m_window->result()->evaluation) << m_window->result()->evaluation.error().text();
    EXPECT_FALSE(m_window->verdict()->shows_error());
    EXPECT_GE(m_window->verdict()->cards().size(), 6U);
    EXPECT_TRUE(m_window->verdict()->headline().contains(QStringLiteral("MFU"))) << m_window->verdict()->headline().toStdString();
    EXPECT_FALSE(m_window->isWindowModified());
}

TEST_F(EditTest, TypingIntoAFieldChangesTheVerdict)
{
    const QString before = m_window->verdict()->headline();
    auto* box = qobject_cast<NumberBox*>(editor_of("/workload/sequence_length"));
    ASSERT_NE(box, nullptr);
    box->setFocus();
    box->selectAll();
    QTest::keyClicks(box, QStringLiteral("4k"));
    QTest::keyClick(box, Qt::Key_Return);
    ASSERT_TRUE(settle());
    EXPECT_EQ(std::get<Training>(m_window->document().plan().workload).sequence_length, 4000);
    EXPECT_NE(m_window->verdict()->headline(), before);
    EXPECT_TRUE(m_window->isWindowModified());
    // All of the typing is one step of the history.
    EXPECT_EQ(m_window->document().undo_stack()->count(), 1);
    m_window->document().undo_stack()->undo();
    ASSERT_TRUE(settle());
    EXPECT_EQ(m_window->verdict()->headline(), before);
    EXPECT_FALSE(m_window->isWindowModified());
    EXPECT_EQ(box->value(), 8192);
}

TEST_F(EditTest, EveryEditorReportsWhatItShows)
{
    // The editor's own default values must survive a round trip through its widget: what is shown is what is stored.
    for (const FieldRow* row : m_window->plan_editor()->rows()) {
        if (!applies(row->field(), m_window->document().plan()))
            continue;
        const QString stored = to_qt(field_value(m_window->document().plan(), row->field().path));
        if (const auto* box = qobject_cast<NumberBox*>(row->editor())) {
            EXPECT_DOUBLE_EQ(box->plain_value().toDouble(), stored.toDouble()) << row->field().path;
            EXPECT_DOUBLE_EQ(box->valueFromText(box->text()), box->value()) << row->field().path << " shows " << box->text().toStdString();
        } else if (const auto* choice = qobject_cast<ChoiceBox*>(row->editor())) {
            EXPECT_EQ(choice->value(), stored) << row->field().path;
            EXPECT_FALSE(choice->currentText().contains(QStringLiteral("unknown"))) << row->field().path;
        }
    }
}

TEST_F(EditTest, ResetArrowRestoresTheDefault)
{
    FieldRow* row = m_window->plan_editor()->row(QStringLiteral("/layout/tp"));
    ASSERT_TRUE(row->is_changed()); // 8, the default is 1
    ASSERT_TRUE(row->reset_button()->isEnabled());
    QTest::mouseClick(row->reset_button(), Qt::LeftButton);
    EXPECT_EQ(to_qt(field_value(m_window->document().plan(), "/layout/tp")), to_qt(field_default(m_window->document().plan(), "/layout/tp")));
    EXPECT_FALSE(row->is_changed());
    EXPECT_FALSE(row->reset_button()->isEnabled());
    m_window->document().undo_stack()->undo();
    EXPECT_EQ(m_window->document().plan().layout.tp, 8);
}

TEST_F(EditTest, FieldsThatDoNotApplyAreHidden)
{
    PlanEditor* editor = m_window->plan_editor();
    EXPECT_TRUE(editor->row(QStringLiteral("/workload/global_batch"))->is_shown());
    EXPECT_FALSE(editor->row(QStringLiteral("/workload/input_length"))->is_shown());
    ASSERT_TRUE(m_window->document().set_field(QStringLiteral("/workload/kind"), QStringLiteral("serving")));
    EXPECT_FALSE(editor->row(QStringLiteral("/workload/global_batch"))->is_shown());
    EXPECT_TRUE(editor->row(QStringLiteral("/workload/input_length"))->is_shown());
    m_window->document().undo_stack()->undo();
    EXPECT_TRUE(m_window->document().plan() == example_plan()); // what switching the kind threw away is back
}

TEST_F(EditTest, IllegalPlanSaysWhyAndKeepsTheLastCharts)
{
    ASSERT_TRUE(m_window->document().set_field(QStringLiteral("/layout/tp"), QStringLiteral("7")));
    ASSERT_TRUE(settle());
    ASSERT_FALSE(m_window->result()->evaluation);
    EXPECT_TRUE(m_window->verdict()->shows_error());
    EXPECT_TRUE(m_window->verdict()->headline().contains(to_qt(m_window->result()->evaluation.error().message)));
    EXPECT_TRUE(m_window->results()->is_stale());
    EXPECT_EQ(m_window->problems()->count(), 1);
    m_window->document().undo_stack()->undo();
    ASSERT_TRUE(settle());
    EXPECT_FALSE(m_window->verdict()->shows_error());
    EXPECT_FALSE(m_window->results()->is_stale());
    EXPECT_EQ(m_window->problems()->count(), 0);
}

TEST_F(EditTest, RefusedValueChangesNothing)
{
    const std::string before = document_text();
    EXPECT_FALSE(m_window->document().set_field(QStringLiteral("/layout/tp"), QStringLiteral("-3")));
    EXPECT_FALSE(m_window->document().set_field(QStringLiteral("/no/such/field"), QStringLiteral("1")));
    EXPECT_EQ(document_text(), before);
    EXPECT_EQ(m_window->document().undo_stack()->count(), 0);
}

TEST_F(EditTest, FiftyRandomEditsUndoneAndRedoneGiveTheSameBytes)
{
    std::mt19937 random(20260101);
    Document& document = m_window->document();
    std::vector<std::string> states = {document_text()};
    int tries = 0;
    while (document.undo_stack()->count() < 50 && ++tries < 2000) {
        const auto& fields = plan_fields();
        const PlanField& field = fields[random() % fields.size()];
        if (!applies(field, document.plan()))
            continue;
        QString value;
        switch (field.type) {
        case FieldType::text:
            value = field.path == "/price/region" ? QStringLiteral("us-west-2") : QStringLiteral("text %1").arg(random() % 100);
            break;
        case FieldType::whole:
            value = QString::number(static_cast<qint64>(field.minimum) + static_cast<qint64>(random() % 16));
            break;
        case FieldType::number:
            value = QString::number(field.minimum + (std::min(field.maximum, 1e6) - field.minimum) * (static_cast<double>(random() % 1000) / 1000.0), 'g', 17);
            break;
        case FieldType::flag:
            value = random() % 2 ? QStringLiteral("true") : QStringLiteral("false");
            break;
        case FieldType::choice: {
            const auto choices = choices_for(field, document.plan());
            value = to_qt(choices[random() % choices.size()]);
            break;
        }
        case FieldType::model: {
            const auto ids = catalogue().ids(SpecKind::model);
            value = to_qt(ids[random() % ids.size()]);
            break;
        }
        case FieldType::instance: {
            const auto ids = catalogue().ids(SpecKind::instance);
            value = to_qt(ids[random() % ids.size()]);
            break;
        }
        }
        document.end_edit();
        const int before = document.undo_stack()->count();
        if (document.set_field(to_qt(field.path), value) && document.undo_stack()->count() > before)
            states.push_back(document_text());
    }
    ASSERT_EQ(document.undo_stack()->count(), 50);
    for (std::size_t i = 50; i-- > 0;) {
        document.undo_stack()->undo();
        ASSERT_EQ(document_text(), states[i]) << "after undoing to step " << i;
    }
    EXPECT_FALSE(document.is_modified());
    for (std::size_t i = 1; i <= 50; ++i) {
        document.undo_stack()->redo();
        ASSERT_EQ(document_text(), states[i]) << "after redoing step " << i;
    }
    ASSERT_TRUE(settle());
}

TEST_F(EditTest, TypedForthAndBackLeavesNoStep)
{
    Document& document = m_window->document();
    ASSERT_TRUE(document.set_field(QStringLiteral("/layout/tp"), QStringLiteral("4")));
    ASSERT_TRUE(document.set_field(QStringLiteral("/layout/tp"), QStringLiteral("8")));
    EXPECT_EQ(document.undo_stack()->count(), 0);
    EXPECT_FALSE(document.is_modified());
}

TEST_F(EditTest, AdviceIsOneUndoStep)
{
    // Does not fit: advice with edits must exist and, applied, must change the plan; one undo brings the plan back.
    ASSERT_TRUE(m_window->document().set_field(QStringLiteral("/layout/tp"), QStringLiteral("1")));
    m_window->document().end_edit();
    ASSERT_TRUE(settle());
    ASSERT_TRUE(m_window->result()->evaluation);
    if (m_window->result()->evaluation->changes.empty())
        GTEST_SKIP() << "no single change helps this plan";
    const std::string before = document_text();
    emit m_window->verdict()->advice_chosen(0);
    EXPECT_NE(document_text(), before);
    m_window->document().undo_stack()->undo();
    EXPECT_EQ(document_text(), before);
}

TEST_F(EditTest, AnEditIsShownQuickly)
{
    // The interface promises 50 ms; a debug or sanitizer build on a busy machine gets twenty times that.
    QElapsedTimer clock;
    clock.start();
    ASSERT_TRUE(m_window->document().set_field(QStringLiteral("/workload/global_batch"), QStringLiteral("4096")));
    ASSERT_TRUE(settle());
    const qint64 elapsed = clock.elapsed();
    RecordProperty("edit_to_result_ms", static_cast<int>(elapsed));
    EXPECT_LT(elapsed, 1000);
}

TEST(NumberBoxTest, ReadsAndWritesLargeNumbers)
{
    NumberBox box(true, NumberBox::Step::Ladder);
    box.setRange(0, 1e18);
    const auto text_of = [&](double value) { return box.textFromValue(value); };
    EXPECT_EQ(text_of(15.6e12), QStringLiteral("15.6 T"));
    EXPECT_EQ(text_of(16777216), QLocale().toString(16777216.0, 'f', 0)); // 16.7772 M would lose digits
    EXPECT_EQ(box.valueFromText(QStringLiteral("15.6T")), 15.6e12);
    EXPECT_EQ(box.valueFromText(QStringLiteral("15.6e12")), 15.6e12);
    EXPECT_EQ(box.valueFromText(QStringLiteral("4k")), 4000);
    box.setValue(8);
    box.stepUp();
    EXPECT_EQ(box.value(), 16);
    box.stepDown();
    box.stepDown();
    EXPECT_EQ(box.value(), 4);
    for (const double value : {0.0, 1.0, 7.0, 999.0, 4096.0, 123456.0, 1e6, 16777216.0, 15.6e12, 1e18})
        EXPECT_EQ(box.valueFromText(box.textFromValue(value)), value);
}

} // namespace
} // namespace ridgepoint
