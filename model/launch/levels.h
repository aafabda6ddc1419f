#pragma once
// What the meters of a running job should show if it runs as estimated, and how far they may be off.

#include <optional>
#include <string>
#include <vector>

#include "model/project/resolve.h"

namespace ridgepoint {

enum class Meter : unsigned char { tensor, dram, nvlink, efa, power, step };
inline constexpr std::size_t meter_count = 6;
std::string_view name_of(Meter m); // "tensor_active": part of the names of rules

struct Level {
    Meter meter = Meter::tensor;
    double expected = 0; // share, bytes per second, watts or seconds
    double low = 0, high = 0; // what the error bar of the time allows
    double ceiling = 0; // of the hardware; 0: none
    std::string unit; // of Grafana: "percentunit", "Bps", "watt", "s"
    std::string title; // "Tensor cores active"
    std::string definition; // how the expected value comes about, in words
};

// Definitions, with T the time of a step and sums over what one GPU executes in it:
//   tensor  sum of FLOPs of matrix products and attention / (dense peak of their arithmetic x T)
//   dram    sum of bytes to and from device memory / (peak bandwidth x T)
//   nvlink  sum of bytes that a GPU sends over NVLink / T
//   efa     sum of bytes that a GPU sends over the network x GPUs of a host / T
//   power   TDP x (0.20 + 0.62 a), a the share of T in which the device works (economics/power.h, applied to the GPU)
//   step    T: the training step, time per output token, or time to first token
// Rates go with 1/T: the error bar e of T makes them x/(1+e) to x/(1-e). The meter of the tensor cores counts cycles with
// any work and reads up to a quarter more than FLOPs say: its upper bound is that much higher.
// Levels that are zero in the plan (no NVLink traffic) are left out.
std::vector<Level> expected_levels(const Evaluation& v);

} // namespace ridgepoint
