#include <algorithm>
#include <array>

#include "model/kernels/kernels.h"
#include "model/kernels/knee.h"

namespace ridgepoint {
namespace {

constexpr std::array<std::string_view, gemm_kind_count> kind_names
    = {"bf16", "fp8", "fp8_block", "mxfp8", "fp4", "weight_only"};

// K at which half of the pipeline fill of a long K loop is paid; one value for all GPUs, from the same fits.
constexpr double pipeline_half_k = 2000.0;

double quantized_rows(const GemmShape& s)
{
    const double rows = s.groups * s.m;
    return s.quantized_rows > 0.0 ? std::min(s.quantized_rows, rows) : rows;
}

} // namespace

std::string_view name_of(GemmKind k) { return kind_names[static_cast<std::size_t>(k)]; }

GemmKind kind_of(const GemmShape& s)
{
    switch (s.arithmetic) {
    case Arithmetic::fp8:
    case Arithmetic::fp6:
    case Arithmetic::int8:
        if (s.b == NumberFormat::fp8_block)
            return GemmKind::fp8_block;
        return s.b == NumberFormat::mxfp8 ? GemmKind::mxfp8 : GemmKind::fp8;
    case Arithmetic::fp4:
        return GemmKind::fp4;
    default:
        return bytes_per_element(s.b) < 2.0 ? GemmKind::weight_only : GemmKind::bf16;
    }
}

Work gemm_work(const GemmShape& s)
{
    const double touched = s.groups * s.touched;
    const double weights = touched * s.n * s.k * bytes_per_element(s.b);
    const double rows = s.groups * s.m;
    double traffic = weights + rows * s.k * bytes_per_element(s.a) + rows * s.n * bytes_per_element(s.c);
    if (s.quantize_a)
        traffic += quantized_rows(s) * s.k * (bytes_per_element(NumberFormat::bf16) + bytes_per_element(s.a));
    return {Flops{2.0 * rows * s.n * s.k}, Bytes{traffic}};
}

AttributedTime gemm_time(const GemmShape& s, const Accelerator& gpu, const KernelConstants& constants)
{
    const double peak = gpu.dense_peak(s.arithmetic).value();
    const double bandwidth = gpu.hbm_bandwidth.value();
    if (s.m <= 0.0 || s.n <= 0.0 || s.k <= 0.0 || s.groups <= 0.0 || peak <= 0.0 || bandwidth <= 0.0)
        return {};
    const auto kind = static_cast<std::size_t>(kind_of(s));
    const bool grouped = s.groups > 1.0 || s.touched < 1.0;
    const GemmConstants& c = grouped ? constants.grouped[kind] : constants.gemm[kind];

    const double touched = s.groups * s.touched;
    const double rows = s.groups * s.m; // of all groups
    const double rows_each = rows / touched; // of one touched group
    // A grouped product pads every group to its tile; a dense one has one padded edge, which only the last wave feels.
    const double padded = std::sqrt(rows_each * rows_each + c.minimum_rows * c.minimum_rows);
    const double executed_rows = grouped ? touched * padded : rows;
    const double rate = peak * c.peak_fraction;
    const double tile = cut_tile(padded, c.tile_m, s.n, c.tile_n) * s.k;
    const double compute
        = 2.0 / rate * (executed_rows * s.n * (s.k + c.k_prologue) + c.wave * static_cast<double>(gpu.sms) * tile);

    const double a_bytes = bytes_per_element(s.a);
    const double traffic
        = touched * s.n * s.k * bytes_per_element(s.b) + rows * (s.k * a_bytes + s.n * bytes_per_element(s.c));
    const double stream = 1.0 / (bandwidth * c.bandwidth_fraction);
    const double pipeline = c.pipeline.value() * s.k / (s.k + pipeline_half_k);

    double launch = c.launch.value();
    double converted = 0.0;
    if (s.quantize_a) {
        launch += c.quantize_launch.value();
        converted = c.quantize_passes * quantized_rows(s) * s.k * (bytes_per_element(NumberFormat::bf16) + a_bytes);
    }
    return knee(compute, traffic * stream, pipeline, launch, converted * stream);
}

AttributedTime memory_time(Bytes traffic, double launches, const Accelerator& gpu, const KernelConstants& c)
{
    const double bandwidth = gpu.hbm_bandwidth.value() * c.memory.bandwidth_fraction;
    if (bandwidth <= 0.0)
        return {};
    return AttributedTime(Resource::hbm, Seconds{traffic.value() / bandwidth})
        + AttributedTime(Resource::latency, c.memory.launch * launches);
}

} // namespace ridgepoint
