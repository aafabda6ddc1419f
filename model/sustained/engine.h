#pragma once
// What a serving engine makes of the kernels' rates. The kernel laws are fitted to benchmarks of single kernels; inside
// an engine, recorded graphs hide part of each launch, fused kernels replace chains of small ones, and the scheduler,
// the sampler and the API take time of their own. A handful of constants per engine, the same for every model and GPU;
// specs/efficiency/serving.json holds them with the residuals of whole groups of rows left out.

#include <string>

#include "model/base/error.h"
#include "model/kernels/constants.h"
#include "model/specs/store.h"

namespace ridgepoint {

struct EngineConstants {
    std::string engine; // id in serving.json: "vllm", "sglang", "tensorrt_llm"; empty: an ideal engine
    Seconds per_step; // scheduler and sampler, between two steps
    Seconds per_request; // per sequence and step
    Seconds per_prompt; // API, tokenizer and first sample: before the first token
    double launch_share = 1.0; // of a kernel's launch time that is left in a recorded graph
    double small_kernels = 1.0; // launches of element-wise work, over those of one kernel per operator
    double prefill_share = 1.0; // of the kernels' rates, in steps that carry prompts
    double expert_share = 1.0; // of the kernels' rates, in products of experts that real routing loads unevenly
    // The same in steps that carry prompts, where experts have many rows and other kernels: over expert_share and prefill_share.
    double prompt_expert_share = 1.0;
    double prefill_overlap = 0.0; // share of the decode step that a prompt's step does not pay again (mixed batches)
    // Prompts run without a recorded graph: routing, permuting and launching the experts of one layer takes the host this
    // long, which shows where the GPU has less to do (short prompts).
    Seconds host_per_expert_layer;
    // Share of a sequence's output for which its place in the cache is kept: 1 where none is ever evicted (TensorRT-LLM's
    // GUARANTEED_NO_EVICT), one half on average where the cache is paged and fills as sequences grow.
    double reserved_output = 0.5;
    // Share of a closed loop's later waves that arrive together like the first: an engine that runs prompts before
    // anything else starts its sequences together, and they end together.
    double bunching = 0.0;
    // Share of the steps with prompts that carry decoding sequences too: 1 where batches are mixed (vLLM, TensorRT-LLM), 0
    // where prompts run first and decoding waits (SGLang without --enable-mixed-chunk).
    double mixed_batches = 0.0;
    Seconds handover; // from prompt workers to decoding workers, beside the first token
    int token_budget = 8192; // prompt tokens of one step
    // Of rows left out of the fit, of models without and with experts: time per output token, time to first token, and output
    // per second of a full engine.
    Residual dense, mixture;
    Residual dense_first, mixture_first;
    Residual dense_rate, mixture_rate;
};

// `engine`: see EngineConstants::engine.
Expected<EngineConstants> read_engine_constants(const SpecStore& store, const std::string& engine);

// Scales the kernel laws to what they give inside the engine.
void run_inside(KernelConstants& kernels, const EngineConstants& engine);

} // namespace ridgepoint
