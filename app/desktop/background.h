#pragma once
// Work on another thread whose result comes back to its owner's thread, or nowhere if the owner has gone meanwhile.

#include <type_traits>
#include <utility>

#include <QCoreApplication>
#include <QFutureWatcher>
#include <QPointer>
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

// One thread of its owner's own, so that long work never stands before an evaluation, which follows the keyboard. The
// application owns the pool; the next application, as tests have them, makes it anew.
inline QThreadPool* pool_of_one(QPointer<QThreadPool>& pool)
{
    if (!pool) {
        pool = new QThreadPool(QCoreApplication::instance());
        pool->setMaxThreadCount(1);
    }
    return pool;
}

} // namespace ridgepoint
