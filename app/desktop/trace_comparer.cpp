#include "app/desktop/trace_comparer.h"

#include <utility>

#include <QFuture>
#include <QtConcurrentRun>

namespace ridgepoint {

void TraceComparer::request(std::shared_ptr<const Timeline> timeline, EvaluationPointer result)
{
    m_timeline = std::move(timeline);
    m_result = std::move(result);
    m_pending = true;
    if (!m_running)
        start_next();
}

void TraceComparer::start_next()
{
    m_pending = false;
    m_running = true;
    QtConcurrent::run([timeline = m_timeline, result = m_result] {
        auto compared = std::make_shared<TraceComparison>();
        compared->timeline = timeline;
        compared->result = result;
        const Estimate* estimate = result && result->evaluation ? &result->evaluation->estimate : nullptr;
        if (estimate)
            compared->comparison = compare(*timeline, *estimate);
        compared->placed = place_kernels(*timeline, estimate);
        return compared;
    }).then(this, [this](const std::shared_ptr<TraceComparison>& compared) {
        m_running = false;
        if (m_pending)
            start_next();
        else
            emit finished(*compared);
    });
}

} // namespace ridgepoint
