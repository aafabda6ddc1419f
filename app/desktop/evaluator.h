#pragma once
// Evaluates plans off the GUI thread. Requests that arrive while one is running are coalesced to the last; a result
// whose generation is not the newest asked for is dropped, so an old plan's numbers never show beside a new plan.

#include <functional>
#include <memory>
#include <optional>

#include <QObject>

#include "model/project/resolve.h"
#include "model/roofline/roofline.h"

namespace ridgepoint {

struct EvaluationResult {
    Plan plan;
    Expected<Evaluation> evaluation;
    RooflineModel roofline; // empty where there is no evaluation
    quint64 generation = 0;
    double milliseconds = 0; // of the computation

    explicit EvaluationResult(Plan p, Expected<Evaluation> e) : plan(std::move(p)), evaluation(std::move(e)) {}
};
using EvaluationPointer = std::shared_ptr<const EvaluationResult>;

EvaluationPointer evaluate_now(const Plan& plan, const SpecStore& specs);

class Evaluator final : public QObject {
    Q_OBJECT

public:
    using Function = std::function<EvaluationPointer(const Plan&, const SpecStore&)>;

    explicit Evaluator(Function function = evaluate_now, QObject* parent = nullptr);

    void request(const Plan& plan, const SpecStore& specs);
    [[nodiscard]] bool is_busy() const { return m_running || m_pending.has_value(); }
    [[nodiscard]] quint64 generation() const { return m_generation; } // of the last request
    [[nodiscard]] quint64 dropped() const { return m_dropped; } // results that came too late

signals:
    void finished(const ridgepoint::EvaluationPointer& result); // newest request only

private:
    struct Request {
        Plan plan;
        SpecStore specs;
        quint64 generation;
    };
    void start_next();

    Function m_function;
    std::optional<Request> m_pending;
    bool m_running = false;
    quint64 m_generation = 0;
    quint64 m_dropped = 0;
};

} // namespace ridgepoint
