#pragma once
// What is run: training (pre-training, full fine-tuning, LoRA) or inference (prefill, decode, serving).

#include <string_view>
#include <variant>

#include "model/units/quantity.h"

namespace ridgepoint {

enum class TrainingKind : unsigned char { pretraining, fine_tuning, lora };

struct Lora {
    int rank = 16;
    bool attention = true; // adapters on q, k, v, o
    bool mlp = true; // adapters on the MLP matrices
};

struct Training {
    TrainingKind kind = TrainingKind::pretraining;
    int sequence_length = 4096; // tokens
    int global_batch = 512; // sequences per optimizer step
    Tokens tokens; // to train on; zero: only the step is asked for
    Lora lora; // kind == lora
    bool causal = true;
    bool dropout = false; // masks of hidden and attention dropout are kept (GPT-3 era)
};

enum class ServingPhase : unsigned char {
    prefill, // a batch of prompts, nothing cached
    decode, // one new token for each sequence of the batch
    serving, // steady mixture of both: what a user of an API sees
};

// Prompts and decoding on workers of their own (disaggregated serving). The plan's layout and concurrency are those of one
// decoding worker; these are the prompt workers, on the same type of GPU.
struct PromptPool {
    bool apart = false;
    int workers = 1; // that run prompts
    int decode_workers = 1;
    int tp = 1, pp = 1;
    int ep = 1; // above 1 with replicated attention where the layout has it: ep GPUs are one worker
    bool overlap = true; // a layer's cache is sent while the next layers compute
};

// LoRA adapters of one served model: the requests of a batch may each ask for another [Punica, arXiv:2310.18547; S-LoRA,
// arXiv:2311.03285]. Every resident one has a slot of the stated rank in GPU memory, as vLLM's max_loras and max_lora_rank
// reserve it; those that wait in host memory are not counted. Experts have none.
struct ServedAdapters {
    int resident = 0; // slots in GPU memory; 0: no adapters
    int active = 1; // distinct ones that the requests of a batch ask for
    int rank = 16;
    bool attention = true; // adapters on the projections of attention
    bool mlp = true; // adapters on the MLP matrices
};

struct Serving {
    ServingPhase phase = ServingPhase::serving;
    int input_length = 1024; // prompt tokens
    int output_length = 1024; // new tokens
    int concurrency = 32; // sequences in flight on ONE replica (tp*pp*attention-dp GPUs)
    int prefill_batch = 1; // prompts processed together
    int chunk = 8192; // tokens of a chunked-prefill step; 0: whole prompts
    double prefix_hit = 0.0; // share of prompt tokens found in the prefix cache
    bool burst = false; // all requests start together (offline): decode does not pay for prefill of others
    // Answers sampled from one prompt (n, best of n, a group of GRPO): computed once and cached once for all of them. A request
    // is one prompt with all its answers; concurrency still counts sequences.
    int samples = 1;
    bool shared_reads = false; // decoding reads the cache of a shared prompt once for its samples (cascade attention)
    int thinking_length = 0; // of the output: tokens before the first of the answer
    ServedAdapters adapters;
    PromptPool pool;
};

using Workload = std::variant<Training, Serving>;

// Disaggregated serving; the other phases have one pool.
inline bool runs_prompts_apart(const Workload& w)
{
    const auto* s = std::get_if<Serving>(&w);
    return s != nullptr && s->phase == ServingPhase::serving && s->pool.apart;
}

std::string_view name_of(TrainingKind k);
std::string_view name_of(ServingPhase p);

} // namespace ridgepoint
