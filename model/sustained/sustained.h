#pragma once
// What hours of training leave of the rates that short benchmarks of single kernels and collectives show. Clocks settle
// where the power limit lets them, experts get uneven and changing shapes, exchanges compete with other traffic, and a
// framework adds passes over memory and time of its own. A handful of constants per GPU, fabric and framework, the same
// for every model; specs/efficiency/ holds them ("training" of a GPU or a fabric, and training.json), fitted to published
// runs by `ridgepoint-cli fit`.

#include <array>
#include <string>

#include "model/base/error.h"
#include "model/collectives/constants.h"
#include "model/hardware/accelerator.h"
#include "model/kernels/constants.h"
#include "model/specs/store.h"

namespace ridgepoint {

// Classes of matrix products in training recipes, by arithmetic and scaling.
enum class TrainingProduct : unsigned char { bf16, fp8, mxfp8, fp4 };
inline constexpr std::size_t training_product_count = 4;
std::string_view name_of(TrainingProduct p);
TrainingProduct training_product_of(GemmKind kind);

// Of one GPU: shares of the rate that its kernel laws give.
struct TrainingRates {
    std::array<double, training_product_count> products{1.0, 1.0, 1.0, 1.0}; // linear layers
    std::array<double, training_product_count> experts{1.0, 1.0, 1.0, 1.0}; // one product per expert, beside the above
    double attention = 1.0; // kernels of the vendor's library (cuDNN through Transformer Engine, FlashAttention-3)
    double portable_attention = 1.0; // FlashAttention-2 and kernels like it, which use no unit newer than Ampere's
    double routed_all_to_all = 1.0; // NCCL all-to-all of tokens inside the NVLink domain: uneven, after a host round trip
    double routed_exchange = 1.0; // DeepEP, HybridEP
    Watts tdp; // of the part that was measured; other power limits scale the rates
    Residual dense, mixture; // error of predicted steps, of networks without and with experts, on sources left out of the fit
    bool operator==(const TrainingRates&) const = default;
};

// Of one fabric.
struct TrainingLinks {
    double routed_all_to_all = 1.0;
    double routed_exchange = 1.0;
    Seconds exchange_latency; // that each dispatch or combine between domains adds
    bool operator==(const TrainingLinks&) const = default;
};

// Of one framework.
struct FrameworkConstants {
    double memory_passes = 1.0; // bytes that element-wise work moves, over those of fully fused kernels
    Seconds per_step; // beside the model: data loading, logging, scheduler, schedules' start
    bool operator==(const FrameworkConstants&) const = default;
};

struct OverlapConstants {
    double contention = 0.0; // seconds that computation loses per second of gradient or parameter traffic behind it
    double expert_hidden = 1.0; // share of an expert exchange that overlapping can hide at best
    bool operator==(const OverlapConstants&) const = default;
};

struct TrainingConstants {
    TrainingRates rates;
    TrainingLinks links;
    FrameworkConstants framework;
    OverlapConstants overlap;
    double power_exponent = 0.5; // rate ~ (power limit)^exponent; between the cube root of f^3 dynamic power and 1
    bool operator==(const TrainingConstants&) const = default;
};

// `framework` is its id in training.json ("megatron"); `fabric_id` may be empty. A file without "training" has none of
// these losses (shares of 1).
Expected<TrainingConstants> read_training_constants(
    const SpecStore& store, const std::string& gpu_id, const std::string& fabric_id, const std::string& framework);

// Scales the laws. Training runs MXFP8 on the vendor's dense kernels and one dense product per expert (Transformer
// Engine GroupedLinear), so those laws replace the grouped kernels of serving engines.
void sustain(KernelConstants& kernels, CollectiveConstants& collectives, const TrainingConstants& constants,
    const Accelerator& gpu, bool portable_attention);

} // namespace ridgepoint
