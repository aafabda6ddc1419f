#pragma once
// Work on another thread whose result comes back to its owner's thread, or nowhere if the owner has gone meanwhile.

#include <type_traits>
#include <utility>

#include <QFutureWatcher>
#include <QThreadPool>
#include <QtConcurrentRun>

namespace ridgepoint {

// A watcher, because QFuture::then(context, ...) of Qt 6.4 takes the context to be alive when the work ends.
template <typename Work, typename Then> void run_in_background(QObject* owner, Work work, Then then, QThreadPool* pool = QThreadPool::globalInstance())
{
    using Result = std::invoke_result_t<Work>;
    auto* watcher = new QFutureWatcher<Result>(owner);
    QObject::connect(watcher, &QFutureWatcherBase::finished, owner, [watcher, then = std::move(then)] {
        watcher->deleteLater();
        then(watcher->result());
    });
    watcher->setFuture(QtConcurrent::run(pool, std::move(work)));
}

} // namespace ridgepoint
