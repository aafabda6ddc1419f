// Files: saving, opening, dropping, importing, recovering, and what bad ones say.

#include <gtest/gtest.h>

#include <QDropEvent>
#include <QFile>
#include <QMimeData>
#include <QUndoStack>

#include "app/desktop/file_kind.h"
#include "app/desktop/recent_files.h"
#include "app/desktop/session.h"
#include "tests/app/fixture.h"
#include "views/panels/problems_panel.h"
#include "views/panels/trace_panel.h"

namespace ridgepoint {
namespace {

using DocumentTest = WindowTest;

void write(const QString& file, const QByteArray& text)
{
    QFile out(file);
    ASSERT_TRUE(out.open(QIODevice::WriteOnly));
    ASSERT_EQ(out.write(text), text.size());
}

void drop(MainWindow& window, const QString& file)
{
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(file)});
    QDragEnterEvent enter(QPoint(100, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &enter);
    EXPECT_TRUE(enter.isAccepted());
    QDropEvent event(QPointF(100, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &event);
}

const QByteArray small_trace = R"({"deviceProperties":[{"id":0,"name":"NVIDIA H100 80GB HBM3"}],"distributedInfo":{"rank":0,"world_size":8},
"traceEvents":[
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":1,"ts":0,"dur":1000},
{"ph":"X","cat":"kernel","name":"sm90_xmma_gemm_bf16bf16_bf16f32","pid":0,"tid":7,"ts":10,"dur":400,"args":{"device":0,"stream":7}},
{"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce_Sum_bf16_RING_LL","pid":0,"tid":20,"ts":300,"dur":300,"args":{"device":0,"stream":20}},
{"ph":"X","cat":"kernel","name":"void at::native::vectorized_elementwise_kernel","pid":0,"tid":7,"ts":700,"dur":100,"args":{"device":0,"stream":7}}
]})";

TEST_F(DocumentTest, SavedAndOpenedIsTheSame)
{
    const QTemporaryDir directory;
    ASSERT_TRUE(m_window->document().set_field(QStringLiteral("/layout/pp"), QStringLiteral("8")));
    ASSERT_TRUE(m_window->document().set_field(QStringLiteral("/name"), QStringLiteral("Zwölf Stufen „größer“")));
    ASSERT_TRUE(settle());
    const QString before = m_window->verdict()->headline();
    const QString file = path_in(directory, "plan.ridgepoint");
    ASSERT_TRUE(m_window->save_as(file));
    EXPECT_FALSE(m_window->isWindowModified());
    EXPECT_TRUE(m_window->windowTitle().contains(QStringLiteral("plan.ridgepoint")));
    EXPECT_EQ(RecentFiles::list().value(0), file);

    MainWindow other(catalogue());
    ASSERT_TRUE(other.open_file(file));
    ASSERT_TRUE(QTest::qWaitFor([&] { return other.result() && other.result()->generation == other.evaluator().generation(); }, 20000));
    EXPECT_EQ(to_json(other.document().plan()), to_json(m_window->document().plan()));
    EXPECT_EQ(other.verdict()->headline(), before);
    EXPECT_FALSE(other.isWindowModified());

    // Editing after the save marks the window, undoing back to the save unmarks it.
    ASSERT_TRUE(other.document().set_field(QStringLiteral("/layout/pp"), QStringLiteral("4")));
    EXPECT_TRUE(other.isWindowModified());
    other.document().undo_stack()->undo();
    EXPECT_FALSE(other.isWindowModified());
}

TEST_F(DocumentTest, BadPlanFileIsReportedWithItsPlaceAndChangesNothing)
{
    const QTemporaryDir directory;
    const QString file = path_in(directory, "broken.ridgepoint");
    write(file, "{\n  \"ridgepoint\": 1,\n  \"layout\": {\n    \"tp\": \"eight\"\n  }\n}\n");
    const std::string before = document_text();
    EXPECT_FALSE(m_window->open_file(file));
    EXPECT_EQ(document_text(), before);
    ASSERT_EQ(m_window->problems()->count(), 1);
    const QString text = m_window->problems()->text_of(0);
    EXPECT_TRUE(text.contains(QStringLiteral("broken.ridgepoint:4"))) << text.toStdString();
    EXPECT_TRUE(text.contains(QStringLiteral("/layout/tp"))) << text.toStdString();
}

TEST_F(DocumentTest, FilesThatAreNoneOfOursSaySo)
{
    const QTemporaryDir directory;
    for (const auto& [name, content] : {std::pair<const char*, QByteArray>{"empty.json", ""}, {"text.txt", "hello"}, {"null.ridgepoint", QByteArray(100, '\0')},
             {"cut.ridgepoint", "{\"ridgepoint\": 1, \"layout\": {"}, {"array.ridgepoint", "[]"}}) {
        const QString file = path_in(directory, name);
        write(file, content);
        const int before = m_window->problems()->count();
        EXPECT_FALSE(m_window->open_file(file)) << name;
        EXPECT_EQ(m_window->problems()->count(), before + 1) << name;
        EXPECT_FALSE(m_window->problems()->text_of(0).isEmpty());
    }
    EXPECT_FALSE(m_window->open_file(path_in(directory, "absent.ridgepoint")));
    EXPECT_TRUE(m_window->document().plan() == example_plan());
}

