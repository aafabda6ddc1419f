#include "model/estimate/quick.h"

#include "model/estimate/training.h"

namespace ridgepoint {

struct QuickEstimator::Memo {
    LayerPassMemo passes;
};

QuickEstimator::QuickEstimator()
    : m_memo(std::make_unique<Memo>())
{
}
QuickEstimator::~QuickEstimator() = default;
QuickEstimator::QuickEstimator(QuickEstimator&&) noexcept = default;
QuickEstimator& QuickEstimator::operator=(QuickEstimator&&) noexcept = default;

QuickEstimate QuickEstimator::operator()(const Job& job)
{
    QuickEstimate q;
    if (!runs_prompts_apart(job.workload)) // both sides have layouts of their own, which estimate() checks
        q.rule = first_violation(job.model, job.workload, job.cluster, job.layout, job.precision);
    if (q.rule != LayoutRule::legal)
        return q;
    if (const auto* training = std::get_if<Training>(&job.workload)) {
        const Estimate e = std::move(train_quickly(job, *training, m_memo->passes).estimate);
        q.time = e.time;
        q.training = e.training;
        q.memory = e.memory.worst().total();
        q.capacity = e.memory.capacity;
        return q;
    }
    const Expected<Estimate> e = estimate(job);
    if (!e) {
        q.refused = true;
        return q;
    }
    q.time = e->time;
    q.serving = e->serving;
    q.memory = e->memory.worst().total();
    q.capacity = e->memory.capacity;
    return q;
}

} // namespace ridgepoint
