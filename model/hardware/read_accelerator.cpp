#include <array>
#include <cmath>

#include <fmt/format.h>

#include "model/hardware/read.h"
#include "model/specs/reader.h"
#include "model/units/format.h"

namespace ridgepoint {
namespace {

constexpr double tolerance = 0.005; // data sheets round to three digits

bool agree(double a, double b) { return std::fabs(a - b) <= tolerance * std::fmax(std::fabs(a), std::fabs(b)); }

Architecture read_architecture(SpecReader& spec)
{
    const std::string name = spec.text("/architecture");
    if (name == "ampere")
        return Architecture::ampere;
    if (name == "blackwell")
        return Architecture::blackwell;
    if (name != "hopper" && spec.ok())
        spec.fail("/architecture", "unknown architecture", "\"" + name + "\"", "ampere, hopper or blackwell");
    return Architecture::hopper;
}

Peak read_peak(SpecReader& spec, const std::string& at)
{
    Peak peak;
    peak.dense = spec.quantity<FlopPerSecond>(at + "/dense");
    peak.sparse = spec.quantity_or<FlopPerSecond>(at + "/sparse", {});
    if (!spec.has(at + "/sparse"))
        return peak;
    // NVIDIA's 2:4 sparsity doubles the rate. Blackwell Ultra FP4 is the known exception: the file must say so.
    const double ratio = spec.has(at + "/sparse_ratio") ? spec.number(at + "/sparse_ratio") : 2.0;
    if (spec.ok() && !agree(peak.sparse.value(), ratio * peak.dense.value()))
        spec.fail(at + "/sparse", fmt::format("the sparse peak must be {:.4g} times the dense one", ratio), format(peak.sparse),
            fmt::format("{}, or a \"sparse_ratio\" beside it", format(ratio * peak.dense)));
    return peak;
}

} // namespace

Expected<Accelerator> read_accelerator(const SpecStore& specs, const std::string& id)
{
    SpecReader spec(specs, SpecKind::accelerator, id);
    if (!spec.ok())
        return spec.error();
    Accelerator a;
    a.id = id;
    a.name = spec.text("/name");
    a.architecture = read_architecture(spec);
    for (std::size_t i = 0; i < arithmetic_count; ++i) {
        const std::string at = "/peaks/" + std::string(name_of(static_cast<Arithmetic>(i)));
        if (spec.has(at))
            a.peaks[i] = read_peak(spec, at);
    }
    if (spec.ok() && !a.supports(Arithmetic::bf16))
        spec.fail("/peaks", "a peak for bf16 is needed", {}, "\"bf16\": {\"dense\": ...}");
    a.fp64_vector = spec.quantity_or<FlopPerSecond>("/fp64_vector", {});
    a.hbm_marketed = spec.quantity<Bytes>("/hbm/marketed");
    a.hbm_visible = spec.quantity<Bytes>("/hbm/visible");
    a.hbm_bandwidth = spec.quantity<BytesPerSecond>("/hbm/bandwidth");
    a.l2 = spec.quantity<Bytes>("/l2");
    a.sms = spec.whole("/sms", 1, 100'000);
    a.clock_of_peaks = spec.quantity<Hertz>("/clock_of_peaks");
    a.clock_maximum = spec.quantity_or<Hertz>("/clock_maximum", {});
    a.tdp = spec.quantity<Watts>("/tdp");
    if (spec.has("/nvlink")) {
        a.nvlink_per_direction = spec.quantity<BytesPerSecond>("/nvlink/per_direction");
        a.nvlink_bidirectional = spec.quantity<BytesPerSecond>("/nvlink/bidirectional");
        if (spec.ok() && !agree(a.nvlink_bidirectional.value(), 2.0 * a.nvlink_per_direction.value()))
            spec.fail("/nvlink/bidirectional", "the bidirectional figure must be twice the one per direction", format(a.nvlink_bidirectional),
                format(2.0 * a.nvlink_per_direction));
    }
    a.host_link_per_direction = spec.quantity<BytesPerSecond>("/host_link/per_direction");
    a.efficiency_id = spec.text_or("/efficiency", id);
    const std::array<std::pair<const char*, double>, 4> needed = {{{"/hbm/visible", a.hbm_visible.value()},
        {"/hbm/bandwidth", a.hbm_bandwidth.value()}, {"/l2", a.l2.value()}, {"/clock_of_peaks", a.clock_of_peaks.value()}}};
    for (const auto& [at, value] : needed)
        if (spec.ok() && value <= 0.0)
            spec.fail(std::string(at) + "/value", "too small", "0", "more than 0");
    if (!spec.ok())
        return spec.error();
    return a;
}

} // namespace ridgepoint
