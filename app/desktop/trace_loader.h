#pragma once
// Reads a trace off the GUI thread, with progress and cancel. Starting another file, or cancelling, makes the one being
// read stale: nothing of it is reported any more.

#include <functional>
#include <memory>
#include <stop_token>

#include <QObject>
#include <QString>

#include "views/panels/trace_panel.h"

namespace ridgepoint {

class TraceLoader final : public QObject {
    Q_OBJECT

public:
    using Reader = std::function<Expected<Timeline>(const std::string&, const Progress&)>;

    explicit TraceLoader(Reader reader = read_timeline, QObject* parent = nullptr);
    ~TraceLoader() override;

    void open(const QString& file);
    void cancel();
    [[nodiscard]] bool is_busy() const { return m_busy; }

signals:
    void progress(const QString& file, double fraction);
    void loaded(const ridgepoint::TraceView& view);
    void failed(const QString& file, const ridgepoint::Error& error);
    void cancelled(const QString& file);

private:
    Reader m_reader;
    std::stop_source m_stop;
    QString m_file;
    quint64 m_generation = 0;
    bool m_busy = false;
};

} // namespace ridgepoint
