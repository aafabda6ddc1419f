#pragma once
// Seconds of one kernel on one GPU: a roofline (FLOPs over peak, bytes over bandwidth) times an efficiency law with few
// fitted constants per GPU (specs/efficiency/*.json, each with the data it came from and its residual). Every law is
// homogeneous in the speeds (see units/attributed_time.h) and monotone in work.

#include "model/hardware/accelerator.h"
#include "model/kernels/constants.h"
#include "model/units/attributed_time.h"

namespace ridgepoint {

// C[m,n] = A[m,k] B[k,n], `groups` times (grouped GEMM of local experts: m is the rows of ONE expert).
struct GemmShape {
    double m = 0; // rows: tokens
    double n = 0;
    double k = 0;
    double groups = 1;
    Arithmetic arithmetic = Arithmetic::bf16;
    NumberFormat a = NumberFormat::bf16; // activations as read (after quantization, if any)
    NumberFormat b = NumberFormat::bf16; // weights
    NumberFormat c = NumberFormat::bf16; // output
    bool quantize_a = false; // the activations arrive in bf16 and are converted first (cost included)
    double quantized_rows = 0; // how many of them, where not all: a token that several groups read is converted once
    // Grouped only: share of the groups whose weights are touched (expected distinct experts); 1 for dense.
    double touched = 1.0;
};

// softmax(Q K^T) V for one GPU.
struct AttentionShape {
    double sequences = 1;
    double query_heads = 0; // on this GPU
    double kv_heads = 0; // on this GPU
    double qk_dim = 128; // of Q and K per head
    double v_dim = 128;
    double queries = 0; // new tokens of each sequence
    double keys = 0; // keys that exist for the last query (prefix + queries)
    double window = 0; // 0: unlimited
    bool causal = true;
    bool fused = true; // FlashAttention; false: scores go to memory
    Arithmetic arithmetic = Arithmetic::bf16;
    NumberFormat kv = NumberFormat::bf16;
    // MLA in absorbed form: keys and values are one latent of qk_dim per token, shared by all heads.
    bool latent = false;
    // Serving: new keys and values also go to a KV cache, which attention benchmarks of serving measure with the kernel,
    // and few queries may take a kernel that streams the cache. False: training, tiles of queries and nothing beside.
    bool stores_cache = true;
    // Decode: the cache was read just before and what fits L2 is there still, as in the loop of a kernel benchmark. Never so
    // in a model, where a layer's weights and the other layers' caches come between.
    bool cached = false;
};

struct Work { // of one kernel
    Flops flops; // executed
    Bytes hbm; // compulsory traffic
};

GemmKind kind_of(const GemmShape& s); // which constants apply: by arithmetic and weight format

Work gemm_work(const GemmShape& s);
Work attention_work(const AttentionShape& s); // forward, as executed: without fusion masked scores are computed too
Flops attention_model_flops(const AttentionShape& s); // forward, as the model needs them
Work attention_backward_work(const AttentionShape& s); // 2.5 x the FLOPs when fused (recompute inside), else 2 x

AttributedTime gemm_time(const GemmShape& s, const Accelerator& gpu, const KernelConstants& c);
AttributedTime attention_time(const AttentionShape& s, const Accelerator& gpu, const KernelConstants& c);
AttributedTime attention_backward_time(const AttentionShape& s, const Accelerator& gpu, const KernelConstants& c);
// Norms, activations, rotary, routing, optimizer: what only moves bytes. `launches`: kernels it takes.
AttributedTime memory_time(Bytes traffic, double launches, const Accelerator& gpu, const KernelConstants& c);

// The routed experts of one layer as serving kernels run them on one GPU: permute, grouped up (and gate), activation,
// grouped down, weighted sum. Routing itself and the exchange between GPUs are not in it.
struct ExpertLayerShape {
    double tokens = 0; // that the kernels see: those of the whole expert-parallel group
    double hidden = 0;
    double inter = 0; // width of one expert on this GPU (after tensor parallelism)
    double top_k = 1;
    double experts = 1; // of the layer
    double expert_parallel = 1; // GPUs that share them
    double rows = 0; // routed to this GPU; 0: tokens x top_k / expert_parallel
    double touched = 1.0; // share of the GPU's experts with at least one row
    bool gated = true;
    // Kernels that do not move tokens between GPUs mask what is not theirs, and still pay for it in part.
    bool masked = false;
    Arithmetic arithmetic = Arithmetic::bf16;
    NumberFormat a = NumberFormat::bf16;
    NumberFormat b = NumberFormat::bf16;
    bool quantize_a = false;
};
AttributedTime expert_layer_time(const ExpertLayerShape& s, const Accelerator& gpu, const KernelConstants& c);

} // namespace ridgepoint
