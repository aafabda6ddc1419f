#pragma once
// The estimate without its explanation, for searches: the same code and the same numbers to the last bit, a few microseconds
// faster because operators are not listed and layers that many layouts share are computed once.

#include <memory>
#include <optional>

#include "model/estimate/estimate.h"

namespace ridgepoint {

struct QuickEstimate {
    LayoutRule rule = LayoutRule::legal; // else the rule that the layout breaks, and nothing below
    bool refused = false; // serving: no operating point (more attention groups than sequences, ...); nothing below
    AttributedTime time; // as Estimate::time
    std::optional<TrainingResult> training;
    std::optional<ServingResult> serving;
    Bytes memory; // of the fullest stage
    Bytes capacity;

    [[nodiscard]] bool possible() const { return rule == LayoutRule::legal && !refused; }
    [[nodiscard]] Bytes headroom() const { return capacity - memory; }
};

// For jobs that differ in their layout only (same model, cluster, precision, workload, assumptions); make another one
// when anything else changes. One per thread.
class QuickEstimator {
public:
    QuickEstimator();
    ~QuickEstimator();
    QuickEstimator(QuickEstimator&&) noexcept;
    QuickEstimator& operator=(QuickEstimator&&) noexcept;

    QuickEstimate operator()(const Job& job);

private:
    struct Memo;
    std::unique_ptr<Memo> m_memo;
};

} // namespace ridgepoint
