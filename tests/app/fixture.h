#pragma once
// A window on the example plan, and waiting for what it computes.

#include <memory>

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include "app/desktop/main_window.h"
#include "views/panels/field_row.h"
#include "views/panels/plan_editor.h"
#include "views/panels/verdict_strip.h"
#include "views/widgets/text.h"

namespace ridgepoint {

inline const SpecStore& catalogue()
{
    static const SpecStore specs = [] {
        Expected<SpecStore> loaded = SpecStore::load_default();
        if (!loaded)
            qFatal("%s", loaded.error().text().c_str());
        return *loaded;
    }();
    return specs;
}

class WindowTest : public testing::Test {
protected:
    void SetUp() override
    {
        m_window = std::make_unique<MainWindow>(catalogue());
        m_window->set_ask_before_losing(false);
        m_window->resize(1280, 800);
        m_window->show();
        ASSERT_TRUE(settle());
    }

    // Until the newest plan's result is on the screen.
    bool settle()
    {
        return QTest::qWaitFor([this] {
            return m_window->result() && m_window->result()->generation == m_window->evaluator().generation() && !m_window->evaluator().is_busy();
        }, 20000);
    }

    QWidget* editor_of(const char* path) { return m_window->plan_editor()->row(QString::fromLatin1(path))->editor(); }
    std::string document_text() { return to_text(m_window->document().plan()); }
    QString path_in(const QTemporaryDir& directory, const char* name) { return directory.filePath(QString::fromLatin1(name)); }

    std::unique_ptr<MainWindow> m_window;
};

} // namespace ridgepoint
