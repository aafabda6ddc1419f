#pragma once
// A closed-loop benchmark, as serving engines are measured: `concurrency` users start together, each sends its next
// request when the last one ends, `waves` x concurrency requests in all. Published means of TTFT and TPOT are of such runs:
// the first wave queues behind itself, which a steady stream of arrivals would not do.

#include "model/estimate/job.h"

namespace ridgepoint {

struct ClosedLoop {
    double concurrency = 1; // of the whole deployment
    double waves = 10;
    double spread = 0; // of the output lengths: longest less shortest, over the mean
    // Decode steps between two looks of the scheduler at what has arrived (SGLang's --scheduler-recv-interval).
    double poll = 1;
    // Decode steps that a prompt may be held back until every attention group has one (TensorRT-LLM's attention_dp_config:
    // enable_balance, timeout_iters); 0: it starts at once, and the other groups wait for it.
    double gather = 0;
};

struct ClosedLoopResult {
    Seconds ttft; // mean over all requests
    Seconds tpot; // mean
    double running = 0; // sequences that decode at once, whole deployment
    double requests_per_second = 0;
};

// One pool of GPUs that runs prompts and decoding. The job's workload gives lengths; its concurrency is not used.
ClosedLoopResult closed_loop(const Job& job, const ClosedLoop& load);

// Prompts and decoding on workers of their own. Each job is one worker of its pool.
struct SplitPools {
    const Job& prefill;
    const Job& decode;
    double prefill_workers = 1;
    double decode_workers = 1;
};
ClosedLoopResult closed_loop(const SplitPools& pools, const ClosedLoop& load);

} // namespace ridgepoint
