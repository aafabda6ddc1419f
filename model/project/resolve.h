#pragma once
// From names to values: Plan + catalogue -> Job, and the evaluation that every front end shows.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/economics/cost.h"
#include "model/estimate/estimate.h"
#include "model/project/plan.h"
#include "model/run/storage_step.h"
#include "model/specs/store.h"

namespace ridgepoint {

// The plan's own snapshots come before the catalogue. Errors point at the field of the plan.
Expected<Job> resolve(const Plan& plan, const SpecStore& specs);

// The same for a plan that differs from the one behind `base` in neither model nor instance: nothing is read again.
Expected<Job> resolve_variant(const Plan& plan, const Job& base);

// The price that the plan asks for, or why there is none.
Expected<Price> price_of(const Plan& plan, const SpecStore& specs);

// What the run of a training plan does with storage. Errors point at the field of the plan.
Expected<RunStorage> storage_of(const Plan& plan, const SpecStore& specs);

// One change of the plan and what it does, estimated like the plan itself.
struct Advice {
    std::vector<std::pair<std::string, std::string>> edits; // field paths and values for set_field
    std::string change; // "Recomputation full -> none"
    std::string effect; // "step 12.1 s -> 10.4 s (-14.0 %), 5.2 GiB to spare"
    double gain = 0; // of the throughput per GPU: 0.16 is 16 % more
    double headroom_gib = 0; // afterwards; negative: does not fit
    bool fits = false;
};

// What the verdict strip, the `plan` command and the report say.
struct Evaluation {
    Job job;
    Estimate estimate;
    Cost cost;
    std::optional<StorageStep> storage; // training; none where the run's storage cannot be had
    std::string verdict; // "Fits with 11.2 GiB to spare; bound by compute (61 %)"
    std::vector<std::string> advice; // what to change, most useful first: "TP 8 -> 16 frees 21 GiB"
    std::vector<Advice> changes; // the same, for programs; one per line of advice
};
Expected<Evaluation> evaluate(const Plan& plan, const SpecStore& specs);
// Estimate and cost without advice: for comparisons.
Expected<Evaluation> evaluate_only(const Plan& plan, const SpecStore& specs);

// `storage`: what it adds to the step; null: nothing is known.
std::string verdict_of(const Estimate& estimate, const StorageStep* storage = nullptr);
// Tries single changes (pairs where no single one fits) and keeps those that help, most useful first; at most `count`.
std::vector<Advice> advise(const Plan& plan, const Job& job, const Estimate& estimate, std::size_t count = 5);
// Useful tokens per second and GPU: trained, output, or input where only prefill runs.
double throughput_per_gpu(const Estimate& estimate);

} // namespace ridgepoint
