// Tables of no known tool in the window: asked once what their columns mean, read with that from then on.

#include <functional>

#include <QAccessible>
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QTableView>
#include <QTableWidget>
#include <QTimer>

#include "app/desktop/appearance.h"
#include "app/desktop/mapping_memory.h"
#include "tests/app/fixture.h"
#include "views/items/preview_model.h"
#include "views/panels/mapping_dialog.h"
#include "views/panels/measured_panel.h"
#include "views/panels/problems_panel.h"

namespace ridgepoint {
namespace {

const QByteArray table = "Nummer,Iteration Time (ms),colour\n1,250,red\n2,oops,blue\n3,260,\n";

class MappingWindowTest : public WindowTest {
protected:
    // A folder of its own: tests run side by side.
    void SetUp() override
    {
        QCoreApplication::setApplicationName(QStringLiteral("%1-test-%2").arg(m_name).arg(QCoreApplication::applicationPid()));
        QDir(MappingMemory::folder()).removeRecursively();
        WindowTest::SetUp();
    }
    void TearDown() override
    {
        QDir(QFileInfo(MappingMemory::folder()).path()).removeRecursively();
        QCoreApplication::setApplicationName(m_name);
    }
    const QString m_name = QCoreApplication::applicationName();
    void open(const QTemporaryDir& directory, const char* name, const QByteArray& text)
    {
        QFile out(path_in(directory, name));
        ASSERT_TRUE(out.open(QIODevice::WriteOnly));
        out.write(text);
        out.close();
        m_window->open_measured({out.fileName()});
        ASSERT_TRUE(QTest::qWaitFor([this] { return !m_window->measured_loader().is_busy(); }, 20000));
    }
    MeasuredPanel* panel() { return m_window->findChild<MeasuredPanel*>(); }
    QPushButton* map_button()
    {
        for (QPushButton* b : panel()->findChildren<QPushButton*>())
            if (b->text().contains(QStringLiteral("olumns…")) || b->text().contains(QStringLiteral("mapping…")))
                return b;
        return nullptr;
    }
    QString format_shown() { return panel()->findChild<QComboBox*>()->currentText(); }
    // Clicks the button and does this in the dialog, which must then be closed.
    void in_dialog(const std::function<void(MappingDialog*)>& act)
    {
        bool seen = false;
        QTimer::singleShot(0, m_window.get(), [&] {
            auto* dialog = qobject_cast<MappingDialog*>(QApplication::activeModalWidget());
            ASSERT_NE(dialog, nullptr);
            seen = true;
            act(dialog);
        });
        QTest::mouseClick(map_button(), Qt::LeftButton);
        EXPECT_TRUE(seen);
    }
    static QComboBox* box(MappingDialog* dialog, const char* name)
    {
        for (QComboBox* b : dialog->findChildren<QComboBox*>())
            if (b->accessibleName() == QString::fromLatin1(name))
                return b;
        return nullptr;
    }
    static void press(MappingDialog* dialog, QDialogButtonBox::StandardButton which)
    {
        QPushButton* button = dialog->findChild<QDialogButtonBox*>()->button(which);
        EXPECT_TRUE(button->isEnabled());
        button->click();
        if (dialog->isVisible()) // never wait for a dialog that did not close
            dialog->reject();
    }
};

} // namespace

TEST_F(MappingWindowTest, ATableIsAskedForAndReadAsWhatItMeasures)
{
    const QTemporaryDir directory;
    open(directory, "runs.csv", table);
    ASSERT_NE(map_button(), nullptr);
    EXPECT_TRUE(map_button()->isVisible());
    EXPECT_TRUE(format_shown().endsWith(QStringLiteral("table")));
    in_dialog([](MappingDialog* dialog) {
        QComboBox* time = box(dialog, "Meaning of Iteration Time (ms)");
        ASSERT_NE(time, nullptr);
        EXPECT_EQ(time->currentText(), QStringLiteral("step time")) << "guessed by its name";
        EXPECT_EQ(box(dialog, "Unit of Iteration Time (ms)")->currentText(), QStringLiteral("ms"));
        EXPECT_EQ(box(dialog, "Meaning of Nummer")->currentIndex(), 0);
        // The cell that is no number is named by row and column, and marked in the rows.
        auto* problems = dialog->findChild<QListWidget*>();
        ASSERT_EQ(problems->count(), 1);
        EXPECT_TRUE(problems->item(0)->text().contains(QStringLiteral("Row 2"))) << problems->item(0)->text().toStdString();
        EXPECT_TRUE(problems->item(0)->text().contains(QStringLiteral("Iteration Time (ms)")));
        auto* rows = dialog->findChild<PreviewModel*>();
        EXPECT_TRUE(rows->index(1, 1).data(Qt::ToolTipRole).toString().contains(QStringLiteral("no number")));
        EXPECT_FALSE(rows->index(0, 1).data(Qt::ToolTipRole).isValid());
        // Without what was measured there is nothing to use.
        time->setCurrentIndex(0);
        EXPECT_FALSE(dialog->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok)->isEnabled());
        time->setCurrentText(QStringLiteral("step time"));
        box(dialog, "Unit of Iteration Time (ms)")->setCurrentText(QStringLiteral("ms"));
        box(dialog, "Meaning of Nummer")->setCurrentText(QStringLiteral("step"));
        press(dialog, QDialogButtonBox::Ok);
    });
    ASSERT_TRUE(QTest::qWaitFor([this] { return format_shown().contains(QStringLiteral("column mapping")); }, 20000)) << format_shown().toStdString();
    EXPECT_EQ(m_window->problems()->count(), 0);
    EXPECT_TRUE(map_button()->text().startsWith(QStringLiteral("Change")));

