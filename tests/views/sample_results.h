#pragma once
// Results for the charts' tests: a 405B training step on H200 nodes, estimated for real, and synthetic measured
// kernels.

#include <cmath>
#include <memory>
#include <random>

#include "model/estimate/estimate.h"
#include "model/roofline/roofline.h"
#include "tests/support/sample.h"
#include "views/charts/measured_kernels.h"

namespace ridgepoint::sample {

// H200 SXM data sheet: 989 TFLOP/s BF16, 1,979 FP8 and INT8, 494 TF32, 67 FP32 and FP64 tensor, 4.8 TB/s; NVLink 450
// GB/s one way; p5en.48xlarge: 3,200 Gbit/s for 8 GPUs.
inline Cluster h200_cluster(int nodes)
{
    Cluster c = cluster(nodes);
    c.accelerator.name = "H200";
    const auto peak = [&](Arithmetic a, double tera) {
        c.accelerator.peaks[static_cast<std::size_t>(a)] = {teraflops_per_second(tera), {}};
    };
    peak(Arithmetic::bf16, 989);
    peak(Arithmetic::fp8, 1979);
    peak(Arithmetic::int8, 1979);
    peak(Arithmetic::tf32, 494);
    peak(Arithmetic::fp32, 67);
    peak(Arithmetic::fp64, 67);
    c.accelerator.hbm_bandwidth = gigabytes_per_second(4800);
    c.accelerator.nvlink_per_direction = gigabytes_per_second(450);
    return c;
}

inline Transformer llama_405b()
{
    Transformer m = llama_8b();
    m.id = "llama-3.1-405b";
    m.hidden = 16384;
    m.kinds[0].attention = grouped(128, 8, 128);
    m.kinds[0].ffn_width = 53248;
    m.layers.assign(126, 0);
    return m;
}

inline Job training_405b(int nodes = 256)
{
    Layout layout;
    layout.tp = 8;
    layout.pp = 16;
    layout.vpp = 1;
    layout.recompute = Recompute::selective;
    Job job = training(llama_405b(), nodes, layout, 1024, 8192);
    job.cluster = h200_cluster(nodes);
    return job;
}

struct Result
{
    Job job;
    Estimate estimate;
    RooflineModel roofline;
};

inline const Result& result_405b()
{
    static const Result result = [] {
        Result r;
        r.job = training_405b();
        Expected<Estimate> e = ridgepoint::estimate(r.job);
        if (!e)
            throw std::runtime_error(e.error().text());
        r.estimate = *e;
        r.roofline = roofline_of(r.estimate, r.job);
        return r;
    }();
    return result;
}

// Clouds of GEMMs near the ceiling, streaming kernels along the slope, attention between, small launches far below.
inline std::shared_ptr<MeasuredKernels> measured(std::size_t count, unsigned seed = 17)
{
    auto m = std::make_shared<MeasuredKernels>();
    m->names = {"nvjet_hsh_256x128_64x4_2x1_v_bz_coopA_TNT", "void cudnn::sdpa_fprop_sm90_flash<bf16, 128>",
        "rms_norm_kernel", "vectorized_elementwise_kernel"};
    const KernelClass classes[]
        = {KernelClass::gemm, KernelClass::attention, KernelClass::norm, KernelClass::elementwise};
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    std::uniform_int_distribution<int> pick(0, 9);
    for (std::size_t i = 0; i < count; ++i) {
        const int p = pick(random);
        const std::size_t c = p < 3 ? 0 : p < 4 ? 1 : p < 7 ? 2 : 3;
        const double centre[] = {3.0, 2.6, -0.15, -0.4};
        const double intensity = std::pow(10.0, centre[c] + 0.35 * normal(random));
        const double roof = std::min(989e12, 4.8e12 * intensity);
        const double achieved = roof * std::min(1.0, 0.62 * std::exp(-std::abs(0.5 * normal(random))));
        const double time = 1e-5 * std::exp(1.2 * normal(random)) * (c < 2 ? 12 : 1);
        m->kernels.push_back({FlopPerByte{intensity}, FlopPerSecond{achieved}, Seconds{time}, classes[c],
            static_cast<std::uint32_t>(c)});
    }
    m->not_placed = static_cast<std::int64_t>(count / 50);
    return m;
}

} // namespace ridgepoint::sample
