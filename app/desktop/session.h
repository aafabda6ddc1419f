#pragma once
// Unsaved work survives a crash: each window writes its modified plan into a recovery folder and removes it when the
// plan is saved or given up. Files whose process has gone are offered at the next start.

#include <memory>
#include <vector>

#include <QDateTime>
#include <QLockFile>
#include <QObject>
#include <QTimer>

#include "app/desktop/document.h"

namespace ridgepoint {

struct Recovered {
    Plan plan;
    QString file; // where it had been saved; empty: nowhere
    QDateTime written;
    QString recovery_file;
};

class Session final : public QObject {
    Q_OBJECT

public:
    explicit Session(Document* document, QObject* parent = nullptr);
    ~Session() override; // an orderly end leaves nothing behind

    void write_now();
    void forget(); // saved, or the user chose to lose it
    [[nodiscard]] QString recovery_file() const { return m_path; }

    static QString folder();
    static std::vector<Recovered> find_lost(); // of processes that are gone, newest first
    static void discard(const Recovered& lost);

private:
    Document* m_document;
    QString m_path;
    std::unique_ptr<QLockFile> m_lock;
    QTimer m_timer;
};

} // namespace ridgepoint
