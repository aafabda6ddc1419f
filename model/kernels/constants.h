#pragma once
// Fitted constants of the kernel laws (kernels.h) for one GPU and one software class. Every figure lives in
// specs/efficiency/<gpu>.json with its source and date; model/fitting makes them. Fractions are of
// the data-sheet peak or bandwidth, so that a law stays homogeneous in the speeds.

#include <array>
#include <cstddef>
#include <string>

#include "model/hardware/precision.h"
#include "model/units/quantity.h"

namespace ridgepoint {

// Error of a law on shapes it was not fitted to (leave-groups-out), as fractions of the measured time.
struct Residual {
    double median = 0.0; // of the absolute error
    double p90 = 0.0;
    int rows = 0; // measurements behind it; 0: derived from published figures, not fitted
    bool operator==(const Residual&) const = default;
};

// One class of matrix-product kernels: they differ in how they scale and in what they do beside the product.
enum class GemmKind : unsigned char { bf16, fp8, fp8_block, mxfp8, fp4, weight_only };
inline constexpr std::size_t gemm_kind_count = 6;
std::string_view name_of(GemmKind k);

// compute = 2 m n (k + k_prologue) / (peak_fraction peak) + wave x (one tile's time)
// memory  = bytes / (bandwidth_fraction W) + pipeline k / (k + 2000)
// time    = launch + (compute^4 + memory^4)^(1/4) [+ quantize_launch + quantize_passes (read + write of A) /
// (bandwidth_fraction W)]
struct GemmConstants {
    double peak_fraction = 0.7; // of the dense peak that the main loop reaches
    double bandwidth_fraction = 0.8; // of HBM bandwidth that streaming the operands reaches
    Seconds launch; // floor of an empty product
    Seconds pipeline; // to fill the K loop and reduce split-K partial sums, for long K
    double k_prologue = 0.0; // elements of K that prologue and epilogue cost
    double wave = 0.0; // tiles' worth of one SM's time lost in the last wave
    double minimum_rows = 1.0; // rows that a tile computes at least
    double tile_m = 128.0;
    double tile_n = 128.0;
    Seconds quantize_launch; // kernels that convert the activations
    double quantize_passes = 1.0; // times that activations are read in bf16 and written in the low format
    double masked_passes = 0.0; // grouped only: see expert_layer_time
    Residual residual;
};

// Prefill: launch + (compute^4 + memory^4)^(1/4); compute = FLOPs (1 + half_length / keys) / (peak_fraction peak)
// + wave x (one tile of 128 queries against all keys, on one SM). Serving also writes keys and values to the cache:
// + store_launch + store_passes (read + write of the new keys and values) at the rate of streaming kernels.
struct PrefillConstants {
    double peak_fraction = 0.6;
    double bandwidth_fraction = 0.5;
    Seconds launch;
    double half_length = 500.0; // keys at which a tile has reached half its rate
    double wave = 1.0;
    Seconds store_launch;
    double store_passes = 1.0;
    double backward_fraction = 0.7; // FLOP/s of the backward pass relative to the forward pass
    Residual residual;
};

// Decode: launch + reduction keys / (keys + 2000) + unit sequences kv_heads / SMs + (compute^4 + memory^4)^(1/4).
struct DecodeConstants {
    double peak_fraction = 0.2;
    double bandwidth_fraction = 0.9;
    Seconds launch;
    Seconds reduction; // split-KV partial results
    Seconds unit; // one (sequence, KV head) on one SM
    double output_passes = 1.0; // queries and outputs, in times that they are read or written
    Residual residual;
};

struct MemoryConstants {
    double bandwidth_fraction = 0.8;
    Seconds launch; // one kernel, submitted from a stream that is kept full
    Residual residual;
};

struct KernelConstants {
    std::string gpu; // efficiency id
    std::string software; // class of kernels: "tensorrt-llm" (cuBLASLt), "vllm", ...
    std::array<GemmConstants, gemm_kind_count> gemm{};
    std::array<GemmConstants, gemm_kind_count> grouped{};
    PrefillConstants prefill_bf16, prefill_fp8; // by arithmetic
    PrefillConstants prefill_bf16_cache_fp8; // bf16 arithmetic that also converts keys and values for an fp8 cache
    DecodeConstants decode_bf16, decode_fp8; // by the format of the KV cache
    DecodeConstants latent_bf16, latent_fp8; // MLA, absorbed
    MemoryConstants memory;
};

} // namespace ridgepoint
