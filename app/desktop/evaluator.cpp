#include "app/desktop/evaluator.h"

#include <exception>
#include <utility>

#include <QElapsedTimer>

#include "app/desktop/background.h"

namespace ridgepoint {

EvaluationPointer evaluate_now(const Plan& plan, const SpecStore& specs)
{
    QElapsedTimer clock;
    clock.start();
    std::shared_ptr<EvaluationResult> result;
    try {
        result = std::make_shared<EvaluationResult>(plan, evaluate(plan, specs));
        if (result->evaluation)
            result->roofline = roofline_of(result->evaluation->estimate, result->evaluation->job);
    } catch (const std::exception& failure) {
        // Exhausted memory and the like: shown as a problem of the plan, the program lives on.
        Error error;
        error.message = std::string("The evaluation was given up: ") + failure.what();
        result = std::make_shared<EvaluationResult>(plan, error);
    }
    result->milliseconds = static_cast<double>(clock.nsecsElapsed()) * 1e-6;
    return result;
}

Evaluator::Evaluator(Function function, QObject* parent) : QObject(parent), m_function(std::move(function)) {}

void Evaluator::request(const Plan& plan, const SpecStore& specs)
{
    m_pending = Request{plan, specs, ++m_generation};
    if (!m_running)
        start_next();
}

void Evaluator::start_next()
{
    if (!m_pending)
        return;
    Request request = *std::exchange(m_pending, std::nullopt);
    m_running = true;
    const quint64 generation = request.generation;
    run_in_background(this, [function = m_function, request = std::move(request)] { return function(request.plan, request.specs); },
        [this, generation](const EvaluationPointer& computed) {
            m_running = false;
            if (generation == m_generation) {
                auto result = std::make_shared<EvaluationResult>(*computed);
                result->generation = generation;
                emit finished(result);
            } else {
                ++m_dropped;
            }
            start_next();
        });
}

} // namespace ridgepoint
