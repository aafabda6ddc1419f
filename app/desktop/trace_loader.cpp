#include "app/desktop/trace_loader.h"

#include <exception>
#include <utility>

#include <QCoreApplication>
#include <QPointer>

#include "app/desktop/background.h"
#include "views/widgets/text.h"

namespace ridgepoint {

TraceLoader::TraceLoader(Reader reader, QObject* parent) : QObject(parent), m_reader(std::move(reader)) {}

TraceLoader::~TraceLoader() { m_stop.request_stop(); }

void TraceLoader::open(const QString& file)
{
    m_stop.request_stop();
    m_stop = std::stop_source();
    m_file = file;
    m_busy = true;
    const quint64 generation = ++m_generation;
    emit progress(file, 0.0);

    Progress watcher;
    watcher.stop = m_stop.get_token();
    watcher.report = [self = QPointer<TraceLoader>(this), generation, file, last = -1.0](double fraction) mutable {
        if (fraction - last < 0.005 && fraction < 1.0) // two hundred messages are enough for a bar
            return;
        last = fraction;
        QMetaObject::invokeMethod(qApp, [self, generation, file, fraction] {
            if (self && self->m_busy && self->m_generation == generation)
                emit self->progress(file, fraction);
        }, Qt::QueuedConnection);
    };

    using Outcome = Expected<TraceView>;
    run_in_background(this, [reader = m_reader, watcher = std::move(watcher), name = to_std(file)]() -> std::shared_ptr<Outcome> {
        try {
            Expected<Timeline> timeline = reader(name, watcher);
            if (!timeline)
                return std::make_shared<Outcome>(timeline.error());
            TraceView view;
            view.timeline = std::make_shared<const Timeline>(*std::move(timeline));
            view.summary = summarize(*view.timeline);
            view.kernels = kernel_totals(*view.timeline);
            return std::make_shared<Outcome>(std::move(view));
        } catch (const std::exception& failure) {
            return std::make_shared<Outcome>(io_error(std::string("Reading was given up: ") + failure.what(), name));
        }
    }, [this, generation, file](const std::shared_ptr<Outcome>& outcome) {
        if (generation != m_generation)
            return;
        m_busy = false;
        if (*outcome)
            emit loaded(**outcome);
        else if (outcome->error().kind == ErrorKind::cancelled)
            emit cancelled(file);
        else
            emit failed(file, outcome->error());
    });
}

void TraceLoader::cancel()
{
    if (!m_busy)
        return;
    m_stop.request_stop();
    ++m_generation;
    m_busy = false;
    emit cancelled(m_file);
}

} // namespace ridgepoint
