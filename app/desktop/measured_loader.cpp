#include "app/desktop/measured_loader.h"

#include <exception>
#include <utility>

#include <QCoreApplication>
#include <QPointer>

#include "app/desktop/background.h"
#include "app/desktop/mapping_memory.h"
#include "views/widgets/text.h"

namespace ridgepoint {

MeasuredLoader::MeasuredLoader(Reader reader, QObject* parent) : QObject(parent), m_reader(std::move(reader)) {}

MeasuredLoader::~MeasuredLoader() { m_stop.request_stop(); }

void MeasuredLoader::open(const QStringList& files)
{
    m_stop.request_stop();
    m_stop = std::stop_source();
    m_waiting = files;
    ++m_generation;
    m_busy = !files.isEmpty();
    if (m_busy)
        read_next();
}

void MeasuredLoader::read_next()
{
    const QString file = m_waiting.takeFirst();
    m_file = file;
    const quint64 generation = m_generation;
    emit progress(file, 0.0);

    Progress watcher;
    watcher.stop = m_stop.get_token();
    watcher.report = [self = QPointer<MeasuredLoader>(this), generation, file, last = -1.0](double fraction) mutable {
        if (fraction - last < 0.005 && fraction < 1.0) // two hundred messages are enough for a bar
            return;
        last = fraction;
        QMetaObject::invokeMethod(qApp, [self, generation, file, fraction] {
            if (self && self->m_busy && self->m_generation == generation && self->m_file == file)
                emit self->progress(file, fraction);
        }, Qt::QueuedConnection);
    };

    using Outcome = Expected<std::vector<MeasuredView>>;
    run_in_background(this, [reader = m_reader, watcher = std::move(watcher), name = to_std(file)]() -> std::shared_ptr<Outcome> {
        try {
            Expected<std::vector<Measured>> found = reader(name, watcher);
            if (!found)
                return std::make_shared<Outcome>(found.error());
            std::vector<MeasuredView> views;
            for (Measured& m : *found)
                views.push_back(remembered_view(std::make_shared<const Measured>(std::move(m))));
            return std::make_shared<Outcome>(std::move(views));
        } catch (const std::exception& failure) {
            return std::make_shared<Outcome>(io_error(std::string("Reading was given up: ") + failure.what(), name));
        }
    }, [this, generation, file](const std::shared_ptr<Outcome>& outcome) {
        if (generation != m_generation)
            return;
        m_busy = !m_waiting.isEmpty();
        if (*outcome)
            emit loaded(**outcome);
        else if (outcome->error().kind == ErrorKind::cancelled)
            emit cancelled(file);
        else
            emit failed(file, outcome->error());
        if (generation == m_generation && !m_waiting.isEmpty())
            read_next();
    });
}

void MeasuredLoader::cancel()
{
    if (!m_busy)
        return;
    m_stop.request_stop();
    m_waiting.clear();
    ++m_generation;
    m_busy = false;
    emit cancelled(m_file);
}

} // namespace ridgepoint
