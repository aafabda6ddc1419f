#include "app/desktop/trace_comparer.h"

#include <cctype>
#include <utility>

#include "app/desktop/background.h"

namespace ridgepoint {

bool is_same_device(const std::string& device_name, const Accelerator& accelerator)
{
    // The model number: "h100" of "h100-sxm", "a100" of "a100-80".
    const std::string model = accelerator.id.substr(0, accelerator.id.find('-'));
    std::string device;
    for (const char c : device_name)
        device += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return device.empty() || device.find(model) != std::string::npos;
}

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
    run_in_background(this, [timeline = m_timeline, result = m_result] {
        auto compared = std::make_shared<TraceComparison>();
        compared->timeline = timeline;
        compared->result = result;
        const Estimate* estimate = result && result->evaluation ? &result->evaluation->estimate : nullptr;
        if (estimate)
            compared->comparison = compare(*timeline, *estimate);
        // The work of a plan for another GPU says nothing about these kernels: only what the trace tells is placed then.
        const bool same = estimate && is_same_device(timeline->device_name, result->evaluation->job.cluster.accelerator);
        if (estimate && !same)
            compared->comparison->caveats.push_back("The trace is of " + timeline->device_name + ", the plan of " + result->evaluation->job.cluster.accelerator.name
                + ": set the plan to the measured machine, model and batch to compare them.");
        compared->placed = place_kernels(*timeline, same ? estimate : nullptr);
        return compared;
    }, [this](const std::shared_ptr<TraceComparison>& compared) {
        m_running = false;
        if (m_pending)
            start_next();
        else
            emit finished(*compared);
    });
}

} // namespace ridgepoint
