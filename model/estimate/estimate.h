#pragma once
// The prediction and everything that explains it. estimate(job) is the one way to get numbers: a key press, a search, the
// command line, validation and the report all call it.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "model/base/error.h"
#include "model/estimate/job.h"
#include "model/memory/fit.h"
#include "model/operators/operators.h"
#include "model/units/attributed_time.h"

namespace ridgepoint {

// Where the time of the step goes, on the critical path: the parts add up to the step.
enum class StepPart : unsigned char {
    gemm,
    attention,
    elementwise, // norms, activations, routing and other memory-bound work
    recompute,
    tp_exposed,
    cp_exposed,
    ep_exposed,
    pp_exposed, // point-to-point
    bubble,
    dp_exposed,
    optimizer,
    host,
    straggler,
    prefill_share, // serving: prefill of others, charged to every output token
};
inline constexpr std::size_t step_part_count = 14;
std::string_view name_of(StepPart p);

struct StepBreakdown {
    std::array<AttributedTime, step_part_count> parts{};
    // Communication that runs behind computation, not in the sum.
    Seconds tp_hidden, cp_hidden, ep_hidden, pp_hidden, dp_hidden;

    AttributedTime& operator[](StepPart p) { return parts[static_cast<std::size_t>(p)]; }
    const AttributedTime& operator[](StepPart p) const { return parts[static_cast<std::size_t>(p)]; }
    [[nodiscard]] AttributedTime total() const
    {
        AttributedTime sum;
        for (const AttributedTime& part : parts)
            sum += part;
        return sum;
    }
};

struct TrainingResult {
    Seconds step;
    TokensPerSecond tokens_per_second; // whole cluster
    TokensPerSecond tokens_per_second_per_gpu;
    Flops model_flops_per_step; // whole cluster, in the convention of the assumptions
    FlopPerSecond achieved_per_gpu; // model FLOPs / step / GPUs
    double mfu = 0; // of the dense peak of `peak_arithmetic`
    Arithmetic peak_arithmetic = Arithmetic::bf16;
    FlopConvention convention = FlopConvention::model_exact;
    double bubble_fraction = 0; // of the step
    int microbatches = 0;
    std::optional<Seconds> time_to_train; // when the plan names tokens; step time only, no failures
};

// An output whose first part is thinking: the reader of the answer waits for it. The steps show what the growth of the cache
// does over a long output.
struct ThinkingResult {
    int tokens = 0;
    int answer_tokens = 0;
    Seconds time; // tokens x TPOT; in a burst, where all sequences think at once, at the contexts of that time
    Seconds first_answer; // TTFT + time: time to the first token of the answer
    Seconds first_step, last_step; // decode step with every sequence at its first and its last token
    Bytes first_cache, last_cache; // of one sequence, on all GPUs
};

struct ServingResult {
    Seconds ttft; // time to first token, mean, no queueing
    Seconds tpot; // time per output token, mean
    Seconds prefill_step; // of prefill_batch prompts
    Seconds decode_step; // of the whole batch
    TokensPerSecond output_per_second; // of one replica
    TokensPerSecond output_per_second_per_gpu;
    TokensPerSecond input_per_second_per_gpu;
    TokensPerSecond output_per_second_per_user;
    double requests_per_second = 0; // of one replica; a request is a prompt with all its samples
    int largest_batch = 0; // sequences that the KV cache holds
    Bytes kv_bytes_per_token; // whole model, unsharded
    double mfu = 0; // decode: of the dense peak; prefill likewise
    double mbu = 0; // decode: HBM bytes over time over bandwidth
    std::optional<double> prompt_gpu_share; // of a unit's GPUs, where prompts run on workers of their own
    int replicas = 1; // that the cluster holds
    Bytes adapter; // of one LoRA adapter on the fullest GPU; zero: none are served
    std::optional<ThinkingResult> thinking;
};

// Prompts and decoding on workers of their own: what each side does, and what crosses between them. One unit is
// prompt_workers + decode_workers; ServingResult is of one unit.
struct DisaggregatedResult {
    int prompt_workers = 1, decode_workers = 1;
    int gpus_per_prompt_worker = 1, gpus_per_decode_worker = 1;
    double prompt_requests_per_second = 0; // that all prompt workers of a unit can start
    double decode_requests_per_second = 0; // that all its decoding workers can finish
    TokensPerSecond input_per_prompt_gpu; // at the rate of the whole, per GPU of that phase
    TokensPerSecond output_per_decode_gpu;
    Bytes cache; // of one prompt, that is sent
    bool inside_domain = false; // over NVLink; else over the network
    Seconds transfer; // of one prompt's cache
    Seconds exposed_transfer; // what the first token waits for
    double link_utilization = 0; // of the busier side's links; above 1 the links limit the whole
    double best_ratio = 0; // prompt workers per decoding worker at which neither waits for the other
    int best_prompt_workers = 0, best_decode_workers = 0; // the split of a unit's GPUs with the highest rate
    double best_requests_per_second_per_gpu = 0; // of that split
};

// "How computed": a tree of named numbers. Filled only when asked for.
struct Derivation {
    std::string name; // "Step time"
    std::string formula; // "(m + p - 1) (t_f + t_b)"
    std::string value; // "4.21 s"
    std::string source; // paper and equation, spec id and field, or empty
    std::vector<Derivation> inputs;
};

struct Estimate {
    AttributedTime time; // the step (training), TPOT (decode, serving) or TTFT (prefill): the answer's time
    std::optional<TrainingResult> training;
    std::optional<ServingResult> serving;
    std::optional<DisaggregatedResult> disaggregated; // beside `serving`
    StepBreakdown breakdown; // of `time`
    MemoryFit memory;
    OperatorList operators; // of the stage that decides the time
    // Half-width of the error bar: 80 % of measurements should lie within. Training: from runs of sources left out of the fit;
    // serving: from the residuals of the kernels.
    double relative_error = 0;
    double first_token_error = 0; // likewise of the time to first token (serving, with an engine); 0: not known
    double rate_error = 0; // likewise of the output per second
    std::vector<std::string> notes; // what the reader must know: extrapolated, approximated, reserved

    [[nodiscard]] bool feasible() const { return memory.fits(); }
    [[nodiscard]] Resource bound() const { return time.bound(); }
};

// Errors: ErrorKind::infeasible with the first violated rule when the layout is illegal. A plan that merely does not fit
// in memory is estimated all the same; look at memory.fits().
Expected<Estimate> estimate(const Job& job);

// The derivation of the estimate's main numbers, produced by the same code path.
Expected<Derivation> explain(const Job& job);

} // namespace ridgepoint
