#pragma once
// Everything that a prediction needs, resolved and typed. The only input of estimate().

#include <string>

#include "model/collectives/constants.h"
#include "model/hardware/node.h"
#include "model/kernels/constants.h"
#include "model/parallelism/layout.h"
#include "model/sustained/engine.h"
#include "model/sustained/measured_factors.h"
#include "model/sustained/sustained.h"
#include "model/transformer/transformer.h"
#include "model/workload/workload.h"

namespace ridgepoint {

enum class FlopConvention : unsigned char {
    six_n, // 6 x parameters
    six_n_full_attention, // 6(N - Vh) + 12 L a d s: PaLM, torchtitan
    six_n_causal_attention, // 6 N_matmul + 6 L a d s: Megatron today
    model_exact, // sum over operators, causal attention at its true cost
    hardware, // what is executed, recomputation included
};

enum class Framework : unsigned char { megatron, fsdp, deepspeed, vllm, sglang, tensorrt_llm };

// What is neither hardware nor layout: knobs that a user may doubt, each shown with its default and source.
struct Assumptions {
    Framework framework = Framework::megatron;
    bool compiled = true; // fsdp: torch.compile fuses element-wise operators
    FlopConvention convention = FlopConvention::model_exact;
    double moe_imbalance = 1.0; // busiest rank over mean; 1: forced balance
    Bytes runtime_reserve = gibibytes(1.5); // CUDA context and communication buffers
    double fragmentation = 0.05; // of the peak
    double memory_fraction = 0.90; // serving: share of visible memory the engine may take
    double straggler = 0.031; // training: relative spread of node speed: slowest of N costs 1 + s sqrt(2 ln N); fit to published runs
    Seconds host_per_launch = microseconds(6.0); // training: eager submission of one operator; hidden while the GPU is busy
    // training: what the host needs to route, permute and launch one MoE layer forward (twice that backward), eager.
    // Fit to Megatron-Bridge runs; one sequence a microbatch takes 8 to 11 ms per layer whatever the GPU.
    Seconds host_per_moe_layer = milliseconds(2.6);
    Seconds host_per_step; // serving: beside what the engine itself takes (EngineConstants)
    Seconds host_per_request; // serving: likewise, per sequence and step
    double speculative_acceptance = 0.0; // serving: chance that a drafted token is kept; 0: no speculation
    int speculative_tokens = 0; // drafted per step
};

struct Job {
    std::string name;
    Transformer model;
    Workload workload;
    Cluster cluster;
    Layout layout;
    PrecisionRecipe precision;
    Assumptions assumptions;
    KernelConstants kernels;
    CollectiveConstants collectives;
    TrainingConstants training; // already in the kernels and collectives; what is left of it shapes the step
    EngineConstants engine; // serving: already in the kernels; what is left of it shapes steps and latencies
    MeasuredFactors measured; // already in all of the above
};

} // namespace ridgepoint
