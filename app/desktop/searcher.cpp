#include "app/desktop/searcher.h"

#include <utility>

namespace ridgepoint {

Searcher::~Searcher() { stop(); }

void Searcher::stop() { m_thread.request_stop(); }

void Searcher::start(const Plan& plan, const SearchSpace& space, const SearchOptions& options, const SpecStore& specs)
{
    stop();
    m_busy = true;
    const quint64 generation = ++m_generation;
    m_thread = std::jthread([this, generation, plan, space, options, specs](const std::stop_token& stopped) {
        const auto refuse = [&](const Error& error) {
            QMetaObject::invokeMethod(this, [this, generation, error] {
                if (generation != m_generation)
                    return;
                m_busy = false;
                emit failed(error);
            }, Qt::QueuedConnection);
        };
        try {
            Expected<SearchProblem> made = SearchProblem::make(plan, space, specs);
            if (!made)
                return refuse(made.error());
            const auto problem = std::make_shared<const SearchProblem>(std::move(*made));
            Progress progress;
            progress.stop = stopped;
            SearchResult result = search(*problem, options, progress, [&](const SearchResult& so_far) {
                if (!stopped.stop_requested())
                    tell(generation, snapshot_of(problem, options, so_far, true));
            });
            tell(generation, snapshot_of(problem, options, std::move(result), false));
        } catch (const std::exception& failure) { // exhausted memory and the like
            Error error;
            error.message = std::string("The search was given up: ") + failure.what();
            refuse(error);
        }
    });
}

void Searcher::tell(quint64 generation, SearchSnapshot snapshot)
{
    QMetaObject::invokeMethod(this, [this, generation, shared = std::make_shared<const SearchSnapshot>(std::move(snapshot))] {
        if (generation != m_generation)
            return;
        m_busy = shared->running;
        emit progressed(shared);
    }, Qt::QueuedConnection);
}

} // namespace ridgepoint
