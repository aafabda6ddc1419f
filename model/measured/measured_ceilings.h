#pragma once
// Roofs that were measured on the machine: Empirical Roofline Tool, rocprof-compute.

#include <string>
#include <vector>

#include "model/units/quantity.h"

namespace ridgepoint {

struct MeasuredCeilings { // of one device
    std::string device;
    struct Bandwidth {
        std::string level; // "HBM", "L2"
        BytesPerSecond rate;
    };
    struct Peak {
        std::string name; // "MFMA BF16"
        FlopPerSecond rate;
    };
    std::vector<Bandwidth> bandwidths;
    std::vector<Peak> peaks;
};

} // namespace ridgepoint
