#pragma once
// One GPU as the spec files describe it (specs/accelerators/*.json). Typed values only; where each came from
// (source, date, confidence, conflicts) is asked of the Catalogue by spec id and JSON pointer.

#include <array>
#include <string>

#include "model/hardware/precision.h"
#include "model/units/quantity.h"

namespace ridgepoint {

enum class Architecture : unsigned char { ampere, hopper, blackwell };

struct Peak {
    FlopPerSecond dense; // zero: the arithmetic is not supported
    FlopPerSecond sparse; // 2:4 structured sparsity; never used for a plan, kept for comparison with marketing figures
};

struct Accelerator {
    std::string id; // "h100-sxm"
    std::string name; // "NVIDIA H100 SXM 80 GB"
    Architecture architecture = Architecture::hopper;
    std::array<Peak, arithmetic_count> peaks{};
    FlopPerSecond fp64_vector; // without tensor cores; peaks[fp64] is the tensor figure
    Bytes hbm_marketed; // what the data sheet sells
    Bytes hbm_visible; // what software sees; every fit is judged against this one
    BytesPerSecond hbm_bandwidth;
    Bytes l2;
    int sms = 0;
    Hertz clock_of_peaks; // SM clock at which the peaks are stated
    Hertz clock_maximum; // zero: not published
    Watts tdp;
    BytesPerSecond nvlink_per_direction; // per GPU, one way; zero: no NVLink
    BytesPerSecond nvlink_bidirectional; // the marketing figure, checked to be twice the above
    BytesPerSecond host_link_per_direction; // PCIe or C2C, one way
    std::string efficiency_id; // which specs/efficiency file holds its fitted constants

    [[nodiscard]] FlopPerSecond dense_peak(Arithmetic a) const { return peaks[static_cast<std::size_t>(a)].dense; }
    [[nodiscard]] bool supports(Arithmetic a) const { return dense_peak(a) > FlopPerSecond{}; }
};

} // namespace ridgepoint