    // The next file with these columns needs no question; one with others does.
    open(directory, "more.csv", "Nummer,Iteration Time (ms),colour\n7,300,red\n8,310,red\n");
    EXPECT_TRUE(format_shown().startsWith(QStringLiteral("more.csv"))) << format_shown().toStdString();
    EXPECT_TRUE(format_shown().contains(QStringLiteral("column mapping")));
    open(directory, "other.csv", "Nummer,Iteration Time (s),colour\n7,300,red\n8,310,red\n");
    EXPECT_TRUE(format_shown().endsWith(QStringLiteral("table"))) << format_shown().toStdString();
}

TEST_F(MappingWindowTest, AMappingIsChangedForgottenAndGivenUp)
{
    const QTemporaryDir directory;
    open(directory, "runs.csv", table);
    in_dialog([](MappingDialog* dialog) { press(dialog, QDialogButtonBox::Cancel); });
    EXPECT_TRUE(format_shown().endsWith(QStringLiteral("table")));
    in_dialog([](MappingDialog* dialog) { press(dialog, QDialogButtonBox::Ok); });
    ASSERT_TRUE(QTest::qWaitFor([this] { return format_shown().contains(QStringLiteral("column mapping")); }, 20000));
    // Changed: the dialog begins with what was said, over the table as it was read.
    in_dialog([](MappingDialog* dialog) {
        EXPECT_EQ(box(dialog, "Meaning of Iteration Time (ms)")->currentText(), QStringLiteral("step time"));
        box(dialog, "Unit of Iteration Time (ms)")->setCurrentText(QStringLiteral("s"));
        dialog->findChild<QCheckBox*>()->setChecked(false);
        press(dialog, QDialogButtonBox::Ok);
    });
    QTest::qWait(100);
    EXPECT_FALSE(MappingMemory::find({"Nummer", "Iteration Time (ms)", "colour"}));
    open(directory, "more.csv", table);
    EXPECT_TRUE(format_shown().endsWith(QStringLiteral("table")));
}

TEST_F(MappingWindowTest, WhatTheTableHoldsChoosesTheMeanings)
{
    const QTemporaryDir directory;
    open(directory, "sweep.csv", "size (MiB),latency (us),what\n1,20,a\n2,30,b\n");
    in_dialog([](MappingDialog* dialog) {
        QComboBox* holds = box(dialog, "What the table holds");
        EXPECT_TRUE(holds->currentText().startsWith(QStringLiteral("Collective"))) << holds->currentText().toStdString();
        EXPECT_EQ(box(dialog, "Meaning of size (MiB)")->currentText(), QStringLiteral("size"));
        holds->setCurrentIndex(holds->findText(QStringLiteral("Serving"), Qt::MatchStartsWith));
        EXPECT_GE(box(dialog, "Meaning of what")->findText(QStringLiteral("TPOT mean")), 0);
        EXPECT_EQ(box(dialog, "Meaning of what")->findText(QStringLiteral("bus bandwidth")), -1);
        dialog->set_mapping({MappingTarget::collective_benchmark, {{"size (MiB)", "size", "MiB"}, {"absent", "time", "us"}, {"latency (us)", "time", "us"}}});
        EXPECT_EQ(dialog->mapping().columns.size(), 2U) << "a column that is not there is left out";
        press(dialog, QDialogButtonBox::Ok);
    });
    EXPECT_TRUE(QTest::qWaitFor([this] { return format_shown().contains(QStringLiteral("column mapping")); }, 20000));
}

// Pictures to look at, of the dialog and of the page that offers it.
TEST_F(MappingWindowTest, IsDrawn)
{
    const QTemporaryDir directory;
    QByteArray wide = "Lauf,Nummer,Iteration Time (ms),Verlust,Speicher (GiB),Datum,Bemerkung\n";
    for (int i = 1; i <= 40; ++i)
        wide += QByteArray("a7,") + QByteArray::number(i * 10) + ',' + (i % 9 == 4 ? QByteArray("n/v") : QByteArray::number(2400 + i)) + ',' + QByteArray::number(3.2 - 0.01 * i) + ",61.2,2025-05-27,warm\n";
    open(directory, "throughput-of-last-week.csv", wide);
    const QString folder = QString::fromLocal8Bit(qgetenv("RIDGEPOINT_PICTURES"));
    if (!folder.isEmpty())
        m_window->grab().save(folder + QStringLiteral("/mapping-page.png"));
    in_dialog([&](MappingDialog* dialog) {
        QCoreApplication::processEvents();
        if (!folder.isEmpty())
            dialog->grab().save(folder + QStringLiteral("/mapping-dialog.png"));
        apply_appearance(Appearance::Dark);
        QCoreApplication::processEvents();
        if (!folder.isEmpty())
            dialog->grab().save(folder + QStringLiteral("/mapping-dialog-dark.png"));
        apply_appearance(Appearance::Light);
        for (QWidget* w : dialog->findChildren<QWidget*>()) {
            if (!w->isVisible() || !(w->focusPolicy() & Qt::TabFocus))
                continue;
            if (QAccessibleInterface* face = QAccessible::queryAccessibleInterface(w)) {
                EXPECT_FALSE(face->text(QAccessible::Name).trimmed().isEmpty()) << w->metaObject()->className();
            }
        }
        EXPECT_LE(dialog->minimumSizeHint().width(), 1280);
        EXPECT_LE(dialog->minimumSizeHint().height(), 740);
        press(dialog, QDialogButtonBox::Cancel);
    });
}

} // namespace ridgepoint
