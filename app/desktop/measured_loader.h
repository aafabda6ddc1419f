#pragma once
// Reads measured files off the GUI thread, one after the other, with progress and cancel. Starting others, or cancelling,
// makes those being read stale: nothing of them is reported any more.

#include <functional>
#include <memory>
#include <stop_token>

#include <QObject>
#include <QStringList>

#include "views/panels/measured_panel.h"

namespace ridgepoint {

class MeasuredLoader final : public QObject {
    Q_OBJECT

public:
    using Reader = std::function<Expected<std::vector<Measured>>(const std::string&, const Progress&)>;

    explicit MeasuredLoader(Reader reader = read_measured, QObject* parent = nullptr);
    ~MeasuredLoader() override;

    void open(const QStringList& files);
    void cancel();
    [[nodiscard]] bool is_busy() const { return m_busy; }

signals:
    void progress(const QString& file, double fraction);
    void loaded(const std::vector<ridgepoint::MeasuredView>& views); // of one file
    void failed(const QString& file, const ridgepoint::Error& error); // the others go on
    void cancelled(const QString& file);

private:
    void read_next();

    Reader m_reader;
    std::stop_source m_stop;
    QStringList m_waiting;
    QString m_file;
    quint64 m_generation = 0;
    bool m_busy = false;
};

} // namespace ridgepoint
