#pragma once
// Sets a trace beside the plan off the GUI thread: a trace has millions of events, and every edit of the plan asks anew.

#include <memory>
#include <optional>

#include <QObject>

#include "app/desktop/evaluator.h"
#include "model/calibration/compare.h"

namespace ridgepoint {

struct TraceComparison {
    std::shared_ptr<const Timeline> timeline;
    EvaluationPointer result; // null: there is no plan to compare with
    std::optional<Comparison> comparison;
    PlacedKernels placed;
};

// "NVIDIA H100 80GB HBM3" is an h100-sxm; nothing is said where the trace does not name its device.
bool is_same_device(const std::string& device_name, const Accelerator& accelerator);

class TraceComparer final : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;
    void request(std::shared_ptr<const Timeline> timeline, EvaluationPointer result);
    [[nodiscard]] bool is_busy() const { return m_running || m_pending; }

signals:
    void finished(const ridgepoint::TraceComparison& compared); // of the newest request only

private:
    void start_next();

    std::shared_ptr<const Timeline> m_timeline;
    EvaluationPointer m_result;
    bool m_pending = false;
    bool m_running = false;
};

} // namespace ridgepoint
