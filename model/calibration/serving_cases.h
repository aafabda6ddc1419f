#pragma once
// How a row of a serving table is read: which workers it describes, and which readings are open where it does not say.

#include <string>
#include <vector>

#include "model/calibration/csv.h"
#include "model/estimate/closed_loop.h"
#include "model/specs/store.h"

namespace ridgepoint {

// One pool of workers of a row: aggregated, or the prefill or decode side of a disaggregated one.
struct Pool {
    int tp = 1, pp = 1, attention_dp = 1, moe_tp = 1, moe_ep = 1;
    int workers = 0; // 0: not stated
    [[nodiscard]] int gpus() const { return tp * pp * attention_dp; }
    bool operator==(const Pool&) const = default;
};

inline constexpr int as_many_as_pay = -1; // ServingCase::drafted, where only that some are is known

// A reading of a row in which nothing is open.
struct ServingCase {
    Job decode; // also prefill where not split
    Job prefill;
    bool split = false;
    double prefill_workers = 1; // 0: not stated; as few as decoding hardly waits for
    double decode_workers = 1;
    int drafted = 0; // tokens of its drafting layer per step
    ClosedLoop load;
};
struct ServingOutcome {
    ClosedLoopResult result;
    bool drafts = false;
    double gpus = 1; // of the deployment
};
ServingOutcome predict(const ServingCase& c);

struct ServingReading {
    std::vector<ServingCase> cases; // one: the row is fully stated
    std::string recipe;
    std::string family;
    bool moe = false;
};
// Of every reading that could have been published: tables list the points of a sweep that no other beats both in time per
// output token and in throughput per GPU, so a reading that another beats is left out.
std::vector<ServingOutcome> predict(const ServingReading& r);
Expected<ServingReading> read_serving_row(const CsvRow& row, const SpecStore& specs);

// The point of a band: those that draft weigh by the share of published points that do.
Seconds point_of(const std::vector<ServingOutcome>& outcomes, Seconds ClosedLoopResult::*value);

// A maximum throughput: all requests are queued from the start.
struct OfflineReading {
    Job job;
    Pool pool;
    ClosedLoop load;
    std::string recipe;
};
Expected<OfflineReading> read_offline_row(const CsvRow& row, const SpecStore& specs);
double output_rate(const OfflineReading& r); // output tokens per second and GPU

// Resolves one pool on its GPU type. The network is the generic node's.
Expected<Job> served_job(const SpecStore& specs, std::string_view system, Transformer model, const Pool& pool, const Serving& workload,
    const std::string& recipe, Framework framework);
Expected<Transformer> served_model(const SpecStore& specs, std::string_view name);
// Precision recipe of a checkpoint from what tables say of its products.
std::string serving_recipe(std::string_view model, std::string_view system, std::string_view gemm, std::string_view moe, std::string_view precision);

} // namespace ridgepoint
