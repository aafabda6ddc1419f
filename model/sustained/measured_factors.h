#pragma once
// What the user's own measurements say of the laws: a factor on the time of each kind of work, fitted by `calibrate` to
// loaded files and kept in the plan. At most six numbers, so that a handful of measurements can tell them apart; they hold
// for the GPU and the fabric that were measured and change nothing on others.

#include <array>
#include <string>
#include <string_view>

#include "model/collectives/constants.h"
#include "model/kernels/constants.h"
#include "model/units/quantity.h"

namespace ridgepoint {

enum class MeasuredPart : unsigned char {
    products, // matrix products, grouped ones too
    attention,
    memory, // element-wise work, norms, copies
    domain, // collectives inside the NVLink domain
    network, // collectives across it
    step, // time of a step beside all work
};
inline constexpr std::size_t measured_part_count = 6;
std::string_view name_of(MeasuredPart part); // "products"
std::string_view label_of(MeasuredPart part); // "Matrix products"

struct MeasuredFactors {
    std::string gpu; // efficiency id that the factors were measured on; empty: nothing was
    std::string fabric; // efficiency id, of `network`
    std::array<double, 5> times{1.0, 1.0, 1.0, 1.0, 1.0}; // products to network; 1: as the laws say
    Seconds per_step; // added to each step
    std::string source; // what it was fitted to, in words
    bool operator==(const MeasuredFactors&) const = default;
    [[nodiscard]] double& of(MeasuredPart part) { return times[static_cast<std::size_t>(part)]; }
    [[nodiscard]] double of(MeasuredPart part) const { return times[static_cast<std::size_t>(part)]; }
    [[nodiscard]] bool any() const { return *this != MeasuredFactors{gpu, fabric, {1.0, 1.0, 1.0, 1.0, 1.0}, {}, source}; }
};

// Scales the laws so that every time of a kind of work is multiplied by its factor exactly: latencies times the factor,
// rates over it. Nothing happens where the constants are of another GPU; the network's factor asks for its fabric too.
void apply(KernelConstants& kernels, CollectiveConstants& collectives, const MeasuredFactors& factors);

} // namespace ridgepoint
