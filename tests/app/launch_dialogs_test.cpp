// Launch files, watch files and launch arguments in the window: what the command line writes and says, saved as it is shown.

#include <QAction>
#include <QComboBox>
#include <QFile>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTimer>

#include "app/desktop/launch_dialog.h"
#include "app/desktop/launch_import_dialog.h"
#include "app/desktop/watch_dialog.h"
#include "tests/app/fixture.h"
#include "views/widgets/cell_table.h"
#include "views/widgets/choice_box.h"

namespace ridgepoint {
namespace {

Plan example(const char* name)
{
    Expected<Plan> plan = load_plan(std::string(RIDGEPOINT_SOURCE_DIR "/specs/examples/") + name + ".ridgepoint");
    EXPECT_TRUE(plan);
    return plan ? *plan : Plan{};
}

QString content_of(const QString& file)
{
    QFile in(file);
    return in.open(QIODevice::ReadOnly) ? QString::fromUtf8(in.readAll()) : QString();
}

void choose(QComboBox* box, int data) { box->setCurrentIndex(box->findData(data)); }

TEST(LaunchDialogTest, ShowsAndSavesWhatTheEngineWrites)
{
    const Plan plan = example("llama-3.1-405b-pretrain-p5en");
    LaunchDialog dialog(plan, catalogue(), {});
    EXPECT_EQ(dialog.framework()->count(), 5) << "those that train";
    EXPECT_EQ(dialog.framework()->currentData().toInt(), static_cast<int>(launch_frameworks(plan).front()));
    const QTemporaryDir folder;
    for (int f = 0; f < dialog.framework()->count(); ++f)
        for (int k = 0; k < dialog.form()->count(); ++k) {
            dialog.framework()->setCurrentIndex(f);
            dialog.form()->setCurrentIndex(k);
            const Expected<Launch> launch = launch_plan(plan, nullptr, catalogue(), static_cast<LaunchFramework>(dialog.framework()->currentData().toInt()), {static_cast<LaunchForm>(dialog.form()->currentData().toInt()), {}});
            if (!launch) { // a form that the framework does not have
                EXPECT_TRUE(dialog.preview().isEmpty());
                EXPECT_EQ(dialog.remarks(), to_qt(launch.error().text()));
                EXPECT_FALSE(dialog.save_button()->isEnabled());
                continue;
            }
            EXPECT_EQ(dialog.preview(), to_qt(launch->text));
            for (const NotExpressed& n : launch->not_expressed)
                EXPECT_TRUE(dialog.remarks().contains(to_qt(n.what))) << n.field;
            for (const std::string& p : launch->placeholders)
                EXPECT_TRUE(dialog.remarks().contains(to_qt(p))) << p;
            const QString file = folder.filePath(QStringLiteral("launch"));
            EXPECT_TRUE(dialog.save_as(file));
            EXPECT_EQ(content_of(file), to_qt(launch->text));
        }
    EXPECT_FALSE(dialog.save_as(folder.filePath(QStringLiteral("none/launch"))));
    EXPECT_TRUE(dialog.remarks().contains(QStringLiteral("cannot be written")));
}

TEST(LaunchDialogTest, WhatTheFrameworkLacksIsNamed)
{
    Plan plan = example("llama-3.1-405b-pretrain-p5en");
    plan.layout.sharding = DataSharding::zero3; // with a pipeline: Megatron-LM has no such thing
    LaunchDialog dialog(plan, catalogue(), {});
    choose(dialog.framework(), static_cast<int>(LaunchFramework::megatron_lm));
    EXPECT_TRUE(dialog.remarks().contains(QStringLiteral("cannot express"))) << dialog.remarks().toStdString();
    EXPECT_TRUE(dialog.remarks().contains(QStringLiteral("/layout/sharding"))) << dialog.remarks().toStdString();
}

TEST(LaunchDialogTest, ADecodePlanMakesAPair)
{
    LaunchDialog dialog(example("llama-3.1-8b-serving-p5.4xlarge"), catalogue(), {});
    EXPECT_EQ(dialog.framework()->count(), 3) << "those that serve";
    choose(dialog.form(), static_cast<int>(LaunchForm::jobset)); // a Slurm job holds one pool
    const QString alone = dialog.preview();
    EXPECT_FALSE(alone.isEmpty()) << dialog.remarks().toStdString();
    dialog.decode_file()->setText(QStringLiteral("/nowhere/decode.ridgepoint"));
    EXPECT_TRUE(dialog.preview().isEmpty());
    EXPECT_TRUE(dialog.remarks().contains(QStringLiteral("/nowhere/decode.ridgepoint"))) << dialog.remarks().toStdString();
    dialog.decode_file()->setText(QStringLiteral(RIDGEPOINT_SOURCE_DIR "/specs/examples/llama-3.1-8b-serving-p5.4xlarge.ridgepoint"));
    EXPECT_FALSE(dialog.preview().isEmpty()) << dialog.remarks().toStdString();
    EXPECT_NE(dialog.preview(), alone);
    dialog.decode_file()->clear();
    EXPECT_EQ(dialog.preview(), alone);
}

TEST(WatchDialogTest, SavesTheEnginesDashboardAndRules)
{
    const Plan plan = example("llama-3.1-405b-pretrain-p5en");
    const Expected<Evaluation> v = evaluate_only(plan, catalogue());
    ASSERT_TRUE(v);
    WatchDialog dialog(plan, *v, {});
    EXPECT_EQ(dialog.table()->model()->rowCount(), static_cast<int>(watched(*v, {})->size()));
    dialog.labels()->setText(QStringLiteral("cluster=train-7, team = a"));
    WatchRequest request;
    request.labels = {{"cluster", "train-7"}, {"team", "a"}};
    const QTemporaryDir folder;
    const QString rules = folder.filePath(QStringLiteral("rules.yml")), dashboard = folder.filePath(QStringLiteral("dashboard.json"));
    EXPECT_TRUE(dialog.save_rules(rules));
    EXPECT_TRUE(dialog.save_dashboard(dashboard));
    EXPECT_EQ(content_of(rules), to_qt(*prometheus_rules(plan, *v, request)));
    EXPECT_EQ(content_of(dashboard), to_qt(*grafana_dashboard(plan, *v, request)));
    dialog.labels()->setText(QStringLiteral("train-7"));
    EXPECT_FALSE(dialog.dashboard_button()->isEnabled());
    EXPECT_TRUE(dialog.message().contains(QStringLiteral("cluster=train-7"))) << dialog.message().toStdString();
    EXPECT_FALSE(dialog.save_rules(rules));
}

TEST(LaunchImportDialogTest, ReadsATextOrSaysWhatIsWrong)
{
    LaunchImportDialog dialog(catalogue(), QStringLiteral("p5en.48xlarge"), {});
    EXPECT_FALSE(dialog.take_button()->isEnabled());
    const char* text = "vllm serve meta-llama/Meta-Llama-3.1-8B --tensor-parallel-size 2";
    dialog.text()->setPlainText(QString::fromLatin1(text));
    ASSERT_TRUE(dialog.read()) << dialog.message().toStdString();
    EXPECT_EQ(dialog.read()->plan.layout.tp, 2);
    EXPECT_EQ(dialog.read()->plan.instance, "p5en.48xlarge");
    dialog.instance()->set_value(QStringLiteral("p4d.24xlarge"));
    emit dialog.instance()->currentIndexChanged(0);
    EXPECT_EQ(dialog.read()->plan.instance, "p4d.24xlarge");
    dialog.text()->setPlainText(QStringLiteral("vllm serve meta-llama/Meta-Llama-3.1-8B --tensor-parallel-size $(nproc)"));
    EXPECT_FALSE(dialog.read());
    EXPECT_FALSE(dialog.take_button()->isEnabled());
    ReadRequest request;
    request.instance = "p4d.24xlarge";
    const Expected<ReadPlan> read = read_launch_text(to_std(dialog.text()->toPlainText()), "text", catalogue(), request);
    ASSERT_FALSE(read);
    EXPECT_EQ(dialog.message(), to_qt(read.error().text())) << "as the command line says it";
    EXPECT_FALSE(dialog.open(QStringLiteral("/nowhere/train.sbatch")));
    EXPECT_TRUE(dialog.message().contains(QStringLiteral("/nowhere/train.sbatch"))) << dialog.message().toStdString();
}

class LaunchMenuTest : public WindowTest { };

TEST_F(LaunchMenuTest, ActionsOpenTheDialogsAndAnImportIsANewPlan)
{
    const auto trigger = [&](const QString& text) {
        for (QAction* action : m_window->all_actions())
            if (action->text().remove(u'&') == text)
                return action->trigger();
        FAIL() << text.toStdString();
    };
    int seen = 0;
    const auto with_dialog = [&](auto&& act) {
        QTimer::singleShot(0, m_window.get(), [&, act] {
            if (auto* dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget())) {
                ++seen;
                act(dialog);
            }
        });
    };
    with_dialog([](QDialog* d) {
        EXPECT_NE(qobject_cast<LaunchDialog*>(d), nullptr);
        d->reject();
    });
    trigger(QStringLiteral("Launch Files…"));
    with_dialog([](QDialog* d) {
        EXPECT_NE(qobject_cast<WatchDialog*>(d), nullptr);
        d->reject();
    });
    trigger(QStringLiteral("Watch the Run…"));
    with_dialog([](QDialog* d) {
        auto* import = qobject_cast<LaunchImportDialog*>(d);
        ASSERT_NE(import, nullptr);
        import->text()->setPlainText(QStringLiteral("vllm serve meta-llama/Meta-Llama-3.1-8B --tensor-parallel-size 2"));
        QTest::mouseClick(import->take_button(), Qt::LeftButton);
    });
    trigger(QStringLiteral("Import Launch Arguments…"));
    EXPECT_EQ(seen, 3);
    EXPECT_TRUE(std::holds_alternative<Serving>(m_window->document().plan().workload));
    EXPECT_EQ(m_window->document().plan().layout.tp, 2);
    EXPECT_TRUE(m_window->document().file().isEmpty());
    ASSERT_TRUE(settle());
}

} // namespace
} // namespace ridgepoint