TEST_F(DocumentTest, KindIsToldByContent)
{
    const QTemporaryDir directory;
    const auto kind = [&](const char* name, const QByteArray& text) {
        write(path_in(directory, name), text);
        return kind_of_file(path_in(directory, name));
    };
    EXPECT_EQ(kind("a.json", small_trace), FileKind::Trace);
    EXPECT_EQ(kind("b.json", "{\"ridgepoint\": 1}"), FileKind::Plan);
    EXPECT_EQ(kind("c.json", R"({"architectures": ["LlamaForCausalLM"], "hidden_size": 4096})"), FileKind::ModelConfig);
    EXPECT_EQ(kind("d.ridgepoint", "nonsense"), FileKind::Plan);
    EXPECT_EQ(kind("e.json", "{}"), FileKind::Unknown);
}

TEST_F(DocumentTest, DroppedTraceIsReadAndSummarised)
{
    const QTemporaryDir directory;
    const QString file = path_in(directory, "trace.json");
    write(file, small_trace);
    QSignalSpy loaded(&m_window->measured_loader(), &MeasuredLoader::loaded);
    drop(*m_window, file);
    ASSERT_TRUE(loaded.count() > 0 || loaded.wait(20000)) << m_window->problems()->text_of(0).toStdString();
    auto* panel = m_window->findChild<TracePanel*>();
    ASSERT_TRUE(panel->has_trace());
    EXPECT_TRUE(panel->summary_text().contains(QStringLiteral("H100"))) << panel->summary_text().toStdString();
    EXPECT_TRUE(m_window->results()->is_page_visible(Page::Trace));
    ASSERT_TRUE(QTest::qWaitFor([&] { return !m_window->trace_comparer().is_busy(); }, 20000));
}

TEST_F(DocumentTest, DroppedPlanIsOpened)
{
    const QTemporaryDir directory;
    const QString file = path_in(directory, "dropped.ridgepoint");
    Plan plan = example_plan();
    plan.name = "Dropped";
    ASSERT_TRUE(save_plan(plan, file.toStdString()));
    drop(*m_window, file);
    EXPECT_EQ(m_window->document().plan().name, "Dropped");
}

TEST_F(DocumentTest, DroppedConfigBecomesTheModelAndIsUndone)
{
    const QTemporaryDir directory;
    const QString file = path_in(directory, "config.json");
    // Llama 2 7B's public architecture under a name that the catalogue does not have.
    write(file, R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "_name_or_path": "dropped-model", "hidden_size": 4096,
        "intermediate_size": 11008, "num_attention_heads": 32, "num_key_value_heads": 32, "num_hidden_layers": 32, "vocab_size": 32000,
        "tie_word_embeddings": false, "hidden_act": "silu", "max_position_embeddings": 4096, "rms_norm_eps": 1e-5})");
    // A layout that 32 layers can fill.
    ASSERT_TRUE(m_window->document().set_field(QStringLiteral("/layout/vpp"), QStringLiteral("1")));
    ASSERT_TRUE(m_window->document().set_field(QStringLiteral("/layout/pp"), QStringLiteral("1")));
    const std::string before = m_window->document().plan().model;
    drop(*m_window, file);
    ASSERT_EQ(m_window->problems()->count(), 0) << m_window->problems()->text_of(0).toStdString();
    EXPECT_NE(m_window->document().plan().model, before);
    EXPECT_TRUE(m_window->document().specs().contains(SpecKind::model, m_window->document().plan().model));
    m_window->document().undo_stack()->undo();
    EXPECT_EQ(m_window->document().plan().model, before);
}

TEST_F(DocumentTest, UnsavedWorkOfALostProcessIsFound)
{
    ASSERT_TRUE(m_window->document().set_field(QStringLiteral("/name"), QStringLiteral("Nearly lost")));
    Session* session = nullptr;
    Document other(catalogue());
    {
        session = new Session(&other);
        ASSERT_TRUE(other.set_field(QStringLiteral("/name"), QStringLiteral("Nearly lost")));
        session->write_now();
    }
    const QString file = session->recovery_file();
    ASSERT_TRUE(QFile::exists(file));
    const auto is_found = [&] {
        const auto lost = Session::find_lost();
        return std::any_of(lost.begin(), lost.end(), [&](const Recovered& r) { return r.recovery_file == file && r.plan.name == "Nearly lost"; });
    };
    EXPECT_FALSE(is_found()); // its process lives: this one
    // A crash leaves the file and a lock of a process that is gone.
    const QString copy = Session::folder() + QStringLiteral("/crashed.json");
    QFile::remove(copy);
    ASSERT_TRUE(QFile::copy(file, copy));
    const auto lost = Session::find_lost();
    ASSERT_TRUE(std::any_of(lost.begin(), lost.end(), [&](const Recovered& r) { return r.recovery_file == copy && r.plan.name == "Nearly lost"; }));
    for (const Recovered& r : lost)
        if (r.recovery_file == copy)
            Session::discard(r);
    EXPECT_FALSE(QFile::exists(copy));
    delete session;
    EXPECT_FALSE(QFile::exists(file)); // an orderly end leaves nothing
}

TEST_F(DocumentTest, RestoredPlanIsModifiedUntilSaved)
{
    Plan plan = example_plan();
    plan.name = "Back again";
    m_window->document().restore(plan, {});
    EXPECT_TRUE(m_window->isWindowModified());
    const QTemporaryDir directory;
    ASSERT_TRUE(m_window->save_as(path_in(directory, "back.ridgepoint")));
    EXPECT_FALSE(m_window->isWindowModified());
}

} // namespace
} // namespace ridgepoint
