// Measured files in the window: several at once, set against the plan, calibration that asks first and is undone.

#include <QComboBox>
#include <QFile>
#include <QPushButton>
#include <QTableView>
#include <QUndoStack>

#include "app/desktop/result_area.h"
#include "tests/app/fixture.h"
#include "views/panels/measured_panel.h"
#include "views/panels/problems_panel.h"

namespace ridgepoint {
namespace {

class MeasuredWindowTest : public WindowTest {
protected:
    // A log whose steps take a quarter more than the plan says.
    QString slow_log(const QTemporaryDir& directory)
    {
        const double ms = m_window->result()->evaluation->estimate.time.total().value() * 1.25e3;
        QByteArray text;
        for (int i = 1; i <= 12; ++i)
            text += QByteArray(" iteration ") + QByteArray::number(i) + "/ 100 | consumed samples: 10 | elapsed time per iteration (ms): " + QByteArray::number(ms, 'f', 1)
                + " | learning rate: 1.0E-04 | global batch size: 2048 |\n";
        return written(directory, "train.log", text);
    }
    QString written(const QTemporaryDir& directory, const char* name, const QByteArray& text)
    {
        QFile out(path_in(directory, name));
        EXPECT_TRUE(out.open(QIODevice::WriteOnly));
        EXPECT_EQ(out.write(text), text.size());
        return out.fileName();
    }
    MeasuredPanel* panel() { return m_window->findChild<MeasuredPanel*>(); }
    bool open(const QStringList& files)
    {
        m_window->open_measured(files);
        return QTest::qWaitFor([this] { return !m_window->measured_loader().is_busy(); }, 20000);
    }
    QPushButton* button(const QString& text)
    {
        for (QPushButton* b : panel()->findChildren<QPushButton*>())
            if (b->text() == text)
                return b;
        return nullptr;
    }
};

} // namespace

TEST_F(MeasuredWindowTest, AFolderIsOpenedFileByFile)
{
    const QTemporaryDir directory;
    slow_log(directory);
    written(directory, "other.json", R"({"traceEvents":[{"ph":"X","cat":"kernel","name":"sm90_xmma_gemm_bf16","pid":0,"tid":7,"ts":10,"dur":400}]})");
    ASSERT_TRUE(open({directory.path()}));
    auto* files = panel()->findChild<QComboBox*>();
    ASSERT_EQ(files->count(), 2);
    EXPECT_TRUE(files->itemText(0).startsWith(QStringLiteral("other.json"))) << files->itemText(0).toStdString();
    EXPECT_TRUE(files->itemText(1).startsWith(QStringLiteral("train.log")));
    m_window->close_measured();
    EXPECT_EQ(files->count(), 1);
    m_window->close_measured();
    EXPECT_EQ(files->count(), 0);
}

TEST_F(MeasuredWindowTest, CalibrationAsksBeforeItIsUsedAndIsUndone)
{
    const QTemporaryDir directory;
    ASSERT_TRUE(open({slow_log(directory)}));
    const Plan before = m_window->document().plan();
    const double predicted = m_window->result()->evaluation->estimate.time.total().value();
    QPushButton* accept = button(QStringLiteral("Use these factors in the plan"));
    ASSERT_NE(accept, nullptr);
    EXPECT_FALSE(accept->isEnabled());
    QTest::mouseClick(button(QStringLiteral("Calibrate")), Qt::LeftButton);
    ASSERT_TRUE(QTest::qWaitFor([&] { return accept->isEnabled(); }, 20000));
    EXPECT_TRUE(m_window->document().plan() == before) << "nothing changes before the user says so";
    accept->click();
    ASSERT_TRUE(settle());
    EXPECT_GT(m_window->result()->evaluation->estimate.time.total().value(), 1.1 * predicted);
    EXPECT_EQ(m_window->document().plan().measured.gpu, "h200");
    m_window->document().undo_stack()->undo();
    ASSERT_TRUE(settle());
    EXPECT_TRUE(m_window->document().plan() == before);
    EXPECT_DOUBLE_EQ(m_window->result()->evaluation->estimate.time.total().value(), predicted);
}

TEST_F(MeasuredWindowTest, WhatIsNoMeasurementIsAProblemAndTheOthersStay)
{
    const QTemporaryDir directory;
    ASSERT_TRUE(open({slow_log(directory), written(directory, "picture.png", QByteArray("\x89PNG\r\n\x1a\n and more bytes of a picture", 40))}));
    EXPECT_EQ(panel()->findChild<QComboBox*>()->count(), 1);
    EXPECT_GT(m_window->problems()->count(), 0);
}

} // namespace ridgepoint
