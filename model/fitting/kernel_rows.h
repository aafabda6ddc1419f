#pragma once
// Measured kernels, sorted by the law that they teach. Private to the fitting floor.

#include <map>
#include <string>
#include <vector>

#include "model/fitting/kernel_fits.h"
#include "model/hardware/accelerator.h"
#include "model/kernels/kernels.h"

namespace ridgepoint {

template <typename Shape> struct KernelRows {
    const Accelerator* gpu = nullptr;
    std::vector<Shape> shapes;
    std::vector<double> seconds;
    std::vector<std::vector<double>> families; // what a network fixes: matrix sizes, heads, experts
    std::vector<std::vector<double>> loads; // what a workload fixes: rows, tokens, keys
};

struct KernelTables { // by efficiency id of the GPU
    std::map<std::string, Accelerator> gpus;
    std::map<std::string, std::map<std::string, std::map<GemmKind, KernelRows<GemmShape>>>> gemm; // and software class
    std::map<std::string, std::map<GemmKind, KernelRows<ExpertLayerShape>>> grouped;
    std::map<std::string, std::map<bool, KernelRows<AttentionShape>>> prefill, decode, latent; // and whether the cache is FP8
};
KernelTables kernel_tables(const std::vector<MeasurementFile>& files, const SpecStore& specs, const Wanted& wanted, FittedLaws& out);

} // namespace ridgepoint
